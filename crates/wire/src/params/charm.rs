//! Types about charm that several facades share.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use super::*;

/// Part of [`Charm`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmLXDProfile {
    pub config: BTreeMap<String, String>,
    pub description: String,
    pub devices: BTreeMap<String, BTreeMap<String, String>>,
}

/// Part of [`ApplicationDeploy`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmOrigin {
    #[wire(omit)]
    pub architecture: String,
    #[wire(omit)]
    pub base: Option<Base>,
    #[wire(omit)]
    pub branch: String,
    #[wire(omit)]
    pub hash: String,
    pub id: String,
    #[wire(omit)]
    pub instance_key: String,
    #[wire(omit)]
    pub revision: Option<i64>,
    #[wire(omit)]
    pub risk: String,
    pub source: String,
    #[wire(omit)]
    pub track: String,
    pub type_: String,
}

/// Part of [`AddRelationResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmRelation {
    pub interface: String,
    pub limit: i64,
    pub name: String,
    pub optional: bool,
    pub role: String,
    pub scope: String,
}

/// Parameters of `Charms.CharmInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmURL {
    pub url: String,
}
