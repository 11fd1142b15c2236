//! `clouds.yaml`: clouds that the user added, and the one built in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Other, StoreFile};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clouds {
    pub clouds: BTreeMap<String, Cloud>,
    #[serde(flatten)]
    pub other: Other,
}

/// One cloud.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Cloud {
    #[serde(rename = "type")]
    pub cloud_type: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub auth_types: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub endpoint: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub regions: BTreeMap<String, Other>,
    #[serde(flatten)]
    pub other: Other,
}

impl StoreFile for Clouds {
    const NAME: &'static str = "clouds.yaml";
}

impl Cloud {
    /// The cloud that is always there: machines are processes on this host.
    pub fn local() -> Self {
        Self {
            cloud_type: "local".into(),
            description: "Machines are processes on this host".into(),
            auth_types: vec!["empty".into()],
            regions: BTreeMap::from([("default".into(), Other::new())]),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::yaml;

    #[test]
    fn the_file_of_juju_reads() {
        let text = "clouds:\n  metal:\n    type: manual\n    endpoint: ubuntu@10.8.0.50\n    regions: {default: {}}\n  \
                    cluster:\n    type: lxd\n    auth-types: [interactive, certificate]\n    skip-tls-verify: false\n";
        let file: Clouds = yaml::from_str(text).unwrap();
        assert_eq!(file.clouds["metal"].regions.keys().collect::<Vec<_>>(), ["default"]);
        assert_eq!(file.clouds["cluster"].auth_types, ["interactive", "certificate"]);
        assert_eq!(yaml::from_str::<Clouds>(&yaml::to_string(&file)).unwrap(), file);
    }
}
