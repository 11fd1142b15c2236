//! The engine of a model, on the controller that is responsible for it (Juju 3.6 `cmd/jujud/agent/model/manifolds.go`).
//!
//! Workers that Juju runs on machines as well go through the API, over a connection in memory; the others see the state.

use std::sync::Arc;

use anyhow::Context as _;
use juju_agent::{conf::values, tools::Tools};
use juju_apiserver::{ApiServer, Leases};
use juju_controller::{cleaner, flags, flags::ModelRemoved, machine_undertaker, undertaker, unit_assigner};
use juju_core::{Life, ModelUuid};
use juju_engine::{Engine, Exit, Flag, Key, Manifold, Runner, Scope, find_error};
use juju_provider::{Provider, local};
use juju_rpc::Connection;
use juju_state::{Model, State};
use juju_wire::facade::admin::LoginRequest;
use juju_workers::{Ended, provisioner};

use crate::machine::{Agent, binary_version};

mod keys {
    use super::*;

    pub(super) const RESPONSIBLE: Key<Flag> = Key::new("is-responsible-flag");
    pub(super) const NOT_DEAD: Key<Flag> = Key::new("not-dead-flag");
    pub(super) const NOT_ALIVE: Key<Flag> = Key::new("not-alive-flag");
    pub(super) const API_CALLER: Key<Connection> = Key::new("api-caller");
    pub(super) const ENVIRON: Key<Arc<dyn Provider>> = Key::new("environ-tracker");
    pub(super) const PROVISIONER: Key<()> = Key::new("compute-provisioner");
    pub(super) const UNIT_ASSIGNER: Key<()> = Key::new("unit-assigner");
    pub(super) const CLEANER: Key<()> = Key::new("state-cleaner");
    pub(super) const MACHINE_UNDERTAKER: Key<()> = Key::new("machine-undertaker");
    pub(super) const UNDERTAKER: Key<()> = Key::new("undertaker");
}
use keys::*;

/// Runs an engine for each model of the controller (Juju 3.6 `worker/modelworkermanager`).
pub(super) async fn manager(
    agent: Agent,
    state: State,
    server: ApiServer,
    leases: Leases,
    scope: Scope,
) -> anyhow::Result<()> {
    let (first, mut watcher) = state.watch_model_lives()?;
    drop(first);
    let models = Models { agent, state: state.clone(), server, leases };
    let (control, runner) =
        Runner::new(super::config(), move |model: String, scope: Scope| models.clone().run(model, scope));
    scope.set_report(control.clone());
    scope.publish(());
    let running = scope.clone();
    scope.spawn(async move { runner.run(&running).await });
    loop {
        // A model has its engine until nothing of it is left.
        let all = juju_state::model::all(&state.image())?;
        control.want(all.iter().map(|it| it.uuid.to_string()));
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            changed = watcher.next() => drop(changed?),
        }
    }
}

#[derive(Clone)]
struct Models {
    agent: Agent,
    state: State,
    server: ApiServer,
    leases: Leases,
}

impl Models {
    async fn run(self, uuid: String, scope: Scope) -> anyhow::Result<()> {
        let uuid: ModelUuid = uuid.parse()?;
        let model = match self.state.model(&uuid) {
            Ok(model) => model,
            Err(err) if err.is_not_found() => return Ok(()),
            Err(err) => return Err(err.into()),
        };
        let engine =
            Engine::new(super::config().nested(), self.manifolds(model)).context("the model's manifolds")?;
        scope.set_report(engine.handle());
        // Its only fatal error is that the model is gone, and then nobody wants it any more.
        let outcome = engine.run(&scope).await;
        for name in outcome.late {
            tracing::warn!("worker {name:?} of model {uuid} did not stop in time");
        }
        Ok(())
    }

    fn manifolds(self, model: Model) -> Vec<Manifold<Gone>> {
        let Models { agent, state: _, server, leases } = self;
        let me = agent.tag();
        let (for_flag, for_dead, for_alive) = (model.clone(), model.clone(), model.clone());
        let (for_cleaner, for_assigner) = (model.clone(), model.clone());
        let (for_machines, for_undertaker) = (model.clone(), model.clone());
        let (for_api, for_environ, for_provisioner) = (agent.clone(), agent.clone(), agent);
        let api_model = model.uuid().clone();
        let environ_model = model.uuid().clone();
        let provisioner_model = model.uuid().clone();
        let logs = server.clone();
        let alive_or_dying = |it: Manifold<Gone>| it.when(RESPONSIBLE).when(NOT_DEAD);
        vec![
            Manifold::new(
                RESPONSIBLE,
                (),
                move |(), scope| {
                    let clock = leases.clone();
                    let manager = leases.manager().clone();
                    flags::responsible(for_flag.clone(), manager, me.clone(), move || clock.now(), scope)
                },
                exit,
            ),
            Manifold::new(
                NOT_DEAD,
                (),
                move |(), scope| flags::life(for_dead.clone(), |it| it != Life::Dead, scope),
                exit,
            ),
            Manifold::new(
                NOT_ALIVE,
                (),
                move |(), scope| flags::life(for_alive.clone(), |it| it != Life::Alive, scope),
                exit,
            ),
            Manifold::new(
                API_CALLER,
                (),
                move |(), scope| api_caller(for_api.clone(), server.clone(), api_model.clone(), scope),
                exit,
            ),
            // The undertaker of a dead model still needs it.
            Manifold::new(
                ENVIRON,
                (),
                move |(), scope| environ(for_environ.clone(), environ_model.clone(), scope),
                exit,
            )
            .when(RESPONSIBLE),
            alive_or_dying(Manifold::new(
                PROVISIONER,
                (API_CALLER, ENVIRON),
                move |(api, provider), scope| {
                    let conf = for_provisioner.conf().current();
                    let config = provisioner::Config {
                        controller: conf.controller.clone(),
                        model: provisioner_model.to_string(),
                        agent_tag: conf.tag.clone(),
                        tools: vec![own_tools()],
                    };
                    provisioner::run(config, api, provider, scope)
                },
                exit,
            )),
            alive_or_dying(Manifold::new(
                CLEANER,
                (),
                move |(), scope| cleaner::run(for_cleaner.clone(), scope),
                exit,
            )),
            alive_or_dying(Manifold::new(
                UNIT_ASSIGNER,
                (),
                move |(), scope| unit_assigner::run(for_assigner.clone(), scope),
                exit,
            )),
            alive_or_dying(Manifold::new(
                MACHINE_UNDERTAKER,
                (),
                move |(), scope| machine_undertaker::run(for_machines.clone(), scope),
                exit,
            )),
            Manifold::new(
                UNDERTAKER,
                (ENVIRON,),
                move |(provider,), scope| {
                    let logs = logs.clone();
                    let forget = move |model: &juju_state::model::ModelDoc| logs.logs().remove(model);
                    undertaker::run(for_undertaker.clone(), provider, forget, scope)
                },
                exit,
            )
            .when(RESPONSIBLE)
            .when(NOT_ALIVE),
        ]
    }
}

/// Nothing but the end of the model ends its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("model removed")]
struct Gone;

fn exit(result: anyhow::Result<()>) -> Exit<Gone> {
    let Err(err) = result else { return Exit::Done };
    if find_error::<ModelRemoved>(&err).is_some() {
        return Exit::Fatal(Gone);
    }
    match find_error::<Ended>(&err) {
        Some(Ended::ConnectionBroken) => Exit::Bounce,
        _ => Exit::of(Err(err)),
    }
}

/// The binaries that this agent runs are those that its model's machines are to run.
fn own_tools() -> Tools {
    Tools { version: binary_version().to_string(), url: String::new(), sha256: String::new(), size: 0 }
}

/// A connection in memory, as the controller's own machine.
async fn api_caller(
    agent: Agent,
    server: ApiServer,
    model: ModelUuid,
    scope: Scope<Connection>,
) -> anyhow::Result<()> {
    let conf = agent.conf().current();
    let connection = server.connect(Some(model));
    let passwords = [&conf.api_password, &conf.old_password];
    let password =
        passwords.into_iter().find(|it| !it.is_empty()).context("the agent has no password yet")?;
    let login = LoginRequest {
        auth_tag: conf.tag.clone(),
        credentials: password.expose().to_owned(),
        nonce: conf.nonce.clone(),
        client_version: juju_core::version::CURRENT.to_string(),
        ..LoginRequest::default()
    };
    connection.login(login).await?;
    connection.keep_alive();
    scope.publish(connection.clone());
    tokio::select! {
        () = scope.cancelled() => {
            connection.close().await;
            Ok(())
        }
        closed = connection.closed() => Err(anyhow::Error::new(closed).context(Ended::ConnectionBroken)),
    }
}

/// The provider of the model's machines.
async fn environ(agent: Agent, model: ModelUuid, scope: Scope<Arc<dyn Provider>>) -> anyhow::Result<()> {
    let conf = agent.conf().current();
    let kind = conf.value(values::PROVIDER_TYPE);
    anyhow::ensure!(kind == "local", "a provider of type {kind:?} is not implemented");
    // The controller's own machine is among those of the directory that it keeps machines in.
    let dir =
        conf.root_dir().ancestors().nth(2).context("the machine's root is in no directory of machines")?;
    let dirs = local::dirs::Dirs::open(dir)?;
    let env = local::environment::passed_on(std::env::vars());
    let command = local::supervisor_command(&dirs, &env);
    let provider = local::Local::new(dirs, conf.controller.parse()?, model, command, env);
    let provider: Arc<dyn Provider> = Arc::new(provider);
    scope.publish(provider);
    scope.cancelled().await;
    Ok(())
}
