//! The `MachineManager` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "MachineManager" 9..=10, on Model, for [User] {
        AddMachines(AddMachines) -> AddMachinesResults, Write;
        DestroyMachineWithParams(DestroyMachinesParams) -> DestroyMachineResults, Write;
        GetUpgradeSeriesMessages(UpgradeSeriesNotificationParams) -> StringsResults, Read;
        InstanceTypes(ModelInstanceTypesConstraints) -> InstanceTypesResults, Read;
        ProvisioningScript(ProvisioningScriptParams) -> ProvisioningScriptResult, Write;
        RetryProvisioning(RetryProvisioningArgs) -> ErrorResults, Write;
        UpgradeSeriesComplete(UpdateChannelArg) -> ErrorResult, Write;
        UpgradeSeriesPrepare(UpdateChannelArg) -> ErrorResult, Write;
        UpgradeSeriesValidate(UpdateChannelArgs) -> UpgradeSeriesUnitsResults, Write;
        WatchUpgradeSeriesNotifications(Entities) -> NotifyWatchResults, Read;
    }
}

/// Part of [`AddMachines`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddMachineParams {
    pub addresses: Vec<Address>,
    #[wire(omit)]
    pub base: Option<Base>,
    pub constraints: Constraints,
    pub container_type: String,
    #[wire(omit)]
    pub disks: Vec<StorageDirective>,
    pub hardware_characteristics: HardwareCharacteristics,
    pub instance_id: String,
    pub jobs: Vec<String>,
    pub nonce: String,
    pub parent_id: String,
    #[wire(omit)]
    pub placement: Option<Placement>,
}

/// Parameters of `MachineManager.AddMachines`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddMachines {
    pub params: Vec<AddMachineParams>,
}

/// Part of [`AddMachinesResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddMachinesResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub machine: String,
}

/// Result of `MachineManager.AddMachines`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddMachinesResults {
    pub machines: Vec<AddMachinesResult>,
}

/// Part of [`DestroyMachineResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyMachineInfo {
    #[wire(omit)]
    pub destroyed_containers: Vec<DestroyMachineResult>,
    #[wire(omit)]
    pub destroyed_storage: Vec<Entity>,
    #[wire(omit)]
    pub destroyed_units: Vec<Entity>,
    #[wire(omit)]
    pub detached_storage: Vec<Entity>,
    pub machine_id: String,
}

/// Part of [`DestroyMachineResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyMachineResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub info: Option<DestroyMachineInfo>,
}

/// Result of `MachineManager.DestroyMachineWithParams`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyMachineResults {
    #[wire(omit)]
    pub results: Vec<DestroyMachineResult>,
}

/// Parameters of `MachineManager.DestroyMachineWithParams`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyMachinesParams {
    #[wire(omit)]
    pub dry_run: bool,
    #[wire(omit)]
    pub force: bool,
    #[wire(omit)]
    pub keep: bool,
    pub machine_tags: Vec<String>,
    #[wire(omit)]
    pub max_wait: Option<i64>,
}

/// Part of [`ModelInstanceTypesConstraints`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelInstanceTypesConstraint {
    #[wire(omit)]
    pub value: Option<Constraints>,
}

/// Parameters of `MachineManager.InstanceTypes`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelInstanceTypesConstraints {
    pub constraints: Vec<ModelInstanceTypesConstraint>,
}

/// Parameters of `MachineManager.ProvisioningScript`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ProvisioningScriptParams {
    pub data_dir: String,
    pub disable_package_commands: bool,
    pub machine_id: String,
    pub nonce: String,
}

/// Result of `MachineManager.ProvisioningScript`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ProvisioningScriptResult {
    pub script: String,
}

/// Parameters of `MachineManager.RetryProvisioning`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RetryProvisioningArgs {
    pub all: bool,
    #[wire(omit)]
    pub machines: Vec<String>,
}

/// Part of [`UpgradeSeriesNotificationParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpgradeSeriesNotificationParam {
    pub entity: Entity,
    pub watcher_id: String,
}

/// Parameters of `MachineManager.GetUpgradeSeriesMessages`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpgradeSeriesNotificationParams {
    pub params: Vec<UpgradeSeriesNotificationParam>,
}

/// Part of [`UpgradeSeriesUnitsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpgradeSeriesUnitsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub unit_names: Vec<String>,
}

/// Result of `MachineManager.UpgradeSeriesValidate`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpgradeSeriesUnitsResults {
    #[wire("Results")]
    pub results: Vec<UpgradeSeriesUnitsResult>,
}
