//! What one run of a hook knows and changes.
//!
//! Hook tools run on a [`Context`]. It asks the controller for what it does not know yet, answers the same question the
//! same way until the hook ends, and keeps what the charm writes to itself: [`Context::changes`] is sent when the
//! hook has succeeded, and forgotten when it has not. What is written at once (statuses, leader settings, the workload
//! version) says so.

mod changes;
mod environment;
mod ports;
mod relation;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use juju_core::PortRange;
use juju_wire::{
    facade::uniter::{ApplicationStatusResult, GoalState, NetworkInfoResult},
    params::StatusResult,
};
use serde_json::Value;

use crate::{
    api::{self, Api},
    hook::Hook,
    leadership::Leadership,
    link::ApiError,
    log::{Level, LogSink},
    tools::Here,
};
pub(crate) use environment::{Environment, Proxies};
use ports::Ports;
pub(crate) use relation::{Cache, Relation, RelationFacts};

/// Data of a relation's unit or application, or of a leader.
pub(crate) type Settings = BTreeMap<String, String>;

/// Why a context cannot answer, or will not change.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ContextError {
    #[error("{0}")]
    Api(#[from] ApiError),
    #[error("this unit is not the leader")]
    NotLeader,
    #[error("relation not found")]
    NoRelation,
    #[error("cannot write relation settings")]
    NotWritable,
    #[error("{0}")]
    Ports(#[from] ports::PortConflict),
    #[error("max allowed key length ({0}) exceeded")]
    KeyTooLong(usize),
    #[error("max allowed value length ({0}) exceeded")]
    ValueTooLong(usize),
    #[error("no network config found for binding {0:?}")]
    NoBinding(String),
    #[error("{0} address not found")]
    NoAddress(&'static str),
}

/// Limits of what `state-set` takes; the controller limits the whole.
const MAX_STATE_KEY: usize = 256;
const MAX_STATE_VALUE: usize = 65_536;

/// What every context of a unit shares.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) api: Api,
    pub(crate) leadership: Leadership,
    pub(crate) log: LogSink,
    /// The id of the unit's machine.
    pub(crate) machine: String,
    pub(crate) caches: Caches,
}

/// Data of relations' members, by relation. They stay as the last hook of a member has seen them.
pub(crate) type Caches = Arc<Mutex<BTreeMap<i64, Cache>>>;

/// One run of a hook.
pub(crate) struct Context {
    services: Services,
    here: Here,
    relations: BTreeMap<i64, Relation>,
    config: Option<BTreeMap<String, Value>>,
    unit_status: Option<StatusResult>,
    application_status: Option<ApplicationStatusResult>,
    leader_settings: Option<Settings>,
    /// Once this is false it stays so.
    leader: Option<bool>,
    addresses: BTreeMap<&'static str, String>,
    ports: Option<Ports>,
    charm_state: Option<CharmState>,
    /// The charm has called `status-set` for the unit.
    status_set: bool,
}

struct CharmState {
    values: Settings,
    changed: bool,
}

impl Context {
    /// The context of a hook, and of the relations that it may speak of.
    pub(crate) fn new(services: Services, hook: &Hook, relations: Vec<RelationFacts>) -> Self {
        let about = hook.relation();
        let mut caches = services.caches.lock().unwrap_or_else(PoisonError::into_inner);
        caches.retain(|id, _| relations.iter().any(|it| it.id == *id));
        let relations: BTreeMap<_, _> = relations
            .into_iter()
            .map(|facts| {
                let cache = caches.entry(facts.id).or_default();
                cache.prepare(&facts, about.filter(|it| it.relation == facts.id));
                (facts.id, Relation::new(facts, cache))
            })
            .collect();
        drop(caches);
        let here = Here {
            relations: relations.iter().map(|(id, it)| (*id, it.endpoint.clone())).collect(),
            relation: about.map(|it| it.relation),
            remote_unit: about.and_then(|it| it.remote_unit()).map(str::to_owned),
            remote_application: about.map(|it| it.application.clone()).filter(|it| !it.is_empty()),
        };
        Context {
            services,
            here,
            relations,
            config: None,
            unit_status: None,
            application_status: None,
            leader_settings: None,
            leader: None,
            addresses: BTreeMap::new(),
            ports: None,
            charm_state: None,
            status_set: false,
        }
    }

    pub(crate) fn here(&self) -> &Here {
        &self.here
    }
    pub(crate) fn unit(&self) -> &str {
        self.services.api.unit()
    }
    pub(crate) fn application(&self) -> &str {
        self.services.api.application()
    }
    pub(crate) fn has_set_status(&self) -> bool {
        self.status_set
    }

    /// Writes a line of the charm's to the unit's log.
    pub(crate) fn log(&self, level: Level, message: &str) {
        let module = format!("unit.{}.juju-log", self.unit());
        match self.here.relation_name() {
            Some(relation) => (self.services.log)(level, &module, &format!("{relation}: {message}")),
            None => (self.services.log)(level, &module, message),
        }
    }

    pub(crate) async fn config(&mut self) -> Result<&BTreeMap<String, Value>, ContextError> {
        let config = match self.config.take() {
            Some(config) => config,
            None => self.services.api.config_settings().await?,
        };
        Ok(self.config.insert(config))
    }

    // Statuses.

    pub(crate) async fn unit_status(&mut self) -> Result<&StatusResult, ContextError> {
        let status = match self.unit_status.take() {
            Some(status) => status,
            None => self.services.api.unit_status().await?,
        };
        Ok(self.unit_status.insert(status))
    }

    pub(crate) async fn application_status(&mut self) -> Result<&ApplicationStatusResult, ContextError> {
        self.require_leader().await?;
        let status = match self.application_status.take() {
            Some(status) => status,
            None => {
                let mut status = self.services.api.application_status().await?;
                // Charms see names, whatever the controller uses for keys.
                status.units = status.units.into_iter().map(|(unit, it)| (name_of(&unit), it)).collect();
                status
            }
        };
        Ok(self.application_status.insert(status))
    }

    /// At once.
    pub(crate) async fn set_unit_status(
        &mut self,
        status: String,
        message: String,
    ) -> Result<(), ContextError> {
        self.status_set = true;
        Ok(self.services.api.set_unit_status(&status, &message).await?)
    }

    /// At once.
    pub(crate) async fn set_application_status(
        &mut self,
        status: String,
        message: String,
    ) -> Result<(), ContextError> {
        self.require_leader().await?;
        Ok(self.services.api.set_application_status(&status, &message).await?)
    }

    /// At once.
    pub(crate) async fn set_workload_version(&self, version: String) -> Result<(), ContextError> {
        Ok(self.services.api.set_workload_version(version).await?)
    }

    pub(crate) async fn goal_state(&self) -> Result<GoalState, ContextError> {
        Ok(self.services.api.goal_state().await?)
    }

    // Leadership.

    pub(crate) async fn is_leader(&mut self) -> Result<bool, ContextError> {
        if self.leader == Some(false) {
            return Ok(false);
        }
        let leader = self.services.leadership.is_leader().await?;
        self.leader = Some(leader);
        Ok(leader)
    }

    async fn require_leader(&mut self) -> Result<(), ContextError> {
        if self.is_leader().await? { Ok(()) } else { Err(ContextError::NotLeader) }
    }

    pub(crate) async fn leader_settings(&mut self) -> Result<&Settings, ContextError> {
        let settings = match self.leader_settings.take() {
            Some(settings) => settings,
            None => self.services.api.leader_settings().await?,
        };
        Ok(self.leader_settings.insert(settings))
    }

    /// At once.
    pub(crate) async fn set_leader_settings(&mut self, settings: Settings) -> Result<(), ContextError> {
        self.services.api.merge_leader_settings(settings).await?;
        self.leader_settings = None;
        Ok(())
    }

    // Relations.

    pub(crate) fn relations(&self) -> impl Iterator<Item = &Relation> {
        self.relations.values()
    }

    pub(crate) fn relation(&self, id: i64) -> Result<&Relation, ContextError> {
        self.relations.get(&id).ok_or(ContextError::NoRelation)
    }

    /// The unit's own data, with what it has written in this hook.
    pub(crate) async fn own_settings(&mut self, id: i64) -> Result<&Settings, ContextError> {
        let relation = self.relations.get_mut(&id).ok_or(ContextError::NoRelation)?;
        if relation.own.is_none() {
            relation.own = Some(self.services.api.own_settings(&relation.key).await?.into());
        }
        relation.own.as_ref().map(|it| it.current()).ok_or(ContextError::NoRelation)
    }

    pub(crate) async fn set_own_settings(&mut self, id: i64, settings: Settings) -> Result<(), ContextError> {
        self.own_settings(id).await?;
        let relation = self.relations.get_mut(&id).ok_or(ContextError::NoRelation)?;
        if let Some(own) = &mut relation.own {
            own.merge(settings);
        }
        Ok(())
    }

    /// The application's own data: for its leader with what it has written in this hook, for others, who may read it
    /// among peers only, as the controller has it.
    pub(crate) async fn own_application_settings(&mut self, id: i64) -> Result<Settings, ContextError> {
        if !self.is_leader().await? {
            let application = self.application().to_owned();
            return self.application_settings(id, &application).await;
        }
        let relation = self.relations.get_mut(&id).ok_or(ContextError::NoRelation)?;
        if relation.own_application.is_none() {
            let read = self.services.api.own_application_settings(&relation.key).await?;
            relation.own_application = Some(read.into());
        }
        Ok(relation.own_application.as_ref().map(|it| it.current().clone()).unwrap_or_default())
    }

    pub(crate) async fn set_application_settings(
        &mut self,
        id: i64,
        settings: Settings,
    ) -> Result<(), ContextError> {
        if !self.is_leader().await? {
            return Err(ContextError::NotWritable);
        }
        self.own_application_settings(id).await?;
        let relation = self.relations.get_mut(&id).ok_or(ContextError::NoRelation)?;
        if let Some(own) = &mut relation.own_application {
            own.merge(settings);
        }
        Ok(())
    }

    /// Another unit's data.
    pub(crate) async fn unit_settings(&mut self, id: i64, unit: &str) -> Result<Settings, ContextError> {
        self.remote_settings(id, unit, api::unit_tag(unit)).await
    }

    pub(crate) async fn application_settings(
        &mut self,
        id: i64,
        name: &str,
    ) -> Result<Settings, ContextError> {
        self.remote_settings(id, name, api::application_tag(name)).await
    }

    async fn remote_settings(&mut self, id: i64, name: &str, tag: String) -> Result<Settings, ContextError> {
        let relation = self.relations.get_mut(&id).ok_or(ContextError::NoRelation)?;
        if let Some(settings) = relation.known(name) {
            return Ok(settings.clone());
        }
        let settings = self.services.api.remote_settings(&relation.key, tag).await?;
        relation.learn(name, &settings);
        let mut caches = self.services.caches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cache) = caches.get_mut(&id) {
            cache.learn(name, &settings);
        }
        Ok(settings)
    }

    /// The UUID of the model that the application on the other side is in.
    pub(crate) async fn remote_model(&self, id: i64) -> Result<String, ContextError> {
        let relation = self.relation(id)?;
        let answer = self.services.api.relation(&relation.key).await?;
        Ok(answer.other_application.map(|it| it.model_uuid).unwrap_or_default())
    }

    // Network and ports.

    pub(crate) async fn network_info(
        &self,
        binding: &str,
        relation: Option<i64>,
    ) -> Result<NetworkInfoResult, ContextError> {
        let info = self.services.api.network_info(binding, relation).await?;
        info.ok_or_else(|| ContextError::NoBinding(binding.to_owned()))
    }

    pub(crate) async fn private_address(&mut self) -> Result<String, ContextError> {
        if let Some(address) = self.addresses.get("private") {
            return Ok(address.clone());
        }
        let address = self.services.api.private_address().await;
        self.address("private", address)
    }

    pub(crate) async fn public_address(&mut self) -> Result<String, ContextError> {
        if let Some(address) = self.addresses.get("public") {
            return Ok(address.clone());
        }
        let address = self.services.api.public_address().await;
        self.address("public", address)
    }

    fn address(
        &mut self,
        kind: &'static str,
        read: Result<String, ApiError>,
    ) -> Result<String, ContextError> {
        match read {
            Ok(address) if !address.is_empty() => {
                self.addresses.insert(kind, address.clone());
                Ok(address)
            }
            Err(err) if err.code() != juju_wire::code::NO_ADDRESS_SET => Err(err.into()),
            _ => Err(ContextError::NoAddress(kind)),
        }
    }

    pub(crate) async fn open_port(&mut self, endpoint: &str, range: PortRange) -> Result<(), ContextError> {
        Ok(self.ports().await?.open(endpoint, range)?)
    }

    pub(crate) async fn close_port(&mut self, endpoint: &str, range: PortRange) -> Result<(), ContextError> {
        Ok(self.ports().await?.close(endpoint, range)?)
    }

    /// The unit's open ports by endpoint, with what this hook has opened and closed.
    pub(crate) async fn opened_ports(&mut self) -> Result<Vec<(String, PortRange)>, ContextError> {
        Ok(self.ports().await?.opened())
    }

    async fn ports(&mut self) -> Result<&mut Ports, ContextError> {
        let ports = match self.ports.take() {
            Some(ports) => ports,
            None => {
                let machine = self.services.api.machine_ports(&self.services.machine).await?;
                Ports::new(self.unit(), &machine)
            }
        };
        Ok(self.ports.insert(ports))
    }

    // What the charm keeps on the controller.

    pub(crate) async fn charm_state(&mut self) -> Result<&Settings, ContextError> {
        Ok(&self.charm_state_mut().await?.values)
    }

    pub(crate) async fn set_charm_state(&mut self, values: Settings) -> Result<(), ContextError> {
        if values.keys().any(|it| it.len() > MAX_STATE_KEY) {
            return Err(ContextError::KeyTooLong(MAX_STATE_KEY));
        }
        if values.values().any(|it| it.len() > MAX_STATE_VALUE) {
            return Err(ContextError::ValueTooLong(MAX_STATE_VALUE));
        }
        let state = self.charm_state_mut().await?;
        for (key, value) in values {
            let before = state.values.insert(key, value.clone());
            state.changed |= before.as_ref() != Some(&value);
        }
        Ok(())
    }

    pub(crate) async fn delete_charm_state(&mut self, key: &str) -> Result<(), ContextError> {
        let state = self.charm_state_mut().await?;
        state.changed |= state.values.remove(key).is_some();
        Ok(())
    }

    async fn charm_state_mut(&mut self) -> Result<&mut CharmState, ContextError> {
        let state = match self.charm_state.take() {
            Some(state) => state,
            None => {
                let values = self.services.api.state().await?.charm_state.unwrap_or_default();
                CharmState { values, changed: false }
            }
        };
        Ok(self.charm_state.insert(state))
    }
}

/// A unit's name, from its name or its tag.
fn name_of(unit: &str) -> String {
    if unit.contains('/') { unit.to_owned() } else { api::unit_name(unit) }
}
