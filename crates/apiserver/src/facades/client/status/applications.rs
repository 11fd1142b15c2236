//! Applications, with their units.

use std::collections::{BTreeMap, BTreeSet};

use juju_charm::RelationScope;
use juju_core::{ApplicationName, SpaceName, status::shown_application};
use juju_state::{
    application::ApplicationDoc,
    bindings::{self, Bindings},
    charm,
    status::StatusOf,
};
use juju_wire::facade::client::ApplicationStatus;

use super::{filter::Kept, shown_life, snapshot::Snapshot, units, with_all_data};
use crate::{Result, convert, facades::application::exposed_to_wire};

pub(super) fn shown(all: &Snapshot, kept: &Kept) -> Result<BTreeMap<String, ApplicationStatus>> {
    let docs = all.applications.values().filter(|it| kept.applications.contains(&it.name));
    docs.map(|it| Ok((it.name.to_string(), one(all, it, kept)?))).collect()
}

fn one(all: &Snapshot, doc: &ApplicationDoc, kept: &Kept) -> Result<ApplicationStatus> {
    let m = all.handle.uuid();
    let said = all.status(&StatusOf::Application(doc.name.clone()))?;
    let workloads: Vec<_> = all.units_of(&doc.name).map(|it| it.said().workload).collect();
    let charm = charm::read(&all.image, m, &doc.charm_url)?;
    let described = charm.charm.as_ref();
    let (relations, subordinate_to) = related(all, doc);
    Ok(ApplicationStatus {
        charm: doc.charm_url.to_string(),
        charm_version: described.map(|it| it.version.clone()).unwrap_or_default(),
        charm_profile: String::new(),
        charm_channel: convert::channel_text(&doc.charm_origin),
        charm_rev: doc.charm_url.revision.filter(|it| *it > 0).map(i64::from),
        base: convert::base_to_wire(&doc.base),
        exposed: doc.exposed,
        exposed_endpoints: exposed_to_wire(&doc.exposed_endpoints),
        life: shown_life(doc.life),
        relations,
        subordinate_to,
        units: if doc.subordinate { BTreeMap::new() } else { units::shown(all, doc, kept)? },
        status: with_all_data(&shown_application(&said, &workloads)),
        workload_version: all.handle.application_workload_version(&doc.name)?,
        endpoint_bindings: shown_bindings(bindings::read(&all.image, m, &doc.name)?),
        ..ApplicationStatus::default()
    })
}

/// The applications at the other ends, by endpoint, and those to whose units this one's are subordinate.
fn related(all: &Snapshot, doc: &ApplicationDoc) -> (BTreeMap<String, Vec<String>>, Vec<String>) {
    let mut by_endpoint: BTreeMap<String, BTreeSet<&ApplicationName>> = BTreeMap::new();
    let mut principals = BTreeSet::new();
    for relation in &all.relations {
        let (Ok(own), Ok(other)) = (relation.endpoint(&doc.name), relation.other_side(&doc.name)) else {
            continue;
        };
        by_endpoint.entry(own.name.to_string()).or_default().insert(&other.application);
        if doc.subordinate && other.scope == RelationScope::Container {
            principals.insert(other.application.to_string());
        }
    }
    let names = |it: BTreeSet<&ApplicationName>| it.into_iter().map(ToString::to_string).collect();
    let relations = by_endpoint.into_iter().map(|(endpoint, it)| (endpoint, names(it))).collect();
    (relations, principals.into_iter().collect())
}

/// A default that is the default goes without saying.
fn shown_bindings(bindings: Bindings) -> BTreeMap<String, String> {
    let only_default = bindings.len() == 1 && bindings.get("").is_some_and(|it| *it == SpaceName::alpha());
    if only_default {
        return BTreeMap::new();
    }
    bindings.into_iter().map(|(endpoint, space)| (endpoint, space.to_string())).collect()
}
