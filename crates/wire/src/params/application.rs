//! Types about application that several facades share.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use super::*;

/// Part of [`ApplicationResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Constraints {
    #[wire(omit)]
    pub allocate_public_ip: Option<bool>,
    #[wire(omit)]
    pub arch: Option<String>,
    #[wire(omit)]
    pub container: Option<String>,
    #[wire(omit)]
    pub cores: Option<i64>,
    #[wire(omit)]
    pub cpu_power: Option<i64>,
    #[wire(omit)]
    pub image_id: Option<String>,
    #[wire(omit)]
    pub instance_role: Option<String>,
    #[wire(omit)]
    pub instance_type: Option<String>,
    #[wire(omit)]
    pub mem: Option<i64>,
    #[wire(omit)]
    pub root_disk: Option<i64>,
    #[wire(omit)]
    pub root_disk_source: Option<String>,
    #[wire(omit)]
    pub spaces: Option<Vec<String>>,
    #[wire(omit)]
    pub tags: Option<Vec<String>>,
    #[wire(omit)]
    pub virt_type: Option<String>,
    #[wire(omit)]
    pub zones: Option<Vec<String>>,
}

/// Part of [`ModelStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelApplicationInfo {
    pub name: String,
}

/// Parameters of `Application.SetConstraints`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetConstraints {
    pub application: String,
    pub constraints: Constraints,
}
