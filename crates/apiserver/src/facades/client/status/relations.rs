//! Relations: all of them, whatever else is shown.

use juju_charm::RelationScope;
use juju_state::{
    relation::{Endpoint, RelationDoc},
    status::StatusOf,
};
use juju_wire::facade::client::{EndpointStatus, RelationStatus};

use super::{detailed, shown_life, snapshot::Snapshot};
use crate::Result;

pub(super) fn shown(all: &Snapshot) -> Result<Vec<RelationStatus>> {
    all.relations.iter().map(|it| one(all, it)).collect()
}

fn one(all: &Snapshot, doc: &RelationDoc) -> Result<RelationStatus> {
    let endpoint = |it: &Endpoint| {
        let subordinate = all.applications.get(&it.application).is_some_and(|it| it.subordinate);
        EndpointStatus {
            application: it.application.to_string(),
            name: it.name.to_string(),
            role: it.role.as_str().to_owned(),
            subordinate: subordinate && it.scope == RelationScope::Container,
        }
    };
    let mut status = detailed(&all.status(&StatusOf::Relation(doc.id))?);
    status.life = shown_life(doc.life);
    Ok(RelationStatus {
        id: doc.id.0.into(),
        key: doc.key.to_string(),
        interface: doc.endpoints.first().map(|it| it.interface.clone()).unwrap_or_default(),
        scope: doc.scope().as_str().to_owned(),
        endpoints: doc.endpoints.iter().map(endpoint).collect(),
        status,
    })
}
