//! The shape of `status --format json` and `yaml`: keys in this order, empty ones left out.

use std::{collections::BTreeMap, ops::Deref};

use serde::{Serialize, Serializer};

use super::storage::CombinedStorage;

/// A whole status.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Status {
    pub model: Model,
    pub machines: BTreeMap<String, Machine>,
    pub applications: BTreeMap<String, Fallible<Application>>,
    #[serde(rename = "application-endpoints", skip_serializing_if = "BTreeMap::is_empty")]
    pub remote_applications: BTreeMap<String, Fallible<RemoteApplication>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub offers: BTreeMap<String, Fallible<Offer>>,
    /// Shown in tables only; the others have them at their applications.
    #[serde(skip)]
    pub relations: Vec<Relation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<CombinedStorage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<ControllerTime>,
}

/// `juju machines --format json`.
#[derive(Clone, Debug, Serialize)]
pub struct Machines {
    pub model: String,
    pub machines: BTreeMap<String, Machine>,
}

/// A thing, or why there is none: the controller answers for each part by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Fallible<T> {
    pub error: Option<String>,
    pub value: T,
}

impl<T> Deref for Fallible<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> Serialize for Fallible<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.error {
            Some(error) => StatusError { status_error: error }.serialize(to),
            None => self.value.serialize(to),
        }
    }
}

#[derive(Serialize)]
struct StatusError<'a> {
    #[serde(rename = "status-error")]
    status_error: &'a str,
}

#[derive(Clone, Debug, Serialize)]
pub struct ControllerTime {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub timestamp: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Model {
    pub name: String,
    #[serde(rename = "type")]
    pub model_type: String,
    pub controller: String,
    pub cloud: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub region: String,
    pub version: String,
    #[serde(rename = "upgrade-available", skip_serializing_if = "String::is_empty")]
    pub available_version: String,
    #[serde(rename = "model-status")]
    pub status: Info,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meter_status: Option<Meter>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sla: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Meter {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub color: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// A status word with what belongs to it.
pub type Info = Fallible<InfoContents>;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InfoContents {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub since: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Base {
    pub name: String,
    /// Without `/stable`.
    pub channel: String,
}

impl Base {
    /// `ubuntu@22.04`.
    pub fn display(&self) -> String {
        format!("{}@{}", self.name, self.channel)
    }
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Machine {
    #[serde(skip)]
    pub id: String,
    pub juju_status: Info,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hostname: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub dns_name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ip_addresses: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub instance_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    pub machine_status: Info,
    pub modification_status: Info,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub network_interfaces: BTreeMap<String, NetworkInterface>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub containers: BTreeMap<String, Machine>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hardware: String,
    #[serde(rename = "controller-member-status", skip_serializing_if = "str::is_empty")]
    pub ha_status: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ha_primary: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lxd_profiles: BTreeMap<String, LxdProfile>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NetworkInterface {
    pub ip_addresses: Vec<String>,
    pub mac_address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gateway: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dns_nameservers: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub space: String,
    pub is_up: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LxdProfile {
    pub config: BTreeMap<String, String>,
    pub description: String,
    pub devices: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Application {
    /// The name of a Charmhub charm, the URL of any other.
    pub charm: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    pub charm_origin: &'static str,
    pub charm_name: String,
    pub charm_rev: i64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub charm_channel: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub charm_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub charm_profile: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub can_upgrade_to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub address: String,
    pub exposed: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
    #[serde(rename = "application-status")]
    pub status: Info,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<String, Vec<Related>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subordinate_to: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, Fallible<Unit>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub endpoint_bindings: BTreeMap<String, String>,
}

/// The other side of a relation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Related {
    pub related_application: String,
    pub interface: String,
    pub scope: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unit {
    pub workload_status: Info,
    pub juju_status: Info,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meter_status: Option<Meter>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub leader: bool,
    /// The charm it still runs.
    #[serde(rename = "upgrading-from", skip_serializing_if = "String::is_empty")]
    pub charm: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub machine: String,
    #[serde(rename = "open-ports", skip_serializing_if = "Vec::is_empty")]
    pub opened_ports: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub public_address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider_id: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub subordinates: BTreeMap<String, Fallible<Unit>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RemoteApplication {
    pub url: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub endpoints: BTreeMap<String, Endpoint>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
    #[serde(rename = "application-status")]
    pub status: Info,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<String, Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Endpoint {
    pub interface: String,
    pub role: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Offer {
    pub application: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub charm: String,
    #[serde(rename = "total-connected-count", skip_serializing_if = "is_zero")]
    pub total_connected: i64,
    #[serde(rename = "active-connected-count", skip_serializing_if = "is_zero")]
    pub active_connected: i64,
    pub endpoints: BTreeMap<String, Endpoint>,
}

/// A row of the relations.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    pub provider: String,
    pub requirer: String,
    pub interface: String,
    pub relation_type: &'static str,
    pub status: String,
    pub message: String,
}

fn is_zero(n: &i64) -> bool {
    *n == 0
}

impl Status {
    /// Units that work and units that should, of an application: `2`, or `1/2` with true.
    pub fn scale(&self, name: &str) -> (String, bool) {
        let (mut works, mut all) = (0, 0);
        let mut count = |unit: &Unit| {
            all += 1;
            works += i32::from(matches!(unit.juju_status.current.as_str(), "executing" | "idle"));
        };
        let Some(application) = self.applications.get(name) else { return ("0".to_owned(), false) };
        if application.subordinate_to.is_empty() {
            application.units.values().for_each(|it| count(it));
        } else {
            let principals = self.applications.values().flat_map(|it| it.units.values());
            let subordinates = principals.flat_map(|it| &it.subordinates);
            subordinates
                .filter(|(unit, _)| unit.rsplit_once('/').is_some_and(|it| it.0 == name))
                .for_each(|(_, unit)| count(unit));
        }
        if works == all { (works.to_string(), false) } else { (format!("{works}/{all}"), true) }
    }
}

/// Calls `f` with a unit's subordinates, theirs, and how deep each is.
pub fn each_subordinate<'a>(unit: &'a Unit, depth: usize, f: &mut impl FnMut(&'a str, &'a Unit, usize)) {
    for name in crate::output::natural::sorted(unit.subordinates.keys()) {
        let subordinate = &unit.subordinates[name].value;
        f(name, subordinate, depth);
        each_subordinate(subordinate, depth + 1, f);
    }
}
