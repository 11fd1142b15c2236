//! `credentials.yaml`: what opens clouds. This client uploads them and never makes any: a `local` cloud
//! needs none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Other, StoreFile};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Credentials {
    /// By cloud. Two keys of a cloud are `default-credential` and `default-region`; the others are
    /// names of credentials.
    pub credentials: BTreeMap<String, Other>,
    #[serde(flatten)]
    pub other: Other,
}

/// One credential.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credential {
    pub auth_type: String,
    pub attributes: BTreeMap<String, String>,
}

impl StoreFile for Credentials {
    const NAME: &'static str = "credentials.yaml";
}

impl Credentials {
    pub fn get(&self, cloud: &str, name: &str) -> Option<Credential> {
        let fields = self.credentials.get(cloud)?.get(name)?.as_object()?;
        let text = |value: &serde_json::Value| match value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Some(Credential {
            auth_type: fields.get("auth-type").map(text).unwrap_or_default(),
            attributes: fields
                .iter()
                .filter(|(key, _)| *key != "auth-type")
                .map(|(key, value)| (key.clone(), text(value)))
                .collect(),
        })
    }
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let keys: Vec<_> = self.attributes.keys().collect();
        write!(f, "Credential {{ auth_type: {:?}, attributes: {keys:?} }}", self.auth_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::yaml;

    #[test]
    fn a_credential_is_found_by_cloud_and_name() {
        let text = "credentials:\n  metal:\n    default-credential: ops\n    ops: {auth-type: empty}\n    \
                    key: {auth-type: userpass, user: u, pin: 12}\n";
        let file: Credentials = yaml::from_str(text).unwrap();
        assert_eq!(file.get("metal", "ops").unwrap().auth_type, "empty");
        let key = file.get("metal", "key").unwrap();
        assert_eq!(key.attributes["pin"], "12");
        assert!(!format!("{key:?}").contains("12"));
        assert_eq!(file.get("metal", "default-credential"), None);
        assert_eq!(file.get("x", "ops"), None);
    }
}
