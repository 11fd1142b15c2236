//! `metadata.yaml`: what a charm is and what it can be related to.

mod check;
mod read;
mod storage;

use std::collections::{BTreeMap, BTreeSet};

use juju_core::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use storage::{Storage, StorageKind};

use crate::{Assumes, hooks};

pub(crate) const FILE: &str = "metadata.yaml";

/// The endpoint that every charm provides without saying so, and its interface.
pub const JUJU_INFO: &str = "juju-info";

/// All that the file says. Keys that Juju does not know are dropped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Meta {
    pub name: String,
    pub summary: String,
    pub description: String,
    pub subordinate: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub provides: BTreeMap<String, Relation>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub requires: BTreeMap<String, Relation>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub peers: BTreeMap<String, Relation>,
    /// Names that can be bound to a space like endpoints, without a relation.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub extra_bindings: BTreeSet<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What stands for bases in charms of the first format.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, Storage>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub devices: BTreeMap<String, Device>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub payloads: BTreeMap<String, Payload>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Resource>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_juju_version: Option<Version>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub containers: BTreeMap<String, Container>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumes: Option<Assumes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charm_user: Option<CharmUser>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deployment: Option<Value>,
}

/// Which side of a relation an endpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Provider,
    Requirer,
    Peer,
}

impl Role {
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Provider => "provider",
            Role::Requirer => "requirer",
            Role::Peer => "peer",
        }
    }

    /// The role on the other side.
    pub const fn counterpart(self) -> Role {
        match self {
            Role::Provider => Role::Requirer,
            Role::Requirer => Role::Provider,
            Role::Peer => Role::Peer,
        }
    }
}

/// Between which units a relation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RelationScope {
    /// All of both sides.
    #[default]
    Global,
    /// A principal and the subordinates on its machine.
    Container,
}

impl RelationScope {
    pub const fn as_str(self) -> &'static str {
        match self {
            RelationScope::Global => "global",
            RelationScope::Container => "container",
        }
    }
}

/// One endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    pub name: String,
    pub role: Role,
    pub interface: String,
    #[serde(default)]
    pub optional: bool,
    /// How many relations it takes; 0 is any number.
    #[serde(default)]
    pub limit: u32,
    #[serde(default)]
    pub scope: RelationScope,
}

impl Relation {
    /// [`JUJU_INFO`].
    pub fn juju_info() -> Self {
        Relation {
            name: JUJU_INFO.to_owned(),
            role: Role::Provider,
            interface: JUJU_INFO.to_owned(),
            optional: false,
            limit: 0,
            scope: RelationScope::Global,
        }
    }

    /// Whether Juju provides it, and not the charm.
    pub fn is_implicit(&self) -> bool {
        self.name == JUJU_INFO && self.interface == JUJU_INFO && self.role == Role::Provider
    }
}

/// A device that a unit wants; Kubernetes only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub description: String,
    pub count_min: i64,
    pub count_max: i64,
}

/// Something that a charm starts and reports of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    #[serde(rename = "type")]
    pub kind: String,
}

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResourceKind {
    File,
    OciImage,
}

/// A file or image that comes beside the charm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    /// What units call the file.
    #[serde(default)]
    pub filename: String,
    #[serde(default)]
    pub description: String,
}

/// A workload container; Kubernetes only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Container {
    pub resource: String,
    pub mounts: Vec<Mount>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
}

/// Where a storage is mounted in a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    pub storage: String,
    #[serde(default)]
    pub location: String,
}

/// As whom the charm's code runs; Kubernetes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CharmUser {
    Root,
    Sudoer,
    NonRoot,
}

impl Meta {
    /// Every endpoint that the charm declares, providers first.
    pub fn relations(&self) -> impl Iterator<Item = &Relation> {
        self.provides.values().chain(self.requires.values()).chain(self.peers.values())
    }

    /// An endpoint by its name, the implicit one too.
    pub fn relation(&self, name: &str) -> Option<Relation> {
        let declared = self.relations().find(|it| it.name == name).cloned();
        declared.or_else(|| Some(Relation::juju_info()).filter(|it| it.name == name))
    }

    /// An endpoint by its name with its role, the implicit one too.
    pub fn endpoint(&self, name: &str) -> Option<(Role, Relation)> {
        self.relation(name).map(|it| (it.role, it))
    }

    /// The names that can be bound to a space.
    pub fn bindable(&self) -> BTreeSet<&str> {
        let extra = self.extra_bindings.iter().map(String::as_str);
        self.relations().map(|it| it.name.as_str()).chain(extra).collect()
    }

    /// The names of every hook that the charm may have code for.
    pub fn hooks(&self) -> BTreeSet<String> {
        let with = |names: Vec<&String>, suffixes: &[&str]| -> Vec<String> {
            names.iter().flat_map(|name| suffixes.iter().map(move |it| format!("{name}-{it}"))).collect()
        };
        let mut all: BTreeSet<String> = hooks::UNIT_HOOKS.iter().map(|it| (*it).to_owned()).collect();
        all.extend(with(self.relations().map(|it| &it.name).collect(), &hooks::RELATION_HOOKS));
        all.extend(with(self.storage.keys().collect(), &hooks::STORAGE_HOOKS));
        all.extend(with(self.containers.keys().collect(), &hooks::WORKLOAD_HOOKS));
        all
    }
}

#[cfg(test)]
mod tests;
