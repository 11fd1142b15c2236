//! The `ModelManager` facade.

use std::collections::BTreeMap;

use crate::codec::Time;
use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "ModelManager" 9..=10, on Controller, for [User] {
        ChangeModelCredential(ChangeModelCredentialsParams) -> ErrorResults, Login;
        CreateModel(ModelCreateArgs) -> ModelInfo, Login;
        DestroyModels(DestroyModelsParams) -> ErrorResults, Login;
        DumpModels(DumpModelRequest) -> StringResults, Login;
        DumpModelsDB(Entities) -> MapResults, Login;
        ListModelSummaries(ModelSummariesRequest) -> ModelSummaryResults, Login;
        ListModels(Entity) -> UserModelList, Login;
        ModelDefaultsForClouds(Entities) -> ModelDefaultsResults, Login;
        ModelInfo(Entities) -> ModelInfoResults, Login;
        ModelStatus(Entities) -> ModelStatusResults, Login;
        ModifyModelAccess(ModifyModelAccessRequest) -> ErrorResults, Login;
        SetModelDefaults(SetModelDefaults) -> ErrorResults, Login;
        UnsetModelDefaults(UnsetModelDefaults) -> ErrorResults, Login;
    }
}

/// Part of [`ChangeModelCredentialsParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ChangeModelCredentialParams {
    pub credential_tag: String,
    pub model_tag: String,
}

/// Parameters of `ModelManager.ChangeModelCredential`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ChangeModelCredentialsParams {
    pub model_credentials: Vec<ChangeModelCredentialParams>,
}

/// Part of [`DestroyModelsParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyModelParams {
    #[wire(omit)]
    pub destroy_storage: Option<bool>,
    #[wire(omit)]
    pub force: Option<bool>,
    #[wire(omit)]
    pub max_wait: Option<i64>,
    pub model_tag: String,
    #[wire(omit)]
    pub timeout: Option<i64>,
}

/// Parameters of `ModelManager.DestroyModels`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyModelsParams {
    pub models: Vec<DestroyModelParams>,
}

/// Parameters of `ModelManager.DumpModels`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DumpModelRequest {
    pub entities: Vec<Entity>,
    pub simplified: bool,
}

/// Part of [`MapResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MapResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: BTreeMap<String, Value>,
}

/// Result of `ModelManager.DumpModelsDB`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MapResults {
    pub results: Vec<MapResult>,
}

/// Parameters of `ModelManager.CreateModel`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelCreateArgs {
    #[wire(omit)]
    pub cloud_tag: String,
    #[wire(omit)]
    pub config: BTreeMap<String, Value>,
    #[wire(omit)]
    pub credential: String,
    pub name: String,
    pub owner_tag: String,
    #[wire(omit)]
    pub region: String,
}

/// Part of [`SetModelDefaults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelDefaultValues {
    #[wire(omit)]
    pub cloud_region: String,
    #[wire(omit)]
    pub cloud_tag: String,
    pub config: BTreeMap<String, Value>,
}

/// Part of [`ModelDefaultsResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelDefaults {
    #[wire(omit)]
    pub controller: Value,
    #[wire(omit)]
    pub default: Value,
    #[wire(omit)]
    pub regions: Vec<RegionDefaults>,
}

/// Part of [`ModelDefaultsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelDefaultsResult {
    pub config: BTreeMap<String, ModelDefaults>,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Result of `ModelManager.ModelDefaultsForClouds`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelDefaultsResults {
    pub results: Vec<ModelDefaultsResult>,
}

/// Part of [`ModelSummary`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelEntityCount {
    pub count: i64,
    pub entity: String,
}

/// Result of `ModelManager.CreateModel`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelInfo {
    pub agent_version: String,
    #[wire(omit)]
    pub cloud_credential_tag: String,
    #[wire(omit)]
    pub cloud_credential_validity: bool,
    #[wire(omit)]
    pub cloud_region: String,
    pub cloud_tag: String,
    pub controller_uuid: String,
    #[wire(omit)]
    pub default_base: String,
    #[wire(omit)]
    pub default_series: String,
    pub is_controller: bool,
    pub life: String,
    pub machines: Vec<ModelMachineInfo>,
    #[wire(omit)]
    pub migration: Option<ModelMigrationStatus>,
    pub name: String,
    pub owner_tag: String,
    #[wire(omit)]
    pub provider_type: String,
    pub secret_backends: Vec<SecretBackendResult>,
    pub sla: ModelSLAInfo,
    #[wire(omit)]
    pub status: Option<EntityStatus>,
    #[wire(omit)]
    pub supported_features: Vec<SupportedFeature>,
    pub type_: String,
    pub users: Vec<ModelUserInfo>,
    pub uuid: String,
}

/// Part of [`ModelInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<ModelInfo>,
}

/// Result of `ModelManager.ModelInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelInfoResults {
    pub results: Vec<ModelInfoResult>,
}

/// Part of [`ModelInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelMigrationStatus {
    #[wire(omit)]
    pub end: Option<Time>,
    pub start: Time,
    pub status: String,
}

/// Part of [`ModelInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelSLAInfo {
    pub level: String,
    pub owner: String,
}

/// Parameters of `ModelManager.ListModelSummaries`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelSummariesRequest {
    #[wire(omit)]
    pub all: bool,
    pub user_tag: String,
}

/// Part of [`ModelSummaryResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelSummary {
    pub agent_version: String,
    #[wire(omit)]
    pub cloud_credential_tag: String,
    #[wire(omit)]
    pub cloud_region: String,
    pub cloud_tag: String,
    pub controller_uuid: String,
    pub counts: Vec<ModelEntityCount>,
    #[wire(omit)]
    pub default_series: String,
    pub is_controller: bool,
    pub last_connection: Time,
    pub life: String,
    #[wire(omit)]
    pub migration: Option<ModelMigrationStatus>,
    pub name: String,
    pub owner_tag: String,
    #[wire(omit)]
    pub provider_type: String,
    pub sla: ModelSLAInfo,
    #[wire(omit)]
    pub status: Option<EntityStatus>,
    pub type_: String,
    pub user_access: String,
    pub uuid: String,
}

/// Part of [`ModelSummaryResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelSummaryResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<ModelSummary>,
}

/// Result of `ModelManager.ListModelSummaries`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelSummaryResults {
    pub results: Vec<ModelSummaryResult>,
}

/// Part of [`UnsetModelDefaults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelUnsetKeys {
    #[wire(omit)]
    pub cloud_region: String,
    #[wire(omit)]
    pub cloud_tag: String,
    pub keys: Vec<String>,
}

/// Part of [`ModifyModelAccessRequest`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModifyModelAccess {
    pub access: String,
    pub action: String,
    pub model_tag: String,
    pub user_tag: String,
}

/// Parameters of `ModelManager.ModifyModelAccess`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModifyModelAccessRequest {
    pub changes: Vec<ModifyModelAccess>,
}

/// Part of [`ModelDefaults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RegionDefaults {
    pub region_name: String,
    pub value: Value,
}

/// Part of [`SecretBackendResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretBackend {
    pub backend_type: String,
    pub config: BTreeMap<String, Value>,
    pub name: String,
    #[wire(omit)]
    pub token_rotate_interval: Option<i64>,
}

/// Part of [`ModelInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretBackendResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub id: String,
    #[wire(omit)]
    pub message: String,
    pub num_secrets: i64,
    pub result: SecretBackend,
    pub status: String,
}

/// Parameters of `ModelManager.SetModelDefaults`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetModelDefaults {
    pub config: Vec<ModelDefaultValues>,
}

/// Part of [`ModelInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SupportedFeature {
    pub description: String,
    pub name: String,
    #[wire(omit)]
    pub version: String,
}

/// Parameters of `ModelManager.UnsetModelDefaults`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnsetModelDefaults {
    pub keys: Vec<ModelUnsetKeys>,
}
