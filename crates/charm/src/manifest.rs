//! `manifest.yaml`: the bases that a charm was made for (Juju 3.6 `juju/charm`).

use juju_core::{Arch, Base};
use serde::{Deserialize, Serialize};

use crate::{CharmError, Result, yaml};

const FILE: &str = "manifest";

/// Operating systems that a base may name.
const SYSTEMS: [&str; 6] = ["ubuntu", "centos", "windows", "osx", "opensuse", "genericlinux"];

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    pub bases: Vec<ManifestBase>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ManifestBase {
    pub name: String,
    /// `22.04/stable` or `22.04`.
    pub channel: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub architectures: Vec<String>,
}

impl Manifest {
    pub fn parse(text: &str) -> Result<Manifest> {
        let manifest: Option<Manifest> =
            yaml::from_str(text).map_err(|err| CharmError::Parse { file: FILE, why: err.to_string() })?;
        let mut manifest = manifest.unwrap_or_default();
        for base in &mut manifest.bases {
            base.check().map_err(|why| CharmError::Parse { file: FILE, why })?;
        }
        Ok(manifest)
    }

    /// The bases as the rest of the program knows them.
    pub fn bases(&self) -> Vec<Base> {
        self.bases.iter().filter_map(|it| Base::from_parts(&it.name, &it.channel).ok()?).collect()
    }
}

impl ManifestBase {
    fn check(&mut self) -> std::result::Result<(), String> {
        if self.name.is_empty() {
            return Err("base without name not valid".to_owned());
        }
        if !SYSTEMS.contains(&self.name.to_lowercase().as_str()) {
            return Err(format!("os {:?} not valid", self.name));
        }
        match Base::from_parts(&self.name, &self.channel) {
            Ok(Some(_)) => {}
            _ => return Err("channel not valid".to_owned()),
        }
        for arch in &mut self.architectures {
            match Arch::from_alias(arch) {
                Some(known) => *arch = known.to_string(),
                None => return Err(format!("architecture {arch:?} not valid")),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_read() {
        let manifest = Manifest::parse(
            "analysis: {}\nbases:\n- {name: ubuntu, channel: '22.04', architectures: [amd64, aarch64]}\n- name: ubuntu\n  channel: 24.04/stable\n",
        )
        .unwrap();
        assert_eq!(
            manifest.bases().iter().map(Base::display).collect::<Vec<_>>(),
            ["ubuntu@22.04", "ubuntu@24.04"]
        );
        assert_eq!(manifest.bases[0].architectures, ["amd64", "arm64"]);
        assert!(Manifest::parse("").unwrap().bases.is_empty());
        // A channel that is written as a number keeps its text.
        assert_eq!(
            Manifest::parse("bases: [{name: ubuntu, channel: 22.10}]").unwrap().bases[0].channel,
            "22.10"
        );
    }

    #[test]
    fn bad_bases_are_named() {
        for (text, error) in [
            ("bases: [{channel: '22.04'}]", "manifest: base without name not valid"),
            ("bases: [{name: beos, channel: '5'}]", "manifest: os \"beos\" not valid"),
            ("bases: [{name: ubuntu}]", "manifest: channel not valid"),
            (
                "bases: [{name: ubuntu, channel: '22.04', architectures: [z80]}]",
                "manifest: architecture \"z80\" not valid",
            ),
        ] {
            assert_eq!(Manifest::parse(text).unwrap_err().to_string(), error);
        }
    }
}
