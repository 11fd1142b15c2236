//! Where an application's charm was chosen from.

use juju_core::CharmUrl;
use serde::{Deserialize, Serialize};

/// The source of a charm, and what was asked of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CharmOrigin {
    /// `local` or `charm-hub`.
    pub source: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub track: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub risk: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    pub platform: Platform,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Platform {
    pub architecture: String,
    pub os: String,
    pub channel: String,
}

impl CharmOrigin {
    /// That of a charm which a client brought.
    pub fn local(url: &CharmUrl) -> CharmOrigin {
        CharmOrigin {
            source: "local".into(),
            kind: "charm".into(),
            revision: url.revision,
            ..CharmOrigin::default()
        }
    }
}
