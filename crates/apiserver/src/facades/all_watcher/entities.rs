//! Entities as `AllWatcher` tells them.

use juju_core::{Binary, ControllerUuid, ModelUuid, PortRange, StatusInfo, Tag, status::model_display};
use juju_state::{
    Model,
    all_watch::{
        ApplicationEntity, CharmEntity, Entity, EntityId, MachineEntity, ModelEntity, RelationEntity,
        UnitEntity,
    },
    block::BlockKind,
    credential,
};
use juju_wire::{
    Time,
    codec::{Ser, Wire},
};
use serde_json::{Map, Value, json};

use crate::convert;

pub(super) struct Writer {
    model: Model,
    uuid: ModelUuid,
    controller: ControllerUuid,
}

impl Writer {
    pub(super) fn new(model: &Model, controller: ControllerUuid) -> Writer {
        Writer { model: model.clone(), uuid: model.uuid().clone(), controller }
    }

    /// The kind and all of an entity.
    pub(super) fn entity(&self, entity: &Entity) -> (&'static str, Value) {
        let mut value = match entity {
            Entity::Model(it) => self.model(it),
            Entity::Machine(it) => machine(it),
            Entity::Application(it) => application(it),
            Entity::Unit(it) => unit(it),
            Entity::Relation(it) => relation(it),
            Entity::Charm(it) => charm(it),
            Entity::Annotation { tag, notes } => json!({ "tag": tag.to_string(), "annotations": notes }),
            Entity::Block { id, kind, message } => json!({
                "id": id.to_string(),
                "type": block_type(*kind),
                "message": message,
                "tag": Tag::from(&self.uuid).to_string(),
            }),
        };
        value["model-uuid"] = self.uuid.as_str().into();
        (kind(&entity.id()), value)
    }

    /// The kind of what is gone, and by what it was known. `block` is its number if it is a block.
    pub(super) fn gone(&self, id: &EntityId, block: Option<u32>) -> (&'static str, Value) {
        let mut value = match id {
            EntityId::Model => json!({}),
            EntityId::Machine(id) => json!({ "id": id.as_str() }),
            EntityId::Application(name) => json!({ "name": name.as_str() }),
            EntityId::Unit(name) => json!({ "name": name.to_string(), "application": name.app().as_str() }),
            EntityId::Relation(id) => json!({ "id": id.0 }),
            EntityId::Charm(url) => json!({ "charm-url": url.to_string() }),
            EntityId::Annotation(tag) => json!({ "tag": tag.to_string(), "annotations": {} }),
            EntityId::Block(kind) => json!({
                "id": block.map(|it| it.to_string()).unwrap_or_default(),
                "type": block_type(*kind),
            }),
        };
        value["model-uuid"] = self.uuid.as_str().into();
        (kind(id), value)
    }

    fn model(&self, it: &ModelEntity) -> Value {
        let doc = &it.doc;
        let image = self.model.image();
        let used = doc.credential.as_ref().and_then(|it| credential::read(&image, it).ok());
        let invalid = used.as_ref().and_then(|it| it.invalid.as_deref());
        let version = it.config.get("agent-version").and_then(Value::as_str).unwrap_or_default();
        json!({
            "name": doc.name.as_str(),
            "life": doc.life.as_str(),
            "owner": doc.owner.to_string(),
            "controller-uuid": self.controller.as_str(),
            "is-controller": doc.is_controller,
            "config": it.config,
            "status": status(&model_display(&it.status, invalid), None),
            "constraints": wire(&convert::constraints_to_wire(&it.constraints)),
            "sla": { "level": "unsupported", "owner": "" },
            "type": "iaas",
            "cloud": doc.cloud.as_str(),
            "cloud-region": doc.region,
            "version": version,
        })
    }
}

fn kind(id: &EntityId) -> &'static str {
    match id {
        EntityId::Model => "model",
        EntityId::Machine(_) => "machine",
        EntityId::Application(_) => "application",
        EntityId::Unit(_) => "unit",
        EntityId::Relation(_) => "relation",
        EntityId::Charm(_) => "charm",
        EntityId::Annotation(_) => "annotation",
        EntityId::Block(_) => "block",
    }
}

fn machine(it: &MachineEntity) -> Value {
    let containers = it.supported_containers.clone();
    let mut value = json!({
        "id": it.id.as_str(),
        "instance-id": it.instance_id,
        "agent-status": status(&it.agent_status, it.agent.as_ref()),
        "instance-status": status(&it.instance_status, None),
        "life": it.life.as_str(),
        "base": it.base.display(),
        "container-type": it.id.container_type().unwrap_or_default(),
        "supported-containers-known": containers.is_some(),
        "supported-containers": containers,
        "jobs": it.jobs.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
        "addresses": it.addresses.iter().map(|it| wire(&convert::address_to_wire(it))).collect::<Vec<_>>(),
        "has-vote": it.has_vote,
        "wants-vote": it.wants_vote,
    });
    if let Some(hardware) = &it.hardware {
        value["hardware-characteristics"] = wire(&convert::hardware_to_wire(hardware));
    }
    if !it.charm_profiles.is_empty() {
        value["charm-profiles"] = json!(it.charm_profiles);
    }
    if !it.hostname.is_empty() {
        value["hostname"] = it.hostname.as_str().into();
    }
    value
}

fn application(it: &ApplicationEntity) -> Value {
    let mut value = json!({
        "name": it.name.as_str(),
        "exposed": it.exposed,
        "charm-url": it.charm_url.to_string(),
        "owner-tag": "",
        "life": it.life.as_str(),
        "min-units": it.min_units,
        "constraints": wire(&convert::constraints_to_wire(&it.constraints)),
        "subordinate": it.subordinate,
        "status": status(&it.status, None),
        "workload-version": it.workload_version,
    });
    if !it.config.is_empty() {
        value["config"] = json!(it.config);
    }
    value
}

fn unit(it: &UnitEntity) -> Value {
    let ports = it.ports.iter().flat_map(|range| {
        let protocol = range.protocol().to_string();
        (range.from_port()..=range.to_port()).map(move |it| json!({ "protocol": protocol, "number": it }))
    });
    let ranges = it.ports.iter().map(|it: &PortRange| {
        json!({
            "from-port": it.from_port(),
            "to-port": it.to_port(),
            "protocol": it.protocol().to_string(),
        })
    });
    json!({
        "name": it.name.to_string(),
        "application": it.name.app().as_str(),
        "base": it.base.display(),
        "charm-url": it.charm_url.as_ref().map(ToString::to_string).unwrap_or_default(),
        "life": it.life.as_str(),
        "public-address": it.public_address,
        "private-address": it.private_address,
        "machine-id": it.machine.as_ref().map(ToString::to_string).unwrap_or_default(),
        "ports": ports.collect::<Vec<_>>(),
        "port-ranges": ranges.collect::<Vec<_>>(),
        "principal": it.principal.as_ref().map(ToString::to_string).unwrap_or_default(),
        "subordinate": it.subordinate,
        "workload-status": status(&it.workload_status, None),
        "agent-status": status(&it.agent_status, it.agent.as_ref()),
    })
}

fn relation(it: &RelationEntity) -> Value {
    let endpoints = it.endpoints.iter().map(|it| {
        json!({
            "application-name": it.application.as_str(),
            "relation": wire(&convert::endpoint_to_wire(it)),
        })
    });
    json!({ "key": it.key.to_string(), "id": it.id.0, "endpoints": endpoints.collect::<Vec<_>>() })
}

fn charm(it: &CharmEntity) -> Value {
    let profile = it
        .lxd_profile
        .as_ref()
        .map(|it| json!({ "config": it.config, "description": it.description, "devices": it.devices }));
    let mut value = json!({
        "charm-url": it.url.to_string(),
        "charm-version": it.version,
        "life": it.life.as_str(),
        "profile": profile,
    });
    if !it.config.is_empty() {
        value["config"] = json!(it.config);
    }
    value
}

/// `version` is what the agent whose status it is runs.
fn status(info: &StatusInfo, version: Option<&Binary>) -> Value {
    let mut value = Map::new();
    value.insert("current".into(), info.status.as_str().into());
    value.insert("message".into(), info.message.as_str().into());
    if let Some(since) = info.since {
        value.insert("since".into(), Time(Some(since)).to_string().into());
    }
    value.insert("version".into(), version.map(|it| it.number.to_string()).unwrap_or_default().into());
    if !info.data.is_empty() {
        value.insert("data".into(), Value::Object(info.data.clone()));
    }
    Value::Object(value)
}

fn block_type(kind: BlockKind) -> &'static str {
    kind.as_str()
}

fn wire<T: Wire>(value: &T) -> Value {
    serde_json::to_value(Ser(value)).expect("the wire's own types are plain JSON")
}
