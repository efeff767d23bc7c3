//! What the README tells people to type.

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
