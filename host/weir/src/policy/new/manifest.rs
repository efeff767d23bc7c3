//! Manifests that stand alone, from those of the workspace.

use toml::{Table, Value};

/// A member's manifest without its workspace: what it inherits is written out. What only its own tests and
/// lints need is left out.
pub(super) fn standalone(member: &Table, workspace: &Table) -> Table {
    let fields = table(member, "package").into_iter().map(|(key, value)| {
        let inherited = inherits(&value).then(|| at(workspace, "package", &key)).flatten();
        (key, inherited.unwrap_or(value))
    });
    let dependencies = table(member, "dependencies").into_iter().map(|(key, value)| {
        let inherited = inherits(&value).then(|| at(workspace, "dependencies", &key)).flatten();
        (key, inherited.unwrap_or(value))
    });
    Table::from_iter([
        ("package".to_owned(), Value::Table(fields.collect())),
        ("dependencies".to_owned(), Value::Table(dependencies.collect())),
    ])
}

/// A table of that name; empty when there is none.
pub(super) fn table(of: &Table, key: &str) -> Table {
    of.get(key).and_then(Value::as_table).cloned().unwrap_or_default()
}

/// A value two tables down.
pub(super) fn at(of: &Table, outer: &str, key: &str) -> Option<Value> {
    of.get(outer)?.get(key).cloned()
}

fn inherits(value: &Value) -> bool {
    value.get("workspace").and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inherited_is_written_out() {
        let workspace = "package = { edition = \"2024\" }\n\
                         dependencies = { serde = { version = \"1\", features = [\"derive\"] }, insta = \"1\" }";
        let member = "package = { name = \"sdk\", edition.workspace = true }\n\
                      lints.workspace = true\n\
                      dependencies = { serde = { workspace = true }, own = \"2\" }\n\
                      dev-dependencies.insta = { workspace = true }";
        let alone = standalone(&member.parse().unwrap(), &workspace.parse().unwrap());
        assert_eq!(
            toml::to_string(&alone).unwrap(),
            "[dependencies]\nown = \"2\"\n\n[dependencies.serde]\nfeatures = [\"derive\"]\nversion = \"1\"\n\n\
             [package]\nedition = \"2024\"\nname = \"sdk\"\n"
        );
    }
}
