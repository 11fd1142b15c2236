//! Which entities a document is part of, by its key.

use juju_core::{MachineId, ModelUuid};
use juju_store::Image;

use super::EntityId;
use crate::{block::BlockKind, machine, model, unit};

/// The entities that may look different now that the document at this key does.
pub(super) fn entities(image: &Image, m: &ModelUuid, key: &str) -> Vec<EntityId> {
    if let Some(machine) = key.strip_prefix("c/node/") {
        return machine.parse().map(EntityId::Machine).into_iter().collect();
    }
    let Some(name) = key.strip_prefix(&model::everything(m)) else { return vec![EntityId::Model] };
    let (kind, id) = name.split_once('/').unwrap_or((name, ""));
    match kind {
        "config" => vec![EntityId::Model],
        "machine" | "inst" | "host" => machine_of(id),
        "addr" => {
            let mut all = machine_of(id);
            // The units on it have its addresses.
            if let Ok(id) = id.parse::<MachineId>() {
                all.extend(machine::units(image, m, &id).unwrap_or_default().into_iter().map(EntityId::Unit));
            }
            all
        }
        "app" => application_of(id),
        // What follows the application's name is the charm's URL, or a unit's number.
        "appcfg" | "version" => application_of(id.split('/').next().unwrap_or(id)),
        "unit" => unit_of(image, m, id),
        "ports" => id
            .split_once('/')
            .map(|(_, unit)| unit)
            .and_then(|it| it.parse().ok())
            .map(EntityId::Unit)
            .into_iter()
            .collect(),
        "relation" => id.parse().map(EntityId::Relation).into_iter().collect(),
        "charm" => id.parse().map(EntityId::Charm).into_iter().collect(),
        "annot" => id.parse().map(EntityId::Annotation).into_iter().collect(),
        "block" => BlockKind::ALL.into_iter().filter(|it| it.as_str() == id).map(EntityId::Block).collect(),
        "status" | "cons" | "agent" => below(id),
        _ => Vec::new(),
    }
}

/// Statuses, constraints and agents stand by the kind of what they are of.
fn below(name: &str) -> Vec<EntityId> {
    let (kind, id) = name.split_once('/').unwrap_or((name, ""));
    match kind {
        "model" => vec![EntityId::Model],
        "machine" | "instance" => machine_of(id),
        "app" => application_of(id),
        "agent" | "unit" => id.parse().map(EntityId::Unit).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn machine_of(id: &str) -> Vec<EntityId> {
    id.parse().map(EntityId::Machine).into_iter().collect()
}

fn application_of(name: &str) -> Vec<EntityId> {
    name.parse().map(EntityId::Application).into_iter().collect()
}

/// A unit, and its subordinates, which are where it is.
fn unit_of(image: &Image, m: &ModelUuid, name: &str) -> Vec<EntityId> {
    let Ok(name) = name.parse() else { return Vec::new() };
    let subordinates = unit::key(m, &name).read(image).ok().flatten().map(|it| it.subordinates.clone());
    let mut all = vec![EntityId::Unit(name)];
    all.extend(subordinates.into_iter().flatten().map(EntityId::Unit));
    all
}
