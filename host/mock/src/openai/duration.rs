//! Durations as Go prints them: `120ms`, `9.816s`, `1m26.4s`, `6m0s`.

use crate::clock::Micros;

/// A duration, rounded up to whole milliseconds.
pub(super) fn go(duration: Micros) -> String {
    let ms = duration.div_ceil(1000);
    if ms == 0 {
        return "0s".to_owned();
    }
    if ms < 1000 {
        return format!("{ms}ms");
    }
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    let seconds = seconds(ms % 60_000);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m{seconds}s"),
        (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
    }
}

fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::go;

    #[test]
    fn prints_like_go() {
        let cases = [
            (0, "0s"),
            (1, "1ms"),
            (120_000, "120ms"),
            (1_000_000, "1s"),
            (9_816_000, "9.816s"),
            (20_000_000, "20s"),
            (86_400_000, "1m26.4s"),
            (360_000_000, "6m0s"),
            (3_661_500_000, "1h1m1.5s"),
        ];
        for (micros, text) in cases {
            assert_eq!(go(micros), text);
        }
    }
}
