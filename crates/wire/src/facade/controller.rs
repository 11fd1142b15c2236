//! The `Controller` facade.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Controller" 11..=12, on Controller, for [User] {
        AllModels(()) -> UserModelList, Login;
        CloudSpec(Entities) -> CloudSpecResults, Login;
        ConfigSet(ControllerConfigSet) -> (), Login;
        ControllerAPIInfoForModels(Entities) -> ControllerAPIInfoResults, Login;
        ControllerConfig(()) -> ControllerConfigResult, Login;
        ControllerVersion(()) -> ControllerVersionResults, Login;
        DashboardConnectionInfo(()) -> DashboardConnectionInfo, Login;
        DestroyController(DestroyControllerArgs) -> (), Login;
        GetCloudSpec(String) -> CloudSpecResult, Login;
        GetControllerAccess(Entities) -> UserAccessResults, Login;
        HostedModelConfigs(()) -> HostedModelConfigsResults, Login;
        IdentityProviderURL(()) -> StringResult, Login;
        InitiateMigration(InitiateMigrationArgs) -> InitiateMigrationResults, Login;
        ListBlockedModels(()) -> ModelBlockInfoList, Login;
        ModelStatus(Entities) -> ModelStatusResults, Login;
        ModifyControllerAccess(ModifyControllerAccessRequest) -> ErrorResults, Login;
        MongoVersion(()) -> StringResult, Login;
        RemoveBlocks(RemoveBlocksArgs) -> (), Login;
        WatchAllModelSummaries(()) -> SummaryWatcherID, Login;
        WatchAllModels(()) -> AllWatcherId, Login;
        WatchCloudSpecsChanges(Entities) -> NotifyWatchResults, Login;
        WatchModelSummaries(()) -> SummaryWatcherID, Login;
    }
}

/// Parameters of `Controller.ConfigSet`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ControllerConfigSet {
    pub config: BTreeMap<String, Value>,
}

/// Result of `Controller.ControllerVersion`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ControllerVersionResults {
    pub git_commit: String,
    pub version: String,
}

/// Result of `Controller.DashboardConnectionInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DashboardConnectionInfo {
    #[wire(omit)]
    pub error: Option<Error>,
    pub proxy_connection: Proxy,
    pub ssh_connection: DashboardConnectionSSHTunnel,
}

/// Part of [`DashboardConnectionInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DashboardConnectionSSHTunnel {
    #[wire(omit)]
    pub entity: String,
    pub host: String,
    #[wire(omit)]
    pub model: String,
    pub port: String,
}

/// Parameters of `Controller.DestroyController`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyControllerArgs {
    pub destroy_models: bool,
    #[wire(omit)]
    pub destroy_storage: Option<bool>,
    #[wire(omit)]
    pub force: Option<bool>,
    #[wire(omit)]
    pub max_wait: Option<i64>,
    #[wire(omit)]
    pub model_timeout: Option<i64>,
}

/// Part of [`HostedModelConfigsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct HostedModelConfig {
    #[wire(omit)]
    pub cloud_spec: Option<CloudSpec>,
    #[wire(omit)]
    pub config: BTreeMap<String, Value>,
    #[wire(omit)]
    pub error: Option<Error>,
    pub name: String,
    pub owner: String,
}

/// Result of `Controller.HostedModelConfigs`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct HostedModelConfigsResults {
    pub models: Vec<HostedModelConfig>,
}

/// Parameters of `Controller.InitiateMigration`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InitiateMigrationArgs {
    #[wire(omit)]
    pub dry_run: bool,
    pub specs: Vec<MigrationSpec>,
}

/// Part of [`InitiateMigrationResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InitiateMigrationResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub migration_id: String,
    pub model_tag: String,
}

/// Result of `Controller.InitiateMigration`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InitiateMigrationResults {
    pub results: Vec<InitiateMigrationResult>,
}

/// Part of [`InitiateMigrationArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MigrationSpec {
    pub model_tag: String,
    pub target_info: MigrationTargetInfo,
}

/// Part of [`MigrationSpec`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MigrationTargetInfo {
    pub addrs: Vec<String>,
    pub auth_tag: String,
    pub ca_cert: String,
    #[wire(omit)]
    pub controller_alias: String,
    pub controller_tag: String,
    #[wire(omit)]
    pub macaroons: String,
    #[wire(omit)]
    pub password: String,
    #[wire(omit)]
    pub skip_user_checks: bool,
    #[wire(omit)]
    pub token: String,
}

/// Part of [`ModelBlockInfoList`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelBlockInfo {
    pub blocks: Vec<String>,
    pub model_uuid: String,
    pub name: String,
    pub owner_tag: String,
}

/// Result of `Controller.ListBlockedModels`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelBlockInfoList {
    #[wire(omit)]
    pub models: Vec<ModelBlockInfo>,
}

/// Part of [`ModifyControllerAccessRequest`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModifyControllerAccess {
    pub access: String,
    pub action: String,
    pub user_tag: String,
}

/// Parameters of `Controller.ModifyControllerAccess`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModifyControllerAccessRequest {
    pub changes: Vec<ModifyControllerAccess>,
}

/// Part of [`DashboardConnectionInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Proxy {
    pub config: BTreeMap<String, Value>,
    pub type_: String,
}

/// Parameters of `Controller.RemoveBlocks`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RemoveBlocksArgs {
    pub all: bool,
}

/// Result of `Controller.WatchAllModelSummaries`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SummaryWatcherID {
    pub watcher_id: String,
}

/// Part of [`UserAccessResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserAccess {
    pub access: String,
    pub user_tag: String,
}

/// Part of [`UserAccessResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserAccessResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<UserAccess>,
}

/// Result of `Controller.GetControllerAccess`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserAccessResults {
    #[wire(omit)]
    pub results: Vec<UserAccessResult>,
}
