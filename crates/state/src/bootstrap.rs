//! The beginning of a controller: one transaction on an empty store.

use juju_core::{Base, Constraints, ControllerName, ControllerUuid, HostPort, MachineId, UserName};

use crate::{
    Error, Result, State, Tx, V,
    access::{self, Access, Object},
    agent::{self, Agent},
    api_addresses::{self, ApiAddressesDoc},
    attributes::Values,
    cloud::{self, CloudDoc},
    controller::{self, ControllerDoc, ServingDoc},
    controller_config,
    credential::{self, CredentialDoc},
    machine::{self, Job, NewInstance, NewMachine},
    model::{self, NewModel},
    node::{self, NodeDoc},
    password::{AgentHash, UserHash},
    user,
};

/// All that a controller begins with, secrets among it.
#[derive(Clone)]
pub struct Bootstrap {
    pub uuid: ControllerUuid,
    pub name: ControllerName,
    pub ca_cert: String,
    pub serving: ServingDoc,
    pub config: Values,
    /// The first user, who may do everything.
    pub admin: UserName,
    pub admin_password: String,
    pub cloud: CloudDoc,
    pub credential: Option<CredentialDoc>,
    /// The model whose first machine runs the controller.
    pub model: NewModel,
    pub machine: BootstrapMachine,
    pub api_addresses: Vec<HostPort>,
}

/// The machine on which the controller begins.
#[derive(Clone)]
pub struct BootstrapMachine {
    pub base: Base,
    pub constraints: Constraints,
    pub instance: NewInstance,
    pub agent_password: String,
}

impl State {
    /// Makes the controller. A store that holds one is left as it is.
    pub async fn initialise(&self, given: &Bootstrap) -> Result<()> {
        let admin = UserHash::of(&given.admin_password).await;
        let agent = AgentHash::of(&given.machine.agent_password)?;
        self.transact(async |tx| initialise(&tx, given, &admin, &agent).await).await
    }
}

async fn initialise(tx: &Tx, given: &Bootstrap, admin: &UserHash, agent: &AgentHash) -> Result<()> {
    if controller::key().exists(tx).await? {
        return Err(Error::AlreadyExists("controller".into()));
    }
    let m = &given.model.uuid;
    let doc = ControllerDoc {
        v: V,
        uuid: given.uuid.clone(),
        name: given.name.clone(),
        model: m.clone(),
        cloud: given.cloud.name.clone(),
        ca_cert: given.ca_cert.clone(),
    };
    controller::key().put(tx, &doc)?;
    controller::put_serving(tx, &given.serving)?;
    let mut config = given.config.clone();
    for (name, value) in [
        ("controller-uuid", given.uuid.as_str()),
        ("controller-name", given.name.as_str()),
        ("ca-cert", given.ca_cert.as_str()),
    ] {
        config.insert(name.to_owned(), value.into());
    }
    controller_config::create(tx, &config)?;
    let servers = vec![given.api_addresses.clone()];
    api_addresses::put(tx, &ApiAddressesDoc { v: V, clients: servers.clone(), agents: servers })?;

    let user = &given.admin;
    user::add(tx, user, user.name(), user, Some(admin.clone()), None).await?;
    access::grant(tx, &Object::Controller, user, Access::Superuser, user).await?;
    cloud::add(tx, &given.cloud, user).await?;
    if let Some(credential) = &given.credential {
        credential::put(tx, credential).await?;
    }

    model::add(tx, &given.model, true).await?;
    let machine = NewMachine {
        base: given.machine.base.clone(),
        constraints: given.machine.constraints.clone(),
        jobs: vec![Job::HostUnits, Job::ManageModel],
        placement: String::new(),
        dirty: true,
        instance: Some(given.machine.instance.clone()),
    };
    let id: MachineId = machine::add(tx, m, &machine).await?;
    agent::set_password(tx, m, &Agent::Machine(id.clone()), agent)?;
    node::put(tx, &NodeDoc { v: V, machine: id, wants_vote: true, has_vote: true })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{Fixture, id};

    pub(crate) fn new_model(name: &str) -> NewModel {
        NewModel {
            uuid: uuid::Uuid::new_v4().into(),
            name: id(name),
            owner: id("admin"),
            creator: id("admin"),
            cloud: id("local"),
            region: String::new(),
            credential: None,
            config: Values::new(),
            constraints: Constraints::default(),
        }
    }

    pub(crate) fn params() -> Bootstrap {
        let cloud = CloudDoc {
            v: V,
            name: id("local"),
            kind: "local".into(),
            auth_types: vec!["empty".into()],
            endpoint: String::new(),
            identity_endpoint: String::new(),
            storage_endpoint: String::new(),
            regions: vec![cloud::Region { name: "localhost".into(), ..cloud::Region::default() }],
            ca_certificates: vec![],
            skip_tls_verify: false,
            config: Values::new(),
            region_config: Default::default(),
        };
        let serving = ServingDoc {
            v: V,
            api_port: 17070,
            cert: "cert".into(),
            key: "key".into(),
            ca_key: "ca key".into(),
            shared_secret: String::new(),
            system_identity: String::new(),
        };
        Bootstrap {
            uuid: uuid::Uuid::new_v4().into(),
            name: id("test"),
            ca_cert: "ca".into(),
            serving,
            config: Values::new(),
            admin: id("admin"),
            admin_password: "secret".into(),
            cloud,
            credential: None,
            model: new_model("controller"),
            machine: BootstrapMachine {
                base: id("ubuntu@24.04"),
                constraints: Constraints::default(),
                instance: NewInstance {
                    instance_id: "i-0".into(),
                    nonce: "user-admin:bootstrap".into(),
                    ..NewInstance::default()
                },
                agent_password: "abcdefghijklmnopqrstuvwx".into(),
            },
            api_addresses: vec![id("127.0.0.1:17070")],
        }
    }

    #[tokio::test]
    async fn a_controller_begins_once() {
        let fixture = Fixture::empty().await;
        let (state, given) = (&fixture.state, params());
        assert!(state.controller().unwrap_err().is_not_found());
        state.initialise(&given).await.unwrap();
        assert!(matches!(state.initialise(&params()).await, Err(Error::AlreadyExists(_))));

        let controller = state.controller().unwrap();
        assert_eq!((&controller.uuid, &controller.model), (&given.uuid, &given.model.uuid));
        let model = state.controller_model().unwrap();
        assert!(model.doc().unwrap().is_controller);
        assert_eq!(model.doc().unwrap().region, "localhost");
        let machine = model.machine(&id("0")).unwrap();
        assert!(machine.is_controller());
        assert_eq!(model.instance(&id("0")).unwrap().nonce, "user-admin:bootstrap");
        let agent = Agent::Machine(id("0"));
        assert!(model.agent_password_matches(&agent, "abcdefghijklmnopqrstuvwx").unwrap());
        assert!(!model.agent_password_matches(&agent, "abcdefghijklmnopqrstuvwy").unwrap());
        let admin = id("admin");
        assert_eq!(state.access(&Object::Controller, &admin).unwrap(), Some(Access::Superuser));
        assert_eq!(state.access(&Object::Cloud(id("local")), &admin).unwrap(), Some(Access::Admin));
        assert!(state.authenticate_user(&admin, "secret").await.is_ok());
        assert_eq!(state.controller_config().unwrap().text("controller-name"), "test");
        assert_eq!(state.api_addresses().unwrap().agents[0][0].to_string(), "127.0.0.1:17070");
        assert_eq!(state.controller_nodes().unwrap().len(), 1);
    }
}
