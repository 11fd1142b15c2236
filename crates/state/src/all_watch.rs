//! Everything in a model, whole, and again whenever a part of it changes: the source of AllWatcher.
//!
//! An entity is put together from several documents. Each changed key says which entities it is part of; those are put
//! together anew, in full, once for all that changed meanwhile.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use juju_core::{
    Address, ApplicationName, Base, Binary, CharmUrl, Constraints, Life, MachineId, PortRange, RelationId,
    StatusInfo, Tag, UnitName,
};
use juju_store::{Image, Interest};

use crate::{
    Model, Result,
    attributes::Values,
    block::BlockKind,
    machine::{Hardware, Job},
    model,
    relation::Endpoint,
    watch::{Looking, Watcher},
};

mod keys;
mod project;

/// Which entity. They order as they are told: what others speak of comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityId {
    Model,
    Machine(MachineId),
    Charm(CharmUrl),
    Application(ApplicationName),
    Unit(UnitName),
    Relation(RelationId),
    Annotation(Tag),
    Block(BlockKind),
}

/// An entity as clients see it.
#[derive(Clone, Debug, PartialEq)]
pub enum Entity {
    Model(Box<ModelEntity>),
    Machine(Box<MachineEntity>),
    Charm(Box<CharmEntity>),
    Application(Box<ApplicationEntity>),
    Unit(Box<UnitEntity>),
    Relation(Box<RelationEntity>),
    Annotation { tag: Tag, notes: BTreeMap<String, String> },
    Block { id: u32, kind: BlockKind, message: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct ModelEntity {
    pub doc: crate::model::ModelDoc,
    pub config: Values,
    pub constraints: Constraints,
    pub status: StatusInfo,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MachineEntity {
    pub id: MachineId,
    pub life: Life,
    pub base: Base,
    pub jobs: Vec<Job>,
    pub instance_id: String,
    pub hardware: Option<Hardware>,
    pub charm_profiles: Vec<String>,
    pub agent_status: StatusInfo,
    pub instance_status: StatusInfo,
    pub agent: Option<Binary>,
    pub addresses: Vec<Address>,
    pub hostname: String,
    /// Not known before its agent has looked.
    pub supported_containers: Option<Vec<String>>,
    pub wants_vote: bool,
    pub has_vote: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CharmEntity {
    pub url: CharmUrl,
    pub life: Life,
    pub version: String,
    pub lxd_profile: Option<juju_charm::LxdProfile>,
    /// The defaults of its options.
    pub config: Values,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ApplicationEntity {
    pub name: ApplicationName,
    pub life: Life,
    pub charm_url: CharmUrl,
    pub exposed: bool,
    pub subordinate: bool,
    pub min_units: u32,
    pub constraints: Constraints,
    /// Only what was set.
    pub config: Values,
    pub status: StatusInfo,
    pub workload_version: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct UnitEntity {
    pub name: UnitName,
    pub life: Life,
    pub base: Base,
    pub charm_url: Option<CharmUrl>,
    pub machine: Option<MachineId>,
    pub principal: Option<UnitName>,
    pub subordinate: bool,
    pub public_address: String,
    pub private_address: String,
    pub ports: BTreeSet<PortRange>,
    /// As shown: an agent in error shows in its workload.
    pub workload_status: StatusInfo,
    pub agent_status: StatusInfo,
    pub agent: Option<Binary>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RelationEntity {
    pub id: RelationId,
    pub key: juju_core::RelationKey,
    pub endpoints: Vec<Endpoint>,
}

/// That an entity is as it says, or is gone.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    Change(Entity),
    Remove(EntityId),
}

impl Model {
    /// All entities, and then those that change.
    pub fn watch_all(&self) -> Result<(Vec<Delta>, Watcher<Vec<Delta>>)> {
        let m = self.uuid().clone();
        let mut interest =
            Interest::prefix(model::everything(&m)).and_key(model::key(&m).path()).and_prefix("c/node/");
        if let Ok(doc) = self.doc() {
            interest = interest.and_key(crate::cloud::path(&doc.cloud));
        }
        let mut known: HashMap<EntityId, Entity> = HashMap::new();
        let look = move |at: &mut Looking<'_>| {
            let touched: BTreeSet<EntityId> = match at.changed {
                Some(changed) => changed.iter().flat_map(|it| keys::entities(at.image, &m, it)).collect(),
                None => project::all_ids(at.image, &m)?,
            };
            let mut deltas = Vec::new();
            for id in touched {
                match project::entity(at.image, &m, &id)? {
                    // What is part of an entity may change without its being seen.
                    Some(entity) if known.get(&id) == Some(&entity) => {}
                    Some(entity) => {
                        known.insert(id, entity.clone());
                        deltas.push(Delta::Change(entity));
                    }
                    None if known.remove(&id).is_some() => deltas.push(Delta::Remove(id)),
                    None => {}
                }
            }
            Ok((!deltas.is_empty()).then_some(deltas))
        };
        Watcher::open(self.view(), interest, look)
    }

    /// One entity as clients see it, if it is there.
    pub fn entity(&self, id: &EntityId) -> Result<Option<Entity>> {
        project::entity(&self.image(), self.uuid(), id)
    }

    /// All entities as clients see them.
    pub fn entities(&self) -> Result<Vec<Entity>> {
        let image: Image = self.image();
        let mut all = Vec::new();
        for id in project::all_ids(&image, self.uuid())? {
            all.extend(project::entity(&image, self.uuid(), &id)?);
        }
        Ok(all)
    }
}

/// The id of an entity.
impl Entity {
    pub fn id(&self) -> EntityId {
        match self {
            Entity::Model(_) => EntityId::Model,
            Entity::Machine(it) => EntityId::Machine(it.id.clone()),
            Entity::Charm(it) => EntityId::Charm(it.url.clone()),
            Entity::Application(it) => EntityId::Application(it.name.clone()),
            Entity::Unit(it) => EntityId::Unit(it.name.clone()),
            Entity::Relation(it) => EntityId::Relation(it.id),
            Entity::Annotation { tag, .. } => EntityId::Annotation(tag.clone()),
            Entity::Block { kind, .. } => EntityId::Block(*kind),
        }
    }
}
