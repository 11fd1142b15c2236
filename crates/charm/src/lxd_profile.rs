//! `lxd-profile.yaml`: what a charm needs of the container it is in (Juju 3.6 `core/lxdprofile`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{CharmError, Result, yaml};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LxdProfile {
    pub config: BTreeMap<String, String>,
    pub description: String,
    pub devices: BTreeMap<String, BTreeMap<String, String>>,
}

impl LxdProfile {
    pub fn parse(text: &str) -> Result<LxdProfile> {
        let profile: Option<LxdProfile> = yaml::from_str(text)
            .map_err(|err| CharmError::Parse { file: "lxd-profile", why: err.to_string() })?;
        Ok(profile.unwrap_or_default())
    }

    pub fn is_empty(&self) -> bool {
        self.config.is_empty() && self.devices.is_empty() && self.description.is_empty()
    }

    /// Refuses what would let a charm out of its container; `--force` skips this.
    pub fn check(&self) -> Result<()> {
        for device in self.devices.values() {
            let kind = device.get("type").map(String::as_str).unwrap_or_default();
            if !["unix-char", "unix-block", "gpu", "usb"].contains(&kind) {
                return Err(CharmError::invalid(format!(
                    "invalid lxd-profile: contains device type {kind:?}"
                )));
            }
        }
        let refused = self
            .config
            .keys()
            .find(|key| ["boot", "limits", "migration"].iter().any(|it| key.starts_with(it)));
        match refused {
            Some(key) => {
                Err(CharmError::invalid(format!("invalid lxd-profile: contains config value {key:?}")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_held_to_the_rules() {
        for (text, error) in [
            ("config: {security.nesting: true}\ndevices: {tun: {type: unix-char, path: /dev/net/tun}}", None),
            ("devices: {d: {type: disk}}", Some("invalid lxd-profile: contains device type \"disk\"")),
            ("config: {limits.cpu: 2}", Some("invalid lxd-profile: contains config value \"limits.cpu\"")),
        ] {
            let checked = LxdProfile::parse(text).unwrap().check().err().map(|it| it.to_string());
            assert_eq!(checked.as_deref(), error, "{text}");
        }
        assert!(LxdProfile::parse("").unwrap().is_empty());
    }
}
