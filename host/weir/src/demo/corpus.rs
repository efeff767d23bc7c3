//! What the agents work on: a small built-in change to a shop, and what to look for in it.
//!
//! Every pairing of a changed file and an angle is one review, so that thirty agents each have their own.

use std::fmt;

const CHANGE: &str = include_str!("corpus.diff");
const FILE_MARK: &str = "diff --git ";

/// What every agent is told first.
pub(super) const SYSTEM: &str = "You review one file of a change, from one angle. \
    Be specific: name the line, the fault, its consequence and the smallest repair.";

/// One file of the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Diff {
    /// Its path in the repository that is reviewed.
    pub(super) path: &'static str,
    /// Its part of the unified diff, the header line left out.
    pub(super) text: &'static str,
}

/// What a review looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Angle {
    Correctness,
    Security,
    Concurrency,
    Performance,
    Operations,
}

/// One agent's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Review {
    pub(super) file: Diff,
    pub(super) angle: Angle,
}

/// A step of a review; each is one request that carries all before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Read,
    Findings,
    Repairs,
    Summary,
}

impl Angle {
    const ALL: [Self; 5] =
        [Self::Correctness, Self::Security, Self::Concurrency, Self::Performance, Self::Operations];
}

impl fmt::Display for Angle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Correctness => "correctness",
            Self::Security => "security",
            Self::Concurrency => "concurrency",
            Self::Performance => "performance",
            Self::Operations => "operations",
        })
    }
}

impl Turn {
    pub(super) const ALL: [Self; 4] = [Self::Read, Self::Findings, Self::Repairs, Self::Summary];

    /// Output tokens asked for at most.
    pub(super) const fn max_tokens(self) -> u32 {
        match self {
            Self::Read => 48,
            Self::Findings => 96,
            Self::Repairs => 80,
            Self::Summary => 48,
        }
    }

    /// What the agent says in this step.
    pub(super) fn prompt(self, review: Review) -> String {
        let Review { file: Diff { path, text }, angle } = review;
        match self {
            Self::Read => format!("Read this change to {path} and say what it does.\n\n{text}"),
            Self::Findings => format!("List every fault of {path} that concerns {angle}."),
            Self::Repairs => "Give the smallest repair for each of them, worst first.".to_owned(),
            Self::Summary => "Summarise the review in three lines for the author.".to_owned(),
        }
    }
}

/// The files of the change, in order.
pub(super) fn files() -> impl Iterator<Item = Diff> + Clone {
    CHANGE.split(FILE_MARK).skip(1).filter_map(|part| {
        let (header, text) = part.split_once('\n')?;
        let (_, path) = header.split_once(" b/")?;
        Some(Diff { path, text })
    })
}

/// Every review there is to do: neighbours differ in the file.
pub(super) fn reviews() -> impl Iterator<Item = Review> {
    Angle::ALL.into_iter().flat_map(|angle| files().map(move |file| Review { file, angle }))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_change_has_six_files_with_text() {
        let paths: Vec<&str> = files().map(|file| file.path).collect();
        assert_eq!(
            paths,
            [
                "src/session.py",
                "src/orders.py",
                "src/stock.rs",
                "src/export.go",
                "web/cart.ts",
                "deploy/migrate.sql"
            ]
        );
        assert!(files().all(|file| file.text.starts_with("--- a/") && file.text.len() > 300));
    }

    #[test]
    fn thirty_reviews_differ() {
        let titles: HashSet<String> =
            reviews().map(|review| format!("{} {}", review.file.path, review.angle)).collect();
        assert_eq!(titles.len(), 30);
    }

    #[test]
    fn only_the_first_turn_carries_the_diff() {
        let review = reviews().next().unwrap();
        assert!(Turn::Read.prompt(review).contains("+++ b/src/session.py"));
        assert!(Turn::Findings.prompt(review).contains("correctness"));
        assert!(!Turn::Summary.prompt(review).contains("+++"));
    }
}
