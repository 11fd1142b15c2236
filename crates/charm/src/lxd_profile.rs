//! `lxd-profile.yaml`: what the LXD container of a unit must allow.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{CharmError, Result, yaml};

pub(crate) const FILE: &str = "lxd-profile.yaml";

const ALLOWED_DEVICES: [&str; 4] = ["unix-char", "unix-block", "gpu", "usb"];
const REFUSED_CONFIG: [&str; 3] = ["boot", "limits", "migration"];

/// An LXD profile that a charm brings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LxdProfile {
    pub config: BTreeMap<String, String>,
    pub description: String,
    pub devices: BTreeMap<String, BTreeMap<String, String>>,
}

impl LxdProfile {
    /// Reads the file. Whether it may be applied is [`LxdProfile::validate`]'s to say, which `--force` skips.
    pub fn parse(text: &str) -> Result<Self> {
        let parsed: Option<Self> = yaml::from_str(text).map_err(|it| CharmError::parse(FILE, it))?;
        Ok(parsed.unwrap_or_default())
    }

    pub fn is_empty(&self) -> bool {
        self.config.is_empty() && self.devices.is_empty()
    }

    /// Refuses what would let a charm out of its container, or rule over others.
    pub fn validate(&self) -> Result<()> {
        let invalid = |why: String| CharmError::invalid(format!("invalid lxd-profile: contains {why}"));
        for device in self.devices.values() {
            let kind = device.get("type").map_or("", String::as_str);
            if !ALLOWED_DEVICES.contains(&kind) {
                return Err(invalid(format!("device type {kind:?}")));
            }
        }
        for key in self.config.keys() {
            if REFUSED_CONFIG.iter().any(|it| key.starts_with(it)) {
                return Err(invalid(format!("config value {key:?}")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles() {
        let text = "description: nested\nconfig:\n  security.nesting: true\n  linux.kernel_modules: openvswitch\n\
                    devices:\n  tun: {path: /dev/net/tun, type: unix-char, mode: 0666}\n";
        let profile = LxdProfile::parse(text).unwrap();
        profile.validate().unwrap();
        assert_eq!(profile.config["security.nesting"], "true");
        assert_eq!(profile.devices["tun"]["mode"], "0666", "texts are kept as they are written");
        assert!(LxdProfile::parse("").unwrap().is_empty());
        for (text, error) in [
            ("devices: {root: {type: disk}}", r#"invalid lxd-profile: contains device type "disk""#),
            ("devices: {x: {}}", r#"invalid lxd-profile: contains device type """#),
            ("config: {limits.cpu: 2}", r#"invalid lxd-profile: contains config value "limits.cpu""#),
            (
                "config: {boot.autostart: true}",
                r#"invalid lxd-profile: contains config value "boot.autostart""#,
            ),
        ] {
            assert_eq!(LxdProfile::parse(text).unwrap().validate().unwrap_err().to_string(), error);
        }
        let error = LxdProfile::parse("config: [a]").unwrap_err().to_string();
        assert!(error.starts_with("lxd-profile.yaml: line 1"), "{error}");
    }
}
