//! `bootstrap-config.yaml`: how a controller was made, for destroying it when its API is gone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Other, StoreFile};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BootstrapConfigs {
    pub controllers: BTreeMap<String, BootstrapConfig>,
    #[serde(flatten)]
    pub other: Other,
}

/// How one controller was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct BootstrapConfig {
    /// Without `ca-cert` and `controller-uuid`.
    pub controller_config: BTreeMap<String, Value>,
    /// Without `uuid`.
    pub model_config: BTreeMap<String, Value>,
    pub controller_model_uuid: String,
    pub credential: String,
    pub cloud: String,
    #[serde(rename = "type")]
    pub cloud_type: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub region: String,
    /// Of a `local` cloud, the directory of its machines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub endpoint: String,
    #[serde(flatten)]
    pub other: Other,
}

impl StoreFile for BootstrapConfigs {
    const NAME: &'static str = "bootstrap-config.yaml";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::yaml;

    #[test]
    fn the_file_of_juju_reads_and_keeps_what_is_unknown() {
        let text = "\
controllers:
  lab:
    controller-config: {api-port: 17070, controller-name: lab}
    model-config: {name: controller, type: lxd, authorized-keys: \"ssh-rsa AAAA\"}
    controller-model-uuid: 77aa1c5e-1f53-4fd1-8e2b-0d1e2f3a4b5c
    credential: localhost
    cloud: localhost
    type: lxd
    region: localhost
    endpoint: https://10.8.0.1:8443
    skip-tls-verify: true
";
        let file: BootstrapConfigs = yaml::from_str(text).unwrap();
        let lab = &file.controllers["lab"];
        assert_eq!(lab.controller_config["api-port"], 17070);
        assert_eq!((lab.cloud_type.as_str(), lab.endpoint.as_str()), ("lxd", "https://10.8.0.1:8443"));
        let back: BootstrapConfigs = yaml::from_str(&yaml::to_string(&file)).unwrap();
        assert_eq!(back, file);
        assert_eq!(back.controllers["lab"].other["skip-tls-verify"], true);
    }
}
