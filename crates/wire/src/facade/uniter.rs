//! The `Uniter` facade.

use std::collections::BTreeMap;

use crate::codec::Time;
use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Uniter" 18..=20, on Model, for [Controller, Machine, Unit] {
        APIAddresses(()) -> StringsResult, Login;
        APIHostPorts(()) -> APIHostPortsResult, Login;
        ActionStatus(Entities) -> StringResults, Login;
        Actions(Entities) -> ActionResults, Login;
        AddMetricBatches(MetricBatchParams) -> ErrorResults, Login;
        ApplicationStatus(Entities) -> ApplicationStatusResults, Login;
        AssignedMachine(Entities) -> StringResults, Login;
        AvailabilityZone(Entities) -> StringResults, Login;
        BeginActions(Entities) -> ErrorResults, Login;
        CanApplyLXDProfile(Entities) -> BoolResults, Login;
        CharmArchiveSha256(CharmURLs) -> StringResults, Login;
        CharmModifiedVersion(Entities) -> IntResults, Login;
        CharmURL(Entities) -> StringBoolResults, Login;
        ClearResolved(Entities) -> ErrorResults, Login;
        CloudAPIVersion(()) -> StringResult, Login;
        CloudSpec(()) -> CloudSpecResult, Login;
        CommitHookChanges(CommitHookChangesArgs) -> ErrorResults, Login;
        ConfigSettings(Entities) -> ConfigSettingsResults, Login;
        CreateSecretURIs(CreateSecretURIsArg) -> StringResults, Login;
        CreateSecrets(CreateSecretArgs) -> StringResults, Login;
        CurrentModel(()) -> ModelResult, Login;
        Destroy(Entities) -> ErrorResults, Login;
        DestroyAllSubordinates(Entities) -> ErrorResults, Login;
        DestroyUnitStorageAttachments(Entities) -> ErrorResults, Login;
        EnsureDead(Entities) -> ErrorResults, Login;
        EnterScope(RelationUnits) -> ErrorResults, Login;
        FinishActions(ActionExecutionResults) -> ErrorResults, Login;
        GetConsumerSecretsRevisionInfo(GetSecretConsumerInfoArgs) -> SecretConsumerInfoResults, Login;
        GetMeterStatus(Entities) -> MeterStatusResults, Login;
        GetPodSpec(Entities) -> StringResults, Login;
        GetPrincipal(Entities) -> StringBoolResults, Login;
        GetRawK8sSpec(Entities) -> StringResults, Login;
        GetSecretBackendConfigs(SecretBackendArgs) -> SecretBackendConfigResults, Login;
        GetSecretContentInfo(GetSecretContentArgs) -> SecretContentResults, Login;
        GetSecretMetadata(()) -> ListSecretMetadataResults, Login;
        GetSecretRevisionContentInfo(SecretRevisionArg) -> SecretContentResults, Login;
        GoalStates(Entities) -> GoalStateResults, Login;
        HasSubordinates(Entities) -> BoolResults, Login;
        LXDProfileName(Entities) -> StringResults, Login;
        LXDProfileRequired(CharmURLs) -> BoolResults, Login;
        LeaveScope(RelationUnits) -> ErrorResults, Login;
        Life(Entities) -> LifeResults, Login;
        LogActionsMessages(ActionMessageParams) -> ErrorResults, Login;
        Merge(MergeLeadershipSettingsBulkParams) -> ErrorResults, Login;
        ModelConfig(()) -> ModelConfigResult, Login;
        NetworkInfo(NetworkInfoParams) -> NetworkInfoResults, Login;
        OpenedMachinePortRangesByEndpoint(Entities) -> OpenPortRangesByEndpointResults, Login;
        OpenedPortRangesByEndpoint(()) -> OpenPortRangesByEndpointResults, Login;
        OwnedSecretRevisions(SecretRevisionArgs) -> SecretRevisionIDsResults, Login;
        PrivateAddress(Entities) -> StringResults, Login;
        ProviderType(()) -> StringResult, Login;
        PublicAddress(Entities) -> StringResults, Login;
        Read(Entities) -> GetLeadershipSettingsBulkResults, Login;
        ReadLocalApplicationSettings(RelationUnit) -> SettingsResult, Login;
        ReadRemoteSettings(RelationUnitPairs) -> SettingsResults, Login;
        ReadSettings(RelationUnits) -> SettingsResults, Login;
        Refresh(Entities) -> UnitRefreshResults, Login;
        Relation(RelationUnits) -> RelationResultsV2, Login;
        RelationById(RelationIds) -> RelationResultsV2, Login;
        RelationsStatus(Entities) -> RelationUnitStatusResults, Login;
        RemoveSecrets(DeleteSecretArgs) -> ErrorResults, Login;
        RemoveStorageAttachments(StorageAttachmentIds) -> ErrorResults, Login;
        RequestReboot(Entities) -> ErrorResults, Login;
        Resolved(Entities) -> ResolvedModeResults, Login;
        SLALevel(()) -> StringResult, Login;
        SecretsGrant(GrantRevokeSecretArgs) -> ErrorResults, Login;
        SecretsRevoke(GrantRevokeSecretArgs) -> ErrorResults, Login;
        SecretsRotated(SecretRotatedArgs) -> ErrorResults, Login;
        SetAgentStatus(SetStatus) -> ErrorResults, Login;
        SetApplicationStatus(SetStatus) -> ErrorResults, Login;
        SetCharmURL(EntitiesCharmURL) -> ErrorResults, Login;
        SetRelationStatus(RelationStatusArgs) -> ErrorResults, Login;
        SetState(SetUnitStateArgs) -> ErrorResults, Login;
        SetStatus(SetStatus) -> ErrorResults, Login;
        SetUnitStatus(SetStatus) -> ErrorResults, Login;
        SetUpgradeSeriesUnitStatus(UpgradeSeriesStatusParams) -> ErrorResults, Login;
        SetWorkloadVersion(EntityWorkloadVersions) -> ErrorResults, Login;
        State(Entities) -> UnitStateResults, Login;
        StorageAttachmentLife(StorageAttachmentIds) -> LifeResults, Login;
        StorageAttachments(StorageAttachmentIds) -> StorageAttachmentResults, Login;
        UnitOwnedSecretsAndRevisions(Entity) -> SecretRevisionIDsResults, Login;
        UnitStatus(Entities) -> StatusResults, Login;
        UnitStorageAttachments(Entities) -> StorageAttachmentIdsResults, Login;
        UpdateNetworkInfo(Entities) -> ErrorResults, Login;
        UpdateSecrets(UpdateSecretArgs) -> ErrorResults, Login;
        UpgradeSeriesUnitStatus(Entities) -> UpgradeSeriesStatusResults, Login;
        Watch(Entities) -> NotifyWatchResults, Login;
        WatchAPIHostPorts(()) -> NotifyWatchResult, Login;
        WatchActionNotifications(Entities) -> StringsWatchResults, Login;
        WatchConfigSettingsHash(Entities) -> StringsWatchResults, Login;
        WatchConsumedSecretsChanges(Entities) -> StringsWatchResults, Login;
        WatchDeleted(Entities) -> StringsWatchResult, Login;
        WatchForModelConfigChanges(()) -> NotifyWatchResult, Login;
        WatchInstanceData(Entities) -> NotifyWatchResults, Login;
        WatchLeadershipSettings(Entities) -> NotifyWatchResults, Login;
        WatchMeterStatus(Entities) -> NotifyWatchResults, Login;
        WatchObsolete(Entities) -> StringsWatchResult, Login;
        WatchRelationUnits(RelationUnits) -> RelationUnitsWatchResults, Login;
        WatchSecretRevisionsExpiryChanges(Entities) -> SecretTriggerWatchResult, Login;
        WatchSecretsRotationChanges(Entities) -> SecretTriggerWatchResult, Login;
        WatchStorageAttachments(StorageAttachmentIds) -> NotifyWatchResults, Login;
        WatchTrustConfigSettingsHash(Entities) -> StringsWatchResults, Login;
        WatchUnitAddressesHash(Entities) -> StringsWatchResults, Login;
        WatchUnitRelations(Entities) -> StringsWatchResults, Login;
        WatchUnitStorageAttachments(Entities) -> StringsWatchResults, Login;
        WatchUpgradeSeriesNotifications(Entities) -> NotifyWatchResults, Login;
        WorkloadVersion(Entities) -> StringResults, Login;
    }
}

/// Part of [`ListSecretMetadataResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AccessInfo {
    pub role: String,
    pub scope_tag: String,
    pub target_tag: String,
}

/// Part of [`ActionResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Action {
    #[wire(omit)]
    pub execution_group: String,
    pub name: String,
    #[wire(omit)]
    pub parallel: bool,
    #[wire(omit)]
    pub parameters: BTreeMap<String, Value>,
    pub receiver: String,
    pub tag: String,
}

/// Part of [`ActionExecutionResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ActionExecutionResult {
    pub action_tag: String,
    #[wire(omit)]
    pub message: String,
    #[wire(omit)]
    pub results: BTreeMap<String, Value>,
    pub status: String,
}

/// Parameters of `Uniter.FinishActions`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ActionExecutionResults {
    #[wire(omit)]
    pub results: Vec<ActionExecutionResult>,
}

/// Part of [`ActionResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ActionMessage {
    pub message: String,
    pub timestamp: Time,
}

/// Parameters of `Uniter.LogActionsMessages`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ActionMessageParams {
    pub messages: Vec<EntityString>,
}

/// Part of [`ActionResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ActionResult {
    #[wire(omit)]
    pub action: Option<Action>,
    #[wire(omit)]
    pub completed: Option<Time>,
    #[wire(omit)]
    pub enqueued: Option<Time>,
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub log: Vec<ActionMessage>,
    #[wire(omit)]
    pub message: String,
    #[wire(omit)]
    pub output: BTreeMap<String, Value>,
    #[wire(omit)]
    pub started: Option<Time>,
    #[wire(omit)]
    pub status: String,
}

/// Result of `Uniter.Actions`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ActionResults {
    #[wire(omit)]
    pub results: Vec<ActionResult>,
}

/// Part of [`ApplicationStatusResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationStatusResult {
    pub application: StatusResult,
    #[wire(omit)]
    pub error: Option<Error>,
    pub units: BTreeMap<String, StatusResult>,
}

/// Result of `Uniter.ApplicationStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationStatusResults {
    pub results: Vec<ApplicationStatusResult>,
}

/// Parameters of `Uniter.CharmArchiveSha256`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmURLs {
    pub urls: Vec<CharmURL>,
}

/// Part of [`CommitHookChangesArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CommitHookChangesArg {
    #[wire(omit)]
    pub add_storage: Option<Vec<StorageAddParams>>,
    #[wire(omit)]
    pub close_ports: Option<Vec<EntityPortRange>>,
    #[wire(omit)]
    pub open_ports: Option<Vec<EntityPortRange>>,
    #[wire(omit)]
    pub pod_spec: Option<PodSpec>,
    #[wire(omit)]
    pub relation_unit_settings: Option<Vec<RelationUnitSettings>>,
    #[wire(omit)]
    pub secret_creates: Option<Vec<CreateSecretArg>>,
    #[wire(omit)]
    pub secret_deletes: Option<Vec<DeleteSecretArg>>,
    #[wire(omit)]
    pub secret_grants: Option<Vec<GrantRevokeSecretArg>>,
    #[wire(omit)]
    pub secret_revokes: Option<Vec<GrantRevokeSecretArg>>,
    #[wire(omit)]
    pub secret_track_latest: Option<Vec<String>>,
    #[wire(omit)]
    pub secret_updates: Option<Vec<UpdateSecretArg>>,
    #[wire(omit)]
    pub set_raw_k8s_spec: Option<PodSpec>,
    pub tag: String,
    #[wire(omit)]
    pub unit_state: Option<SetUnitStateArg>,
    pub update_network_info: bool,
}

/// Parameters of `Uniter.CommitHookChanges`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CommitHookChangesArgs {
    pub args: Vec<CommitHookChangesArg>,
}

/// Part of [`ConfigSettingsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConfigSettingsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub settings: BTreeMap<String, Value>,
}

/// Result of `Uniter.ConfigSettings`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConfigSettingsResults {
    pub results: Vec<ConfigSettingsResult>,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CreateSecretArg {
    #[wire(omit)]
    pub content: Option<SecretContentParams>,
    #[wire(omit)]
    pub description: String,
    #[wire(omit)]
    pub expire_time: Option<Time>,
    #[wire(omit)]
    pub label: String,
    pub owner_tag: String,
    #[wire(omit)]
    pub params: BTreeMap<String, Value>,
    #[wire(omit)]
    pub rotate_policy: String,
    #[wire(omit)]
    pub uri: String,
}

/// Parameters of `Uniter.CreateSecrets`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CreateSecretArgs {
    pub args: Vec<CreateSecretArg>,
}

/// Parameters of `Uniter.CreateSecretURIs`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CreateSecretURIsArg {
    pub count: i64,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeleteSecretArg {
    pub label: String,
    #[wire(omit)]
    pub revisions: Vec<i64>,
    pub uri: String,
}

/// Parameters of `Uniter.RemoveSecrets`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeleteSecretArgs {
    pub args: Vec<DeleteSecretArg>,
}

/// Part of [`RelationResultV2`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Endpoint {
    pub application_name: String,
    pub relation: CharmRelation,
}

/// Parameters of `Uniter.SetCharmURL`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntitiesCharmURL {
    pub entities: Vec<EntityCharmURL>,
}

/// Part of [`EntitiesCharmURL`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityCharmURL {
    pub charm_url: String,
    pub tag: String,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityPortRange {
    pub endpoint: String,
    pub from_port: i64,
    pub protocol: String,
    pub tag: String,
    pub to_port: i64,
}

/// Part of [`ActionMessageParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityString {
    pub tag: String,
    pub value: String,
}

/// Part of [`EntityWorkloadVersions`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityWorkloadVersion {
    pub tag: String,
    pub workload_version: String,
}

/// Parameters of `Uniter.SetWorkloadVersion`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityWorkloadVersions {
    pub entities: Vec<EntityWorkloadVersion>,
}

/// Result of `Uniter.Read`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GetLeadershipSettingsBulkResults {
    pub results: Vec<GetLeadershipSettingsResult>,
}

/// Part of [`GetLeadershipSettingsBulkResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GetLeadershipSettingsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub settings: BTreeMap<String, String>,
}

/// Parameters of `Uniter.GetConsumerSecretsRevisionInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GetSecretConsumerInfoArgs {
    pub consumer_tag: String,
    pub uris: Vec<String>,
}

/// Part of [`GetSecretContentArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GetSecretContentArg {
    #[wire(omit)]
    pub label: String,
    #[wire(omit)]
    pub peek: bool,
    #[wire(omit)]
    pub refresh: bool,
    pub uri: String,
}

/// Parameters of `Uniter.GetSecretContentInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GetSecretContentArgs {
    pub args: Vec<GetSecretContentArg>,
}

/// Part of [`GoalStateResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GoalState {
    pub relations: BTreeMap<String, BTreeMap<String, GoalStateStatus>>,
    pub units: BTreeMap<String, GoalStateStatus>,
}

/// Part of [`GoalStateResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GoalStateResult {
    pub error: Error,
    pub result: GoalState,
}

/// Result of `Uniter.GoalStates`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GoalStateResults {
    pub results: Vec<GoalStateResult>,
}

/// Part of [`GoalState`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GoalStateStatus {
    pub since: Time,
    pub status: String,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GrantRevokeSecretArg {
    pub role: String,
    pub scope_tag: String,
    pub subject_tags: Vec<String>,
    pub uri: String,
}

/// Parameters of `Uniter.SecretsGrant`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GrantRevokeSecretArgs {
    pub args: Vec<GrantRevokeSecretArg>,
}

/// Part of [`IntResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct IntResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: i64,
}

/// Result of `Uniter.CharmModifiedVersion`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct IntResults {
    pub results: Vec<IntResult>,
}

/// Part of [`NetworkInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InterfaceAddress {
    pub cidr: String,
    pub hostname: String,
    pub value: String,
}

/// Part of [`ListSecretMetadataResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ListSecretMetadataResult {
    #[wire(omit)]
    pub access: Vec<AccessInfo>,
    pub create_time: Time,
    #[wire(omit)]
    pub description: String,
    #[wire(omit)]
    pub label: String,
    #[wire(omit)]
    pub latest_expire_time: Option<Time>,
    pub latest_revision: i64,
    pub latest_revision_checksum: String,
    #[wire(omit)]
    pub next_rotate_time: Option<Time>,
    pub owner_tag: String,
    #[wire(omit)]
    pub rotate_policy: String,
    pub update_time: Time,
    pub uri: String,
    #[wire(omit)]
    pub value: Option<SecretValueResult>,
    pub version: i64,
}

/// Result of `Uniter.GetSecretMetadata`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ListSecretMetadataResults {
    pub results: Vec<ListSecretMetadataResult>,
}

/// Parameters of `Uniter.Merge`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MergeLeadershipSettingsBulkParams {
    pub params: Vec<MergeLeadershipSettingsParam>,
}

/// Part of [`MergeLeadershipSettingsBulkParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MergeLeadershipSettingsParam {
    #[wire(omit)]
    pub application_tag: String,
    pub settings: BTreeMap<String, String>,
    #[wire(omit)]
    pub unit_tag: String,
}

/// Part of [`MeterStatusResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MeterStatusResult {
    pub code: String,
    #[wire(omit)]
    pub error: Option<Error>,
    pub info: String,
}

/// Result of `Uniter.GetMeterStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MeterStatusResults {
    pub results: Vec<MeterStatusResult>,
}

/// Part of [`MetricBatch`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Metric {
    pub key: String,
    #[wire(omit)]
    pub labels: BTreeMap<String, String>,
    pub time: Time,
    pub value: String,
}

/// Part of [`MetricBatchParam`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MetricBatch {
    pub charm_url: String,
    pub created: Time,
    pub metrics: Vec<Metric>,
    pub uuid: String,
}

/// Part of [`MetricBatchParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MetricBatchParam {
    pub batch: MetricBatch,
    pub tag: String,
}

/// Parameters of `Uniter.AddMetricBatches`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MetricBatchParams {
    pub batches: Vec<MetricBatchParam>,
}

/// Result of `Uniter.CurrentModel`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub name: String,
    pub type_: String,
    pub uuid: String,
}

/// Part of [`NetworkInfoResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NetworkInfo {
    pub addresses: Vec<InterfaceAddress>,
    pub interface_name: String,
    pub mac_address: String,
}

/// Parameters of `Uniter.NetworkInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NetworkInfoParams {
    pub bindings: Vec<String>,
    #[wire(omit)]
    pub relation_id: Option<i64>,
    pub unit: String,
}

/// Part of [`NetworkInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NetworkInfoResult {
    #[wire(omit)]
    pub bind_addresses: Vec<NetworkInfo>,
    #[wire(omit)]
    pub egress_subnets: Vec<String>,
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub ingress_addresses: Vec<String>,
}

/// Result of `Uniter.NetworkInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NetworkInfoResults {
    pub results: BTreeMap<String, NetworkInfoResult>,
}

/// Part of [`OpenPortRangesByEndpointResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct OpenPortRangesByEndpointResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub unit_port_ranges: BTreeMap<String, Vec<OpenUnitPortRangesByEndpoint>>,
}

/// Result of `Uniter.OpenedMachinePortRangesByEndpoint`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct OpenPortRangesByEndpointResults {
    pub results: Vec<OpenPortRangesByEndpointResult>,
}

/// Part of [`OpenPortRangesByEndpointResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct OpenUnitPortRangesByEndpoint {
    pub endpoint: String,
    pub port_ranges: Vec<PortRange>,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct PodSpec {
    #[wire(omit)]
    pub spec: String,
    pub tag: String,
}

/// Part of [`OpenUnitPortRangesByEndpoint`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct PortRange {
    pub from_port: i64,
    pub protocol: String,
    pub to_port: i64,
}

/// Part of [`RelationResultV2`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelatedApplicationDetails {
    pub application: String,
    pub model_uuid: String,
}

/// Parameters of `Uniter.RelationById`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationIds {
    pub relation_ids: Vec<i64>,
}

/// Part of [`RelationResultsV2`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationResultV2 {
    #[wire(omit)]
    pub bool: bool,
    pub endpoint: Endpoint,
    #[wire(omit)]
    pub error: Option<Error>,
    pub id: i64,
    pub key: String,
    pub life: String,
    #[wire(omit)]
    pub other_application: Option<RelatedApplicationDetails>,
}

/// Result of `Uniter.Relation`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationResultsV2 {
    pub results: Vec<RelationResultV2>,
}

/// Part of [`RelationStatusArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationStatusArg {
    pub message: String,
    pub relation_id: i64,
    pub status: String,
    pub unit_tag: String,
}

/// Parameters of `Uniter.SetRelationStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationStatusArgs {
    pub args: Vec<RelationStatusArg>,
}

/// Parameters of `Uniter.ReadLocalApplicationSettings`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnit {
    pub relation: String,
    pub unit: String,
}

/// Part of [`RelationUnitPairs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitPair {
    pub local_unit: String,
    pub relation: String,
    pub remote_unit: String,
}

/// Parameters of `Uniter.ReadRemoteSettings`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitPairs {
    pub relation_unit_pairs: Vec<RelationUnitPair>,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitSettings {
    pub application_settings: BTreeMap<String, String>,
    pub relation: String,
    pub settings: BTreeMap<String, String>,
    pub unit: String,
}

/// Part of [`RelationUnitStatusResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitStatus {
    pub in_scope: bool,
    pub relation_tag: String,
    pub suspended: bool,
}

/// Part of [`RelationUnitStatusResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitStatusResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub results: Vec<RelationUnitStatus>,
}

/// Result of `Uniter.RelationsStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitStatusResults {
    pub results: Vec<RelationUnitStatusResult>,
}

/// Parameters of `Uniter.EnterScope`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnits {
    pub relation_units: Vec<RelationUnit>,
}

/// Part of [`RelationUnitsWatchResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitsChange {
    #[wire(omit)]
    pub app_changed: BTreeMap<String, i64>,
    pub changed: BTreeMap<String, UnitSettings>,
    #[wire(omit)]
    pub departed: Vec<String>,
}

/// Part of [`RelationUnitsWatchResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitsWatchResult {
    pub changes: RelationUnitsChange,
    #[wire(omit)]
    pub error: Option<Error>,
    pub watcher_id: String,
}

/// Result of `Uniter.WatchRelationUnits`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationUnitsWatchResults {
    pub results: Vec<RelationUnitsWatchResult>,
}

/// Part of [`ResolvedModeResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ResolvedModeResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub mode: String,
}

/// Result of `Uniter.Resolved`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ResolvedModeResults {
    pub results: Vec<ResolvedModeResult>,
}

/// Parameters of `Uniter.GetSecretBackendConfigs`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretBackendArgs {
    pub backend_ids: Vec<String>,
    pub for_drain: bool,
}

/// Part of [`SecretBackendConfigResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretBackendConfig {
    #[wire(omit)]
    pub params: BTreeMap<String, Value>,
    pub type_: String,
}

/// Part of [`SecretBackendConfigResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretBackendConfigResult {
    #[wire(omit)]
    pub config: Option<SecretBackendConfig>,
    pub draining: bool,
    pub model_controller: String,
    pub model_name: String,
    pub model_uuid: String,
}

/// Result of `Uniter.GetSecretBackendConfigs`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretBackendConfigResults {
    pub active_id: String,
    #[wire(omit)]
    pub results: BTreeMap<String, SecretBackendConfigResult>,
}

/// Part of [`SecretConsumerInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretConsumerInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub label: String,
    pub revision: i64,
}

/// Result of `Uniter.GetConsumerSecretsRevisionInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretConsumerInfoResults {
    pub results: Vec<SecretConsumerInfoResult>,
}

/// Part of [`CreateSecretArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretContentParams {
    #[wire(omit)]
    pub checksum: String,
    #[wire(omit)]
    pub data: BTreeMap<String, String>,
    #[wire(omit)]
    pub value_ref: Option<SecretValueRef>,
}

/// Part of [`SecretContentResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretContentResult {
    #[wire(omit)]
    pub backend_config: Option<SecretBackendConfigResult>,
    pub content: SecretContentParams,
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub latest_revision: Option<i64>,
}

/// Result of `Uniter.GetSecretContentInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretContentResults {
    pub results: Vec<SecretContentResult>,
}

/// Parameters of `Uniter.GetSecretRevisionContentInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretRevisionArg {
    pub pending_delete: bool,
    pub revisions: Vec<i64>,
    pub uri: String,
}

/// Parameters of `Uniter.OwnedSecretRevisions`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretRevisionArgs {
    pub entity: Entity,
    pub secret_uris: Vec<String>,
}

/// Part of [`SecretRevisionIDsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretRevisionIDsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub revisions: Vec<i64>,
    pub uri: String,
}

/// Result of `Uniter.OwnedSecretRevisions`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretRevisionIDsResults {
    pub results: Vec<SecretRevisionIDsResult>,
}

/// Part of [`SecretRotatedArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretRotatedArg {
    pub original_revision: i64,
    pub skip: bool,
    pub uri: String,
}

/// Parameters of `Uniter.SecretsRotated`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretRotatedArgs {
    pub args: Vec<SecretRotatedArg>,
}

/// Part of [`SecretTriggerWatchResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretTriggerChange {
    pub next_trigger_time: Time,
    #[wire(omit)]
    pub revision: Option<i64>,
    pub uri: String,
}

/// Result of `Uniter.WatchSecretRevisionsExpiryChanges`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretTriggerWatchResult {
    pub changes: Vec<SecretTriggerChange>,
    #[wire(omit)]
    pub error: Option<Error>,
    pub watcher_id: String,
}

/// Part of [`SecretContentParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretValueRef {
    pub backend_id: String,
    pub revision_id: String,
}

/// Part of [`ListSecretMetadataResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SecretValueResult {
    #[wire(omit)]
    pub data: BTreeMap<String, String>,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetUnitStateArg {
    #[wire(omit)]
    pub charm_state: Option<BTreeMap<String, String>>,
    #[wire(omit)]
    pub meter_status_state: Option<String>,
    #[wire(omit)]
    pub relation_state: Option<BTreeMap<String, String>>,
    #[wire(omit)]
    pub secret_state: Option<String>,
    #[wire(omit)]
    pub storage_state: Option<String>,
    pub tag: String,
    #[wire(omit)]
    pub uniter_state: Option<String>,
}

/// Parameters of `Uniter.SetState`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetUnitStateArgs {
    pub args: Vec<SetUnitStateArg>,
}

/// Result of `Uniter.ReadLocalApplicationSettings`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SettingsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub settings: BTreeMap<String, String>,
}

/// Result of `Uniter.ReadRemoteSettings`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SettingsResults {
    pub results: Vec<SettingsResult>,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAddParams {
    pub name: String,
    pub storage: StorageConstraints,
    pub unit: String,
}

/// Part of [`StorageAttachmentResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAttachment {
    pub kind: i64,
    pub life: String,
    pub location: String,
    pub owner_tag: String,
    pub storage_tag: String,
    pub unit_tag: String,
}

/// Part of [`StorageAttachmentIds`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAttachmentId {
    pub storage_tag: String,
    pub unit_tag: String,
}

/// Parameters of `Uniter.RemoveStorageAttachments`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAttachmentIds {
    pub ids: Vec<StorageAttachmentId>,
}

/// Part of [`StorageAttachmentIdsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAttachmentIdsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: StorageAttachmentIds,
}

/// Result of `Uniter.UnitStorageAttachments`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAttachmentIdsResults {
    #[wire(omit)]
    pub results: Vec<StorageAttachmentIdsResult>,
}

/// Part of [`StorageAttachmentResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAttachmentResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: StorageAttachment,
}

/// Result of `Uniter.StorageAttachments`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAttachmentResults {
    #[wire(omit)]
    pub results: Vec<StorageAttachmentResult>,
}

/// Part of [`StringBoolResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StringBoolResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub ok: bool,
    pub result: String,
}

/// Result of `Uniter.CharmURL`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StringBoolResults {
    pub results: Vec<StringBoolResult>,
}

/// Part of [`UnitRefreshResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitRefreshResult {
    #[wire("Error")]
    pub error: Error,
    #[wire("Life")]
    pub life: String,
    #[wire("Resolved")]
    pub resolved: String,
    #[wire(omit)]
    pub provider_id: String,
}

/// Result of `Uniter.Refresh`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitRefreshResults {
    #[wire("Results")]
    pub results: Vec<UnitRefreshResult>,
}

/// Part of [`RelationUnitsChange`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitSettings {
    pub version: i64,
}

/// Part of [`UnitStateResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitStateResult {
    #[wire(omit)]
    pub charm_state: Option<BTreeMap<String, String>>,
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub meter_status_state: Option<String>,
    #[wire(omit)]
    pub relation_state: Option<BTreeMap<String, String>>,
    #[wire(omit)]
    pub secret_state: Option<String>,
    #[wire(omit)]
    pub storage_state: Option<String>,
    #[wire(omit)]
    pub uniter_state: Option<String>,
}

/// Result of `Uniter.State`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitStateResults {
    pub results: Vec<UnitStateResult>,
}

/// Part of [`CommitHookChangesArg`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateSecretArg {
    #[wire(omit)]
    pub content: Option<SecretContentParams>,
    #[wire(omit)]
    pub description: String,
    #[wire(omit)]
    pub expire_time: Option<Time>,
    #[wire(omit)]
    pub label: String,
    #[wire(omit)]
    pub params: BTreeMap<String, Value>,
    #[wire(omit)]
    pub rotate_policy: String,
    pub uri: String,
}

/// Parameters of `Uniter.UpdateSecrets`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateSecretArgs {
    pub args: Vec<UpdateSecretArg>,
}

/// Part of [`UpgradeSeriesStatusParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpgradeSeriesStatusParam {
    pub entity: Entity,
    pub message: String,
    pub status: String,
}

/// Parameters of `Uniter.SetUpgradeSeriesUnitStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpgradeSeriesStatusParams {
    pub params: Vec<UpgradeSeriesStatusParam>,
}

/// Part of [`UpgradeSeriesStatusResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpgradeSeriesStatusResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub status: String,
    #[wire(omit)]
    pub target: String,
}

/// Result of `Uniter.UpgradeSeriesUnitStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpgradeSeriesStatusResults {
    #[wire(omit)]
    pub results: Vec<UpgradeSeriesStatusResult>,
}
