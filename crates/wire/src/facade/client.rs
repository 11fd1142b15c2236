//! The `Client` facade.

use std::collections::BTreeMap;

use crate::codec::Time;
use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Client" 6..=8, on Model, for [User] {
        FullStatus(StatusParams) -> FullStatus, Read;
        StatusHistory(StatusHistoryRequests) -> StatusHistoryResults, Read;
        WatchAll(()) -> AllWatcherId, Read;
    }
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationOfferStatus {
    pub active_connected_count: i64,
    pub application_name: String,
    pub charm: String,
    pub endpoints: BTreeMap<String, RemoteEndpoint>,
    #[wire(omit)]
    pub err: Option<Error>,
    pub offer_name: String,
    pub total_connected_count: i64,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationStatus {
    pub base: Base,
    pub can_upgrade_to: String,
    pub charm: String,
    #[wire(omit)]
    pub charm_channel: String,
    pub charm_profile: String,
    #[wire(omit)]
    pub charm_rev: Option<i64>,
    pub charm_version: String,
    pub endpoint_bindings: BTreeMap<String, String>,
    #[wire(omit)]
    pub err: Option<Error>,
    pub exposed: bool,
    #[wire(omit)]
    pub exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
    #[wire(omit)]
    pub int: Option<i64>,
    pub life: String,
    pub meter_statuses: BTreeMap<String, MeterStatus>,
    #[wire(omit)]
    pub provider_id: String,
    pub public_address: String,
    pub relations: BTreeMap<String, Vec<String>>,
    pub status: DetailedStatus,
    pub subordinate_to: Vec<String>,
    pub units: BTreeMap<String, UnitStatus>,
    pub workload_version: String,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct BranchStatus {
    pub assigned_units: BTreeMap<String, Vec<String>>,
    pub created: i64,
    pub created_by: String,
}

/// Part of [`ApplicationStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DetailedStatus {
    pub data: BTreeMap<String, Value>,
    #[wire(omit)]
    pub err: Option<Error>,
    pub info: String,
    pub kind: String,
    pub life: String,
    pub since: Time,
    pub status: String,
    pub version: String,
}

/// Part of [`RelationStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EndpointStatus {
    pub application: String,
    pub name: String,
    pub role: String,
    pub subordinate: bool,
}

/// Part of [`FilesystemDetails`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct FilesystemAttachmentDetails {
    #[wire(omit)]
    pub life: String,
    #[wire(omit)]
    pub mount_point: String,
    #[wire(omit)]
    pub read_only: bool,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct FilesystemDetails {
    pub filesystem_tag: String,
    pub info: FilesystemInfo,
    #[wire(omit)]
    pub life: String,
    #[wire(omit)]
    pub machine_attachments: BTreeMap<String, FilesystemAttachmentDetails>,
    pub status: EntityStatus,
    #[wire(omit)]
    pub storage: Option<StorageDetails>,
    #[wire(omit)]
    pub unit_attachments: BTreeMap<String, FilesystemAttachmentDetails>,
    #[wire(omit)]
    pub volume_tag: String,
}

/// Part of [`FilesystemDetails`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct FilesystemInfo {
    pub filesystem_id: String,
    pub pool: String,
    pub size: i64,
}

/// Result of `Client.FullStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct FullStatus {
    pub applications: BTreeMap<String, ApplicationStatus>,
    pub branches: BTreeMap<String, BranchStatus>,
    pub controller_timestamp: Time,
    #[wire(omit)]
    pub filesystems: Vec<FilesystemDetails>,
    pub machines: BTreeMap<String, MachineStatus>,
    pub model: ModelStatusInfo,
    pub offers: BTreeMap<String, ApplicationOfferStatus>,
    pub relations: Vec<RelationStatus>,
    pub remote_applications: BTreeMap<String, RemoteApplicationStatus>,
    #[wire(omit)]
    pub storage: Vec<StorageDetails>,
    #[wire(omit)]
    pub volumes: Vec<VolumeDetails>,
}

/// Part of [`StatusHistoryResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct History {
    #[wire(omit)]
    pub error: Option<Error>,
    pub statuses: Vec<DetailedStatus>,
}

/// Part of [`MachineStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct LXDProfile {
    pub config: BTreeMap<String, String>,
    pub description: String,
    pub devices: BTreeMap<String, BTreeMap<String, String>>,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineStatus {
    pub agent_status: DetailedStatus,
    pub base: Base,
    pub constraints: String,
    pub containers: BTreeMap<String, MachineStatus>,
    pub display_name: String,
    pub dns_name: String,
    pub hardware: String,
    pub has_vote: bool,
    #[wire(omit)]
    pub hostname: String,
    pub id: String,
    pub instance_id: String,
    pub instance_status: DetailedStatus,
    #[wire(omit)]
    pub ip_addresses: Vec<String>,
    pub jobs: Vec<String>,
    #[wire(omit)]
    pub lxd_profiles: BTreeMap<String, LXDProfile>,
    pub modification_status: DetailedStatus,
    #[wire(omit)]
    pub network_interfaces: BTreeMap<String, NetworkInterface>,
    #[wire(omit)]
    pub primary_controller_machine: bool,
    pub wants_vote: bool,
}

/// Part of [`ApplicationStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MeterStatus {
    pub color: String,
    pub message: String,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelStatusInfo {
    pub available_version: String,
    pub cloud_tag: String,
    pub meter_status: MeterStatus,
    pub model_status: DetailedStatus,
    pub name: String,
    #[wire(omit)]
    pub region: String,
    pub sla: String,
    pub type_: String,
    pub version: String,
}

/// Part of [`MachineStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NetworkInterface {
    #[wire(omit)]
    pub dns_nameservers: Vec<String>,
    #[wire(omit)]
    pub gateway: String,
    pub ip_addresses: Vec<String>,
    pub is_up: bool,
    pub mac_address: String,
    #[wire(omit)]
    pub space: String,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RelationStatus {
    pub endpoints: Vec<EndpointStatus>,
    pub id: i64,
    pub interface: String,
    pub key: String,
    pub scope: String,
    pub status: DetailedStatus,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RemoteApplicationStatus {
    pub endpoints: Vec<RemoteEndpoint>,
    #[wire(omit)]
    pub err: Option<Error>,
    pub life: String,
    pub offer_name: String,
    pub offer_url: String,
    pub relations: BTreeMap<String, Vec<String>>,
    pub status: DetailedStatus,
}

/// Part of [`StatusHistoryRequest`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StatusHistoryFilter {
    pub date: Time,
    pub delta: i64,
    pub exclude: Vec<String>,
    pub size: i64,
}

/// Part of [`StatusHistoryRequests`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StatusHistoryRequest {
    pub filter: StatusHistoryFilter,
    #[wire("historyKind")]
    pub history_kind: String,
    pub size: i64,
    pub tag: String,
}

/// Parameters of `Client.StatusHistory`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StatusHistoryRequests {
    pub requests: Vec<StatusHistoryRequest>,
}

/// Part of [`StatusHistoryResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StatusHistoryResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub history: History,
}

/// Result of `Client.StatusHistory`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StatusHistoryResults {
    pub results: Vec<StatusHistoryResult>,
}

/// Parameters of `Client.FullStatus`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StatusParams {
    #[wire(omit)]
    pub include_storage: bool,
    pub patterns: Vec<String>,
}

/// Part of [`StorageDetails`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageAttachmentDetails {
    #[wire(omit)]
    pub life: String,
    #[wire(omit)]
    pub location: String,
    pub machine_tag: String,
    pub storage_tag: String,
    pub unit_tag: String,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StorageDetails {
    #[wire(omit)]
    pub attachments: BTreeMap<String, StorageAttachmentDetails>,
    pub kind: i64,
    #[wire(omit)]
    pub life: String,
    pub owner_tag: String,
    pub persistent: bool,
    pub status: EntityStatus,
    pub storage_tag: String,
}

/// Part of [`ApplicationStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitStatus {
    #[wire(omit)]
    pub address: String,
    pub agent_status: DetailedStatus,
    pub charm: String,
    #[wire(omit)]
    pub leader: bool,
    pub machine: String,
    pub opened_ports: Vec<String>,
    #[wire(omit)]
    pub provider_id: String,
    pub public_address: String,
    pub subordinates: BTreeMap<String, UnitStatus>,
    pub workload_status: DetailedStatus,
    pub workload_version: String,
}

/// Part of [`VolumeDetails`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VolumeAttachmentDetails {
    #[wire(omit)]
    pub bus_address: String,
    #[wire(omit)]
    pub device_link: String,
    #[wire(omit)]
    pub device_name: String,
    #[wire(omit)]
    pub life: String,
    #[wire(omit)]
    pub plan_info: Option<VolumeAttachmentPlanInfo>,
    #[wire(omit)]
    pub read_only: bool,
}

/// Part of [`FullStatus`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VolumeDetails {
    pub info: VolumeInfo,
    #[wire(omit)]
    pub life: String,
    #[wire(omit)]
    pub machine_attachments: BTreeMap<String, VolumeAttachmentDetails>,
    pub status: EntityStatus,
    #[wire(omit)]
    pub storage: Option<StorageDetails>,
    #[wire(omit)]
    pub unit_attachments: BTreeMap<String, VolumeAttachmentDetails>,
    pub volume_tag: String,
}
