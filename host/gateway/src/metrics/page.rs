//! The page that Prometheus reads, put in order.
//!
//! The exporter writes families and series as its maps hold them, which is another order each time. Here families
//! stand in the order of their names and series in that of their labels, so that two pages can be compared. A
//! counter whose name does not end in `_total` is there under a name that does as well, for those who go by the
//! convention.

use std::fmt::Write;

/// One family: its name and lines.
#[derive(Default)]
struct Family<'a> {
    name: &'a str,
    kind: &'a str,
    about: &'a str,
    /// Each with its labels, without what tells a histogram's buckets apart.
    samples: Vec<(String, &'a str)>,
}

/// Puts a page in order.
pub(super) fn ordered(page: &str) -> String {
    let families = page.split("\n\n").map(Family::read);
    let mut families: Vec<_> = families.filter(|family| !family.samples.is_empty()).collect();
    families.sort_by_key(|family| family.name);
    let mut out = String::with_capacity(page.len());
    for family in &mut families {
        // Stable: the buckets of a series stay as they are.
        family.samples.sort_by(|one, other| one.0.cmp(&other.0));
        family.write("", &mut out);
        if family.kind == "counter" && !family.name.ends_with("_total") {
            family.write("_total", &mut out);
        }
    }
    out
}

impl<'a> Family<'a> {
    fn read(block: &'a str) -> Self {
        let mut family = Self::default();
        for line in block.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                family.about = help.split_once(' ').map_or("", |(_, about)| about);
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                (family.name, family.kind) = kind.split_once(' ').unwrap_or((kind, "untyped"));
            } else if !line.is_empty() {
                family.samples.push((series(line), line));
            }
        }
        family
    }

    fn write(&self, suffix: &str, out: &mut String) {
        let Self { name, kind, about, samples } = self;
        // Writing to a text cannot fail.
        let _ = writeln!(out, "# HELP {name}{suffix} {about}\n# TYPE {name}{suffix} {kind}");
        for (_, line) in samples {
            let rest = line.strip_prefix(name).unwrap_or(line);
            let _ = writeln!(out, "{name}{suffix}{rest}");
        }
        out.push('\n');
    }
}

/// The labels of a line, save the bucket's bound.
fn series(line: &str) -> String {
    let labels = line.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}'));
    let labels = labels.map_or("", |(labels, _)| labels);
    labels.split_once("le=\"").map_or(labels, |(before, _)| before).trim_end_matches(',').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# HELP b Waits.
# TYPE b histogram
b_bucket{t=\"y\",le=\"2\"} 0
b_bucket{t=\"y\",le=\"10\"} 1
b_sum{t=\"y\"} 3
b_bucket{t=\"x\",le=\"2\"} 0
b_sum{t=\"x\"} 4

# HELP c Tokens used.
# TYPE c counter
c{t=\"y\"} 5
c{t=\"x\"} 6

# HELP a Requests.
# TYPE a gauge
a 1

";

    #[test]
    fn families_and_series_have_one_order_and_buckets_keep_theirs() {
        insta::assert_snapshot!(ordered(PAGE));
    }

    #[test]
    fn what_is_in_order_stays() {
        let once = ordered(PAGE);
        let twin = "# HELP c_total Tokens used.\n# TYPE c_total counter\nc_total{t=\"x\"} 6\nc_total{t=\"y\"} 5\n\n";
        assert_eq!(ordered(&once.replace(twin, "")), once);
    }
}
