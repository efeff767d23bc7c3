//! The files of a project.

use std::path::{Path, PathBuf};

use anyhow::Context;
use toml::{Table, Value};
use weir_core::Slot;
use weir_shipped::sources;

use super::{lock, manifest, slots};

/// What a project is to be.
pub(super) struct Project<'a> {
    pub(super) name: &'a str,
    pub(super) slot: Slot,
}

impl Project<'_> {
    /// Every file, with its path in the project.
    ///
    /// # Errors
    ///
    /// The command was built without one of its sources.
    pub(super) fn files(&self) -> anyhow::Result<Vec<(PathBuf, String)>> {
        let workspace: Table = source("Cargo.toml")?.parse()?;
        let sdk: Table = source("sdk/Cargo.toml")?.parse()?;
        let within = manifest::table(&workspace, "workspace");
        let sdk = manifest::standalone(&sdk, &within);
        let own: Vec<String> = manifest::table(&sdk, "dependencies").keys().cloned().collect();
        let all = source("Cargo.lock")?.parse()?;
        let cut = lock::cut(&all, self.entry(), "weir-sdk", &own);
        let mut files = vec![
            file("Cargo.toml", self.manifest(&workspace, &within)?),
            file("Cargo.lock", toml::to_string(&cut)?),
            file("README.md", self.fill(include_str!("project/README.md"))),
            file(".gitignore", "/target\n/*.wasm\n".to_owned()),
            file("rust-toolchain.toml", source("rust-toolchain.toml")?.to_owned()),
            file("src/lib.rs", slots::start(self.slot).source.to_owned()),
            file("sdk/Cargo.toml", toml::to_string(&sdk)?),
        ];
        let below = |(path, text): &(&str, &str)| {
            let kept = path.starts_with("sdk/") && *path != "sdk/Cargo.toml";
            kept.then(|| file(path, (*text).to_owned()))
        };
        files.extend(sources::ALL.iter().filter_map(below));
        Ok(files)
    }

    fn manifest(&self, workspace: &Table, within: &Table) -> anyhow::Result<String> {
        let of_package = |key| manifest::at(within, "package", key).unwrap_or("".into());
        let serde = manifest::at(within, "dependencies", "serde").filter(|_| self.uses_serde());
        let serde = serde.map(|serde| format!("serde = {serde}\n")).unwrap_or_default();
        let mut profile = manifest::at(workspace, "profile", "policy").unwrap_or("".into());
        if let Value::Table(profile) = &mut profile {
            profile.remove("inherits");
        }
        let text = self.fill(include_str!("project/Cargo.toml.in"));
        Ok(text
            .replace("{edition}", &of_package("edition").to_string())
            .replace("{rust-version}", &of_package("rust-version").to_string())
            .replace("{serde}", &serde)
            .replace("{profile}", &toml::to_string(&profile)?))
    }

    /// The project's own entry in its lock file.
    fn entry(&self) -> Table {
        let mut needs = vec!["weir-sdk"];
        if self.uses_serde() {
            needs.insert(0, "serde");
        }
        Table::from_iter([
            ("name".to_owned(), self.name.into()),
            ("version".to_owned(), "0.1.0".into()),
            ("dependencies".to_owned(), Value::from(needs)),
        ])
    }

    fn uses_serde(&self) -> bool {
        slots::start(self.slot).source.contains("use serde::")
    }

    fn fill(&self, text: &str) -> String {
        let slot = self.slot.name();
        let shipped = weir_shipped::ALL.iter().find(|shipped| shipped.slot == slot);
        text.replace("{name}", self.name)
            .replace("{slot}", slot)
            .replace("{weir}", env!("CARGO_PKG_VERSION"))
            .replace("{summary}", slots::start(self.slot).summary)
            .replace("{shipped}", shipped.map_or("", |shipped| shipped.name))
    }
}

fn file(path: impl AsRef<Path>, text: String) -> (PathBuf, String) {
    (path.as_ref().to_owned(), text)
}

fn source(path: &str) -> anyhow::Result<&'static str> {
    sources::find(path).with_context(|| format!("this command was built without {path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(slot: Slot) -> Vec<(PathBuf, String)> {
        Project { name: "mine", slot }.files().unwrap()
    }

    #[test]
    fn each_slot_has_all_that_a_project_needs() {
        for slot in Slot::ALL {
            let files = files(slot);
            let text = |path: &str| {
                let found = files.iter().find(|(own, _)| own == Path::new(path));
                found.map(|(_, text)| text.as_str()).unwrap_or_else(|| panic!("{path}"))
            };
            assert!(text("src/lib.rs").contains(&format!(": {slot});")), "{slot}");
            assert!(text("sdk/wit/worlds.wit").contains(&format!("export {slot};")), "{slot}");
            assert!(text("README.md").contains(&format!("weir policy swap {slot} ")), "{slot}");
            let manifest: Table = text("Cargo.toml").parse().unwrap();
            assert_eq!(manifest["package"]["name"].as_str(), Some("mine"));
            assert!(manifest.contains_key("workspace"), "{slot}");
            assert_eq!(manifest["profile"]["release"]["panic"].as_str(), Some("abort"));
        }
    }

    #[test]
    fn nothing_is_left_to_fill_in_and_nothing_is_inherited() {
        for (path, text) in files(Slot::Limit) {
            if path.extension() == Some("toml".as_ref()) || path.extension() == Some("md".as_ref())
            {
                assert!(!text.contains("workspace = true"), "{}: {text}", path.display());
                assert!(!text.contains("{name}") && !text.contains("{slot}"), "{}", path.display());
            }
        }
    }
}
