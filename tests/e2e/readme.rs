//! What the README tells people to type.

use weir_gateway::config::Settings;
use weir_mock::Script;

use crate::support::{root, text, weir};

/// Commands of the README's `sh` blocks, without comments.
fn commands() -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a README");
    let mut commands = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line.trim() {
            "```sh" => inside = true,
            "```" => inside = false,
            command if inside && !command.is_empty() && !command.starts_with('#') => {
                commands.push(command.to_owned())
            }
            _ => {}
        }
    }
    commands
}

/// Each command of this program that a README names is one that it has, down to its flags.
#[test]
fn every_command_of_the_readme_is_understood() {
    let commands = commands();
    let mine: Vec<&str> =
        commands.iter().filter_map(|command| command.strip_prefix("weir ")).collect();
    assert!(!mine.is_empty(), "{commands:?}");
    for command in mine {
        let words: Vec<&str> =
            command.trim_end_matches(" &").split(' ').chain(["--help"]).collect();
        let run = weir(root(), &words);
        assert_eq!(run.status.code(), Some(0), "weir {command}: {}", text(&run.stderr));
    }
}

/// Each file that a README's command names is there.
#[test]
fn every_file_of_the_readme_is_there() {
    for command in commands() {
        for word in command.split([' ', ')']).filter(|word| word.starts_with("examples/")) {
            assert!(root().join(word).exists(), "{word} in `{command}`");
        }
    }
}

/// The example of a gateway stands before the example of providers: each of its models is served there.
#[test]
fn the_examples_fit_together() {
    let settings = Settings::load(&root().join("examples/gateway/weir.toml")).expect("settings");
    let name = root().join("examples/mock/providers.toml");
    let script = std::fs::read_to_string(&name).expect("a script");
    let script = Script::parse(&script, "providers.toml").expect("a good script");
    for upstream in &settings.upstreams {
        let provider = script.providers.iter().find(|one| one.name == upstream.name);
        let provider = provider.unwrap_or_else(|| panic!("no provider {}", upstream.name));
        let at = format!("http://{}", provider.listen);
        assert!(upstream.base_url.as_str().starts_with(&at), "{} is not at {at}", upstream.name);
        for model in &upstream.models {
            assert!(provider.models.contains(&model.name), "{} has no {}", at, model.name);
        }
    }
}
