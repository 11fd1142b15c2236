//! The engine of a machine agent, every worker of it in one list.
//!
//! Juju 3.6 `cmd/jujud/agent/machine/manifolds.go`. What needs a controller's state is in [`controller`](super::controller).

use std::{net::IpAddr, sync::Arc};

use juju_agent::conf::values;
use juju_engine::{Flag, Fortress, Gate, Key, Manifold, Runner, Scope, flag};
use juju_rpc::Connection;
use juju_workers::{
    api_address_updater, api_caller, api_config_watcher, deployer, log_sender, logging_config_updater,
    machiner, migration_flag,
};

use super::{controller, exit, unit};
use crate::{
    logging,
    machine::{Agent, Fatal, terminated},
    unit_context::UnitContext,
};

pub(super) mod keys {
    use super::*;

    pub(in crate::manifolds) const AGENT: Key<Agent> = Key::new("agent");
    pub(super) const TERMINATION: Key<()> = Key::new("termination-signal-handler");
    pub(super) const API_CONFIG_WATCHER: Key<()> = Key::new("api-config-watcher");
    pub(super) const API_CALLER: Key<Connection> = Key::new("api-caller");
    pub(super) const UPGRADE_STEPS_GATE: Key<Gate> = Key::new("upgrade-steps-gate");
    pub(in crate::manifolds) const UPGRADE_STEPS_FLAG: Key<Flag> = Key::new("upgrade-steps-flag");
    pub(super) const UPGRADE_CHECK_GATE: Key<Gate> = Key::new("upgrade-check-gate");
    pub(in crate::manifolds) const UPGRADE_CHECK_FLAG: Key<Flag> = Key::new("upgrade-check-flag");
    pub(super) const MIGRATION_FORTRESS: Key<Fortress> = Key::new("migration-fortress");
    pub(super) const MIGRATION_INACTIVE: Key<Flag> = Key::new("migration-inactive-flag");
    pub(super) const LOGGING_CONFIG: Key<()> = Key::new("logging-config-updater");
    pub(super) const LOG_SENDER: Key<()> = Key::new("log-sender");
    pub(super) const MACHINER: Key<()> = Key::new("machiner");
    pub(super) const API_ADDRESSES: Key<()> = Key::new("api-address-updater");
    pub(super) const UNIT_AGENTS: Key<UnitContext> = Key::new("unit-agents");
    pub(super) const DEPLOYER: Key<()> = Key::new("deployer");
}
use keys::*;

/// Everything that the agent runs.
pub fn all(agent: &Agent) -> Vec<Manifold<Fatal>> {
    let mut manifolds = always(agent);
    manifolds.extend(controller::all());
    manifolds
}

fn always(agent: &Agent) -> Vec<Manifold<Fatal>> {
    let fully_upgraded = |it: Manifold<Fatal>| it.when(UPGRADE_STEPS_FLAG).when(UPGRADE_CHECK_FLAG);
    let not_migrating = |it: Manifold<Fatal>| it.when(MIGRATION_INACTIVE).visits(MIGRATION_FORTRESS);
    let (steps, check) = (agent.upgrade_steps().clone(), agent.upgrade_check().clone());
    // No upgrader looks for another version yet, so none is wanted.
    check.unlock();
    vec![
        Manifold::value(AGENT, agent.clone()),
        Manifold::new(TERMINATION, (), |(), scope| termination(scope), exit),
        Manifold::new(
            controller::names::IS_CONTROLLER,
            (AGENT,),
            |(agent,), scope| flag::fixed(scope, agent.conf().current().is_controller()),
            exit,
        ),
        Manifold::new(
            API_CONFIG_WATCHER,
            (AGENT,),
            |(agent,), scope| api_config_watcher::run(agent.conf().clone(), scope),
            exit,
        ),
        Manifold::new(
            API_CALLER,
            // A controller's own server comes up a moment later; that starts this again without the wait of a failure.
            (AGENT, API_CONFIG_WATCHER, controller::names::HTTP_SERVER.optional()),
            |(agent, (), _), scope| api_caller::run(agent.conf().clone(), scope),
            exit,
        ),
        Manifold::value(UPGRADE_STEPS_GATE, steps.clone()),
        Manifold::new(
            UPGRADE_STEPS_FLAG,
            (UPGRADE_STEPS_GATE,),
            |(gate,), scope| flag::gate(scope, gate),
            exit,
        ),
        Manifold::value(UPGRADE_CHECK_GATE, check),
        Manifold::new(
            UPGRADE_CHECK_FLAG,
            (UPGRADE_CHECK_GATE,),
            |(gate,), scope| flag::gate(scope, gate),
            exit,
        ),
        fully_upgraded(Manifold::new(MIGRATION_FORTRESS, (), |(), scope| open_fortress(scope), exit)),
        Manifold::new(
            MIGRATION_INACTIVE,
            (AGENT, API_CALLER),
            |(agent, api), scope| {
                let model = format!("model-{}", agent.conf().current().model);
                migration_flag::run(model, api, scope)
            },
            exit,
        ),
        not_migrating(Manifold::new(
            LOGGING_CONFIG,
            (AGENT, API_CALLER),
            |(agent, api), scope| {
                let apply = apply_logging(agent.sink().clone());
                logging_config_updater::run(agent.conf().clone(), api, apply, scope)
            },
            exit,
        )),
        not_migrating(Manifold::new(
            LOG_SENDER,
            (AGENT, API_CALLER),
            |(agent, _api), scope| log_sender::run(agent.conf().clone(), agent.sink().buffer(), scope),
            exit,
        )),
        not_migrating(Manifold::new(
            MACHINER,
            (AGENT, API_CALLER),
            |(agent, api), scope| machiner::run(machiner_config(&agent), api, scope),
            exit,
        )),
        not_migrating(Manifold::new(
            API_ADDRESSES,
            (AGENT, API_CALLER),
            |(agent, api), scope| api_address_updater::run(agent.conf().clone(), api, scope),
            exit,
        )),
        // Apart from the deployer, so that a lost connection does not end the units of the machine (Juju's nested context
        // ends with its deployer).
        fully_upgraded(Manifold::new(
            UNIT_AGENTS,
            (AGENT,),
            |(agent,), scope| unit_agents(agent, scope),
            exit,
        )),
        fully_upgraded(Manifold::new(
            DEPLOYER,
            (AGENT, API_CALLER, UNIT_AGENTS),
            |(agent, api, units), scope| deployer::run(agent.tag(), api, units, scope),
            exit,
        )),
    ]
}

/// SIGABRT means that the agent is to end and stay ended.
async fn termination(scope: Scope) -> anyhow::Result<()> {
    match scope.until_cancelled(terminated()).await {
        None => Ok(()),
        Some(signalled) => {
            signalled?;
            Err(Fatal::Terminate.into())
        }
    }
}

/// Nothing migrates models yet, so nobody locks it.
async fn open_fortress(scope: Scope<Fortress>) -> anyhow::Result<()> {
    let fortress = Fortress::new();
    fortress.guard().unlock();
    scope.publish(fortress);
    scope.cancelled().await;
    Ok(())
}

/// Sets the levels of a sink by the text of `logging-config`.
pub(super) fn apply_logging(sink: logging::Sink) -> logging_config_updater::Apply {
    Arc::new(move |text| match logging::parse(text) {
        Ok(levels) => sink.set_levels(levels),
        Err(err) => tracing::error!("logging-config {text:?} is not applied: {err}"),
    })
}

fn machiner_config(agent: &Agent) -> machiner::Config {
    let conf = agent.conf().current();
    let own_address: Option<IpAddr> = conf.value(values::LOCAL_ADDRESS).parse().ok();
    let hostname = match conf.value(values::INSTANCE_ID) {
        "" => nix::unistd::gethostname().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default(),
        id => id.to_owned(),
    };
    machiner::Config { tag: conf.tag.clone(), own_address, hostname }
}

/// An engine for each unit that was deployed to the machine.
async fn unit_agents(agent: Agent, scope: Scope<UnitContext>) -> anyhow::Result<()> {
    let for_units = agent.clone();
    let (control, runner) = Runner::new(super::config(), move |name: String, scope: Scope| {
        unit::run(for_units.clone(), name, scope)
    });
    let runner = runner.fatal(|err| juju_engine::find_error::<Fatal>(err).map(Fatal::importance));
    let units = UnitContext::new(agent, control);
    scope.set_report(units.runner());
    scope.publish(units);
    runner.run(&scope).await
}
