//! Putting an entity together from its documents.

use std::collections::BTreeSet;

use juju_core::{
    ApplicationName, CharmUrl, MachineId, ModelUuid, RelationId, StatusInfo, StatusKind, UnitName,
    status::{AgentPresence, unit_display},
};
use juju_store::Image;

use super::{
    ApplicationEntity, CharmEntity, Entity, EntityId, MachineEntity, ModelEntity, RelationEntity, UnitEntity,
};
use crate::{
    Result, address,
    agent::{self, Agent},
    annotation, application,
    application::config,
    block, charm, constraints,
    machine::{self, MachineDoc},
    model, model_config, node, ports, relation,
    status::{self, StatusOf},
    unit,
};

/// All entities that there are.
pub(super) fn all_ids(image: &Image, m: &ModelUuid) -> Result<BTreeSet<EntityId>> {
    let mut all = BTreeSet::from([EntityId::Model]);
    all.extend(machine::prefix(m).read_names(image).filter_map(|it| it.parse().ok()).map(EntityId::Machine));
    all.extend(charm::prefix(m).read_names(image).filter_map(|it| it.parse().ok()).map(EntityId::Charm));
    all.extend(
        application::prefix(m).read_names(image).filter_map(|it| it.parse().ok()).map(EntityId::Application),
    );
    all.extend(unit::prefix(m).read_names(image).filter_map(|it| it.parse().ok()).map(EntityId::Unit));
    all.extend(
        relation::prefix(m).read_names(image).filter_map(|it| it.parse().ok()).map(EntityId::Relation),
    );
    all.extend(
        annotation::prefix(m).read_names(image).filter_map(|it| it.parse().ok()).map(EntityId::Annotation),
    );
    all.extend(block::all(image, m)?.into_iter().map(|it| EntityId::Block(it.kind)));
    Ok(all)
}

/// The entity as of the image, if it is there.
pub(super) fn entity(image: &Image, m: &ModelUuid, id: &EntityId) -> Result<Option<Entity>> {
    match id {
        EntityId::Model => model(image, m),
        EntityId::Machine(id) => machine(image, m, id),
        EntityId::Charm(url) => charm(image, m, url),
        EntityId::Application(name) => application(image, m, name),
        EntityId::Unit(name) => unit(image, m, name),
        EntityId::Relation(id) => relation(image, m, *id),
        EntityId::Annotation(tag) => {
            let notes = annotation::read(image, m, tag)?;
            Ok((!notes.is_empty()).then(|| Entity::Annotation { tag: tag.clone(), notes }))
        }
        EntityId::Block(kind) => {
            let found = block::all(image, m)?.into_iter().find(|it| it.kind == *kind);
            Ok(found.map(|it| Entity::Block { id: it.id, kind: it.kind, message: it.message.clone() }))
        }
    }
}

/// A status, or the initial one of its kind where it is missing: the entity may be half removed.
fn status_of(image: &Image, m: &ModelUuid, of: StatusOf, kind: StatusKind) -> Result<StatusInfo> {
    if let Some(doc) = status::find(image, m, &of)? {
        return Ok(doc.info.clone());
    }
    let (status, message) = kind.initial();
    Ok(StatusInfo { status, message: message.to_owned(), data: Default::default(), since: None })
}

fn model(image: &Image, m: &ModelUuid) -> Result<Option<Entity>> {
    let Some(doc) = model::key(m).read(image)? else { return Ok(None) };
    let config = match model_config::read(image, m) {
        Ok(config) => config.values(),
        // A model that is being removed may have lost it already.
        Err(_) => Default::default(),
    };
    Ok(Some(Entity::Model(Box::new(ModelEntity {
        doc: model::ModelDoc::clone(&doc),
        config,
        constraints: constraints::read(image, m, constraints::Of::Model)?,
        status: status_of(image, m, StatusOf::Model, StatusKind::Model)?,
    }))))
}

fn machine(image: &Image, m: &ModelUuid, id: &MachineId) -> Result<Option<Entity>> {
    let Some(doc) = machine::key(m, id).read(image)? else { return Ok(None) };
    let MachineDoc { life, base, jobs, .. } = MachineDoc::clone(&doc);
    let instance = machine::read_instance(image, m, id)?;
    let host = machine::read_host(image, m, id)?;
    let votes = match doc.is_controller() {
        true => node::all(image)?.into_iter().find(|it| it.machine == *id),
        false => None,
    };
    Ok(Some(Entity::Machine(Box::new(MachineEntity {
        id: id.clone(),
        life,
        base,
        jobs,
        instance_id: instance.as_ref().map(|it| it.instance_id.clone()).unwrap_or_default(),
        hardware: instance.as_ref().map(|it| it.hardware.clone()),
        charm_profiles: instance.map(|it| it.charm_profiles.clone()).unwrap_or_default(),
        agent_status: status_of(image, m, StatusOf::Machine(id.clone()), StatusKind::MachineAgent)?,
        instance_status: status_of(image, m, StatusOf::Instance(id.clone()), StatusKind::Instance)?,
        agent: agent::version(image, m, &Agent::Machine(id.clone()))?,
        addresses: address::read(image, m, id)?.all().into_iter().cloned().collect(),
        hostname: host.hostname.clone(),
        supported_containers: host.containers.clone(),
        wants_vote: votes.as_ref().is_some_and(|it| it.wants_vote),
        has_vote: votes.is_some_and(|it| it.has_vote),
    }))))
}

fn charm(image: &Image, m: &ModelUuid, url: &CharmUrl) -> Result<Option<Entity>> {
    // One that is only reserved says nothing yet.
    let doc = match charm::read(image, m, url) {
        Ok(doc) => doc,
        Err(err) if err.is_not_found() => return Ok(None),
        Err(err) => return Err(err),
    };
    let Some(description) = &doc.charm else { return Ok(None) };
    Ok(Some(Entity::Charm(Box::new(CharmEntity {
        url: url.clone(),
        life: doc.life,
        version: description.version.clone(),
        lxd_profile: description.lxd_profile.clone(),
        config: charm::effective_config(description, &Default::default()),
    }))))
}

fn application(image: &Image, m: &ModelUuid, name: &ApplicationName) -> Result<Option<Entity>> {
    let Some(doc) = application::key(m, name).read(image)? else { return Ok(None) };
    Ok(Some(Entity::Application(Box::new(ApplicationEntity {
        name: name.clone(),
        life: doc.life,
        charm_url: doc.charm_url.clone(),
        exposed: doc.exposed,
        subordinate: doc.subordinate,
        min_units: doc.min_units,
        constraints: constraints::read(image, m, constraints::Of::Application(name))?,
        config: config::read(image, m, name, &doc.charm_url)?,
        status: status_of(image, m, StatusOf::Application(name.clone()), StatusKind::Application)?,
        workload_version: unit::application_workload_version(image, m, name)?,
    }))))
}

fn unit(image: &Image, m: &ModelUuid, name: &UnitName) -> Result<Option<Entity>> {
    let Some(doc) = unit::key(m, name).read(image)? else { return Ok(None) };
    let Some(application) = application::key(m, name.app()).read(image)? else { return Ok(None) };
    let machine = unit::read_machine_of(image, m, &doc)?;
    let agent = status_of(image, m, StatusOf::Agent(name.clone()), StatusKind::UnitAgent)?;
    let workload = status_of(image, m, StatusOf::Workload(name.clone()), StatusKind::Workload)?;
    // Who is connected is not part of it.
    let shown = unit_display(name, &agent, &workload, AgentPresence::Alive);
    let (addresses, open) = match &machine {
        Some(id) => (address::read(image, m, id)?, ports::of_unit(image, m, id, name)?.ranges()),
        None => Default::default(),
    };
    let value =
        |it: &Option<address::Preferred>| it.as_ref().map(|it| it.address.value.clone()).unwrap_or_default();
    Ok(Some(Entity::Unit(Box::new(UnitEntity {
        name: name.clone(),
        life: doc.life,
        base: application.base.clone(),
        charm_url: doc.charm_url.clone(),
        machine,
        principal: doc.principal.clone(),
        subordinate: doc.principal.is_some(),
        public_address: value(&addresses.public),
        private_address: value(&addresses.private),
        ports: open,
        workload_status: shown.workload,
        agent_status: shown.agent,
        agent: agent::version(image, m, &Agent::Unit(name.clone()))?,
    }))))
}

fn relation(image: &Image, m: &ModelUuid, id: RelationId) -> Result<Option<Entity>> {
    let Some(doc) = relation::key(m, id).read(image)? else { return Ok(None) };
    let (key, endpoints) = (doc.key.clone(), doc.endpoints.clone());
    Ok(Some(Entity::Relation(Box::new(RelationEntity { id, key, endpoints }))))
}
