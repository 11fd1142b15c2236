//! What the tests of this crate share: a state on a store in memory, with a controller in it and a clock of its own.

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use juju_charm::{Charm, Config, Manifest, Meta};
use juju_core::{Address, CharmUrl, Life, MachineId, Status, UnitName};
use juju_store::{Memory, View};

use crate::{
    Clock, History, Model, Result, State,
    application::NewApplication,
    bootstrap,
    machine::{Hardware, NewInstance},
    status::NewStatus,
};

/// A state whose clock moves only when told to.
pub(crate) struct Fixture {
    pub(crate) state: State,
    now: Arc<Mutex<Timestamp>>,
}

impl Fixture {
    /// A store with nothing in it.
    pub(crate) async fn empty() -> Fixture {
        let view = View::open(Memory::new()).await.unwrap();
        let now = Arc::new(Mutex::new(Timestamp::from_second(1_700_000_000).unwrap()));
        let shown = Arc::clone(&now);
        let clock = Clock::new(move || *shown.lock().unwrap());
        Fixture { state: State::new(view, clock, History::none()), now }
    }

    /// A controller named `test`, with the user `admin` and a model that it runs on.
    pub(crate) async fn new() -> Fixture {
        let fixture = Fixture::empty().await;
        fixture.state.initialise(&bootstrap::tests::params()).await.unwrap();
        fixture
    }

    /// A hosted model of this name.
    pub(crate) async fn model(&self, name: &str) -> Model {
        self.try_model(name).await.unwrap()
    }

    pub(crate) async fn try_model(&self, name: &str) -> Result<Model> {
        self.state.add_model(&bootstrap::tests::new_model(name)).await
    }

    /// Lets the time go on.
    pub(crate) fn pass(&self, seconds: i64) {
        let mut now = self.now.lock().unwrap();
        *now += SignedDuration::from_secs(seconds);
    }
}

/// Reads an id, which the test knows to be one.
pub(crate) fn id<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no id"))
}

/// A charm from its `metadata.yaml`, without its summary and description, and its `config.yaml`.
pub(crate) fn charm(metadata: &str, config: Option<&str>) -> Charm {
    let meta = Meta::parse(&format!("{metadata}\nsummary: s\ndescription: d\n")).unwrap();
    let manifest = "bases: [{name: ubuntu, channel: '22.04'}, {name: ubuntu, channel: '24.04'}]";
    Charm {
        meta,
        manifest: Manifest::parse(manifest).unwrap(),
        config: config.map(|it| Config::parse(it).unwrap()).unwrap_or_default(),
        actions: Default::default(),
        lxd_profile: None,
        revision: 0,
        version: String::new(),
    }
}

pub(crate) const DB: &str =
    "name: db\nprovides: {server: {interface: sql}}\npeers: {ring: {interface: ring}}";
pub(crate) const WEB: &str = "name: web\nrequires: {db: {interface: sql}}\nprovides: {site: {interface: http}, logs: {interface: log, scope: container}}";
pub(crate) const LOG: &str = "name: log\nsubordinate: true\nrequires: {info: {interface: juju-info, scope: container}, logs: {interface: log, scope: container}}";
pub(crate) const OPTIONS: &str =
    "options: {port: {type: int, default: 80}, name: {type: string, default: x}, debug: {type: boolean}}";

impl Model {
    /// Uploads a charm and answers its URL.
    pub(crate) async fn upload(&self, charm: Charm) -> CharmUrl {
        let url = self.reserve_charm(&CharmUrl::local(&charm.meta.name).unwrap()).await.unwrap();
        let sha256 = format!("{:064x}", url.revision.unwrap()).parse().unwrap();
        self.set_charm_uploaded(&url, charm, &sha256, 1000).await.unwrap();
        url
    }

    /// Deploys an application of this charm under its name, with units that wait for machines.
    pub(crate) async fn deploy_charm(&self, metadata: &str, units: u32) -> Vec<UnitName> {
        let charm = charm(metadata, Some(OPTIONS));
        let name = id(&charm.meta.name);
        let url = self.upload(charm).await;
        let new = NewApplication { units, ..NewApplication::new(name, url, id("ubuntu@24.04")) };
        self.deploy(&new).await.unwrap()
    }

    /// As the unit assigner, the provisioner, the machine agent and the unit agent do: the unit is idle on a machine.
    pub(crate) async fn start(&self, name: &UnitName) -> MachineId {
        let machine = match self.unit(name).unwrap().principal.is_some() {
            true => self.unit_machine(name).unwrap(),
            false => self.assign_unit(name).await.unwrap(),
        };
        if self.instance(&machine).is_err() {
            self.provision(&machine).await;
        }
        let url = self.application(name.app()).unwrap().charm_url.clone();
        self.set_unit_charm_url(name, &url).await.unwrap();
        self.set_agent_status(name, &NewStatus::new(Status::Idle, "")).await.unwrap();
        self.set_workload_status(name, &NewStatus::new(Status::Active, "ready")).await.unwrap();
        for (relation, inside) in self.unit_relations(name).unwrap() {
            if !inside && relation.life == Life::Alive {
                self.enter_scope(relation.id, name).await.unwrap();
            }
        }
        machine
    }

    pub(crate) async fn provision(&self, machine: &MachineId) {
        let instance = NewInstance {
            instance_id: format!("i-{machine}"),
            nonce: format!("nonce-{machine}"),
            hardware: Hardware { mem: Some(4096), cores: Some(2), ..Hardware::default() },
            ..NewInstance::default()
        };
        self.set_instance(machine, &instance).await.unwrap();
        let address = Address::new(&format!("10.0.0.{}", machine.number() + 1));
        self.set_machine_addresses(machine, &[address]).await.unwrap();
        self.set_machine_status(machine, &NewStatus::new(Status::Started, "")).await.unwrap();
    }

    /// As the agent of a dying unit and its deployer do.
    pub(crate) async fn stop(&self, name: &UnitName) -> Result<()> {
        for (relation, inside) in self.unit_relations(name)? {
            if inside {
                self.leave_scope(relation.id, name).await?;
            }
        }
        self.destroy_subordinates(name).await?;
        for subordinate in self.unit(name)?.subordinates.clone() {
            Box::pin(self.stop(&subordinate)).await?;
        }
        self.ensure_unit_dead(name).await?;
        self.remove_unit(name).await
    }

    /// The documents of the model, without its prefix.
    pub(crate) fn keys(&self) -> Vec<String> {
        let prefix = crate::model::everything(self.uuid());
        self.image().list(&prefix).map(|it| it.key()[prefix.len()..].to_owned()).collect()
    }
}
