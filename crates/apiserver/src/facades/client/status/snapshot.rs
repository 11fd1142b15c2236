//! What a model consists of, read from one image.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use juju_core::{
    ApplicationName, MachineId, PortRange, StatusInfo, UnitName,
    status::{AgentPresence, UnitStatus, unit_display},
};
use juju_state::{
    Presence,
    address::{self, AddressesDoc},
    application::{self, ApplicationDoc},
    lease,
    machine::{self, MachineDoc},
    model::{self, ModelDoc},
    model_config::{self, Config},
    node::{self, NodeDoc},
    ports,
    relation::{self, RelationDoc},
    status::{self, StatusOf},
    unit::{self, UnitDoc},
};
use juju_store::Image;

use super::filter::{ApplicationFacts, Facts, MachineFacts, UnitFacts};
use crate::{Ctx, Result};

pub(super) struct Snapshot {
    pub(super) image: Image,
    pub(super) handle: juju_state::Model,
    pub(super) presence: Presence,
    pub(super) model: Arc<ModelDoc>,
    pub(super) config: Config,
    pub(super) machines: Vec<Arc<MachineDoc>>,
    pub(super) applications: BTreeMap<ApplicationName, Arc<ApplicationDoc>>,
    pub(super) units: BTreeMap<UnitName, Unit>,
    pub(super) relations: Vec<Arc<RelationDoc>>,
    /// By application.
    pub(super) leaders: HashMap<String, UnitName>,
    /// The controller's machines, where this is its model.
    pub(super) nodes: Vec<NodeDoc>,
}

pub(super) struct Unit {
    pub(super) doc: Arc<UnitDoc>,
    /// Where it is, by itself or with its principal.
    pub(super) machine: Option<MachineId>,
    pub(super) ports: Vec<PortRange>,
    stored_agent: StatusInfo,
    stored_workload: StatusInfo,
}

impl Unit {
    /// Its statuses as they are shown to those who do not ask whether its agent is connected.
    pub(super) fn said(&self) -> UnitStatus {
        self.shown(AgentPresence::Alive)
    }

    pub(super) fn shown(&self, presence: AgentPresence) -> UnitStatus {
        unit_display(&self.doc.name, &self.stored_agent, &self.stored_workload, presence)
    }
}

impl Snapshot {
    pub(super) fn take(ctx: &Ctx) -> Result<Snapshot> {
        let handle = ctx.model().clone();
        let image = handle.image();
        let m = handle.uuid().clone();
        let model = model::read(&image, &m)?;
        let applications = application::all(&image, &m)?;
        let nodes = if model.is_controller { node::all(&image)? } else { vec![] };
        let mut snapshot = Snapshot {
            presence: ctx.state().presence().clone(),
            config: model_config::read(&image, &m)?,
            machines: machine::all(&image, &m)?,
            applications: applications.into_iter().map(|it| (it.name.clone(), it)).collect(),
            units: BTreeMap::new(),
            relations: relation::all(&image, &m)?,
            leaders: lease::leaders(&image, &m)?,
            nodes,
            model,
            handle,
            image,
        };
        for doc in unit::all(&snapshot.image, &m)? {
            snapshot.units.insert(doc.name.clone(), snapshot.unit(doc)?);
        }
        Ok(snapshot)
    }

    fn unit(&self, doc: Arc<UnitDoc>) -> Result<Unit> {
        let m = self.handle.uuid();
        let machine = unit::read_machine_of(&self.image, m, &doc)?;
        let ports = match &machine {
            Some(machine) => {
                ports::of_unit(&self.image, m, machine, &doc.name)?.ranges().into_iter().collect()
            }
            None => vec![],
        };
        Ok(Unit {
            stored_agent: self.status(&StatusOf::Agent(doc.name.clone()))?,
            stored_workload: self.status(&StatusOf::Workload(doc.name.clone()))?,
            doc,
            machine,
            ports,
        })
    }

    pub(super) fn status(&self, of: &StatusOf) -> Result<StatusInfo> {
        Ok(status::read(&self.image, self.handle.uuid(), of)?.info.clone())
    }

    pub(super) fn addresses(&self, id: &MachineId) -> Result<Arc<AddressesDoc>> {
        Ok(address::read(&self.image, self.handle.uuid(), id)?)
    }

    /// The units of an application, by number.
    pub(super) fn units_of(&self, name: &ApplicationName) -> impl Iterator<Item = &Unit> {
        self.units
            .range(UnitName::new(name.clone(), 0)..)
            .map(|(_, it)| it)
            .take_while(move |it| it.doc.name.app() == name)
    }

    /// Whether an agent of this model is connected.
    pub(super) fn presence(&self, tag: impl Into<juju_core::Tag>) -> AgentPresence {
        match self.presence.is_present(self.handle.uuid(), tag.into()) {
            true => AgentPresence::Alive,
            false => AgentPresence::Missing,
        }
    }

    /// What patterns are held against.
    pub(super) fn facts(&self) -> Result<Facts> {
        let machine = |it: &Arc<MachineDoc>| -> Result<MachineFacts> {
            Ok(MachineFacts {
                id: it.id.clone(),
                status: self.status(&StatusOf::Machine(it.id.clone()))?.status,
                addresses: self.addresses(&it.id)?.all().iter().map(|it| it.value.clone()).collect(),
            })
        };
        let unit = |it: &Unit| {
            let said = it.said();
            UnitFacts {
                name: it.doc.name.clone(),
                machine: it.machine.clone(),
                principal: it.doc.principal.clone(),
                subordinates: it.doc.subordinates.iter().cloned().collect(),
                agent: said.agent.status,
                workload: said.workload.status,
                ports: it.ports.iter().map(ToString::to_string).collect(),
            }
        };
        let application =
            |it: &Arc<ApplicationDoc>| ApplicationFacts { name: it.name.clone(), exposed: it.exposed };
        Ok(Facts {
            machines: self.machines.iter().map(machine).collect::<Result<_>>()?,
            units: self.units.values().map(unit).collect(),
            applications: self.applications.values().map(application).collect(),
            leaders: self.leaders.iter().map(|(app, unit)| (app.clone(), unit.clone())).collect(),
        })
    }
}
