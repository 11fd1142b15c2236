//! Bundles: sets of applications to deploy together.

mod parts;
mod placement;
mod verify;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use placement::{Target, UnitPlacement};
pub use verify::{BundleErrors, Charms};

use crate::{CharmError, Result, yaml};

pub(crate) const FILE: &str = "bundle.yaml";

/// A bundle with its overlays laid over it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Bundle {
    /// `kubernetes`, or nothing.
    #[serde(rename = "bundle", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub default_base: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub series: String,
    pub applications: BTreeMap<String, BundleApplication>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub machines: BTreeMap<String, BundleMachine>,
    /// Pairs of `app` or `app:endpoint`, if the author counted right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Vec<String>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub saas: BTreeMap<String, Saas>,
}

/// One application of a bundle.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct BundleApplication {
    /// A path that begins with `.` or `/`, or a name on Charmhub.
    pub charm: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub channel: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub series: String,
    #[serde(rename = "num_units")]
    pub num_units: i64,
    /// Where units go, in their order; the last counts for all further ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub devices: BTreeMap<String, String>,
    /// Spaces by endpoint; `""` is the default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bindings: BTreeMap<String, String>,
    /// A revision or a path, by resource.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expose: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub offers: BTreeMap<String, Offer>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
}

/// To whom an endpoint's ports are open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct ExposedEndpoint {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expose_to_spaces: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expose_to_cidrs: Vec<String>,
}

/// Endpoints that are offered to other models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Offer {
    pub endpoints: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub acl: BTreeMap<String, String>,
}

/// One machine of a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BundleMachine {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub series: String,
}

/// An application of another model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saas {
    pub url: String,
}

impl Bundle {
    /// Reads a bundle. Further documents in the text are overlays.
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_with_overlays(text, &[])
    }

    /// Reads a bundle and lays overlays over it, in their order.
    pub fn parse_with_overlays(text: &str, overlays: &[&str]) -> Result<Self> {
        let mut documents = vec![];
        for text in std::iter::once(&text).chain(overlays) {
            let parts: Vec<Option<parts::Part>> =
                yaml::documents(text).map_err(|it| CharmError::parse(FILE, it))?;
            documents.extend(parts.into_iter().flatten());
        }
        parts::merge(documents).map_err(CharmError::invalid)
    }

    /// Replaces each option and annotation that names a file (`include-file://`, `include-base64://`) by what `read`
    /// finds in it.
    pub fn resolve_includes(&mut self, mut read: impl FnMut(&str) -> std::io::Result<Vec<u8>>) -> Result<()> {
        for (name, app) in &mut self.applications {
            for (key, value) in &mut app.options {
                if let Some(text) = included(value.as_str(), &mut read, || {
                    format!("option {key:?} for application {name:?}")
                })? {
                    *value = Value::String(text);
                }
            }
            for (key, value) in &mut app.annotations {
                if let Some(text) = included(Some(value), &mut read, || {
                    format!("annotation {key:?} for application {name:?}")
                })? {
                    *value = text;
                }
            }
        }
        for (id, machine) in &mut self.machines {
            for (key, value) in &mut machine.annotations {
                if let Some(text) =
                    included(Some(value), &mut read, || format!("annotation {key:?} for machine {id:?}"))?
                {
                    *value = text;
                }
            }
        }
        Ok(())
    }
}

impl BundleApplication {
    /// Whether the charm is a file or directory, and not on Charmhub.
    pub fn is_local(&self) -> bool {
        self.charm.starts_with(['.', '/'])
    }

    /// Where the unit of a number goes: the last placement counts for all further ones.
    pub fn placement(&self, unit: usize) -> Option<&str> {
        self.to.get(unit).or(self.to.last()).map(String::as_str)
    }
}

/// The content of the file that a value names, if it does.
fn included(
    value: Option<&str>,
    read: &mut impl FnMut(&str) -> std::io::Result<Vec<u8>>,
    what: impl Fn() -> String,
) -> Result<Option<String>> {
    use base64::Engine;
    let Some(value) = value else { return Ok(None) };
    let (path, encode) =
        match (value.strip_prefix("include-file://"), value.strip_prefix("include-base64://")) {
            (Some(path), _) => (path, false),
            (_, Some(path)) => (path, true),
            _ => return Ok(None),
        };
    let bytes = read(path).map_err(|it| CharmError::io("read", path, it))?;
    if encode {
        return Ok(Some(base64::engine::general_purpose::STANDARD.encode(bytes)));
    }
    let text = String::from_utf8(bytes);
    text.map(Some)
        .map_err(|_| CharmError::invalid(format!("processing {}: {path:?} is not valid UTF-8", what())))
}

#[cfg(test)]
mod tests;
