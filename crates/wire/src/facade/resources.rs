//! The `Resources` facade.

use std::collections::BTreeMap;

use crate::codec::Time;
use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Resources" 3..=3, on Model, for [User] {
        AddPendingResources(AddPendingResourcesArgsV2) -> AddPendingResourcesResult, Write;
        ListResources(ListResourcesArgs) -> ResourcesResults, Read;
    }
}

/// Parameters of `Resources.AddPendingResources`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddPendingResourcesArgsV2 {
    pub charm_origin: CharmOrigin,
    pub macaroon: Value,
    pub resources: Vec<CharmResource>,
    pub tag: String,
    pub url: String,
}

/// Result of `Resources.AddPendingResources`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddPendingResourcesResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub pending_ids: Vec<String>,
}

/// Part of [`AddPendingResourcesArgsV2`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CharmResource {
    #[wire(omit)]
    pub description: String,
    pub fingerprint: String,
    pub name: String,
    pub origin: String,
    pub path: String,
    pub revision: i64,
    pub size: i64,
    pub type_: String,
}

/// Parameters of `Resources.ListResources`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ListResourcesArgs {
    pub entities: Vec<Entity>,
}

/// Part of [`ResourcesResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Resource {
    pub application: String,
    #[wire(omit)]
    pub description: String,
    pub fingerprint: String,
    pub id: String,
    pub name: String,
    pub origin: String,
    pub path: String,
    pub pending_id: String,
    pub revision: i64,
    pub size: i64,
    pub timestamp: Time,
    pub type_: String,
    pub username: String,
}

/// Part of [`ResourcesResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ResourcesResult {
    pub charm_store_resources: Vec<CharmResource>,
    #[wire(omit)]
    pub error: Option<Error>,
    pub resources: Vec<Resource>,
    pub unit_resources: Vec<UnitResources>,
}

/// Result of `Resources.ListResources`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ResourcesResults {
    pub results: Vec<ResourcesResult>,
}

/// Part of [`ResourcesResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UnitResources {
    pub download_progress: BTreeMap<String, i64>,
    pub resources: Vec<Resource>,
    pub tag: String,
}
