//! `GET /v1/models`: the models that can be asked for by name.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use serde_json::{Value, json};

use crate::config::Kind;
use crate::host::Host;
use crate::ingress::turn_away;

/// In Anthropic's shape for those who say which version of it they speak, else in OpenAI's.
pub(crate) async fn list(State(host): State<Arc<Host>>, headers: HeaderMap) -> Response {
    let kind = Kind::of(&headers);
    if let Err(complaint) = host.keys.tenant(&headers) {
        return turn_away(&host, kind, None, &complaint);
    }
    let models: Vec<&str> = host.lanes.models(kind).collect();
    Json(match kind {
        Kind::OpenAi => openai(&models),
        Kind::Anthropic => anthropic_page(&models),
    })
    .into_response()
}

fn openai(models: &[&str]) -> Value {
    let model =
        |name: &&str| json!({ "id": name, "object": "model", "created": 0, "owned_by": "weir" });
    json!({ "object": "list", "data": models.iter().map(model).collect::<Vec<_>>() })
}

fn anthropic_page(models: &[&str]) -> Value {
    let model = |name: &&str| {
        let created_at = "1970-01-01T00:00:00Z";
        json!({ "type": "model", "id": name, "display_name": name, "created_at": created_at })
    };
    json!({
        "data": models.iter().map(model).collect::<Vec<_>>(),
        "has_more": false,
        "first_id": models.first(),
        "last_id": models.last(),
    })
}
