//! Types about common that several facades share.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use super::*;

/// Part of [`BoolResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct BoolResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: bool,
}

/// Result of `Provisioner.KeepInstance`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct BoolResults {
    pub results: Vec<BoolResult>,
}

/// Parameters of `Agent.ClearReboot`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Entities {
    pub entities: Vec<Entity>,
}

/// Parameters of `Application.Leader`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Entity {
    pub tag: String,
}

/// Part of [`EntityPasswords`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityPassword {
    pub password: String,
    pub tag: String,
}

/// Parameters of `Agent.SetPasswords`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityPasswords {
    pub changes: Vec<EntityPassword>,
}

/// Part of [`ErrorResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Error {
    pub code: String,
    #[wire(omit)]
    pub info: BTreeMap<String, Value>,
    pub message: String,
}

/// Result of `Block.SwitchBlockOff`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ErrorResult {
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Result of `Agent.ClearReboot`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ErrorResults {
    pub results: Vec<ErrorResult>,
}

/// Part of [`LifeResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct LifeResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub life: String,
}

/// Result of `AgentLifeFlag.Life`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct LifeResults {
    pub results: Vec<LifeResult>,
}

/// Result of `Application.Leader`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StringResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: String,
}

/// Result of `Logger.LoggingConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StringResults {
    pub results: Vec<StringResult>,
}

/// Result of `Deployer.APIAddresses`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StringsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Vec<String>,
}

/// Result of `Cloud.UserCredentials`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StringsResults {
    pub results: Vec<StringsResult>,
}

/// Parameters of `MachineManager.UpgradeSeriesComplete`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateChannelArg {
    pub channel: String,
    pub force: bool,
    pub tag: Entity,
}

/// Parameters of `Application.UpdateApplicationBase`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateChannelArgs {
    pub args: Vec<UpdateChannelArg>,
}
