//! A charm as it describes itself.

use std::path::Path;

use juju_core::{Base, Version};
use serde::{Deserialize, Serialize};

use crate::{Actions, CharmError, Config, LxdProfile, Manifest, Meta, Result, files::Files};

/// What a charm's files say. Nothing of its code is here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Charm {
    pub meta: Meta,
    pub config: Config,
    pub actions: Actions,
    pub manifest: Manifest,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lxd_profile: Option<LxdProfile>,
    /// What the author calls this build; for people.
    pub version: String,
    pub revision: u64,
}

/// A version text is cut here.
const MAX_VERSION: usize = 100;

impl Charm {
    /// Reads a charm directory or a `.charm` archive, and checks that it is one that can be deployed.
    pub fn read(path: &Path) -> Result<Charm> {
        let mut files = Files::open(path)?;
        let charm = read_files(&mut files, path)?;
        if !files.has_code() {
            let name = &charm.meta.name;
            return Err(CharmError::invalid(format!(
                "invalid charm {name:?}: has no hooks nor dispatch file"
            )));
        }
        Ok(charm)
    }

    /// The bases it may be deployed on, in its order.
    pub fn bases(&self) -> Vec<Base> {
        if self.is_format_2() {
            return self.manifest.bases();
        }
        self.meta.series.iter().filter_map(|it| juju_core::base::base_of_series(it).ok()).collect()
    }

    /// Whether the charm's files are those of charmcraft; older ones name series in their metadata.
    pub fn is_format_2(&self) -> bool {
        !self.manifest.bases.is_empty() && self.meta.series.is_empty()
    }

    /// Refuses a charm that needs a newer Juju.
    pub fn check_version(&self, running: Version) -> Result<()> {
        let text = &self.meta.min_juju_version;
        if text.is_empty() {
            return Ok(());
        }
        let least: Version = text.parse().map_err(|_| CharmError::Parse {
            file: "metadata",
            why: format!("min-juju-version: invalid version {text:?}"),
        })?;
        if least <= running {
            return Ok(());
        }
        let text =
            format!("charm's min version ({least}) is higher than this juju model's version ({running})");
        Err(CharmError::invalid(text))
    }

    fn check_format(&self) -> Result<()> {
        if self.is_format_2() {
            for (present, key) in [
                (!self.meta.min_juju_version.is_empty(), "min-juju-version"),
                (self.meta.deployment.is_some(), "deployment"),
            ] {
                if present {
                    return Err(CharmError::invalid(format!("metadata v2 with {key} not valid")));
                }
            }
            return Ok(());
        }
        if !self.manifest.bases.is_empty() {
            return Err(CharmError::invalid("metadata v2 manifest.yaml with series slice not valid"));
        }
        if self.meta.assumes.is_some() {
            return Err(CharmError::invalid("assumes in metadata v1 not valid"));
        }
        if !self.meta.containers.is_empty() {
            return Err(CharmError::invalid("containers in metadata v1 not valid"));
        }
        Ok(())
    }
}

fn read_files(files: &mut Files, path: &Path) -> Result<Charm> {
    let Some(metadata) = files.read("metadata.yaml")? else {
        return Err(CharmError::NoMetadata(path.to_owned()));
    };
    let charm = Charm {
        meta: Meta::parse(&metadata)?,
        config: files.read("config.yaml")?.map_or(Ok(Config::default()), |it| Config::parse(&it))?,
        actions: files.read("actions.yaml")?.map_or(Ok(Actions::default()), |it| Actions::parse(&it))?,
        manifest: files.read("manifest.yaml")?.map_or(Ok(Manifest::default()), |it| Manifest::parse(&it))?,
        lxd_profile: files.read("lxd-profile.yaml")?.map(|it| LxdProfile::parse(&it)).transpose()?,
        version: files.read("version")?.map(|it| version(&it)).unwrap_or_default(),
        revision: files.read("revision")?.map_or(Ok(0), |it| revision(&it))?,
    };
    charm.check_format()?;
    Ok(charm)
}

fn version(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("revision-id: ").unwrap_or(line).chars().take(MAX_VERSION).collect()
}

fn revision(text: &str) -> Result<u64> {
    text.trim().parse().map_err(|_| CharmError::invalid("invalid revision file"))
}
