//! A file's cases: the same world with other values.
//!
//! A case sets values by the path of their keys. The file is read and checked as it is written, then once more for
//! each case with its values in place, so that a bad value is refused whichever way it comes.

use toml::{Table, Value};
use weir_settings::{Complaint, Page, nearest};

use super::Scenario;
use super::check::Checker;
use super::file::{Case, File};
use super::plan::Plan;
use super::problem::ScenarioError;

/// More cases than anybody writes by hand.
const MOST: usize = 1_000;

/// All of a file.
pub(super) fn scenario(text: &str, name: &str) -> Result<Scenario, ScenarioError> {
    let page = Page::new(text, name);
    let file: File = page.read().map_err(|complaint| ScenarioError::Invalid(vec![complaint]))?;
    let about = file.about.clone();
    let cases = file.case.iter().map(|case| case.name.clone()).collect::<Vec<_>>();
    let plan = plan(&page, file)?;
    let mut complaints = Vec::new();
    let mut plans: Vec<Plan> = Vec::new();
    for (number, case) in cases.iter().enumerate().take(MOST) {
        if cases[..number].iter().any(|other| other.get_ref() == case.get_ref()) {
            let words =
                format!("another case is named `{}`; give each a name of its own", case.get_ref());
            complaints.push(page.complaint(&case.span(), words));
        }
        if case.get_ref().is_empty() {
            complaints.push(page.complaint(&case.span(), "a case needs a name".to_owned()));
        }
        match with_case(&page, number, case) {
            Ok(plan) => plans.push(plan),
            Err(more) => complaints.extend(more),
        }
    }
    if !complaints.is_empty() {
        return Err(ScenarioError::Invalid(complaints));
    }
    let cases = if plans.is_empty() { vec![plan] } else { plans };
    Ok(Scenario { name: stem(name), about, cases })
}

fn plan(page: &Page<'_>, file: File) -> Result<Plan, ScenarioError> {
    Checker::new(page).plan(file).map_err(ScenarioError::Invalid)
}

fn stem(name: &str) -> String {
    let stem = std::path::Path::new(name).file_stem();
    stem.map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The plan of one case.
fn with_case(
    page: &Page<'_>,
    number: usize,
    name: &toml::Spanned<String>,
) -> Result<Plan, Vec<Complaint>> {
    let at = page.line_and_column(&name.span());
    let here = |words: String| {
        let mut complaint = page.complaint(&name.span(), words);
        complaint.place.case = Some(name.get_ref().clone());
        vec![complaint]
    };
    let mut table: Table = toml::from_str(page.text).map_err(|error| here(error.to_string()))?;
    let case = take_case(&mut table, number).map_err(|error| here(error.to_string()))?;
    for (path, value) in case.set {
        set(&mut table, &path, value).map_err(&here)?;
    }
    let text = toml::to_string(&table).map_err(|error| here(error.to_string()))?;
    let merged = Page { text: &text, name: page.name, case: Some((name.get_ref(), at)) };
    let file = merged.read().map_err(|complaint| vec![complaint])?;
    let mut plan = Checker::new(&merged).plan(file)?;
    plan.case.clone_from(name.get_ref());
    plan.pass.extend(case.pass);
    Ok(plan)
}

/// Takes the cases out of a file, and answers one of them.
fn take_case(table: &mut Table, number: usize) -> Result<Case, toml::de::Error> {
    let cases = table.remove("case");
    let case = cases.as_ref().and_then(|cases| cases.as_array()?.get(number)).cloned();
    let mut case = case.and_then(|case| case.as_table().cloned()).unwrap_or_default();
    // Its name is known already, with its place, which a table by itself has not.
    case.remove("name");
    let text = format!("name = \"\"\n{case}");
    toml::from_str(&text)
}

/// Sets the value at a path; what lies on the way must be there, but for the last key.
fn set(table: &mut Table, path: &str, value: Value) -> Result<(), String> {
    let parts: Vec<&str> = path.split('.').collect();
    let Some((last, way)) = parts.split_last() else { return Ok(()) };
    let mut at = table;
    let mut way = way.iter();
    while let Some(part) = way.next() {
        let known: Vec<String> = at.keys().cloned().collect();
        let next = at.entry((*part).to_owned()).or_insert_with(|| Value::Table(Table::new()));
        at = match next {
            Value::Table(table) => table,
            Value::Array(list) => {
                let name = way.next().ok_or_else(|| {
                    format!("`{path}` ends at the list `{part}`; name the entry and its key")
                })?;
                entry(list, name)
                    .ok_or_else(|| format!("`{path}`: `{part}` has no entry `{name}`"))?
            }
            _ => return Err(no_table(path, part, &known)),
        };
    }
    at.insert((*last).to_owned(), value);
    Ok(())
}

fn no_table(path: &str, part: &str, known: &[String]) -> String {
    let near = nearest(part, known.iter().map(String::as_str).filter(|name| *name != part));
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    format!("`{path}`: `{part}` is no table{hint}")
}

/// The entry of a list of tables by its `name`, or by its place from 0.
fn entry<'a>(list: &'a mut [Value], name: &str) -> Option<&'a mut Table> {
    let named = |value: &Value| value.get("name").and_then(Value::as_str) == Some(name);
    let place = list.iter().position(named).or_else(|| name.parse().ok())?;
    list.get_mut(place)?.as_table_mut()
}
