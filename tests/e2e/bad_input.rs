//! What is wrong in a request is said in the shape of its API, so that each SDK raises its own exception.

use serde_json::{Value, json};

use crate::support::http::{self, Response};
use crate::support::{Gateway, Mock, python};

/// One provider of each kind, and `broken` ones that fail in one way each.
const PROVIDERS: &str = r#"
[[provider]]
name = "openai"
kind = "openai"
models = ["m"]
output = { mean = 10.0, sigma = 0.0 }

[[provider]]
name = "anthropic"
kind = "anthropic"
models = ["m"]
output = { mean = 10.0, sigma = 0.0 }

[[provider]]
name = "openai-large"
kind = "openai"
models = ["mlarge"]
output = { mean = 3000.0, sigma = 0.0 }

[[provider]]
name = "anthropic-large"
kind = "anthropic"
models = ["mlarge"]
output = { mean = 3000.0, sigma = 0.0 }

[[provider]]
name = "openai-500"
kind = "openai"
models = ["m500"]
fault = [{ effect = { status = 500 } }]

[[provider]]
name = "anthropic-500"
kind = "anthropic"
models = ["m500"]
fault = [{ effect = { status = 500 } }]

[[provider]]
name = "openai-long"
kind = "openai"
models = ["mlong"]
fault = [{ effect = "context-length" }]

[[provider]]
name = "anthropic-long"
kind = "anthropic"
models = ["mlong"]
fault = [{ effect = "context-length" }]
"#;

/// Tenants `acme` and `bolt` with keys of those names, and `poor-a` and `poor-b`, whose quota a large answer nearly spends.
fn settings(mock: &Mock) -> String {
    let mut settings = String::from("[host]\nmax_body = 65536\n");
    for kind in ["openai", "anthropic"] {
        for (suffix, model) in
            [("", "m"), ("-large", "mlarge"), ("-500", "m500"), ("-long", "mlong")]
        {
            let name = format!("{kind}{suffix}");
            let url = mock.url(&name);
            settings += &upstream(&name, kind, url, model);
        }
        // A port that nobody listens on.
        settings += &upstream(&format!("{kind}-gone"), kind, "http://127.0.0.1:1", "mgone");
    }
    for (name, quota) in [
        ("acme", ""),
        ("poor-a", "quota = { tokens = 4200 }"),
        ("poor-b", "quota = { tokens = 4200 }"),
    ] {
        settings +=
            &format!("[[tenant]]\nname = \"{name}\"\nkey_sha256 = \"{}\"\n{quota}\n", sha256(name));
    }
    settings
}

fn upstream(name: &str, kind: &str, url: &str, model: &str) -> String {
    format!(
        "[[upstream]]\nname = \"{name}\"\nkind = \"{kind}\"\nbase_url = \"{url}\"\nmodels = [\"{model}\"]\n"
    )
}

/// Of the keys that are used here.
fn sha256(key: &str) -> &'static str {
    match key {
        "acme" => "822b33ad87c148a0a20a5ba7cd5ebcaa68d36a18e7aad165554903f52ca82757",
        "poor-a" => "a957de62b0642ac9fb8f4f73e0519db5eb3dcc2f59fd05f56ba679d66afc207f",
        "poor-b" => "2eb398bd132990701dace9009f398c00dcbd24904516192a460c36e5eb5b4f23",
        other => panic!("no hash of {other}"),
    }
}

struct Scene {
    mock: Mock,
    gateway: Gateway,
}

impl Scene {
    fn new() -> Self {
        let mock = Mock::start(PROVIDERS);
        let gateway = Gateway::start(&settings(&mock));
        Self { mock, gateway }
    }

    fn openai(&self, arguments: &Value) -> Value {
        self.call("openai_sdk.py", "fail", "/v1", arguments)
    }

    fn anthropic(&self, arguments: &Value) -> Value {
        self.call("anthropic_sdk.py", "fail", "", arguments)
    }

    fn call(&self, file: &str, function: &str, version: &str, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        arguments["url"] = format!("{}{version}", self.gateway.url()).into();
        python::call(file, function, &arguments)
    }

    /// Both SDKs raise exceptions of these classes.
    #[track_caller]
    fn both(&self, arguments: &Value, openai: &str, anthropic: &str, status: u16) -> [Value; 2] {
        let raised = [self.openai(arguments), self.anthropic(arguments)];
        assert_eq!(raised[0]["class"], openai, "{}", raised[0]);
        assert_eq!(raised[1]["class"], anthropic, "{}", raised[1]);
        assert!(raised.iter().all(|error| error["status"] == status), "{raised:?}");
        raised
    }

    fn post(&self, path: &str, body: &[u8]) -> Response {
        http::post(
            &format!("{}{path}", self.gateway.url()),
            &[("authorization", "Bearer acme")],
            body,
        )
    }
}

/// A body without a message for people is no help.
#[track_caller]
fn assert_shapes(openai: &Response, anthropic: &Response, status: u16) {
    assert_eq!((openai.status, anthropic.status), (status, status), "{openai:?} {anthropic:?}");
    let (openai, anthropic) = (openai.json(), anthropic.json());
    assert!(
        openai["error"]["message"].as_str().is_some_and(|message| !message.is_empty()),
        "{openai}"
    );
    assert!(openai["error"]["type"].is_string(), "{openai}");
    assert_eq!(anthropic["type"], "error", "{anthropic}");
    assert!(
        anthropic["error"]["message"].as_str().is_some_and(|message| !message.is_empty()),
        "{anthropic}"
    );
    assert!(anthropic["error"]["type"].is_string(), "{anthropic}");
}

#[test]
fn a_wrong_key() {
    let arguments = json!({ "model": "m", "key": "nobody" });
    Scene::new().both(&arguments, "AuthenticationError", "AuthenticationError", 401);
}

#[test]
fn an_unknown_model() {
    let arguments = json!({ "model": "unknown", "key": "acme" });
    let raised = Scene::new().both(&arguments, "NotFoundError", "NotFoundError", 404);
    assert!(
        raised
            .iter()
            .all(|error| error["text"].as_str().is_some_and(|text| text.contains("unknown")))
    );
}

#[test]
fn a_body_over_the_cap() {
    let arguments = json!({ "model": "m", "key": "acme", "content": "x".repeat(100_000) });
    Scene::new().both(&arguments, "APIStatusError", "ContentTooLargeError", 413);
}

#[test]
fn a_prompt_that_the_provider_finds_too_long() {
    let arguments = json!({ "model": "mlong", "key": "acme" });
    Scene::new().both(&arguments, "BadRequestError", "BadRequestError", 400);
}

#[test]
fn an_upstream_that_is_not_there() {
    let arguments = json!({ "model": "mgone", "key": "acme" });
    Scene::new().both(&arguments, "InternalServerError", "InternalServerError", 502);
}

/// The host owns retries: an SDK that would try five times more is told not to.
#[test]
fn an_upstream_that_fails_is_not_asked_again_by_the_sdk() {
    let scene = Scene::new();
    let once = json!({ "model": "m500", "key": "acme", "retries": 0 });
    let often = json!({ "model": "m500", "key": "acme", "retries": 5 });
    for (sdk, name) in [("openai", "openai-500"), ("anthropic", "anthropic-500")] {
        let raise = |arguments| {
            if sdk == "openai" { scene.openai(arguments) } else { scene.anthropic(arguments) }
        };
        let asked = || scene.mock.stats(name)["requests"].as_u64().expect("a count");
        assert_eq!(raise(&once)["class"], "InternalServerError");
        let first = asked();
        assert_eq!(raise(&often)["class"], "InternalServerError");
        assert!(asked() - first <= first, "{sdk} asked again: {first}, then {}", asked());
    }
}

#[test]
fn both_tenants_over_quota_at_once() {
    let scene = Scene::new();
    let arguments = json!({ "model": "mlarge", "keys": ["poor-a", "poor-b"] });
    for (file, version) in [("openai_sdk.py", "/v1"), ("anthropic_sdk.py", "")] {
        let classes = || {
            let raised = scene.call(file, "fail_together", version, &arguments);
            let errors = raised.as_array().expect("two").iter();
            errors.map(|error| error["class"].clone()).collect::<Vec<_>>()
        };
        // Some answers fit before the quota is spent; how many depends on what the SDK allows an answer.
        let spent = (0..10).map(|_| classes()).find(|classes| !classes.contains(&Value::Null));
        assert_eq!(spent, Some(vec![json!("RateLimitError"); 2]), "{file}");
    }
    assert_eq!(scene.openai(&json!({ "model": "m", "key": "acme" }))["class"], Value::Null);
}

#[test]
fn bodies_that_are_no_request() {
    let scene = Scene::new();
    let bodies: [&[u8]; 6] = [b"", b"{", b"[]", b"null", b"{\"model\": 7}", b"\xff\xfe"];
    for body in bodies {
        let (openai, anthropic) =
            (scene.post("/v1/chat/completions", body), scene.post("/v1/messages", body));
        assert_shapes(&openai, &anthropic, 400);
    }
}

/// The operator can see that a caller is turned away, and nothing of what it said.
#[test]
fn what_is_turned_away_is_logged_without_its_words() {
    let scene = Scene::new();
    scene.post("/v1/chat/completions", br#"{"model": "m", "max_tokens": "a secret"}"#);
    let answer = http::post(
        &format!("{}/v1/messages", scene.gateway.url()),
        &[("x-api-key", "guess")],
        b"{}",
    );
    assert_eq!(answer.status, 401);
    let log = scene.gateway.log();
    let line = |code: &str| {
        let found = log.lines().find(|line| line.contains("turned away") && line.contains(code));
        found.unwrap_or_else(|| panic!("no line of {code} in\n{log}")).to_owned()
    };
    assert!(line("invalid_json").contains("\"tenant\":\"acme\""), "{log}");
    assert!(line("invalid_api_key").contains("\"api\":\"anthropic\""), "{log}");
    assert!(!log.contains("secret") && !log.contains("guess"), "{log}");
}

#[test]
fn a_path_that_is_none() {
    assert_eq!(Scene::new().post("/v1/nothing", b"{}").status, 404);
}

#[test]
fn a_method_that_is_none() {
    let scene = Scene::new();
    assert_eq!(http::get(&format!("{}/v1/messages", scene.gateway.url())).status, 405);
}

#[test]
fn refusals_say_that_an_sdk_must_not_try_again() {
    let scene = Scene::new();
    let response = scene.post("/v1/chat/completions", b"{");
    assert_eq!(response.header("x-should-retry"), Some("false"));
    assert!(response.text().contains("JSON"), "{}", response.text());
}
