//! `jujud bootstrap-state`: makes the state of a new controller and the configuration of its first agent (Juju 3.6
//! `cmd/jujud/agent/bootstrap`).

use std::{path::PathBuf, sync::Arc};

use anyhow::Context as _;
use juju_agent::{
    Secret,
    bootstrap::{BootstrapParams, MACHINE_NONCE},
    conf::{AgentConf, NewAgent, ServingInfo},
    passwords,
};
use juju_core::{Address, Base, Constraints, HostPort, Tag, network::Scope};
use juju_provider::{
    InstanceId,
    local::{dirs::Dirs, machine::Machine},
};
use juju_state::{
    Bootstrap, BootstrapMachine, Clock, History, State, V,
    cloud::{CloudDoc, Region},
    controller::ServingDoc,
    credential::CredentialDoc,
    machine::{Hardware, NewInstance},
    model::NewModel,
};
use juju_store::View;

use super::Failure;
use crate::controller_store;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Directory for juju data of the controller's machine
    #[arg(long)]
    data_dir: PathBuf,
    /// The parameters that the client wrote
    params: PathBuf,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let params = BootstrapParams::read(&args.params).map_err(anyhow::Error::new)?;
    let runtime = super::runtime(1)?;
    runtime.block_on(bootstrap(args, &params))?;
    Ok(())
}

async fn bootstrap(args: &Args, params: &BootstrapParams) -> anyhow::Result<()> {
    anyhow::ensure!(
        params.cloud.kind == "local",
        "a controller on a cloud of type {:?} is not implemented; use \"local\"",
        params.cloud.kind
    );
    let dirs = Dirs::open(&params.dir)?;
    let machine = Machine::open(&dirs, &InstanceId::new(&params.instance_id))
        .with_context(|| format!("no machine {} in {}", params.instance_id, params.dir.display()))?;
    anyhow::ensure!(
        machine.paths().data_dir() == args.data_dir,
        "--data-dir {} is not that of machine {}",
        args.data_dir.display(),
        params.instance_id
    );
    let password = passwords::random();
    let given = controller(params, &machine, &password)?;
    let store = controller_store::open(machine.paths().data_dir()).await?;
    let view = View::open(Arc::clone(&store)).await.context("cannot read the store")?;
    let state = State::new(view.clone(), Clock::system(), History::none());
    state.initialise(&given).await.context("cannot initialise the controller")?;
    view.close().await;
    machine.install_agent(agent_conf(params, &machine, password))?;
    Ok(())
}

fn controller(params: &BootstrapParams, machine: &Machine, password: &Secret) -> anyhow::Result<Bootstrap> {
    let cloud_name = params.cloud.name.parse().context("cloud name")?;
    let admin: juju_core::UserName = "admin".parse().context("the name of the administrator")?;
    let credential_id = juju_core::CredentialId::new(cloud_name, admin.clone(), &params.cloud.credential)?;
    let cloud = CloudDoc {
        v: V,
        name: credential_id.cloud().clone(),
        kind: params.cloud.kind.clone(),
        auth_types: params.cloud.auth_types.clone(),
        endpoint: String::new(),
        identity_endpoint: String::new(),
        storage_endpoint: String::new(),
        regions: vec![Region { name: params.cloud.region.clone(), ..Region::default() }],
        ca_certificates: vec![],
        skip_tls_verify: false,
        config: params.inherited_config.clone().into_iter().collect(),
        region_config: Default::default(),
    };
    let credential = CredentialDoc {
        v: V,
        id: credential_id.clone(),
        auth_type: "empty".to_owned(),
        attributes: Default::default(),
        revoked: false,
        invalid: None,
    };
    let constraints: Constraints = params.constraints.parse().context("constraints")?;
    let model = NewModel {
        uuid: params.controller_model_uuid.parse()?,
        name: "controller".parse()?,
        owner: admin.clone(),
        creator: admin.clone(),
        cloud: credential_id.cloud().clone(),
        region: params.cloud.region.clone(),
        credential: Some(credential_id),
        config: params.model_config.clone().into_iter().collect(),
        constraints: constraints.clone(),
    };
    let own = Address::new(&machine.address().to_string()).with_scope(Scope::LocalCloud);
    let instance = NewInstance {
        instance_id: params.instance_id.clone(),
        display_name: String::new(),
        nonce: MACHINE_NONCE.to_owned(),
        hardware: Hardware {
            arch: juju_core::Arch::of_this_build().map(|it| it.to_string()),
            ..Hardware::default()
        },
        charm_profiles: vec![],
        addresses: vec![own],
    };
    Ok(Bootstrap {
        uuid: params.controller_uuid.parse()?,
        name: params.controller_name.parse()?,
        ca_cert: params.ca_cert.clone(),
        serving: ServingDoc {
            v: V,
            api_port: params.api_port,
            cert: params.server_cert.clone(),
            key: params.server_private_key.expose().to_owned(),
            ca_key: params.ca_private_key.expose().to_owned(),
            shared_secret: String::new(),
            system_identity: String::new(),
        },
        config: params.controller_config.clone().into_iter().collect(),
        admin,
        admin_password: params.admin_password.expose().to_owned(),
        cloud,
        credential: Some(credential),
        model,
        machine: BootstrapMachine {
            base: base(machine),
            constraints,
            instance,
            agent_password: password.expose().to_owned(),
        },
        api_addresses: params.api_addresses.iter().map(|it| host_port(it, params.api_port)).collect(),
    })
}

fn base(machine: &Machine) -> Base {
    machine.base().clone()
}

/// Every agent of a local controller is on its host, where its loopback addresses are as good as a cloud's.
fn host_port(address: &str, port: u16) -> HostPort {
    HostPort::new(Address::new(address).with_scope(Scope::LocalCloud), port)
}

fn agent_conf(params: &BootstrapParams, machine: &Machine, password: Secret) -> AgentConf {
    let new = NewAgent {
        tag: Tag::from(machine.machine().clone()).to_string(),
        nonce: MACHINE_NONCE.to_owned(),
        jobs: vec!["JobHostUnits".to_owned(), "JobManageModel".to_owned()],
        version: params.agent_version.clone(),
        controller: params.controller_uuid.clone(),
        model: params.controller_model_uuid.clone(),
        ca_cert: params.ca_cert.clone(),
        api_addresses: params
            .api_addresses
            .iter()
            .map(|it| host_port(it, params.api_port).to_string())
            .collect(),
        password,
    };
    let mut conf = AgentConf::new(new, &machine.paths());
    conf.serving = Some(ServingInfo {
        cert: params.server_cert.clone(),
        private_key: params.server_private_key.clone(),
        ca_private_key: params.ca_private_key.clone(),
        api_port: params.api_port,
        ..ServingInfo::default()
    });
    conf
}
