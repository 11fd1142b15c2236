//! A model with charms, and a user's connection to it.

use std::collections::BTreeMap;

use juju_charm::{Actions, Charm, Config, Manifest, Meta};
use juju_core::{CharmUrl, MachineId, UnitName, network::Address};
use juju_rpc::{CallError, Connection};
use juju_state::{
    Model,
    agent::Agent,
    lease::{BootTime, LeaseId, LeaseManager},
    machine::{Hardware, NewInstance},
    status::NewStatus,
};
use juju_wire::{
    facade::application::{self, ApplicationDeploy, ApplicationsDeploy},
    params::{
        Base, CharmOrigin, Constraints, Entities, Entity, Error as WireError, ErrorResult, ErrorResults,
    },
};

use crate::common::{AGENT_PASSWORD, TestServer, id, login};

/// The password of the model's machines, which are other than the controller's of the same number.
const MACHINE_PASSWORD: &str = "machinemachinemachine123";

pub struct World {
    pub it: TestServer,
    pub model: Model,
    /// The administrator's, to the model.
    pub user: Connection,
}

/// A charm with an option of each type, a peer relation, and either side of `http`.
pub const WEB: &str = "{name: web, summary: s, description: d, provides: {site: http}, \
    requires: {db: {interface: pgsql, limit: 1}, proxy: http}, peers: {ring: web-ring}, extra-bindings: {admin: }}";
pub const WEB_CONFIG: &str = "options: {\
    port: {type: int, default: 80, description: where it listens}, \
    title: {type: string, description: what it shows}, \
    debug: {type: boolean, default: false}}";
pub const DB: &str = "{name: pg, summary: s, description: d, provides: {db: pgsql, admin: pgsql-admin}}";
pub const LOG: &str = "{name: log, summary: s, description: d, subordinate: true, \
    requires: {info: {interface: juju-info, scope: container}}}";

impl World {
    pub async fn new() -> World {
        let it = TestServer::start().await;
        let model = it.model("demo").await;
        let user = it.admin(Some(model.uuid())).await;
        World { it, model, user }
    }

    /// With the charms `web`, `pg` and `log`.
    pub async fn with_charms() -> World {
        let world = World::new().await;
        world.charm(WEB, WEB_CONFIG).await;
        world.charm(DB, "options: {}").await;
        world.charm(LOG, "options: {}").await;
        world
    }

    /// Keeps a charm as if it had been uploaded.
    pub async fn charm(&self, meta: &str, config: &str) -> CharmUrl {
        let charm = charm(meta, config);
        let url = self.model.reserve_charm(&CharmUrl::local(charm.name()).unwrap()).await.unwrap();
        let sha256 = format!("{:064x}", url.revision.unwrap() + 1);
        self.model.set_charm_uploaded(&url, charm, &id(&sha256), 100).await.unwrap();
        url
    }

    /// Deploys through the API.
    pub async fn deploy(&self, app: ApplicationDeploy) -> Result<(), WireError> {
        let args = ApplicationsDeploy { applications: vec![app] };
        only(self.user.call::<application::call::Deploy>(args).await.unwrap())
    }

    /// `web` on two machines that are up, and `pg` on one; their agents are idle and their workloads active.
    pub async fn running() -> World {
        let world = World::with_charms().await;
        for (name, charm, units) in [("web", "local:web-0", 2), ("pg", "local:pg-0", 1)] {
            world.deploy(ApplicationDeploy { num_units: units, ..app(name, charm) }).await.unwrap();
        }
        for name in ["web/0", "web/1", "pg/0"] {
            world.start(name).await;
        }
        world
    }

    /// Puts the unit on a machine and brings both up.
    pub async fn start(&self, name: &str) -> MachineId {
        let unit: UnitName = id(name);
        let machine = self.model.assign_unit(&unit).await.unwrap();
        self.start_machine(&machine).await;
        self.model
            .set_unit_charm_url(&unit, &self.model.application(unit.app()).unwrap().charm_url)
            .await
            .unwrap();
        self.say(name, "idle", "active", "ready").await;
        machine
    }

    pub async fn start_machine(&self, machine: &MachineId) {
        if self.model.instance(machine).is_ok() {
            return;
        }
        let number: u32 = machine.to_string().parse().unwrap();
        let hardware =
            Hardware { arch: Some("amd64".into()), cores: Some(2), mem: Some(3814), ..Hardware::default() };
        let instance = NewInstance {
            instance_id: format!("i-{machine}"),
            nonce: nonce(machine),
            hardware,
            addresses: vec![Address::new(&format!("10.0.0.{}", 10 + number))],
            ..NewInstance::default()
        };
        self.model.set_instance(machine, &instance).await.unwrap();
        self.model.set_agent_password(&Agent::Machine(machine.clone()), MACHINE_PASSWORD).await.unwrap();
        self.model.set_machine_status(machine, &NewStatus::new(id("started"), "")).await.unwrap();
    }

    /// What the agent and the charm of a unit say.
    pub async fn say(&self, name: &str, agent: &str, workload: &str, message: &str) {
        let unit = id(name);
        let agent_message = if agent == "error" { message } else { "" };
        self.model.set_agent_status(&unit, &NewStatus::new(id(agent), agent_message)).await.unwrap();
        self.model.set_workload_status(&unit, &NewStatus::new(id(workload), message)).await.unwrap();
    }

    /// Lets the unit lead its application.
    pub async fn lead(&self, name: &str) {
        let unit: UnitName = id(name);
        let leases = LeaseManager::new(self.it.state.clone(), "0", BootTime::default());
        let lease = LeaseId::leadership(self.model.uuid(), unit.app());
        leases.claim(&lease, name, std::time::Duration::from_secs(60), BootTime::default()).await.unwrap();
    }

    /// A connection of the unit's agent.
    pub async fn unit_agent(&self, name: &str) -> Connection {
        self.model.set_agent_password(&Agent::Unit(id(name)), AGENT_PASSWORD).await.unwrap();
        let connection = self.it.connect(Some(self.model.uuid())).await;
        let unit: UnitName = id(name);
        login(&connection, &juju_core::Tag::from(unit).to_string(), AGENT_PASSWORD, "").await.unwrap();
        connection
    }

    /// A connection of the machine's agent.
    pub async fn machine_agent(&self, machine: &MachineId) -> Connection {
        let connection = self.it.connect(Some(self.model.uuid())).await;
        login(&connection, &format!("machine-{machine}"), MACHINE_PASSWORD, &nonce(machine)).await.unwrap();
        connection
    }

    pub async fn stop(self) {
        self.user.close().await;
        self.it.stop().await;
    }
}

pub fn nonce(machine: &MachineId) -> String {
    format!("nonce-{machine}")
}

pub fn charm(meta: &str, config: &str) -> Charm {
    Charm {
        meta: Meta::parse(meta).unwrap(),
        manifest: Manifest::parse("bases: [{name: ubuntu, channel: '22.04', architectures: [amd64]}]")
            .unwrap(),
        config: Config::parse(config).unwrap(),
        actions: Actions::parse("dump: {description: all of it, params: {where: {type: string}}}").unwrap(),
        lxd_profile: None,
        revision: 0,
        version: "v1-3-gabc".into(),
    }
}

/// What the CLI sends for a local charm.
pub fn app(name: &str, url: &str) -> ApplicationDeploy {
    ApplicationDeploy {
        application: name.into(),
        charm_url: url.into(),
        charm_origin: Some(origin()),
        constraints: Constraints::default(),
        ..ApplicationDeploy::default()
    }
}

pub fn origin() -> CharmOrigin {
    CharmOrigin {
        source: "local".into(),
        type_: "charm".into(),
        revision: Some(0),
        architecture: "amd64".into(),
        base: Some(Base { name: "ubuntu".into(), channel: "22.04/stable".into() }),
        ..CharmOrigin::default()
    }
}

pub fn entities(tags: &[&str]) -> Entities {
    Entities { entities: tags.iter().map(|it| Entity { tag: (*it).into() }).collect() }
}

pub fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

/// The one result of a call about one thing.
pub fn only(results: ErrorResults) -> Result<(), WireError> {
    let [ErrorResult { error }] = results.results.try_into().unwrap_or_else(|it| panic!("{it:?}"));
    error.map_or(Ok(()), Err)
}

/// An error's code and text.
pub fn shown(error: &WireError) -> (&str, &str) {
    (&error.code, &error.message)
}

/// The code and text of a call that failed.
pub fn failed<T: std::fmt::Debug>(result: Result<T, CallError>) -> (String, String) {
    match result {
        Err(CallError::Api(err)) => (err.code.clone(), err.message.clone()),
        other => panic!("it should have failed: {other:?}"),
    }
}

pub fn pair(code: &str, text: &str) -> (String, String) {
    (code.to_owned(), text.to_owned())
}
