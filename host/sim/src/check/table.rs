//! The table of values against levels, for a person.

use std::fmt;

use super::Row;

/// Prints rows in columns, each with its worst value over all seeds, or `cut` where a record does not hold all that the
/// figure is taken from.
#[derive(Debug)]
pub struct Table<'a>(pub &'a [Row]);

const HEAD: [&str; 6] = ["", "SCENARIO", "CASE", "FIGURE", "LEVEL", "WORST"];

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<[String; 6]> =
            std::iter::once(HEAD.map(str::to_owned)).chain(self.0.iter().map(cells)).collect();
        let widths: Vec<usize> = (0..HEAD.len())
            .map(|column| lines.iter().map(|it| it[column].chars().count()).max().unwrap_or(0))
            .collect();
        for cells in lines {
            let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            writeln!(f, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        let missed = self.0.iter().filter(|row| !row.is_met()).count();
        write!(f, "{} of {} levels met", self.0.len() - missed, self.0.len())
    }
}

fn cells(row: &Row) -> [String; 6] {
    let met = row.found.iter().filter(|found| found.met).count();
    let mark = if row.is_met() { "ok".to_owned() } else { format!("{met}/{}", row.found.len()) };
    [
        mark,
        row.scenario.clone(),
        row.case.clone(),
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
        assert!(table.lines().nth(1).unwrap().ends_with("<= 200  cut"), "{table}");
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
            "     SCENARIO       CASE      FIGURE           LEVEL   WORST",
            "ok   02-cold-start  limit 50  seconds-to-fill  <= 30   14.25",
            "1/2  02-cold-start  limit 50  seconds-to-fill  >= 0.9  0.85",
            "0/1  02-cold-start  limit 50  seconds-to-fill  <= 30   never",
            "1/2  02-cold-start  limit 50  seconds-to-fill  <= 30   none",
            "1 of 4 levels met",
        ];
        assert_eq!(Table(&rows).to_string().lines().collect::<Vec<_>>(), expected);
    }
}
