//! `controllers.yaml`: where controllers are and how to trust them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_saphyr::{FlowMap, FlowSeq};

use super::{Other, StoreFile};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Controllers {
    pub controllers: BTreeMap<String, Controller>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current_controller: String,
    #[serde(flatten)]
    pub other: Other,
}

/// One controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Controller {
    pub uuid: String,
    /// `host:port`, the one that answered last first.
    pub api_endpoints: FlowSeq<Vec<String>>,
    #[serde(skip_serializing_if = "is_empty")]
    pub dns_cache: FlowMap<BTreeMap<String, Vec<String>>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub public_hostname: String,
    /// PEM.
    pub ca_cert: String,
    pub cloud: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub region: String,
    /// The cloud's provider.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub cloud_type: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_version: String,
    pub controller_machine_count: i64,
    pub active_controller_machine_count: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_count: Option<i64>,
    #[serde(flatten)]
    pub other: Other,
}

impl StoreFile for Controllers {
    const NAME: &'static str = "controllers.yaml";
}

impl Default for Controller {
    fn default() -> Self {
        Self {
            uuid: String::new(),
            api_endpoints: FlowSeq(vec![]),
            dns_cache: FlowMap(BTreeMap::new()),
            public_hostname: String::new(),
            ca_cert: String::new(),
            cloud: String::new(),
            region: String::new(),
            cloud_type: String::new(),
            agent_version: String::new(),
            controller_machine_count: 0,
            active_controller_machine_count: 0,
            machine_count: None,
            other: Other::new(),
        }
    }
}

fn is_empty(map: &FlowMap<BTreeMap<String, Vec<String>>>) -> bool {
    map.0.is_empty()
}

impl Controller {
    pub fn endpoints(&self) -> &[String] {
        &self.api_endpoints.0
    }

    /// `cloud/region`, or the cloud alone.
    pub fn cloud_region(&self) -> String {
        match self.region.as_str() {
            "" => self.cloud.clone(),
            region => format!("{}/{region}", self.cloud),
        }
    }
}

impl Controllers {
    /// The name of the current controller, if there is one and it is still known.
    pub fn current(&self) -> Option<&str> {
        Some(self.current_controller.as_str()).filter(|it| self.controllers.contains_key(*it))
    }

    /// Forgets a controller, and that it was current.
    pub fn remove(&mut self, name: &str) {
        self.controllers.remove(name);
        if self.current_controller == name {
            self.current_controller.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::yaml;

    const JUJU: &str = "\
controllers:
  lab:
    uuid: 0c2b7f0e-54a9-4c2f-8f5a-99aa88bb77cc
    api-endpoints: ['10.8.0.4:17070', '[fd00::1]:17070']
    dns-cache: {api.lab.example: [10.8.0.4]}
    public-hostname: api.lab.example:443
    ca-cert: |
      -----BEGIN CERTIFICATE-----
      MIIE
      -----END CERTIFICATE-----
    cloud: localhost
    region: localhost
    type: lxd
    agent-version: 3.6.28
    controller-machine-count: 1
    active-controller-machine-count: 0
    machine-count: 1
    oidc-login: true
current-controller: lab
previous-controller: old
";

    #[test]
    fn the_file_of_juju_reads_and_writes_back_whole() {
        let file: Controllers = yaml::from_str(JUJU).unwrap();
        let lab = &file.controllers["lab"];
        assert_eq!(lab.endpoints(), ["10.8.0.4:17070", "[fd00::1]:17070"]);
        assert_eq!(lab.ca_cert, "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n");
        assert_eq!(lab.agent_version, "3.6.28");
        assert_eq!(lab.other["oidc-login"], true);
        assert_eq!(file.other["previous-controller"], "old");
        assert_eq!(file.current(), Some("lab"));

        let text = yaml::to_string(&file);
        assert_eq!(yaml::from_str::<Controllers>(&text).unwrap(), file);
        let flow = "\n    api-endpoints: [";
        assert!(text.contains(flow) && text.contains("\n    ca-cert: |\n"), "{text}");
        let keys = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|it| !it.starts_with("      "));
            lines.map(|it| it.split(':').next().unwrap().to_owned()).collect()
        };
        assert_eq!(keys(&text), keys(JUJU), "the same keys in the same order");
    }

    #[test]
    fn a_current_controller_that_is_gone_is_not_current() {
        let mut file: Controllers = yaml::from_str(JUJU).unwrap();
        file.remove("lab");
        assert_eq!((file.current(), file.current_controller.as_str()), (None, ""));
        file.current_controller = "x".into();
        assert_eq!(file.current(), None);
    }
}
