//! Types about machine that several facades share.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use super::*;

/// Part of [`ApplicationResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Base {
    pub channel: String,
    pub name: String,
}

/// Part of [`AddMachineParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct HardwareCharacteristics {
    #[wire(omit)]
    pub arch: String,
    #[wire(omit)]
    pub availability_zone: String,
    #[wire(omit)]
    pub cpu_cores: Option<i64>,
    #[wire(omit)]
    pub cpu_power: Option<i64>,
    #[wire(omit)]
    pub mem: Option<i64>,
    #[wire(omit)]
    pub root_disk: Option<i64>,
    #[wire(omit)]
    pub root_disk_source: String,
    #[wire(omit)]
    pub tags: Vec<String>,
    #[wire(omit)]
    pub virt_type: String,
}

/// Part of [`InstanceTypesResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InstanceType {
    pub arches: Vec<String>,
    #[wire(omit)]
    pub cost: Option<i64>,
    pub cpu_cores: i64,
    pub memory: i64,
    #[wire(omit)]
    pub name: String,
    #[wire(omit)]
    pub root_disk: Option<i64>,
    #[wire(omit)]
    pub virt_type: String,
}

/// Part of [`InstanceTypesResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InstanceTypesResult {
    #[wire(omit)]
    pub cost_currency: String,
    #[wire(omit)]
    pub cost_divisor: Option<i64>,
    #[wire(omit)]
    pub cost_unit: String,
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub instance_types: Vec<InstanceType>,
}

/// Result of `Cloud.InstanceTypes`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InstanceTypesResults {
    pub results: Vec<InstanceTypesResult>,
}

/// Part of [`ModelMachineInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineHardware {
    #[wire(omit)]
    pub arch: String,
    #[wire(omit)]
    pub availability_zone: String,
    #[wire(omit)]
    pub cores: Option<i64>,
    #[wire(omit)]
    pub cpu_power: Option<i64>,
    #[wire(omit)]
    pub mem: Option<i64>,
    #[wire(omit)]
    pub root_disk: Option<i64>,
    #[wire(omit)]
    pub tags: Vec<String>,
    #[wire(omit)]
    pub virt_type: String,
}

/// Part of [`ModelStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelMachineInfo {
    #[wire(omit)]
    pub display_name: String,
    #[wire(omit)]
    pub ha_primary: bool,
    #[wire(omit)]
    pub hardware: Option<MachineHardware>,
    #[wire(omit)]
    pub has_vote: bool,
    pub id: String,
    #[wire(omit)]
    pub instance_id: String,
    #[wire(omit)]
    pub message: String,
    #[wire(omit)]
    pub status: String,
    #[wire(omit)]
    pub wants_vote: bool,
}

/// Part of [`AddApplicationUnits`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Placement {
    pub directive: String,
    pub scope: String,
}

/// Part of [`FindToolsResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Tools {
    #[wire(omit)]
    pub sha256: String,
    pub size: i64,
    pub url: String,
    pub version: String,
}

/// Part of [`ToolsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ToolsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub tools: Vec<Tools>,
}

/// Result of `Provisioner.Tools`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ToolsResults {
    pub results: Vec<ToolsResult>,
}
