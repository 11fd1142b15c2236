//! The life of a machine agent, from its configuration to its exit code.
//!
//! [`run`] does what Juju's `MachineAgent.Run` does, in its order: configuration, logging, certificate names before
//! anything else starts, machine lock, upgrade gates, links, engine, introspection beside the engine; and at the end
//! the worst error decides whether the service starts it again.

mod end;
mod fatal;
mod links;
mod signals;

use std::{path::PathBuf, sync::Arc, time::SystemTime};

use anyhow::Context as _;
use juju_agent::{
    certs,
    conf::{ConfFile, values},
    data_dir_lock::DataDirLock,
    log_file::{LogFile, Rotation},
    machine_lock::{self, MachineLock},
    paths::Paths,
};
use juju_core::{Arch, Binary, MachineId, Tag, Version};
use juju_engine::{Engine, Gate};
use tracing_subscriber::layer::SubscriberExt as _;

pub use fatal::Fatal;
pub(crate) use signals::terminated;

use crate::{
    cmd::Failure,
    introspection,
    logging::{self, LevelConfig, Router, Sink},
    manifolds,
};

/// What the command line said.
pub struct Config {
    pub machine_id: MachineId,
    pub data_dir: PathBuf,
    pub log_to_stderr: bool,
    /// Kept until the controller says otherwise.
    pub levels: LevelConfig,
}

/// What every worker of the process may need of the agent itself. Clones are the same agent.
#[derive(Clone)]
pub struct Agent {
    inner: Arc<Inner>,
}

struct Inner {
    conf: ConfFile,
    paths: Paths,
    lock: MachineLock,
    sink: Sink,
    router: Router,
    upgrade_steps: Gate,
    upgrade_check: Gate,
}

impl Agent {
    pub fn conf(&self) -> &ConfFile {
        &self.inner.conf
    }
    pub fn tag(&self) -> String {
        self.inner.conf.current().tag.clone()
    }
    pub fn paths(&self) -> &Paths {
        &self.inner.paths
    }
    pub fn lock(&self) -> &MachineLock {
        &self.inner.lock
    }
    /// Where the machine's own records go.
    pub fn sink(&self) -> &Sink {
        &self.inner.sink
    }
    pub fn router(&self) -> &Router {
        &self.inner.router
    }
    /// Open once the steps of the running version have run.
    pub fn upgrade_steps(&self) -> &Gate {
        &self.inner.upgrade_steps
    }
    /// Open once it is known that no other version is wanted.
    pub fn upgrade_check(&self) -> &Gate {
        &self.inner.upgrade_check
    }
}

/// Runs the agent until it ends; the process should then exit.
pub fn main(config: Config) -> Result<(), Failure> {
    let opened = open(&config)?;
    let threads = if opened.conf.current().is_controller() { CONTROLLER_THREADS } else { AGENT_THREADS };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("jujud")
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let ended = runtime.block_on(run(opened));
    // What is left runs code that never awaits; it must not keep the process.
    runtime.shutdown_background();
    Ok(ended?)
}

/// An agent waits most of its life; each thread costs it memory.
const AGENT_THREADS: usize = 1;
const CONTROLLER_THREADS: usize = 2;

/// The configuration, and the right to its directory.
struct Opened {
    conf: ConfFile,
    paths: Paths,
    sink: Sink,
    router: Router,
    _lock: DataDirLock,
}

fn open(config: &Config) -> anyhow::Result<Opened> {
    let tag = Tag::from(config.machine_id.clone()).to_string();
    let path = Paths::host().with_data_dir(&config.data_dir).agent_conf(&tag);
    let conf = ConfFile::open(path).context("cannot read agent configuration")?;
    let current = conf.current();
    let paths = current.paths();
    let lock = DataDirLock::take(&paths, &tag)?;
    let levels = match current.value(values::LOGGING_OVERRIDE) {
        "" => current.logging_config.as_str(),
        forced => forced,
    };
    let levels = match logging::parse(levels) {
        Ok(parsed) if !levels.is_empty() => parsed,
        _ => config.levels.clone(),
    };
    let sink = if config.log_to_stderr {
        Sink::stderr(levels)
    } else {
        let rotation = Rotation::of_agent(current.log_file_max_size, current.log_file_max_backups);
        Sink::file(LogFile::open(paths.agent_log(&tag), rotation)?, levels)
    };
    let router = Router::new(sink.clone());
    // Fails only if there is one already, which is so in tests alone.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(router.clone()));
    Ok(Opened { conf, paths, sink, router, _lock: lock })
}

async fn run(opened: Opened) -> anyhow::Result<()> {
    let Opened { conf, paths, sink, router, _lock } = opened;
    let tag = conf.current().tag.clone();
    tracing::info!("machine agent {tag} start ({})", juju_core::version::CURRENT);
    conf.change(|conf| certs::ensure_serving_cert(conf, SystemTime::now()).map(drop))
        .await
        .context("error upgrading server certificate")?;
    let lock_config = machine_lock::Config { paths: paths.clone(), lock_owner: None, log_owner: None };
    let (upgrade_steps, upgrade_check) = (Gate::new(), Gate::new());
    if is_current(&conf.current().upgraded_to_version) {
        upgrade_steps.unlock();
    }
    links::make(&paths, &tag)?;
    let inner = Inner {
        lock: MachineLock::new(tag.as_str(), lock_config),
        conf,
        paths,
        sink,
        router,
        upgrade_steps,
        upgrade_check,
    };
    let agent = Agent { inner: Arc::new(inner) };
    let stop = signals::stop_token()?;
    let engine =
        Engine::new(manifolds::config(), manifolds::machine::all(&agent)).context("the agent's manifolds")?;
    let introspection = introspection::Server::start(&agent, &tag, engine.handle());
    let outcome = engine.run(stop.clone()).await;
    for name in &outcome.late {
        tracing::warn!("worker {name:?} did not stop in time");
    }
    introspection.stop().await;
    end::act(&agent, outcome.fatal).await
}

/// This program, as an agent binary is named.
pub(crate) fn binary_version() -> Binary {
    Binary::new(juju_core::version::CURRENT, "ubuntu", Arch::of_this_build().unwrap_or_default())
}

/// Whether the steps of the running version have run: tags and builds do not matter.
fn is_current(upgraded_to: &str) -> bool {
    let running = juju_core::version::CURRENT;
    upgraded_to
        .parse::<Version>()
        .is_ok_and(|it| (it.major, it.minor, it.patch) == (running.major, running.minor, running.patch))
}
