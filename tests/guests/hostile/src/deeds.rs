//! What it can do to its host.

use std::cell::RefCell;
use std::hint::black_box;
use std::io::Write;

use serde::Deserialize;

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Deed {
    /// Panics with words.
    Panic,
    /// Never returns.
    Spin,
    /// Calls itself until the stack ends.
    Recurse,
    /// Asks for memory without end.
    Hog,
    /// Writes 64 KiB to standard error and goes on.
    Flood,
    /// Leaves by `exit`.
    Exit,
    /// Burns time, within the deadline.
    Burn,
    /// Waits for a line of standard input.
    Wait,
    /// Returns a long text where text is returned.
    Chatter,
    /// Returns text that is no UTF-8 where text is returned, or an error where words may be.
    Nonsense,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    pub(crate) on: String,
    pub(crate) r#do: Option<Deed>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { on: "call".into(), r#do: None }
    }
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    /// Calls answered since birth, and by the instances before it.
    pub(crate) calls: u64,
    /// Names it was told.
    pub(crate) names: usize,
}

thread_local! {
    pub(crate) static STATE: RefCell<State> = RefCell::default();
}

/// Does the deed, when it is the time for it. True when the answer must be nonsense.
pub(crate) fn enter(function: &str) -> bool {
    STATE.with_borrow_mut(|state| state.calls += 1);
    at(function) || at("call")
}

pub(crate) fn at(place: &str) -> bool {
    let settings = STATE.with_borrow(|state| state.settings.clone());
    match settings.r#do {
        Some(deed) if settings.on == place => {
            commit(deed);
            deed == Deed::Nonsense
        }
        _ => false,
    }
}

#[expect(clippy::panic, reason = "panicking is what this policy is for")]
fn commit(deed: Deed) {
    match deed {
        Deed::Panic => panic!("the hostile policy has lost its temper"),
        Deed::Spin => loop {
            black_box(());
        },
        Deed::Recurse => drop(black_box(recurse(0))),
        Deed::Hog => hog(),
        Deed::Flood => flood(),
        Deed::Exit => std::process::exit(3),
        Deed::Burn => burn(),
        Deed::Wait => drop(std::io::stdin().read_line(&mut String::new())),
        Deed::Chatter | Deed::Nonsense => {}
    }
}

#[expect(unconditional_recursion, reason = "the end of the stack is what it looks for")]
fn recurse(depth: u64) -> [u64; 64] {
    let mut frame = recurse(black_box(depth + 1));
    frame[(depth % 64) as usize] += depth;
    frame
}

fn flood() {
    let line = [[b'x'; 1023].as_slice(), b"\n"].concat();
    for _ in 0..64 {
        // What cannot be written is not missed.
        let _ = std::io::stderr().write_all(&line);
    }
}

/// Takes memory without touching it, so that the cap on memory is met before the deadline.
fn hog() {
    let mut held = Vec::new();
    loop {
        held.push(black_box(Vec::<u8>::with_capacity(1 << 20)));
    }
}

/// About half a millisecond on a machine of our day.
fn burn() {
    let mut value = 1u64;
    for step in 0..200_000 {
        value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step));
    }
}

/// A text, or what no host can lift, or more than anybody reads.
pub(crate) fn words(nonsense: bool, text: &str) -> String {
    if STATE.with_borrow(|state| state.settings.r#do) == Some(Deed::Chatter) {
        "x".repeat(100_000)
    } else if nonsense {
        // SAFETY: none. The host must find out that this is no text.
        unsafe { String::from_utf8_unchecked(vec![0xff, 0xfe]) }
    } else {
        text.into()
    }
}
