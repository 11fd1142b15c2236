//! The engine of a unit agent, inside its machine's (Juju 3.6 `worker/deployer/unit_manifolds.go`).
//!
//! What a unit does is in `juju-uniter`; here it gets its files, its log and the workers that all agents have.

use std::sync::Arc;

use anyhow::Context as _;
use juju_agent::{
    conf::{ConfFile, values},
    log_file::{LogFile, Rotation},
};
use juju_core::{Tag, UnitName};
use juju_engine::{Key, Manifold, Scope, find_error};
use juju_provider::local::environment;
use juju_uniter::{
    charm::{HttpCharms, HttpLogin},
    clock::Clock,
    link::{Dial, DialFailure},
    log,
    unit::{self, API_CALLER, Ended, Terminate},
};
use juju_workers::{Ended as Reason, api_address_updater, api_caller, log_sender};
use tracing::Instrument as _;

use super::machine::apply_logging;
use crate::{
    logging::{self, LevelConfig, Sink, agent_span},
    machine::Agent,
};

const LOG_SENDER: Key<()> = Key::new("log-sender");
const API_ADDRESSES: Key<()> = Key::new("api-address-updater");

/// Runs the agent of a unit until it is told to stop or the unit is gone.
pub(super) async fn run(agent: Agent, unit: String, scope: Scope) -> anyhow::Result<()> {
    let name: UnitName = unit.parse()?;
    let tag = Tag::from(name.clone()).to_string();
    let conf = ConfFile::open(agent.paths().agent_conf(&tag))?;
    let sink = sink(&agent, &tag, &conf)?;
    agent.router().add(&tag, sink.clone());
    let span = agent_span(&tag);
    let ended = run_inside(&agent, name, conf, sink, &scope).instrument(span).await;
    agent.router().remove(&tag);
    match ended? {
        Ended::Terminated => tracing::info!("unit agent {unit:?} is done"),
        Ended::Stopped => {}
    }
    Ok(())
}

async fn run_inside(
    agent: &Agent,
    unit: UnitName,
    conf: ConfFile,
    sink: Sink,
    scope: &Scope,
) -> anyhow::Result<Ended> {
    let paths = agent.paths().clone();
    let local = conf.current().value(values::PROVIDER_TYPE) == "local";
    // A machine that shares its host gives hooks a home and a scratch directory of its own.
    let variables = match local {
        true => vec![
            ("HOME".to_owned(), environment::home(&paths)),
            ("TMPDIR".to_owned(), paths.tmp_dir().to_string_lossy().into_owned()),
        ],
        false => vec![],
    };
    let charms = {
        let conf = conf.clone();
        HttpCharms::new(move || http_login(&conf))
    };
    let config = unit::Config {
        unit: unit.clone(),
        lock: agent.lock().for_agent(conf.current().tag.as_str()),
        version: juju_core::version::CURRENT.to_string(),
        charms: Arc::new(charms),
        log: log::tracing_sink(),
        path: std::env::var("PATH").unwrap_or_default(),
        variables,
        ubuntu: true,
        clock: Clock::Boot,
        logging: apply_logging(sink.clone()),
        paths,
    };
    let dial = dial(conf.clone());
    unit::run(config, dial, beside(conf, sink), scope.token(), |engine| scope.set_report(engine)).await
}

/// What runs in a unit's engine besides the unit's own workers.
fn beside(conf: ConfFile, sink: Sink) -> Vec<Manifold<Terminate>> {
    let addresses = conf.clone();
    vec![
        Manifold::new(
            LOG_SENDER,
            (API_CALLER,),
            move |(_api,), scope| log_sender::run(conf.clone(), sink.buffer(), scope),
            exit,
        ),
        Manifold::new(
            API_ADDRESSES,
            (API_CALLER,),
            move |(api,), scope| api_address_updater::run(addresses.clone(), api, scope),
            exit,
        ),
    ]
}

fn exit(result: anyhow::Result<()>) -> juju_engine::Exit<Terminate> {
    match &result {
        Err(err) if find_error::<Reason>(err).is_some() => juju_engine::Exit::Bounce,
        _ => juju_engine::Exit::of(result),
    }
}

fn dial(conf: ConfFile) -> Dial {
    Arc::new(move || {
        let conf = conf.clone();
        Box::pin(async move {
            api_caller::open(&conf).await.map_err(|err| match find_error::<Reason>(&err) {
                Some(Reason::ConnectImpossible) => DialFailure::Impossible(err),
                _ => DialFailure::Later(err),
            })
        })
    })
}

fn http_login(conf: &ConfFile) -> HttpLogin {
    let conf = conf.current();
    HttpLogin {
        addresses: conf.api_addresses.clone(),
        ca_cert: conf.ca_cert.clone(),
        model_uuid: conf.model.clone(),
        tag: conf.tag.clone(),
        password: conf.api_password.clone(),
    }
}

/// A unit's records go to a file of its own, beside the machine's.
fn sink(agent: &Agent, tag: &str, conf: &ConfFile) -> anyhow::Result<Sink> {
    let current = conf.current();
    let levels = match current.logging_config.as_str() {
        "" => LevelConfig::default(),
        text => logging::parse(text).unwrap_or_default(),
    };
    let rotation = Rotation::of_agent(current.log_file_max_size, current.log_file_max_backups);
    let path = agent.paths().agent_log(tag);
    Ok(Sink::file(LogFile::open(&path, rotation).with_context(|| format!("log of {tag}"))?, levels))
}
