//! The unit's relations, as they are learned at the start and as scopes are entered.

use std::collections::BTreeMap;

use juju_charm::{Meta, RelationScope, Role, meta::JUJU_INFO};
use juju_wire::{code, facade::uniter::RelationResultV2};

use crate::{
    api::{Api, relation_key},
    context::RelationFacts,
    link::ApiError,
    remote::RemoteState,
    resolver::{EnteredRelation, Relation},
    state::{InvalidState, RelationState},
};

/// Why relations cannot be learned.
#[derive(Debug, thiserror::Error)]
pub enum RelationError {
    #[error("{0}")]
    Api(#[from] ApiError),
    #[error("cannot read the saved state of relation {id}")]
    State {
        id: String,
        #[source]
        source: InvalidState,
    },
}

/// The relations whose scope the unit is in, with what its hooks have seen of them.
///
/// Saved states of relations that it is not in are dropped: its agent ended between saving and entering, or after
/// leaving. Whether `-created` has run is in the state too, so being in scope alone does not make up for a hook that
/// an agent that was killed has never begun.
pub(crate) async fn load(
    api: &Api,
    saved: &BTreeMap<String, String>,
    meta: &Meta,
) -> Result<BTreeMap<i64, Relation>, RelationError> {
    let mut relations = BTreeMap::new();
    for status in api.relations_status().await? {
        if !status.in_scope {
            continue;
        }
        let key = relation_key(&status.relation_tag);
        let answer = match api.relation(&key).await {
            Ok(answer) => answer,
            Err(err) if err.is_gone() => continue,
            Err(err) => return Err(err.into()),
        };
        let id = answer.id;
        let state = match saved.get(&id.to_string()) {
            Some(text) => RelationState::parse(text)
                .map_err(|source| RelationError::State { id: id.to_string(), source })?,
            None => RelationState::new(id),
        };
        relations.insert(id, Relation::Entered(entered(api, answer, meta, state)));
    }
    Ok(relations)
}

/// What came of an attempt to enter a scope.
pub(crate) enum Entering {
    /// Not yet: look again when the unit has changed.
    NotYet,
    Settled(Relation),
}

/// Looks at a relation before its scope is entered. Nothing if it is gone.
pub(crate) async fn look(api: &Api, key: &str, meta: &Meta, id: i64) -> Result<Option<Relation>, ApiError> {
    let answer = match api.relation(key).await {
        Ok(answer) => answer,
        Err(err) if err.is_gone() => return Ok(None),
        Err(err) => return Err(err),
    };
    if !implemented(&answer, meta) {
        let endpoint = &answer.endpoint.relation.name;
        tracing::warn!("skipping relation {key:?} with unknown endpoint {endpoint:?}");
        return Ok(Some(Relation::PassedOver));
    }
    Ok(Some(Relation::Entered(entered(api, answer, meta, RelationState::new(id)))))
}

/// Enters the scope of a relation whose state has been saved.
pub(crate) async fn enter(api: &Api, relation: EnteredRelation) -> Result<Entering, ApiError> {
    match api.enter_scope(&relation.key).await {
        Ok(()) => {
            tracing::info!("joined relation {:?}", relation.key);
            Ok(Entering::Settled(Relation::Entered(relation)))
        }
        Err(err) if err.code() == code::CANNOT_ENTER_SCOPE_YET => {
            tracing::info!(
                "cannot enter scope for relation {:?}; waiting for subordinate to be removed",
                relation.key
            );
            Ok(Entering::NotYet)
        }
        Err(err) if err.code() == code::CANNOT_ENTER_SCOPE || err.is_gone() => {
            Ok(Entering::Settled(Relation::PassedOver))
        }
        Err(err) => Err(err),
    }
}

/// What hooks may know of the unit's relations.
pub(crate) fn facts(relations: &BTreeMap<i64, Relation>, remote: &RemoteState) -> Vec<RelationFacts> {
    let one = |(id, relation): (&i64, &Relation)| {
        let Relation::Entered(it) = relation else { return None };
        let active = remote.relations.get(id).is_some_and(|seen| seen.is_active());
        Some(RelationFacts {
            id: *id,
            key: it.key.clone(),
            endpoint: it.endpoint.clone(),
            remote_application: it.application.clone(),
            members: it.state.members.keys().cloned().collect(),
            broken: !it.peer && !active && it.state.members.is_empty(),
        })
    };
    relations.iter().filter_map(one).collect()
}

/// The states of all relations, as they are saved: the whole map at once.
pub(crate) fn to_save(relations: &BTreeMap<i64, Relation>) -> Result<BTreeMap<String, String>, InvalidState> {
    let states = relations.iter().filter_map(|(id, it)| match it {
        Relation::Entered(it) => Some((id, &it.state)),
        Relation::PassedOver => None,
    });
    states.map(|(id, state)| Ok((id.to_string(), state.to_yaml()?))).collect()
}

/// Relations that were passed over are looked at again once they have ended or were suspended.
pub(crate) fn forget_passed_over(relations: &mut BTreeMap<i64, Relation>, remote: &RemoteState) {
    relations.retain(|id, it| {
        *it != Relation::PassedOver || remote.relations.get(id).is_some_and(|seen| seen.is_active())
    });
}

fn entered(api: &Api, answer: RelationResultV2, meta: &Meta, state: RelationState) -> EnteredRelation {
    let relation = &answer.endpoint.relation;
    let peer = relation.role == Role::Peer.as_str();
    let implicit = relation.name == JUJU_INFO
        && relation.interface == JUJU_INFO
        && relation.role == Role::Provider.as_str();
    // Either side's word makes it a relation within a principal.
    let container = [relation.scope.as_str(), own_scope(meta, &relation.name)]
        .contains(&RelationScope::Container.as_str());
    let other = answer.other_application.map(|it| it.application).filter(|it| !it.is_empty());
    EnteredRelation {
        key: answer.key,
        endpoint: answer.endpoint.relation.name,
        peer,
        implicit,
        container,
        application: match other {
            Some(other) if !peer => other,
            _ => api.application().to_owned(),
        },
        state,
    }
}

fn own_scope(meta: &Meta, endpoint: &str) -> &'static str {
    meta.endpoint(endpoint).map_or(RelationScope::Global.as_str(), |(_, it)| it.scope.as_str())
}

/// Whether the charm that is in place has the endpoint: an upgrade may have dropped it, or not brought it yet.
fn implemented(answer: &RelationResultV2, meta: &Meta) -> bool {
    let wanted = &answer.endpoint.relation;
    meta.endpoint(&wanted.name)
        .is_some_and(|(role, it)| role.as_str() == wanted.role && it.interface == wanted.interface)
}
