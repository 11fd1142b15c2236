//! Types about status that several facades share.

use std::collections::BTreeMap;

use crate::codec::Time;
use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use super::*;

/// Part of [`FilesystemDetails`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityStatus {
    #[wire(omit)]
    pub data: BTreeMap<String, Value>,
    pub info: String,
    pub since: Time,
    pub status: String,
}

/// Part of [`SetStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityStatusArgs {
    pub data: BTreeMap<String, Value>,
    pub info: String,
    pub status: String,
    pub tag: String,
}

/// Part of [`ModelStatusResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelStatus {
    pub application_count: i64,
    #[wire(omit)]
    pub applications: Option<Vec<ModelApplicationInfo>>,
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub filesystems: Option<Vec<ModelFilesystemInfo>>,
    pub hosted_machine_count: i64,
    pub life: String,
    #[wire(omit)]
    pub machines: Option<Vec<ModelMachineInfo>>,
    pub model_tag: String,
    pub owner_tag: String,
    pub type_: String,
    pub unit_count: i64,
    #[wire(omit)]
    pub volumes: Option<Vec<ModelVolumeInfo>>,
}

/// Result of `Controller.ModelStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelStatusResults {
    pub models: Vec<ModelStatus>,
}

/// Parameters of `Deployer.SetStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetStatus {
    pub entities: Vec<EntityStatusArgs>,
}

/// Part of [`StatusResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StatusResult {
    pub data: BTreeMap<String, Value>,
    #[wire(omit)]
    pub error: Option<Error>,
    pub id: String,
    pub info: String,
    pub life: String,
    pub since: Time,
    pub status: String,
}

/// Result of `Provisioner.InstanceStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StatusResults {
    pub results: Vec<StatusResult>,
}
