//! What a machine agent runs besides if it is a controller.
//!
//! `state-config-watcher` and its flag decide; `state` opens the store; the API server serves from it. Each worker that
//! concerns a model alone is in [`model`](super::model).

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context as _;
use juju_agent::{certs, conf::AgentConf};
use juju_apiserver::{ApiServer, Leases, Limits, Logs, Objects, Router, Tools, facades};
use juju_core::{Life, Tag};
use juju_engine::{Flag, Key, Manifold, Scope};
use juju_state::{Clock, History, State};
use juju_store::View;
use tokio::{net::TcpListener, time};

use super::{exit, machine::keys};
use crate::{
    controller_store,
    machine::{Agent, Fatal},
};

pub mod names {
    use super::*;

    pub const STATE: Key<State> = Key::new("state");
    pub const IS_CONTROLLER: Key<Flag> = Key::new("is-controller-flag");
    pub const LEASE_MANAGER: Key<Leases> = Key::new("lease-manager");
    pub const API_SERVER: Key<ApiServer> = Key::new("api-server");
    pub const HTTP_SERVER: Key<()> = Key::new("http-server");
    pub const STORE_COMPACTION: Key<()> = Key::new("store-compaction");
    pub const MODEL_WORKERS: Key<()> = Key::new("model-worker-manager");
}
use names::*;

/// Bytes of status history that a controller keeps for each model.
const HISTORY_LIMIT: u64 = 64 << 20;

/// The manifolds.
pub fn all() -> Vec<Manifold<Fatal>> {
    let manifolds = vec![
        Manifold::new(STATE, (keys::AGENT,), |(agent,), scope| state(agent, scope), exit),
        Manifold::new(
            LEASE_MANAGER,
            (keys::AGENT, STATE),
            |(agent, state), scope| leases(agent, state, scope),
            exit,
        ),
        Manifold::new(
            API_SERVER,
            (keys::AGENT, STATE, LEASE_MANAGER),
            |(agent, state, leases), scope| api_server(agent, state, leases, scope),
            exit,
        ),
        Manifold::new(
            HTTP_SERVER,
            (keys::AGENT, API_SERVER),
            |(agent, server), scope| http_server(agent, server, scope),
            exit,
        ),
        Manifold::new(
            STORE_COMPACTION,
            (STATE,),
            |(state,), scope| juju_controller::store_compaction::run(state, scope),
            exit,
        ),
        Manifold::new(
            MODEL_WORKERS,
            (keys::AGENT, STATE, API_SERVER, LEASE_MANAGER),
            |(agent, state, server, leases), scope| {
                super::model::manager(agent, state, server, leases, scope)
            },
            exit,
        )
        .when(keys::UPGRADE_STEPS_FLAG)
        .when(keys::UPGRADE_CHECK_FLAG),
    ];
    manifolds.into_iter().map(|it| it.when(IS_CONTROLLER)).collect()
}

/// Opens the state and makes sure that this is the machine that may.
async fn state(agent: Agent, scope: Scope<State>) -> anyhow::Result<()> {
    let data_dir = agent.paths().data_dir().to_owned();
    let store = controller_store::open(&data_dir).await?;
    let view = View::open(store).await.context("cannot read the store")?;
    let history =
        History::open(controller_store::history_dir(&data_dir), HISTORY_LIMIT).context("status history")?;
    let state = State::new(view.clone(), Clock::system(), history);
    check_machine(&state, &agent.conf().current())?;
    scope.set_report(serde_json::json!({ "controller": state.controller()?.uuid }));
    scope.publish(state);
    tokio::select! {
        () = scope.cancelled() => {
            view.close().await;
            Ok(())
        }
        why = view.closed() => anyhow::bail!("the store is lost: {why}"),
    }
}

/// A controller's agent ends for good where it has no business (Juju 3.6 `worker/state`).
fn check_machine(state: &State, conf: &AgentConf) -> anyhow::Result<()> {
    let Ok(Tag::Machine(id)) = conf.tag.parse() else { return Ok(()) };
    let check = || -> anyhow::Result<()> {
        let model = state.model(&conf.model.parse()?)?;
        let machine = model.machine(&id)?;
        anyhow::ensure!(machine.life != Life::Dead, "machine {id} is dead");
        anyhow::ensure!(
            model.instance(&id)?.nonce == conf.nonce,
            "running machine {id} agent on inappropriate instance"
        );
        Ok(())
    };
    check().map_err(|err| err.context(Fatal::Terminate))
}

/// How often expired leases are looked for (Juju 3.6 `worker/leaseexpiry`).
const LEASE_SWEEP: Duration = Duration::from_secs(1);

async fn leases(agent: Agent, state: State, scope: Scope<Leases>) -> anyhow::Result<()> {
    let leases = Leases::new(state, &agent.tag());
    scope.publish(leases.clone());
    let mut tick = time::interval(LEASE_SWEEP);
    tick.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            _ = tick.tick() => leases.manager().expire(leases.now()).await?,
        };
    }
}

async fn api_server(
    agent: Agent,
    state: State,
    leases: Leases,
    scope: Scope<ApiServer>,
) -> anyhow::Result<()> {
    let conf = agent.conf().current();
    let serving = conf.serving.as_ref().context("no serving info in agent.conf")?;
    let certs = Arc::new(certs::ServerCerts::new(&serving.leaf())?);
    certs.set_with_addresses(&own_leaf(&conf, &state)?)?;
    let mut router = Router::default();
    facades::register_all(&mut router);
    let data_dir = agent.paths().data_dir().to_owned();
    let rotation = juju_agent::log_file::Rotation::of_model(10, 2);
    let server = ApiServer::new(juju_apiserver::Config {
        state,
        router,
        tls: Arc::new(certs::server_config(certs)?),
        objects: Objects::open(&controller_store::objects_dir(&data_dir)).context("object files")?,
        tools: Tools::open(&controller_store::tools_dir(&data_dir))?,
        logs: Logs::open(agent.paths().log_dir(), rotation)?,
        leases,
        limits: Limits::default(),
    });
    scope.publish(server.clone());
    scope.cancelled().await;
    server.close().await;
    Ok(())
}

/// A certificate with the machine's addresses, for clients that do not ask for a name.
fn own_leaf(conf: &AgentConf, state: &State) -> anyhow::Result<certs::Leaf> {
    let serving = conf.serving.as_ref().context("no serving info in agent.conf")?;
    let authority = certs::Authority::load(&conf.ca_cert, serving.ca_private_key.expose())?;
    let servers = state.api_addresses()?.clients;
    let addresses: Vec<_> = servers.iter().flatten().filter_map(|it| it.address.value.parse().ok()).collect();
    Ok(authority.issue("controllerip", &addresses, std::time::SystemTime::now())?)
}

/// Listens. A controller on one host of many machines keeps to the host's own addresses.
async fn http_server(agent: Agent, server: ApiServer, scope: Scope) -> anyhow::Result<()> {
    let conf = agent.conf().current();
    let port = conf.serving.as_ref().map(|it| it.api_port).context("no serving info in agent.conf")?;
    let local = !conf.value(juju_agent::conf::values::LOCAL_ADDRESS).is_empty();
    let address: SocketAddr =
        if local { ([127, 0, 0, 1], port).into() } else { ([0, 0, 0, 0, 0, 0, 0, 0], port).into() };
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}; is another controller using the port?"))?;
    scope.publish(());
    scope.set_report(serde_json::json!({ "address": address.to_string() }));
    Ok(server.serve(listener, scope.token()).await?)
}
