//! Policies that misbehave, put in while requests are served.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::{join, join_all};
use serde_json::json;
use weir_core::Slot;
use weir_gateway::{Deciders, Events, Read, Swap, What};
use weir_mock::ProviderScript;
use weir_policy::Event;

use crate::world::{World, chat, until, world_with};

/// What it does, and what its event must tell.
const DEEDS: [(&str, &str); 2] = [("panic", "lost its temper"), ("spin", "ran past the 5 ms")];
/// Slots that every request asks, and with which function.
const SLOTS: [(Slot, &str); 3] =
    [(Slot::Priority, "place"), (Slot::Schedule, "pick"), (Slot::Limit, "accepted")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_fails_and_the_last_good_policy_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.wasm");
    std::fs::write(&file, weir_guests::HOSTILE).unwrap();
    let quick = ProviderScript::openai("main").output(4.0, 0.0).latency(2.0, 0.0);
    let world = world_with([quick], "", Deciders::Configured, None).await;
    for (slot, function) in SLOTS {
        let good = name(&world, slot).await;
        for (deed, tells) in DEEDS {
            let swap = Swap {
                slot,
                name: None,
                file: Some(file.clone()),
                settings: Some(json!({ "on": function, "do": deed })),
            };
            let events = world.gateway.events(None);
            let over = AtomicBool::new(false);
            let misdeed = async {
                world.gateway.swap(swap).await.unwrap();
                let words = quarantined(events, slot).await;
                over.store(true, Ordering::Relaxed);
                words
            };
            let (words, served) = join(misdeed, load(&world, &over)).await;
            assert!(words.contains(tells), "{deed} in {slot}: {words}");
            assert!(served > 0, "{deed} in {slot}");
            assert_eq!(name(&world, slot).await, good, "{deed} in {slot}");
        }
    }
    until("idle", || world.idle()).await;
    world.end().await;
}

/// Asks again and again, and counts the answers; each is a good one.
async fn load(world: &World, over: &AtomicBool) -> usize {
    let ask = async || {
        let mut served = 0_usize;
        while !over.load(Ordering::Relaxed) {
            let answer = world.ask("/v1/chat/completions", &chat(json!({}))).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            served += 1;
        }
        served
    };
    join_all((0..8).map(|_| ask())).await.into_iter().sum()
}

/// Waits until a slot's policy is given up: the words of its last fault.
async fn quarantined(mut events: Events, slot: Slot) -> String {
    let told = async {
        loop {
            let Read::Event(event) = events.next().await.unwrap() else { continue };
            if let What::Policy(Event::PolicyQuarantined { slot: of, words, .. }) = &event.what
                && *of == slot
            {
                return words.clone();
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), told).await.unwrap()
}

async fn name(world: &World, slot: Slot) -> String {
    let rows = world.gateway.policies().await;
    let row = rows.into_iter().find(|row| row.slot == slot).unwrap();
    row.policy.unwrap().name
}
