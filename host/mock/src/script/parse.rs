//! From TOML to a checked script.

use super::{Script, ScriptError};

impl Script {
    /// Reads and checks a script. `file` only names it in errors.
    ///
    /// # Errors
    ///
    /// The first thing wrong: file, line, key, what, the nearest known key, and how to mend it.
    pub fn parse(text: &str, file: &str) -> Result<Self, ScriptError> {
        let script: Self =
            toml::from_str(text).map_err(|error| ScriptError::from_toml(&error, text, file))?;
        script.check().map_err(|invalid| ScriptError::from_invalid(invalid, text, file))?;
        Ok(script)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Script::parse(text, "mock.toml").unwrap_err().to_string()
    }

    fn provider(lines: &str) -> String {
        format!("[[provider]]\nname = \"a\"\nkind = \"openai\"\nmodels = [\"m\"]\n{lines}\n")
    }

    #[test]
    fn errors_say_where_and_how_to_mend() {
        let cases = [
            provider("latancy = { mean_ms = 4 }"),
            provider("limits = { rps = 4 }"),
            provider("limits = { rpm = 0 }"),
            provider("limits = { rpm = \"many\" }"),
            provider("listen = \"nowhere\""),
            provider("latency = { mean_ms = -1.0 }"),
            provider("[[provider.fault]]\neffect = \"overload\""),
            provider("[[provider.fault]]\neffect = { status = 200 }"),
            provider("[[provider.fault]]\nchance = 2.0\neffect = \"garbage\""),
            provider("[[provider.fault]]\nfrom_ms = 5\nuntil_ms = 5\neffect = \"garbage\""),
            provider(&provider("")),
            provider("tools = sometimes"),
            "seed = 1".to_owned(),
            "provider = []".to_owned(),
            "[[provider]]\nname = \"a\"".to_owned(),
        ];
        let report: Vec<String> = cases.iter().map(|text| error(text)).collect();
        insta::assert_snapshot!(report.join("\n"));
    }

    #[test]
    fn a_small_script_has_defaults() {
        let script = Script::parse(&provider(""), "mock.toml").unwrap();
        let provider = &script.providers[0];
        assert!(provider.listen.ip().is_loopback());
        assert_eq!((provider.listen.port(), provider.chunk_tokens), (0, 1));
        let built = crate::ProviderScript::openai("a").models(["m"]);
        assert_eq!(script, Script::new([built]));
    }
}
