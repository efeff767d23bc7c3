//! Which tenant asks.

use std::collections::HashMap;

use http::{HeaderMap, StatusCode, header};
use weir_core::ids::TenantId;

use crate::complaint::Complaint;
use crate::config::{KeyHash, Tenant};

/// Tenants by the SHA-256 of their keys: a look-up takes the same time for any wrong key.
#[derive(Debug)]
pub(crate) struct Keys {
    by_hash: HashMap<KeyHash, TenantId>,
    /// The tenant that is everybody.
    everybody: Option<TenantId>,
}

impl Keys {
    pub(crate) fn new(tenants: &[Tenant]) -> Self {
        let ids = (0..).map(TenantId).zip(tenants);
        let keyed = ids.clone().filter_map(|(id, tenant)| Some((tenant.key?, id)));
        let by_hash: HashMap<_, _> = keyed.collect();
        let everybody = ids.clone().find(|(_, tenant)| tenant.key.is_none()).map(|(id, _)| id);
        Self { everybody: everybody.filter(|_| by_hash.is_empty()), by_hash }
    }

    /// Callers need a key.
    pub(crate) fn required(&self) -> bool {
        self.everybody.is_none()
    }

    /// The tenant whose key these headers carry.
    pub(crate) fn tenant(&self, headers: &HeaderMap) -> Result<TenantId, Complaint> {
        if let Some(everybody) = self.everybody {
            return Ok(everybody);
        }
        let key = key(headers).ok_or_else(|| {
            let message = "no key: send a tenant's key as `authorization: Bearer` or `x-api-key`";
            Complaint::new(StatusCode::UNAUTHORIZED, "missing_api_key", message)
        })?;
        self.by_hash.get(&KeyHash::of(key)).copied().ok_or_else(|| {
            let message = "this key is no tenant's";
            Complaint::new(StatusCode::UNAUTHORIZED, "invalid_api_key", message)
        })
    }
}

/// The caller's key.
fn key(headers: &HeaderMap) -> Option<&str> {
    bearer(headers)
        .or_else(|| headers.get("x-api-key")?.to_str().ok())
        .filter(|key| !key.is_empty())
}

/// The token of `authorization: Bearer`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(name: &str, key: Option<&str>) -> Tenant {
        Tenant {
            name: name.into(),
            key: key.map(KeyHash::of),
            weight: 1,
            limits: Default::default(),
            quota: None,
        }
    }

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        [(name.parse().unwrap(), value.parse().unwrap())].into_iter().collect()
    }

    #[test]
    fn a_key_names_its_tenant_in_either_header() {
        let keys = Keys::new(&[tenant("a", Some("ka")), tenant("b", Some("kb"))]);
        assert!(keys.required());
        assert_eq!(keys.tenant(&headers("authorization", "Bearer kb")), Ok(TenantId(1)));
        assert_eq!(keys.tenant(&headers("x-api-key", "ka")), Ok(TenantId(0)));
    }

    #[test]
    fn a_wrong_or_missing_key_is_unauthorized() {
        let keys = Keys::new(&[tenant("a", Some("ka"))]);
        let code = |headers: &HeaderMap| keys.tenant(headers).unwrap_err().code;
        assert_eq!(code(&headers("x-api-key", "nope")), "invalid_api_key");
        assert_eq!(code(&headers("authorization", "Basic ka")), "missing_api_key");
        assert_eq!(code(&HeaderMap::new()), "missing_api_key");
    }

    #[test]
    fn without_tenants_everybody_is_one() {
        let keys = Keys::new(&[tenant("default", None)]);
        assert_eq!(keys.tenant(&headers("x-api-key", "anything")), Ok(TenantId(0)));
    }
}
