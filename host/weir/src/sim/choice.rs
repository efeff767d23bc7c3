//! Policies as they are typed: `SLOT=NAME`, `SLOT=FILE.wasm`, each with `:{...}` for its settings.

use std::path::{Path, PathBuf};

use serde_json::Value;
use weir_core::Slot;
use weir_sim::Plan;
use weir_sim::scenario::{Choice, Chosen};

/// Another policy in a slot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Override {
    pub(super) slot: Slot,
    choice: Choice,
}

/// Policies to be compared in a slot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compare {
    pub(super) slot: Slot,
    /// Each as it was typed, and what it means.
    choices: Vec<(String, Override)>,
}

impl Compare {
    /// The policies as they were typed.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.choices.iter().map(|(name, _)| name.as_str())
    }

    /// A plan with each of the policies.
    pub(super) fn plans(&self, plan: &Plan) -> Vec<Plan> {
        let with = |(_, choice): &(String, Override)| {
            let mut plan = plan.clone();
            choice.apply(&mut plan);
            plan
        };
        self.choices.iter().map(with).collect()
    }
}

impl Override {
    /// Puts the policy into a plan, from the start to the end.
    pub(super) fn apply(&self, plan: &mut Plan) {
        plan.policies.insert(self.slot, self.choice.clone());
        plan.swaps.retain(|swap| swap.slot != self.slot);
    }
}

/// `SLOT=NAME[:JSON]`.
pub(super) fn one(text: &str) -> Result<Override, String> {
    let (slot, policy) = split(text)?;
    choose(slot, policy)
}

/// `SLOT=A[:JSON],B[:JSON]`.
pub(super) fn several(text: &str) -> Result<Compare, String> {
    let (slot, policies) = split(text)?;
    let choice = |policy: &str| Ok((policy.to_owned(), choose(slot, policy)?));
    let choices = apart(policies).into_iter().map(choice).collect::<Result<Vec<_>, String>>()?;
    if choices.len() < 2 {
        return Err("two policies or more are needed, with a comma between".to_owned());
    }
    Ok(Compare { slot, choices })
}

fn split(text: &str) -> Result<(Slot, &str), String> {
    let slots = || Slot::ALL.map(Slot::name).join(", ");
    let (name, policy) = text.split_once('=').ok_or_else(|| {
        format!("write SLOT=POLICY, such as limit=limit-fixed; the slots are {}", slots())
    })?;
    let slot = Slot::ALL.into_iter().find(|slot| slot.name() == name);
    Ok((slot.ok_or_else(|| format!("no slot `{name}`; the slots are {}", slots()))?, policy))
}

/// At the commas that are not inside settings.
fn apart(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let comma = |letter: char| {
        depth +=
            i32::from(letter == '{' || letter == '[') - i32::from(letter == '}' || letter == ']');
        letter == ',' && depth == 0
    };
    text.split(comma).collect()
}

fn choose(slot: Slot, text: &str) -> Result<Override, String> {
    let (name, settings) = match text.split_once(":{") {
        Some((name, _)) => (name, &text[name.len() + 1..]),
        None => (text, ""),
    };
    let policy = chosen(slot, name)?;
    if policy == Chosen::Fallback && !settings.is_empty() {
        return Err("`none` is the host's own fallback, which takes no settings".to_owned());
    }
    Ok(Override { slot, choice: Choice { policy, settings: object(settings)? } })
}

fn chosen(slot: Slot, name: &str) -> Result<Chosen, String> {
    if name == "none" {
        return Ok(Chosen::Fallback);
    }
    if Path::new(name).extension().is_some_and(|extension| extension == "wasm") {
        let file = PathBuf::from(name);
        let there = file.is_file();
        return there.then_some(Chosen::File(file)).ok_or_else(|| format!("no file `{name}`"));
    }
    let shipped = weir_shipped::ALL.iter().filter(|one| one.slot == slot.name());
    let mut names = shipped.map(|one| one.name);
    if names.clone().any(|known| known == name) {
        return Ok(Chosen::Shipped(name.to_owned()));
    }
    let known = names.by_ref().collect::<Vec<_>>().join(", ");
    let slot = slot.name();
    Err(format!("no policy `{name}` for {slot}; shipped are {known}; a file ends in .wasm"))
}

/// A JSON object in one spelling; empty for none.
fn object(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Ok(String::new());
    }
    let wanted = "settings are a JSON object, such as {\"floor\": 2}";
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(Value::Object(object).to_string()),
        Ok(_) => Err(wanted.to_owned()),
        Err(error) => Err(format!("{error}; {wanted}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_has_a_slot_and_may_have_settings() {
        let Override { slot, choice } = one(r#"limit=limit-aimd:{"floor": 2}"#).unwrap();
        assert_eq!((slot, choice.settings.as_str()), (Slot::Limit, r#"{"floor":2}"#));
        assert_eq!(choice.policy, Chosen::Shipped("limit-aimd".to_owned()));
        assert_eq!(one("schedule=none").unwrap().choice.policy, Chosen::Fallback);
    }

    #[test]
    fn commas_inside_settings_part_nothing() {
        let text = r#"limit=limit-aimd:{"floor": 2, "streak": 9},limit-fixed"#;
        let names: Vec<String> =
            several(text).unwrap().choices.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [r#"limit-aimd:{"floor": 2, "streak": 9}"#, "limit-fixed"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_right() {
        let cases = [
            ("limit", "write SLOT=POLICY"),
            ("limits=limit-aimd", "the slots are priority"),
            ("limit=schedule-drr", "no policy `schedule-drr` for limit"),
            ("limit=gone.wasm", "no file `gone.wasm`"),
            ("limit=limit-aimd:{", "settings are a JSON object"),
            ("limit=none:{\"floor\": 2}", "takes no settings"),
        ];
        for (text, words) in cases {
            let said = one(text).unwrap_err();
            assert!(said.contains(words), "{text}: {said}");
        }
        assert!(several("limit=limit-aimd").unwrap_err().contains("two policies or more"));
    }
}
