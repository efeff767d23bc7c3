//! The table of values against levels, for a person.

use std::fmt;

use super::Row;

/// Prints rows in columns under the name of their case, each with its worst value over all seeds, or `cut` where a record
/// does not hold all that the figure is taken from.
#[derive(Debug)]
pub struct Table<'a>(pub &'a [Row]);

const HEAD: [&str; 4] = ["", "FIGURE", "LEVEL", "WORST"];

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = HEAD.map(str::to_owned);
        let lines: Vec<[String; 4]> = self.0.iter().map(cells).collect();
        let widest = |column: usize| {
            lines.iter().chain([&head]).map(|it| it[column].chars().count()).max().unwrap_or(0)
        };
        let widths = [0, 1, 2, 3].map(widest);
        line(f, &head, &widths)?;
        let mut last = None;
        for (row, cells) in self.0.iter().zip(&lines) {
            let of = (row.scenario.as_str(), row.case.as_str());
            if last.replace(of) != Some(of) {
                let comma = if row.case.is_empty() { "" } else { ", " };
                writeln!(f, "{}{comma}{}", row.scenario, row.case)?;
            }
            line(f, cells, &widths)?;
        }
        let missed = self.0.iter().filter(|row| !row.is_met()).count();
        writeln!(f, "WORST: of all seeds, the value furthest from what the level demands")?;
        write!(f, "{} of {} levels met", self.0.len() - missed, self.0.len())
    }
}

fn line(f: &mut fmt::Formatter<'_>, cells: &[String; 4], widths: &[usize; 4]) -> fmt::Result {
    let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
    writeln!(f, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())
}

fn cells(row: &Row) -> [String; 4] {
    let met = row.found.iter().filter(|found| found.met).count();
    let mark = if row.is_met() { "ok".to_owned() } else { format!("{met}/{}", row.found.len()) };
    [
        mark,
        row.level.clone(),
        row.bound.to_string(),
        if row.found.iter().any(|found| found.cut) { "cut".to_owned() } else { value(row.worst()) },
    ]
}

/// A figure with four places at most, `never` for what was not reached and `none` for nothing.
pub(crate) fn value(value: Option<f64>) -> String {
    match value {
        None => "none".to_owned(),
        Some(value) if value.is_infinite() => "never".to_owned(),
        Some(value) => {
            let text = format!("{value:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Found;
    use crate::measure::Bound;

    fn row(bound: Bound, values: &[(Option<f64>, bool)]) -> Row {
        let found = (1..).zip(values).map(|(seed, (value, met))| {
            let (value, met, cut) = (*value, *met, false);
            Found { seed, value, met, cut }
        });
        Row {
            scenario: "02-cold-start".to_owned(),
            case: "limit 50".to_owned(),
            level: "seconds-to-fill".to_owned(),
            bound,
            found: found.collect(),
        }
    }

    #[test]
    fn a_level_whose_record_was_cut_says_so() {
        let mut cut = row(Bound::AtMost(200.0), &[(Some(190.0), true), (None, false)]);
        cut.found[1].cut = true;
        let table = Table(&[cut]).to_string();
        assert!(table.lines().nth(2).unwrap().ends_with("<= 200  cut"), "{table}");
        assert!(table.ends_with("0 of 1 levels met"), "{table}");
    }

    #[test]
    fn the_worst_value_is_told_and_a_miss_is_counted() {
        let rows = [
            row(Bound::AtMost(30.0), &[(Some(12.5), true), (Some(14.25), true)]),
            row(Bound::AtLeast(0.9), &[(Some(0.95), true), (Some(0.85), false)]),
            row(Bound::AtMost(30.0), &[(Some(f64::INFINITY), false)]),
            row(Bound::AtMost(30.0), &[(Some(1.0), true), (None, false)]),
        ];
        let expected = [
            "     FIGURE           LEVEL   WORST",
            "02-cold-start, limit 50",
            "ok   seconds-to-fill  <= 30   14.25",
            "1/2  seconds-to-fill  >= 0.9  0.85",
            "0/1  seconds-to-fill  <= 30   never",
            "1/2  seconds-to-fill  <= 30   none",
            "WORST: of all seeds, the value furthest from what the level demands",
            "1 of 4 levels met",
        ];
        assert_eq!(Table(&rows).to_string().lines().collect::<Vec<_>>(), expected);
    }
}
