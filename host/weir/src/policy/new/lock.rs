//! A lock file cut down to what one crate needs.

use std::collections::BTreeSet;

use toml::{Table, Value};

/// The lock file with a new package that depends on `wanted`, and with what those need in turn. Of `member`, a
/// package of the workspace, only the dependencies in `own` are followed: its lock entry names those of its
/// tests as well.
pub(super) fn cut(lock: &Table, project: Table, member: &str, own: &[String]) -> Table {
    let packages = lock.get("package").and_then(Value::as_array).cloned().unwrap_or_default();
    let packages = packages.into_iter().filter_map(|package| match package {
        Value::Table(package) => Some(followed(package, member, own)),
        _ => None,
    });
    let packages: Vec<Table> = packages.collect();
    let mut kept = BTreeSet::new();
    let mut wanted = needs(&project);
    while let Some(need) = wanted.pop() {
        for (at, package) in packages.iter().enumerate().filter(|(_, package)| is(package, &need)) {
            if kept.insert(at) {
                wanted.extend(needs(package));
            }
        }
    }
    let mut all: Vec<Table> = kept.into_iter().map(|at| packages[at].clone()).collect();
    all.push(project);
    all.sort_by_key(|package| (text(package, "name"), text(package, "version")));
    let mut cut = lock.clone();
    let all = all.into_iter().map(Value::Table).collect();
    cut.insert("package".to_owned(), Value::Array(all));
    cut
}

/// A package as it is, save that the member's needs are its own alone.
fn followed(mut package: Table, member: &str, own: &[String]) -> Table {
    if text(&package, "name") == member
        && let Some(Value::Array(needs)) = package.get_mut("dependencies")
    {
        let is_own = |need: &Value| {
            need.as_str().is_some_and(|need| own.iter().any(|own| name_of(need) == own))
        };
        needs.retain(is_own);
    }
    package
}

/// What a package depends on: `name`, or `name version` where there are several versions.
fn needs(package: &Table) -> Vec<String> {
    let needs = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
    needs.filter_map(|need| need.as_str().map(str::to_owned)).collect()
}

fn is(package: &Table, need: &str) -> bool {
    let mut words = need.split(' ');
    let named = words.next() == Some(&text(package, "name"));
    named && words.next().is_none_or(|version| version == text(package, "version"))
}

fn name_of(need: &str) -> &str {
    need.split(' ').next().unwrap_or(need)
}

fn text(package: &Table, key: &str) -> String {
    package.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4
package = [
    { name = "a", version = "1.0.0", dependencies = ["b 2.0.0"] },
    { name = "b", version = "1.0.0" },
    { name = "b", version = "2.0.0", dependencies = ["a"] },
    { name = "sdk", version = "0.1.0", dependencies = ["a", "tester"] },
    { name = "tester", version = "1.0.0" },
]
"#;

    #[test]
    fn only_what_is_needed_stays() {
        let project = Table::from_iter([
            ("name".to_owned(), "mine".into()),
            ("dependencies".to_owned(), Value::from(vec!["sdk"])),
        ]);
        let cut = cut(&LOCK.parse().unwrap(), project, "sdk", &["a".to_owned()]);
        let packages = cut["package"].as_array().unwrap();
        let named = |package: &Value| {
            let version = package.get("version").and_then(Value::as_str).unwrap_or("-");
            format!("{} {version}", package["name"].as_str().unwrap())
        };
        let names: Vec<_> = packages.iter().map(named).collect();
        assert_eq!(names, ["a 1.0.0", "b 2.0.0", "mine -", "sdk 0.1.0"]);
        assert_eq!(packages[3]["dependencies"], Value::from(vec!["a"]));
        assert_eq!(cut["version"], Value::Integer(4));
    }
}
