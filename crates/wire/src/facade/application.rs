//! The `Application` facade.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Application" 15..=22, on Model, for [User] {
        AddRelation(AddRelation) -> AddRelationResults, Write;
        AddUnits(AddApplicationUnits) -> AddApplicationUnitsResults, Write;
        ApplicationsInfo(Entities) -> ApplicationInfoResults, Read;
        CharmConfig(ApplicationGetArgs) -> ApplicationGetConfigResults, Read;
        CharmRelations(ApplicationCharmRelations) -> ApplicationCharmRelationsResults, Read;
        Consume(ConsumeApplicationArgsV5) -> ErrorResults, Write;
        Deploy(ApplicationsDeploy) -> ErrorResults, Write;
        DeployFromRepository(DeployFromRepositoryArgs) -> DeployFromRepositoryResults, Write;
        DestroyApplication(DestroyApplicationsParams) -> DestroyApplicationResults, Write;
        DestroyConsumedApplications(DestroyConsumedApplicationsParams) -> ErrorResults, Write;
        DestroyRelation(DestroyRelation) -> (), Write;
        DestroyUnit(DestroyUnitsParams) -> DestroyUnitResults, Write;
        Expose(ApplicationExpose) -> (), Write;
        Get(ApplicationGet) -> ApplicationGetResults, Read;
        GetApplicationStorage(Entities) -> ApplicationStorageGetResults, Read;
        GetCharmURLOrigin(ApplicationGet) -> CharmURLOriginResult, Read;
        GetConfig(Entities) -> ApplicationGetConfigResults, Read;
        GetConstraints(Entities) -> ApplicationGetConstraintsResults, Read;
        Leader(Entity) -> StringResult, Read;
        MergeBindings(ApplicationMergeBindingsArgs) -> ErrorResults, Write;
        ResolveUnitErrors(UnitsResolved) -> ErrorResults, Write;
        ScaleApplications(ScaleApplicationsParamsV2) -> ScaleApplicationResults, Write;
        SetCharm(ApplicationSetCharm) -> (), Write;
        SetConfigs(ConfigSetArgs) -> ErrorResults, Write;
        SetConstraints(SetConstraints) -> (), Write;
        SetMetricCredentials(ApplicationMetricCredentials) -> ErrorResults, Write;
        SetRelationsSuspended(RelationSuspendedArgs) -> ErrorResults, Write;
        Unexpose(ApplicationUnexpose) -> (), Write;
        UnitsInfo(Entities) -> UnitInfoResults, Read;
        UnsetApplicationsConfig(ApplicationConfigUnsetArgs) -> ErrorResults, Write;
        UpdateApplicationBase(UpdateChannelArgs) -> ErrorResults, Write;
        UpdateApplicationStorage(ApplicationStorageUpdateRequest) -> ErrorResults, Write;
    }
}

/// Parameters of `Application.AddUnits`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddApplicationUnits {
    pub application: String,
    #[wire(omit)]
    pub attach_storage: Vec<String>,
    pub num_units: i64,
    pub placement: Vec<Placement>,
    #[wire(omit)]
    pub policy: String,
}

/// Result of `Application.AddUnits`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddApplicationUnitsResults {
    pub units: Vec<String>,
}

/// Parameters of `Application.AddRelation`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddRelation {
    pub endpoints: Vec<String>,
    #[wire(omit)]
    pub via_cidrs: Vec<String>,
}

/// Result of `Application.AddRelation`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddRelationResults {
    pub endpoints: BTreeMap<String, CharmRelation>,
}

/// Parameters of `Application.CharmRelations`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationCharmRelations {
    pub application: String,
}

/// Result of `Application.CharmRelations`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationCharmRelationsResults {
    pub charm_relations: Vec<String>,
}

/// Parameters of `Application.UnsetApplicationsConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationConfigUnsetArgs {
    #[wire("Args")]
    pub args: Vec<ApplicationUnset>,
}

/// Part of [`ApplicationGetConstraintsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationConstraint {
    pub constraints: Constraints,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Part of [`ApplicationsDeploy`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationDeploy {
    #[wire("Force")]
    pub force: bool,
    pub application: String,
    #[wire(omit)]
    pub attach_storage: Vec<String>,
    pub channel: String,
    #[wire(omit)]
    pub charm_origin: Option<CharmOrigin>,
    pub charm_url: String,
    #[wire(omit)]
    pub config: BTreeMap<String, String>,
    pub config_yaml: String,
    pub constraints: Constraints,
    #[wire(omit)]
    pub devices: BTreeMap<String, StorageDirective>,
    #[wire(omit)]
    pub endpoint_bindings: BTreeMap<String, String>,
    pub num_units: i64,
    #[wire(omit)]
    pub placement: Vec<Placement>,
    #[wire(omit)]
    pub policy: String,
    #[wire(omit)]
    pub resources: BTreeMap<String, String>,
    #[wire(omit)]
    pub storage: BTreeMap<String, StorageDirective>,
}

/// Parameters of `Application.Expose`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationExpose {
    pub application: String,
    #[wire(omit)]
    pub exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
}

/// Parameters of `Application.Get`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationGet {
    pub application: String,
    pub branch: String,
}

/// Parameters of `Application.CharmConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationGetArgs {
    pub args: Vec<ApplicationGet>,
}

/// Result of `Application.CharmConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationGetConfigResults {
    #[wire("Results")]
    pub results: Vec<ConfigResult>,
}

/// Result of `Application.GetConstraints`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationGetConstraintsResults {
    pub results: Vec<ApplicationConstraint>,
}

/// Result of `Application.Get`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationGetResults {
    pub application: String,
    #[wire(omit)]
    pub application_config: BTreeMap<String, Value>,
    pub base: Base,
    pub channel: String,
    pub charm: String,
    pub config: BTreeMap<String, Value>,
    pub constraints: Constraints,
    #[wire(omit)]
    pub endpoint_bindings: BTreeMap<String, String>,
}

/// Part of [`ApplicationInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<ApplicationResult>,
}

/// Result of `Application.ApplicationsInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationInfoResults {
    pub results: Vec<ApplicationInfoResult>,
}

/// Part of [`ApplicationMergeBindingsArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationMergeBindings {
    pub application_tag: String,
    pub bindings: BTreeMap<String, String>,
    pub force: bool,
}

/// Parameters of `Application.MergeBindings`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationMergeBindingsArgs {
    pub args: Vec<ApplicationMergeBindings>,
}

/// Part of [`ApplicationMetricCredentials`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationMetricCredential {
    pub application: String,
    pub metrics_credentials: String,
}

/// Parameters of `Application.SetMetricCredentials`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationMetricCredentials {
    pub creds: Vec<ApplicationMetricCredential>,
}

/// Part of [`ApplicationInfoResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationResult {
    #[wire(omit)]
    pub base: Option<Base>,
    #[wire(omit)]
    pub channel: String,
    #[wire(omit)]
    pub charm: String,
    #[wire(omit)]
    pub constraints: Option<Constraints>,
    #[wire(omit)]
    pub endpoint_bindings: BTreeMap<String, String>,
    pub exposed: bool,
    #[wire(omit)]
    pub exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
    pub life: String,
    pub principal: bool,
    pub remote: bool,
    pub tag: String,
}

/// Parameters of `Application.SetCharm`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationSetCharm {
    pub application: String,
    pub channel: String,
    #[wire(omit)]
    pub charm_origin: Option<CharmOrigin>,
    pub charm_url: String,
    #[wire(omit)]
    pub config_settings: BTreeMap<String, String>,
    #[wire(omit)]
    pub config_settings_yaml: String,
    #[wire(omit)]
    pub endpoint_bindings: BTreeMap<String, String>,
    pub force: bool,
    pub force_base: bool,
    pub force_units: bool,
    pub generation: String,
    #[wire(omit)]
    pub resource_ids: BTreeMap<String, String>,
    #[wire(omit)]
    pub storage_constraints: BTreeMap<String, StorageConstraints>,
}

/// Part of [`ApplicationStorageGetResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationStorageGetResult {
    #[wire("Error")]
    pub error: Error,
    pub storage_constraints: BTreeMap<String, StorageConstraints>,
}

/// Result of `Application.GetApplicationStorage`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationStorageGetResults {
    pub results: Vec<ApplicationStorageGetResult>,
}

/// Part of [`ApplicationStorageUpdateRequest`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationStorageUpdate {
    pub application_tag: String,
    pub storage_constraints: BTreeMap<String, StorageConstraints>,
}

/// Parameters of `Application.UpdateApplicationStorage`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationStorageUpdateRequest {
    pub storage_updates: Vec<ApplicationStorageUpdate>,
}

/// Parameters of `Application.Unexpose`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationUnexpose {
    pub application: String,
    pub exposed_endpoints: Vec<String>,
}

/// Part of [`ApplicationConfigUnsetArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationUnset {
    pub application: String,
    pub branch: String,
    pub options: Vec<String>,
}

/// Parameters of `Application.Deploy`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationsDeploy {
    pub applications: Vec<ApplicationDeploy>,
}

/// Result of `Application.GetCharmURLOrigin`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmURLOriginResult {
    pub charm_origin: CharmOrigin,
    #[wire(omit)]
    pub error: Option<Error>,
    pub url: String,
}

/// Part of [`ApplicationGetConfigResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConfigResult {
    pub config: BTreeMap<String, Value>,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Part of [`ConfigSetArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConfigSet {
    pub application: String,
    pub config: BTreeMap<String, String>,
    pub config_yaml: String,
    pub generation: String,
}

/// Parameters of `Application.SetConfigs`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConfigSetArgs {
    #[wire("Args")]
    pub args: Vec<ConfigSet>,
}

/// Part of [`ConsumeApplicationArgsV5`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConsumeApplicationArgV5 {
    #[wire(omit)]
    pub application_alias: String,
    pub application_description: String,
    #[wire(omit)]
    pub endpoints: Vec<RemoteEndpoint>,
    #[wire(omit)]
    pub external_controller: Option<ExternalControllerInfo>,
    #[wire(omit)]
    pub macaroon: Value,
    pub offer_name: String,
    pub offer_url: String,
    pub offer_uuid: String,
    pub source_model_tag: String,
    #[wire(omit)]
    pub users: Vec<OfferUserDetails>,
}

/// Parameters of `Application.Consume`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConsumeApplicationArgsV5 {
    #[wire(omit)]
    pub args: Vec<ConsumeApplicationArgV5>,
}

/// Part of [`DeployFromRepositoryArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeployFromRepositoryArg {
    #[wire("ApplicationName")]
    pub application_name: String,
    #[wire("AttachStorage")]
    pub attach_storage: Vec<String>,
    #[wire("CharmName")]
    pub charm_name: String,
    #[wire("ConfigYAML")]
    pub config_yaml: String,
    #[wire("Cons")]
    pub cons: Constraints,
    #[wire("Devices")]
    pub devices: BTreeMap<String, StorageDirective>,
    #[wire("DryRun")]
    pub dry_run: bool,
    #[wire("Placement")]
    pub placement: Vec<Placement>,
    #[wire("Storage")]
    pub storage: BTreeMap<String, StorageDirective>,
    #[wire("Trust")]
    pub trust: bool,
    #[wire(omit)]
    pub base: Option<Base>,
    #[wire(omit)]
    pub channel: String,
    #[wire(omit)]
    pub endpoint_bindings: BTreeMap<String, String>,
    #[wire(omit)]
    pub force: bool,
    #[wire(omit)]
    pub num_units: Option<i64>,
    #[wire(omit)]
    pub resources: BTreeMap<String, String>,
    #[wire(omit)]
    pub revision: Option<i64>,
}

/// Parameters of `Application.DeployFromRepository`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeployFromRepositoryArgs {
    #[wire("Args")]
    pub args: Vec<DeployFromRepositoryArg>,
}

/// Part of [`DeployFromRepositoryResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeployFromRepositoryInfo {
    pub architecture: String,
    #[wire(omit)]
    pub base: Option<Base>,
    pub channel: String,
    #[wire(omit)]
    pub effective_channel: String,
    pub name: String,
    pub revision: i64,
}

/// Part of [`DeployFromRepositoryResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeployFromRepositoryResult {
    #[wire("Errors")]
    pub errors: Vec<Error>,
    #[wire("Info")]
    pub info: DeployFromRepositoryInfo,
    #[wire("PendingResourceUploads")]
    pub pending_resource_uploads: Vec<PendingResourceUpload>,
}

/// Result of `Application.DeployFromRepository`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeployFromRepositoryResults {
    #[wire("Results")]
    pub results: Vec<DeployFromRepositoryResult>,
}

/// Part of [`DestroyApplicationResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyApplicationInfo {
    #[wire(omit)]
    pub destroyed_storage: Vec<Entity>,
    #[wire(omit)]
    pub destroyed_units: Vec<Entity>,
    #[wire(omit)]
    pub detached_storage: Vec<Entity>,
}

/// Part of [`DestroyApplicationsParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyApplicationParams {
    pub application_tag: String,
    #[wire(omit)]
    pub destroy_storage: bool,
    #[wire(omit)]
    pub dry_run: bool,
    pub force: bool,
    #[wire(omit)]
    pub max_wait: Option<i64>,
}

/// Part of [`DestroyApplicationResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyApplicationResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub info: Option<DestroyApplicationInfo>,
}

/// Result of `Application.DestroyApplication`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyApplicationResults {
    #[wire(omit)]
    pub results: Vec<DestroyApplicationResult>,
}

/// Parameters of `Application.DestroyApplication`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyApplicationsParams {
    pub applications: Vec<DestroyApplicationParams>,
}

/// Part of [`DestroyConsumedApplicationsParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyConsumedApplicationParams {
    pub application_tag: String,
    #[wire(omit)]
    pub force: bool,
    #[wire(omit)]
    pub max_wait: Option<i64>,
}

/// Parameters of `Application.DestroyConsumedApplications`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyConsumedApplicationsParams {
    pub applications: Vec<DestroyConsumedApplicationParams>,
}

/// Parameters of `Application.DestroyRelation`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyRelation {
    #[wire(omit)]
    pub endpoints: Vec<String>,
    #[wire(omit)]
    pub force: bool,
    #[wire(omit)]
    pub max_wait: Option<i64>,
    pub relation_id: i64,
}

/// Part of [`DestroyUnitResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyUnitInfo {
    #[wire(omit)]
    pub destroyed_storage: Vec<Entity>,
    #[wire(omit)]
    pub detached_storage: Vec<Entity>,
}

/// Part of [`DestroyUnitsParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyUnitParams {
    #[wire(omit)]
    pub destroy_storage: bool,
    #[wire(omit)]
    pub dry_run: bool,
    #[wire(omit)]
    pub force: bool,
    #[wire(omit)]
    pub max_wait: Option<i64>,
    pub unit_tag: String,
}

/// Part of [`DestroyUnitResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyUnitResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub info: Option<DestroyUnitInfo>,
}

/// Result of `Application.DestroyUnit`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyUnitResults {
    #[wire(omit)]
    pub results: Vec<DestroyUnitResult>,
}

/// Parameters of `Application.DestroyUnit`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DestroyUnitsParams {
    pub units: Vec<DestroyUnitParams>,
}

/// Part of [`UnitResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EndpointRelationData {
    #[wire("ApplicationData")]
    pub application_data: BTreeMap<String, Value>,
    pub cross_model: bool,
    pub endpoint: String,
    pub related_endpoint: String,
    pub relation_id: i64,
    pub unit_relation_data: BTreeMap<String, RelationData>,
}

/// Part of [`ConsumeApplicationArgV5`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ExternalControllerInfo {
    pub addrs: Vec<String>,
    pub ca_cert: String,
    pub controller_alias: String,
    pub controller_tag: String,
}

/// Part of [`ConsumeApplicationArgV5`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct OfferUserDetails {
    pub access: String,
    pub display_name: String,
    pub user: String,
}

/// Part of [`DeployFromRepositoryResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct PendingResourceUpload {
    #[wire("Filename")]
    pub filename: String,
    #[wire("Name")]
    pub name: String,
    #[wire("Type")]
    pub type_: String,
}

/// Part of [`EndpointRelationData`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationData {
    #[wire("InScope")]
    pub in_scope: bool,
    #[wire("UnitData")]
    pub unit_data: BTreeMap<String, Value>,
}

/// Part of [`RelationSuspendedArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationSuspendedArg {
    pub message: String,
    pub relation_id: i64,
    pub suspended: bool,
}

/// Parameters of `Application.SetRelationsSuspended`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationSuspendedArgs {
    pub args: Vec<RelationSuspendedArg>,
}

/// Part of [`ScaleApplicationResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ScaleApplicationInfo {
    pub num_units: i64,
}

/// Part of [`ScaleApplicationsParamsV2`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ScaleApplicationParamsV2 {
    pub application_tag: String,
    #[wire(omit)]
    pub attach_storage: Vec<String>,
    pub force: bool,
    pub scale: i64,
    #[wire(omit)]
    pub scale_change: Option<i64>,
}

/// Part of [`ScaleApplicationResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ScaleApplicationResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub info: Option<ScaleApplicationInfo>,
}

/// Result of `Application.ScaleApplications`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ScaleApplicationResults {
    #[wire(omit)]
    pub results: Vec<ScaleApplicationResult>,
}

/// Parameters of `Application.ScaleApplications`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ScaleApplicationsParamsV2 {
    pub applications: Vec<ScaleApplicationParamsV2>,
}

/// Part of [`UnitInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<UnitResult>,
}

/// Result of `Application.UnitsInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitInfoResults {
    pub results: Vec<UnitInfoResult>,
}

/// Part of [`UnitInfoResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitResult {
    #[wire(omit)]
    pub address: String,
    pub charm: String,
    #[wire(omit)]
    pub leader: bool,
    #[wire(omit)]
    pub life: String,
    #[wire(omit)]
    pub machine: String,
    pub opened_ports: Vec<String>,
    #[wire(omit)]
    pub provider_id: String,
    #[wire(omit)]
    pub public_address: String,
    #[wire(omit)]
    pub relation_data: Vec<EndpointRelationData>,
    pub tag: String,
    pub workload_version: String,
}

/// Parameters of `Application.ResolveUnitErrors`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitsResolved {
    #[wire(omit)]
    pub all: bool,
    #[wire(omit)]
    pub retry: bool,
    #[wire(omit)]
    pub tags: Option<Entities>,
}
