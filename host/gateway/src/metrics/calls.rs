//! How long calls of policies take, as a histogram.
//!
//! The scheduler keeps fine counts of its own; they are taken over when somebody reads, and written in the
//! coarser steps that every histogram of Prometheus has to choose.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use weir_core::Slot;
use weir_policy::Meter;

/// Upper bounds in nanoseconds, with the text that Prometheus reads in seconds.
const BOUNDS: [(u64, &str); 13] = [
    (1_000, "0.000001"),
    (2_500, "0.0000025"),
    (5_000, "0.000005"),
    (10_000, "0.00001"),
    (25_000, "0.000025"),
    (50_000, "0.00005"),
    (100_000, "0.0001"),
    (250_000, "0.00025"),
    (500_000, "0.0005"),
    (1_000_000, "0.001"),
    (2_500_000, "0.0025"),
    (5_000_000, "0.005"),
    (10_000_000, "0.01"),
];

const NAME: &str = "weir_policy_call_seconds";

/// What calls of each slot take.
#[derive(Default)]
pub(super) struct Calls {
    slots: Mutex<[Times; Slot::ALL.len()]>,
}

#[derive(Clone, Copy, Default)]
struct Times {
    /// Calls up to each bound.
    within: [u64; BOUNDS.len()],
    count: u64,
    nanos: u64,
}

impl Calls {
    /// Takes over what has been measured since the start.
    pub(super) fn measured(&self, slot: Slot, meter: &Meter) {
        let Some(nanos) = &meter.nanos else { return };
        let mut times = Times::default();
        for step in nanos.iter_recorded() {
            let (most, count) = (step.value_iterated_to(), step.count_at_value());
            times.count += count;
            times.nanos = times.nanos.saturating_add(most.saturating_mul(count));
            for (within, (bound, _)) in times.within.iter_mut().zip(BOUNDS) {
                if most <= bound {
                    *within += count;
                }
            }
        }
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)[slot as usize] = times;
    }

    /// Writes the family.
    pub(super) fn write(&self, out: &mut String) {
        let slots = *self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "# HELP {NAME} How long calls of policies take, by one call in eight.\n# TYPE {NAME} histogram"
        );
        for (slot, times) in Slot::ALL.iter().zip(slots) {
            times.write(slot.name(), out);
        }
        out.push('\n');
    }
}

impl Times {
    fn write(&self, slot: &str, out: &mut String) {
        let Self { within, count, nanos } = self;
        for (within, (_, bound)) in within.iter().zip(BOUNDS) {
            let _ = writeln!(out, "{NAME}_bucket{{slot=\"{slot}\",le=\"{bound}\"}} {within}");
        }
        let _ = writeln!(out, "{NAME}_bucket{{slot=\"{slot}\",le=\"+Inf\"}} {count}");
        let _ = writeln!(out, "{NAME}_sum{{slot=\"{slot}\"}} {}", *nanos as f64 / 1e9);
        let _ = writeln!(out, "{NAME}_count{{slot=\"{slot}\"}} {count}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_the_bounds() {
        for (nanos, text) in BOUNDS {
            let seconds: f64 = text.parse().unwrap();
            assert!((seconds * 1e9 - nanos as f64).abs() < 1e-3, "{text}");
        }
    }

    #[test]
    fn calls_are_counted_up_to_each_bound() {
        let mut meter = Meter::default();
        for nanos in [900, 900, 30_000, 50_000_000] {
            meter.nanos.as_mut().unwrap().record(nanos).unwrap();
        }
        let calls = Calls::default();
        calls.measured(Slot::Limit, &meter);
        let mut page = String::new();
        calls.write(&mut page);
        let value = |line: &str| {
            let line = page.lines().find_map(|found| found.strip_prefix(line)).unwrap();
            line.trim().parse::<f64>().unwrap()
        };
        let within =
            |bound: &str| value(&format!("{NAME}_bucket{{slot=\"limit\",le=\"{bound}\"}}"));
        assert_eq!((within("0.000001"), within("0.000025")), (2.0, 2.0));
        assert_eq!((within("0.00005"), within("0.01"), within("+Inf")), (3.0, 3.0, 4.0));
        assert_eq!(value(&format!("{NAME}_count{{slot=\"limit\"}}")), 4.0);
        let sum = value(&format!("{NAME}_sum{{slot=\"limit\"}}"));
        assert!((sum - 0.050_031_8).abs() < 0.001, "{sum}");
        assert_eq!(value(&format!("{NAME}_count{{slot=\"route\"}}")), 0.0);
    }
}
