//! The `Charms` facade.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Charms" 5..=7, on Model, for [User] {
        AddCharm(AddCharmWithOrigin) -> CharmOriginResult, Write;
        CharmInfo(CharmURL) -> Charm, Read;
        CheckCharmPlacement(ApplicationCharmPlacements) -> ErrorResults, Read;
        GetDownloadInfos(CharmURLAndOrigins) -> DownloadInfoResults, Read;
        IsMetered(CharmURL) -> IsMeteredResult, Read;
        List(CharmsList) -> CharmsListResult, Read;
        ListCharmResources(CharmURLAndOrigins) -> CharmResourcesResults, Read;
        ResolveCharms(ResolveCharmsWithChannel) -> ResolveCharmWithChannelResults, Read;
    }
}

/// Parameters of `Charms.AddCharm`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddCharmWithOrigin {
    pub charm_origin: CharmOrigin,
    pub force: bool,
    pub url: String,
}

/// Part of [`ApplicationCharmPlacements`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationCharmPlacement {
    pub application: String,
    pub charm_url: String,
}

/// Parameters of `Charms.CheckCharmPlacement`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationCharmPlacements {
    pub placements: Vec<ApplicationCharmPlacement>,
}

/// Result of `Charms.CharmInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Charm {
    #[wire(omit)]
    pub actions: Option<CharmActions>,
    pub config: BTreeMap<String, CharmOption>,
    #[wire(omit)]
    pub lxd_profile: Option<CharmLXDProfile>,
    #[wire(omit)]
    pub manifest: Option<CharmManifest>,
    #[wire(omit)]
    pub meta: Option<CharmMeta>,
    #[wire(omit)]
    pub metrics: Option<CharmMetrics>,
    pub revision: i64,
    pub url: String,
}

/// Part of [`CharmActions`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmActionSpec {
    pub description: String,
    pub params: BTreeMap<String, Value>,
}

/// Part of [`Charm`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmActions {
    #[wire(omit)]
    pub specs: BTreeMap<String, CharmActionSpec>,
}

/// Part of [`CharmManifest`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmBase {
    #[wire(omit)]
    pub architectures: Vec<String>,
    #[wire(omit)]
    pub channel: String,
    #[wire(omit)]
    pub name: String,
}

/// Part of [`CharmMeta`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmContainer {
    #[wire(omit)]
    pub gid: Option<i64>,
    #[wire(omit)]
    pub mounts: Vec<CharmMount>,
    #[wire(omit)]
    pub resource: String,
    #[wire(omit)]
    pub uid: Option<i64>,
}

/// Part of [`CharmMeta`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmDeployment {
    pub min_version: String,
    pub mode: String,
    pub service: String,
    pub type_: String,
}

/// Part of [`CharmMeta`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmDevice {
    #[wire("CountMax")]
    pub count_max: i64,
    #[wire("CountMin")]
    pub count_min: i64,
    #[wire("Description")]
    pub description: String,
    #[wire("Name")]
    pub name: String,
    #[wire("Type")]
    pub type_: String,
}

/// Part of [`Charm`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmManifest {
    #[wire(omit)]
    pub bases: Vec<CharmBase>,
}

/// Part of [`Charm`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmMeta {
    #[wire(omit)]
    pub assumes_expr: Option<ExpressionTree>,
    #[wire(omit)]
    pub categories: Vec<String>,
    #[wire(omit)]
    pub charm_user: String,
    #[wire(omit)]
    pub containers: BTreeMap<String, CharmContainer>,
    #[wire(omit)]
    pub deployment: Option<CharmDeployment>,
    pub description: String,
    #[wire(omit)]
    pub devices: BTreeMap<String, CharmDevice>,
    #[wire(omit)]
    pub extra_bindings: BTreeMap<String, String>,
    #[wire(omit)]
    pub min_juju_version: String,
    pub name: String,
    #[wire(omit)]
    pub payload_classes: BTreeMap<String, CharmPayloadClass>,
    #[wire(omit)]
    pub peers: BTreeMap<String, CharmRelation>,
    #[wire(omit)]
    pub provides: BTreeMap<String, CharmRelation>,
    #[wire(omit)]
    pub requires: BTreeMap<String, CharmRelation>,
    #[wire(omit)]
    pub resources: BTreeMap<String, CharmResourceMeta>,
    #[wire(omit)]
    pub series: Vec<String>,
    #[wire(omit)]
    pub storage: BTreeMap<String, CharmStorage>,
    pub subordinate: bool,
    pub summary: String,
    #[wire(omit)]
    pub tags: Vec<String>,
    #[wire(omit)]
    pub terms: Vec<String>,
}

/// Part of [`CharmMetrics`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmMetric {
    pub description: String,
    pub type_: String,
}

/// Part of [`Charm`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmMetrics {
    pub metrics: BTreeMap<String, CharmMetric>,
    pub plan: CharmPlan,
}

/// Part of [`CharmContainer`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmMount {
    #[wire(omit)]
    pub location: String,
    #[wire(omit)]
    pub storage: String,
}

/// Part of [`Charm`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmOption {
    #[wire(omit)]
    pub default: Value,
    #[wire(omit)]
    pub description: String,
    pub type_: String,
}

/// Result of `Charms.AddCharm`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmOriginResult {
    pub charm_origin: CharmOrigin,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Part of [`CharmMeta`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmPayloadClass {
    pub name: String,
    pub type_: String,
}

/// Part of [`CharmMetrics`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmPlan {
    pub required: bool,
}

/// Part of [`CharmMeta`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmResourceMeta {
    pub description: String,
    pub name: String,
    pub path: String,
    pub type_: String,
}

/// Part of [`CharmResourcesResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmResourceResult {
    #[wire(omit)]
    pub description: String,
    #[wire(omit)]
    pub error: Option<Error>,
    pub fingerprint: String,
    pub name: String,
    pub origin: String,
    pub path: String,
    pub revision: i64,
    pub size: i64,
    pub type_: String,
}

/// Result of `Charms.ListCharmResources`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmResourcesResults {
    pub results: Vec<Vec<CharmResourceResult>>,
}

/// Part of [`CharmMeta`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmStorage {
    pub count_max: i64,
    pub count_min: i64,
    pub description: String,
    #[wire(omit)]
    pub location: String,
    pub minimum_size: i64,
    pub name: String,
    #[wire(omit)]
    pub properties: Vec<String>,
    pub read_only: bool,
    pub shared: bool,
    pub type_: String,
}

/// Part of [`CharmURLAndOrigins`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmURLAndOrigin {
    pub charm_origin: CharmOrigin,
    pub charm_url: String,
    #[wire(omit)]
    pub macaroon: Value,
}

/// Parameters of `Charms.GetDownloadInfos`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmURLAndOrigins {
    pub entities: Vec<CharmURLAndOrigin>,
}

/// Parameters of `Charms.List`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmsList {
    pub names: Vec<String>,
}

/// Result of `Charms.List`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmsListResult {
    pub charm_urls: Vec<String>,
}

/// Part of [`DownloadInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DownloadInfoResult {
    pub charm_origin: CharmOrigin,
    pub url: String,
}

/// Result of `Charms.GetDownloadInfos`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DownloadInfoResults {
    pub results: Vec<DownloadInfoResult>,
}

/// Part of [`CharmMeta`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ExpressionTree {
    #[wire("Expression")]
    pub expression: Value,
}

/// Result of `Charms.IsMetered`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct IsMeteredResult {
    pub metered: bool,
}

/// Part of [`ResolveCharmsWithChannel`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ResolveCharmWithChannel {
    pub charm_origin: CharmOrigin,
    pub reference: String,
    #[wire(omit)]
    pub switch_charm: bool,
}

/// Part of [`ResolveCharmWithChannelResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ResolveCharmWithChannelResult {
    pub charm_origin: CharmOrigin,
    #[wire(omit)]
    pub error: Option<Error>,
    pub supported_bases: Vec<Base>,
    pub url: String,
}

/// Result of `Charms.ResolveCharms`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ResolveCharmWithChannelResults {
    #[wire("Results")]
    pub results: Vec<ResolveCharmWithChannelResult>,
}

/// Parameters of `Charms.ResolveCharms`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ResolveCharmsWithChannel {
    #[wire(omit)]
    pub macaroon: Value,
    pub resolve: Vec<ResolveCharmWithChannel>,
}
