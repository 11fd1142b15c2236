//! The `Provisioner` facade.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Provisioner" 11..=11, on Model, for [Controller, Machine] {
        APIAddresses(()) -> StringsResult, Login;
        APIHostPorts(()) -> APIHostPortsResult, Login;
        AvailabilityZone(Entities) -> StringResults, Login;
        CACert(()) -> BytesResult, Login;
        Constraints(Entities) -> ConstraintsResults, Login;
        ContainerConfig(()) -> ContainerConfig, Login;
        ContainerManagerConfig(ContainerManagerConfigParams) -> ContainerManagerConfig, Login;
        ControllerAPIInfoForModels(Entities) -> ControllerAPIInfoResults, Login;
        ControllerConfig(()) -> ControllerConfigResult, Login;
        DistributionGroup(Entities) -> DistributionGroupResults, Login;
        DistributionGroupByMachineId(Entities) -> StringsResults, Login;
        EnsureDead(Entities) -> ErrorResults, Login;
        FindTools(FindToolsParams) -> FindToolsResult, Login;
        GetContainerInterfaceInfo(Entities) -> MachineNetworkConfigResults, Login;
        GetContainerProfileInfo(Entities) -> ContainerProfileResults, Login;
        HostChangesForContainers(Entities) -> HostNetworkChangeResults, Login;
        InstanceId(Entities) -> StringResults, Login;
        InstanceStatus(Entities) -> StatusResults, Login;
        KeepInstance(Entities) -> BoolResults, Login;
        Life(Entities) -> LifeResults, Login;
        MachinesWithTransientErrors(()) -> StatusResults, Login;
        MarkMachinesForRemoval(Entities) -> ErrorResults, Login;
        ModelConfig(()) -> ModelConfigResult, Login;
        ModelUUID(()) -> StringResult, Login;
        PrepareContainerInterfaceInfo(Entities) -> MachineNetworkConfigResults, Login;
        ProvisioningInfo(Entities) -> ProvisioningInfoResults, Login;
        ReleaseContainerAddresses(Entities) -> ErrorResults, Login;
        Remove(Entities) -> ErrorResults, Login;
        SetCharmProfiles(SetProfileArgs) -> ErrorResults, Login;
        SetHostMachineNetworkConfig(SetMachineNetworkConfig) -> (), Login;
        SetInstanceInfo(InstancesInfo) -> ErrorResults, Login;
        SetInstanceStatus(SetStatus) -> ErrorResults, Login;
        SetModificationStatus(SetStatus) -> ErrorResults, Login;
        SetObservedNetworkConfig(SetMachineNetworkConfig) -> (), Login;
        SetPasswords(EntityPasswords) -> ErrorResults, Login;
        SetStatus(SetStatus) -> ErrorResults, Login;
        SetSupportedContainers(MachineContainersParams) -> ErrorResults, Login;
        Status(Entities) -> StatusResults, Login;
        SupportedContainers(Entities) -> MachineContainerResults, Login;
        Tools(Entities) -> ToolsResults, Login;
        WatchAPIHostPorts(()) -> NotifyWatchResult, Login;
        WatchAllContainers(WatchContainers) -> StringsWatchResults, Login;
        WatchContainers(WatchContainers) -> StringsWatchResults, Login;
        WatchForModelConfigChanges(()) -> NotifyWatchResult, Login;
        WatchMachineErrorRetry(()) -> NotifyWatchResult, Login;
        WatchModelMachineStartTimes(()) -> StringsWatchResult, Login;
        WatchModelMachines(()) -> StringsWatchResult, Login;
    }
}

/// Result of `Provisioner.CACert`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct BytesResult {
    pub result: String,
}

/// Part of [`ProvisioningInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudImageMetadata {
    pub arch: String,
    pub image_id: String,
    pub priority: i64,
    pub region: String,
    #[wire(omit)]
    pub root_storage_size: Option<i64>,
    #[wire(omit)]
    pub root_storage_type: String,
    pub source: String,
    #[wire(omit)]
    pub stream: String,
    pub version: String,
    #[wire(omit)]
    pub virt_type: String,
}

/// Part of [`ConstraintsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConstraintsResult {
    pub constraints: Constraints,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Result of `Provisioner.Constraints`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConstraintsResults {
    pub results: Vec<ConstraintsResult>,
}

/// Result of `Provisioner.ContainerConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ContainerConfig {
    #[wire(omit)]
    pub apt_mirror: String,
    pub apt_proxy: Settings,
    pub authorized_keys: String,
    #[wire(omit)]
    pub cloudinit_userdata: BTreeMap<String, Value>,
    #[wire(omit)]
    pub container_inherit_properties: String,
    pub juju_proxy: Settings,
    pub legacy_proxy: Settings,
    pub provider_type: String,
    pub snap_proxy: Settings,
    pub snap_store_assertions: String,
    pub snap_store_proxy_id: String,
    pub snap_store_proxy_url: String,
    pub ssl_hostname_verification: bool,
    pub enable_os_refresh_update: bool,
    pub enable_os_upgrade: bool,
}

/// Part of [`ContainerProfileResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ContainerLXDProfile {
    pub name: String,
    pub profile: CharmLXDProfile,
}

/// Result of `Provisioner.ContainerManagerConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ContainerManagerConfig {
    pub config: BTreeMap<String, String>,
}

/// Parameters of `Provisioner.ContainerManagerConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ContainerManagerConfigParams {
    pub type_: String,
}

/// Part of [`ContainerProfileResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ContainerProfileResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub lxd_profiles: Vec<ContainerLXDProfile>,
}

/// Result of `Provisioner.GetContainerProfileInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ContainerProfileResults {
    pub results: Vec<ContainerProfileResult>,
}

/// Part of [`HostNetworkChange`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeviceBridgeInfo {
    pub bridge_name: String,
    pub host_device_name: String,
    pub mac_address: String,
}

/// Part of [`DistributionGroupResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DistributionGroupResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: Vec<String>,
}

/// Result of `Provisioner.DistributionGroup`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DistributionGroupResults {
    pub results: Vec<DistributionGroupResult>,
}

/// Parameters of `Provisioner.FindTools`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct FindToolsParams {
    pub agentstream: String,
    pub arch: String,
    pub major: i64,
    pub number: String,
    pub os_type: String,
}

/// Result of `Provisioner.FindTools`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct FindToolsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub list: Vec<Tools>,
}

/// Part of [`HostNetworkChangeResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct HostNetworkChange {
    #[wire(omit)]
    pub error: Option<Error>,
    pub new_bridges: Vec<DeviceBridgeInfo>,
    pub reconfigure_delay: i64,
}

/// Result of `Provisioner.HostChangesForContainers`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct HostNetworkChangeResults {
    pub results: Vec<HostNetworkChange>,
}

/// Part of [`InstancesInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InstanceInfo {
    pub characteristics: HardwareCharacteristics,
    pub charm_profiles: Vec<String>,
    pub display_name: String,
    pub instance_id: String,
    pub network_config: Vec<NetworkConfig>,
    pub nonce: String,
    pub tag: String,
    pub volume_attachments: BTreeMap<String, VolumeAttachmentInfo>,
    pub volumes: Vec<Volume>,
}

/// Parameters of `Provisioner.SetInstanceInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InstancesInfo {
    pub machines: Vec<InstanceInfo>,
}

/// Part of [`MachineContainerResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineContainerResult {
    pub container_types: Vec<String>,
    pub determined: bool,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Result of `Provisioner.SupportedContainers`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineContainerResults {
    pub results: Vec<MachineContainerResult>,
}

/// Part of [`MachineContainersParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineContainers {
    pub container_types: Vec<String>,
    pub machine_tag: String,
}

/// Parameters of `Provisioner.SetSupportedContainers`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineContainersParams {
    pub params: Vec<MachineContainers>,
}

/// Part of [`MachineNetworkConfigResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineNetworkConfigResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub info: Vec<NetworkConfig>,
}

/// Result of `Provisioner.GetContainerInterfaceInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineNetworkConfigResults {
    pub results: Vec<MachineNetworkConfigResult>,
}

/// Part of [`ProvisioningInfoResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ProvisioningInfo {
    pub base: Base,
    #[wire(omit)]
    pub charm_lxd_profiles: Vec<String>,
    #[wire(omit)]
    pub cloudinit_userdata: BTreeMap<String, Value>,
    pub constraints: Constraints,
    #[wire(omit)]
    pub controller_config: BTreeMap<String, Value>,
    #[wire(omit)]
    pub endpoint_bindings: BTreeMap<String, String>,
    #[wire(omit)]
    pub image_metadata: Vec<CloudImageMetadata>,
    pub jobs: Vec<String>,
    pub placement: String,
    #[wire(omit)]
    pub root_disk: Option<VolumeParams>,
    pub space_subnets: BTreeMap<String, Vec<String>>,
    pub subnet_zones: BTreeMap<String, Vec<String>>,
    #[wire(omit)]
    pub tags: BTreeMap<String, String>,
    #[wire(omit)]
    pub volume_attachments: Vec<VolumeAttachmentParams>,
    #[wire(omit)]
    pub volumes: Vec<VolumeParams>,
}

/// Part of [`ProvisioningInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ProvisioningInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub result: ProvisioningInfo,
}

/// Result of `Provisioner.ProvisioningInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ProvisioningInfoResults {
    pub results: Vec<ProvisioningInfoResult>,
}

/// Part of [`SetProfileArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetProfileArg {
    pub entity: Entity,
    pub profiles: Vec<String>,
}

/// Parameters of `Provisioner.SetCharmProfiles`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetProfileArgs {
    pub args: Vec<SetProfileArg>,
}

/// Part of [`ContainerConfig`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Settings {
    #[wire("AutoNoProxy")]
    pub auto_no_proxy: String,
    #[wire("Ftp")]
    pub ftp: String,
    #[wire("Http")]
    pub http: String,
    #[wire("Https")]
    pub https: String,
    #[wire("NoProxy")]
    pub no_proxy: String,
}

/// Part of [`InstanceInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Volume {
    pub info: VolumeInfo,
    pub volume_tag: String,
}

/// Part of [`InstanceInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VolumeAttachmentInfo {
    #[wire(omit)]
    pub bus_address: String,
    #[wire(omit)]
    pub device_link: String,
    #[wire(omit)]
    pub device_name: String,
    #[wire(omit)]
    pub plan_info: Option<VolumeAttachmentPlanInfo>,
    #[wire(omit)]
    pub read_only: bool,
}

/// Part of [`ProvisioningInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VolumeAttachmentParams {
    #[wire(omit)]
    pub instance_id: String,
    pub machine_tag: String,
    pub provider: String,
    #[wire(omit)]
    pub read_only: bool,
    #[wire(omit)]
    pub volume_id: String,
    pub volume_tag: String,
}

/// Part of [`ProvisioningInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VolumeParams {
    #[wire(omit)]
    pub attachment: Option<VolumeAttachmentParams>,
    #[wire(omit)]
    pub attributes: BTreeMap<String, Value>,
    pub provider: String,
    pub size: i64,
    #[wire(omit)]
    pub tags: BTreeMap<String, String>,
    pub volume_tag: String,
}

/// Part of [`WatchContainers`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct WatchContainer {
    pub container_type: String,
    pub machine_tag: String,
}

/// Parameters of `Provisioner.WatchAllContainers`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct WatchContainers {
    pub params: Vec<WatchContainer>,
}
