//! Classes, each with its aging step and its longest wait.
//!
//! A caller declares a class by number; one that declares none gets `standard`, and a number past the last
//! class means the last. A waiting request counts as one class more urgent after each aging step, so that a
//! low class is slow and never starved; past its longest wait the host offers it first. At a budget's soft limit
//! the classes that may be shed are; once it is spent to `soft` thousandths every class may be.

use weir_sdk::priority::{Arrival, Placement, Priority};
use weir_sdk::{About, Micros, Policy};

weir_sdk::settings! {
    /// One class.
    pub struct Class {
        /// Milliseconds of waiting after which it counts as one class more urgent; 0 never.
        aging_ms: u64 = 30_000, in 0..=86_400_000;
        /// Milliseconds of waiting after which the host offers it first; 0 never.
        longest_wait_ms: u64 = 0, in 0..=86_400_000;
        /// Share among its siblings.
        weight: u32 = 1, in 1..=1_000;
        /// It may be dropped under pressure.
        may_shed: bool = false;
    }
}

weir_sdk::settings! {
    /// What can be set.
    pub struct Settings {
        /// The classes, the most urgent first.
        classes: Vec<Class> = standard_classes();
        /// The class of a request that declares none.
        standard: u32 = 1, in 0..=254;
        /// Thousandths of a budget spent from which a request may be shed whatever its class; 1000 leaves
        /// the other classes to the hard limit.
        soft: u32 = 1_000, in 0..=1_000;
    }
}

/// Interactive, standard, batch and background.
fn standard_classes() -> Vec<Class> {
    let class = |aging_ms, longest_wait_ms, may_shed| Class {
        aging_ms,
        longest_wait_ms,
        may_shed,
        ..Class::default()
    };
    vec![
        class(0, 30_000, false),
        class(20_000, 120_000, false),
        class(60_000, 600_000, false),
        class(120_000, 0, true),
    ]
}

/// The policy.
pub struct Classes(Settings);

impl Policy for Classes {
    const ABOUT: About = weir_sdk::about!();
    type Settings = Settings;

    fn start(settings: Settings, _now: Micros) -> Result<Self, String> {
        let count = settings.classes.len();
        if !(1..=255).contains(&count) {
            return Err(format!("setting `classes` has {count} entries; it must have 1 to 255"));
        }
        if settings.standard as usize >= count {
            let standard = settings.standard;
            return Err(format!("setting `standard` is {standard}; there are {count} classes"));
        }
        Ok(Self(settings))
    }
}

impl Priority for Classes {
    fn place(&mut self, _now: Micros, arrival: &Arrival) -> Placement {
        let Settings { classes, standard, soft } = &self.0;
        let declared = match arrival.declared_class {
            255 => *standard as usize,
            class => class.into(),
        };
        let number = declared.min(classes.len() - 1);
        let class = &classes[number];
        Placement {
            class: u8::try_from(number).unwrap_or(u8::MAX),
            rank: 0,
            weight: class.weight,
            aging_step: Micros::from_millis(class.aging_ms).0,
            longest_wait: Micros::from_millis(class.longest_wait_ms).0,
            may_shed: class.may_shed || u32::from(arrival.budget_spent) >= *soft,
        }
    }
}

weir_sdk::export!(Classes: priority);

#[cfg(test)]
mod tests {
    use weir_sdk::native;
    use weir_sdk::testing::arrival;

    use super::*;

    fn place(settings: &str, arrival: &Arrival) -> Placement {
        native::priority::<Classes>(settings, 0).unwrap().place(0, arrival)
    }

    fn declared(class: u8) -> Arrival {
        Arrival { declared_class: class, ..arrival(1) }
    }

    #[test]
    fn a_declared_class_has_its_own_steps() {
        let placed = place("", &declared(2));
        let expected = (2, 60_000_000, 600_000_000, false);
        let Placement { class, aging_step, longest_wait, may_shed, .. } = placed;
        assert_eq!((class, aging_step, longest_wait, may_shed), expected);
    }

    #[test]
    fn none_declared_is_standard_and_too_high_is_the_last() {
        assert_eq!(place("", &declared(255)).class, 1);
        assert_eq!(place("", &declared(200)).class, 3);
        assert_eq!(place(r#"{"standard": 2}"#, &declared(255)).class, 2);
    }

    #[test]
    fn background_and_whoever_spent_a_budget_may_be_shed() {
        assert!(place("", &declared(3)).may_shed);
        assert!(!place("", &declared(0)).may_shed);
        let spent = |thousandths| Arrival { budget_spent: thousandths, ..declared(0) };
        assert!(!place("", &spent(999)).may_shed, "the hard limit stops it, no soft one");
        assert!(!place(r#"{"soft": 900}"#, &spent(899)).may_shed);
        assert!(place(r#"{"soft": 900}"#, &spent(900)).may_shed);
    }

    #[test]
    fn classes_can_be_set() {
        let settings = r#"{"classes": [{"aging_ms": 5}, {"weight": 3}], "standard": 0}"#;
        assert_eq!(place(settings, &declared(255)).aging_step, 5_000);
        assert_eq!(place(settings, &declared(1)).weight, 3);
    }

    #[test]
    fn bad_settings_are_refused_with_words() {
        let start = |settings| native::priority::<Classes>(settings, 0).err().unwrap();
        assert_eq!(
            start(r#"{"classes": []}"#),
            "setting `classes` has 0 entries; it must have 1 to 255"
        );
        assert_eq!(start(r#"{"standard": 4}"#), "setting `standard` is 4; there are 4 classes");
        assert_eq!(
            start(r#"{"classes": [{"ageing_ms": 5}]}"#),
            "setting `classes` entry 0: unknown setting `ageing_ms`; did you mean `aging_ms`? \
             The settings are: aging_ms, longest_wait_ms, weight, may_shed"
        );
    }
}
