//! Which relation hook comes next (Juju 3.6 `worker/uniter/relation`).

use std::collections::BTreeSet;

use super::{Action, EnteredRelation, LocalState, Relation, run};
use crate::{
    hook::{Hook, RelationEvent, RelationHook},
    names,
    remote::{Life, RemoteRelation, RemoteState},
};

/// Scopes are entered, and `-created` runs for each relation, before anything else does.
pub(super) fn created(local: &LocalState, remote: &RemoteState) -> Option<Action> {
    if !local.state.installed || remote.life != Life::Alive || !local.state.is_idle() {
        return None;
    }
    for (&relation, seen) in &remote.relations {
        match local.relations.get(&relation) {
            None if seen.is_active() => return Some(Action::EnterScope { relation }),
            Some(Relation::Entered(it)) if it.implicit && !seen.is_active() => {
                return Some(Action::LeaveScope { relation });
            }
            _ => {}
        }
    }
    if !local.memory.end_requested && orphaned(local, remote) {
        return Some(Action::DestroySelf);
    }
    remote.relations.iter().find_map(|(&relation, seen)| match local.relations.get(&relation) {
        Some(Relation::Entered(it)) if seen.is_active() && !it.implicit && !it.state.created() => {
            let hook =
                RelationHook { relation, application: it.application.clone(), event: RelationEvent::Created };
            Some(run(Hook::Relation(hook)))
        }
        _ => None,
    })
}

/// The hook of the first relation that has one to run, peers last. A relation that ends is wound down, unit by unit.
pub(super) fn next(local: &LocalState, remote: &RemoteState) -> Option<Action> {
    if remote.life == Life::Dying && !local.memory.subordinates_told {
        return Some(Action::DestroySubordinates);
    }
    let mut entered: Vec<_> = local
        .relations
        .iter()
        .filter_map(|(id, it)| match it {
            Relation::Entered(it) => Some((*id, it)),
            Relation::PassedOver => None,
        })
        .collect();
    if let Some((relation, _)) = entered.iter().find(|(id, _)| !remote.relations.contains_key(id)) {
        return Some(Action::ForgetRelation { relation: *relation });
    }
    entered.retain(|(_, it)| !it.implicit);
    entered.sort_by_key(|(id, it)| (it.peer, *id));
    entered.into_iter().find_map(|(id, it)| {
        let event = event(it, &remote.relations[&id], remote, &local.unit)?;
        let application = match &event {
            RelationEvent::Joined { unit, .. }
            | RelationEvent::Changed { unit: Some(unit), .. }
            | RelationEvent::Departed { unit, .. } => names::application_of(unit).unwrap_or(&it.application),
            _ => &it.application,
        };
        Some(run(Hook::Relation(RelationHook { relation: id, application: application.to_owned(), event })))
    })
}

/// The next event of one relation.
fn event(
    local: &EnteredRelation,
    seen: &RemoteRelation,
    remote: &RemoteState,
    own_name: &str,
) -> Option<RelationEvent> {
    let state = &local.state;
    let broken = remote.life == Life::Dying || !seen.is_active();
    let gone = RemoteRelation::default();
    let seen = if broken { &gone } else { seen };

    // A unit that joined is always followed by its -changed.
    if let Some(unit) = &state.changed_pending {
        let version = seen.members.get(unit).copied().unwrap_or_default();
        return Some(RelationEvent::Changed { unit: Some(unit.clone()), version });
    }
    if let Some((unit, version)) = state.members.iter().find(|(unit, _)| !seen.members.contains_key(*unit)) {
        let leaving = remote.life != Life::Alive || remote.application_life != Life::Alive;
        let departing = if leaving { own_name } else { unit };
        return Some(RelationEvent::Departed {
            unit: unit.clone(),
            version: *version,
            departing: Some(departing.to_owned()),
        });
    }
    if broken {
        return (!local.peer).then_some(RelationEvent::Broken);
    }
    // Data that was never written has version 0, which nobody is told of.
    let applications: BTreeSet<_> = seen.application_members.keys().collect();
    for application in applications {
        let version = seen.application_members[application];
        if state.application_members.get(application).copied().unwrap_or_default() != version {
            return Some(RelationEvent::Changed { unit: None, version });
        }
    }
    if let Some((unit, version)) = seen.members.iter().find(|(unit, _)| !state.members.contains_key(*unit)) {
        return Some(RelationEvent::Joined { unit: unit.clone(), version: *version });
    }
    // Versions are compared for difference: a migration starts them anew.
    let changed = seen.members.iter().find(|(unit, version)| state.members.get(*unit) != Some(version));
    changed.map(|(unit, version)| RelationEvent::Changed { unit: Some(unit.clone()), version: *version })
}

/// Whether the unit is a subordinate that nothing ties to its principal any more.
fn orphaned(local: &LocalState, remote: &RemoteState) -> bool {
    let Some(principal) = &local.principal_application else { return false };
    !local.relations.iter().any(|(id, it)| match it {
        Relation::Entered(it) => {
            it.container
                && it.application == *principal
                && remote.relations.get(id).is_some_and(|seen| seen.life == Life::Alive)
        }
        Relation::PassedOver => false,
    })
}
