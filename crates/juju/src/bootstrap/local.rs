//! Controllers on this host: made, found again, destroyed.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use juju_agent::{files, tools::Tools};
use juju_core::{Arch, Binary, MachineId, version};
use juju_provider::local::{
    Local,
    dirs::{self, Dirs, DirsError},
    environment, install_binaries,
    machine::Machine,
    supervisor::{Client, ClientError, ensure_supervisor, log_path},
    supervisor_command,
};
use juju_rpc::{Connection, DialConfig, DialError};
use juju_wire::{
    code,
    facade::{
        admin::LoginRequest,
        client::{StatusParams, call},
    },
};
use tokio::time::{Instant, sleep};

use super::{
    jujud::Binaries,
    plan::{ADMIN, Plan},
};
use crate::{
    error::{Context as _, Error, Result, told},
    printer::Printer,
    store::{Accounts, BootstrapConfigs, Controllers, Models, Store, StoreError, cookies},
};

/// The first try after a start comes soon: a controller is there in a fraction of a second.
const FIRST_TRY: Duration = Duration::from_millis(5);
const LAST_PAUSE: Duration = Duration::from_millis(250);
/// How long a controller that was only stopped may take to answer.
const REVIVAL: Duration = Duration::from_secs(15);

/// A controller whose agent runs and which may still be given up.
pub struct Started {
    dirs: Dirs,
    /// While this is open and not released, the supervisor destroys everything when it closes.
    lifeline: Client,
}

/// What this process's environment gives to agents, and the session's runtime directory.
#[derive(Clone, Debug)]
pub struct Host {
    pub vars: BTreeMap<String, String>,
    pub runtime_dir: Option<PathBuf>,
}

/// Makes the controller of a plan and waits until it serves. On failure nothing of it is left, and neither if
/// `stop` comes first, which says why.
pub async fn create(
    plan: &Plan,
    binaries: &Binaries,
    host: &Host,
    printer: &mut Printer,
    stop: impl Future<Output = &'static str>,
) -> Result<Started> {
    let why = tokio::select! {
        made = make(plan, binaries, host, printer) => return made,
        why = stop => why,
    };
    printer.end_progress();
    // The lifeline went with what was being done, so its end is under way, or nothing runs yet.
    destroy_dir(&plan.dir, host).await?;
    Err(Error::failed(format!("ended by {why}")))
}

async fn make(plan: &Plan, binaries: &Binaries, host: &Host, printer: &mut Printer) -> Result<Started> {
    let dirs = Dirs::create(&plan.dir, &dirs::runtime_base(host.runtime_dir.as_deref()))
        .map_err(|e| Error::failed(format!("cannot make the controller's directory: {}", told(&e))))?;
    let lifeline = match tie(binaries, host, &dirs, printer).await {
        Ok(lifeline) => lifeline,
        Err(e) => {
            // Nothing runs yet.
            remove_files(&dirs)?;
            return Err(e);
        }
    };
    match build(plan, binaries, host, &dirs, printer).await {
        Ok(()) => Ok(Started { dirs, lifeline }),
        Err(e) => {
            let log = last_words(&dirs);
            let destroyed = lifeline.destroy().await.context("cannot destroy the controller");
            if let Err(left) = destroyed.and(until_gone(dirs.dir()).await) {
                let dir = dirs.dir().display();
                printer.warning(format!("something of the failed controller is left in {dir}: {left}"));
            }
            Err(match log {
                Some(log) => e.context_after(&log),
                None => e,
            })
        }
    }
}

impl Started {
    /// The controller stays from now on.
    pub async fn keep(mut self) -> Result {
        self.lifeline.release().await.context("cannot take the lifeline back")
    }

    /// Ends the controller and removes it.
    pub async fn destroy(self) -> Result {
        self.lifeline.destroy().await.context("cannot destroy the controller")?;
        until_gone(self.dirs.dir()).await
    }

    /// Where its machines are, with their logs.
    pub fn machines_dir(&self) -> PathBuf {
        self.dirs.machines()
    }
}

/// Starts the supervisor. From then on, whatever ends this process ends the controller too.
async fn tie(binaries: &Binaries, host: &Host, dirs: &Dirs, printer: &mut Printer) -> Result<Client> {
    let version = version();
    printer.info(format!("Located Juju agent version {version} at {}", binaries.jujud.display()));
    install_binaries(dirs, &version, &binaries.all()).context("cannot install the agent binaries")?;
    let command = supervisor_command(dirs, &host.vars);
    let mut lifeline = match ensure_supervisor(dirs, &command).await {
        Ok(client) => client,
        Err(e) => {
            let log = std::fs::read_to_string(log_path(dirs.dir())).unwrap_or_default();
            let e = Error::failed(format!("cannot start the supervisor: {}", told(&e)));
            return Err(if log.trim().is_empty() { e } else { e.context_after(log.trim()) });
        }
    };
    lifeline.lifeline().await.context("cannot tie the supervisor to this process")?;
    Ok(lifeline)
}

/// The version of the agents, which is this client's.
fn version() -> Binary {
    Binary::new(version::CURRENT, "ubuntu", Arch::of_this_build().unwrap_or_default())
}

async fn build(plan: &Plan, binaries: &Binaries, host: &Host, dirs: &Dirs, printer: &mut Printer) -> Result {
    let version = version();
    let command = supervisor_command(dirs, &host.vars);
    printer.info(format!(
        "Launching controller instance(s) on {}/{}...",
        super::plan::CLOUD,
        super::plan::REGION
    ));
    let local =
        Local::new(dirs.clone(), plan.controller.clone(), plan.model.clone(), command, host.vars.clone());
    let machine = local.prepare(&MachineId::top(0), &plan.base).await.context("cannot make machine 0")?;
    printer.info(format!(" - {} (arch={})", machine.instance_id(), version.arch));
    printer.info("Installing Juju agent on bootstrap instance");
    let tools = Tools { version: version.to_string(), url: String::new(), sha256: String::new(), size: 0 };
    machine.install_tools(&tools).context("cannot install the agent")?;
    bootstrap_state(plan, binaries, &machine, dirs, &host.vars).await?;
    local.launch(&machine).await.context("cannot start the controller's agent")?;
    printer.info("Bootstrap agent now started");
    printer.info(format!(
        "Contacting Juju controller at {} to verify accessibility...",
        plan.endpoint().split(':').next().unwrap_or_default()
    ));
    let work = until_it_serves(plan);
    crate::context::with_progress(printer, "Waiting for the controller", work).await
}

/// Has `jujud` make the store and machine 0's configuration. The parameters hold keys, so the file is private and
/// goes away again.
async fn bootstrap_state(
    plan: &Plan,
    binaries: &Binaries,
    machine: &Machine,
    dirs: &Dirs,
    vars: &BTreeMap<String, String>,
) -> Result {
    let path = dirs.dir().join("bootstrap-params");
    plan.params(machine.instance_id().as_str())
        .write(&path)
        .context("cannot write the bootstrap parameters")?;
    let output = tokio::process::Command::new(&binaries.jujud)
        .arg("bootstrap-state")
        .arg("--data-dir")
        .arg(machine.paths().data_dir())
        .arg(&path)
        .env_clear()
        .envs(vars)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await;
    files::remove_file(&path).context("cannot remove the bootstrap parameters")?;
    let output = output.context(format!("cannot run {}", binaries.jujud.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let why = text.lines().rev().find_map(|it| it.strip_prefix("ERROR ")).unwrap_or_else(|| text.trim());
    Err(Error::failed(match why {
        "" => format!("cannot initialise the controller: jujud ended with {}", output.status),
        why => format!("cannot initialise the controller: {why}"),
    }))
}

/// Tries until the controller's own model answers with a status.
async fn until_it_serves(plan: &Plan) -> Result {
    let config = DialConfig::model(vec![plan.endpoint()], &plan.authority_cert, plan.model.as_str());
    let deadline = Instant::now() + plan.timeout;
    let mut pause = FIRST_TRY;
    loop {
        let error = match serves(plan, &config).await {
            Ok(()) => return Ok(()),
            Err(Try::Over(e)) => return Err(e),
            Err(Try::Again(e)) => e,
        };
        if Instant::now() + pause > deadline {
            return Err(Error::failed(format!("the controller does not answer: {error}")));
        }
        sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
}

/// Why a try failed.
enum Try {
    /// It may only be too early.
    Again(String),
    Over(Error),
}

async fn serves(plan: &Plan, config: &DialConfig) -> std::result::Result<(), Try> {
    let connection = Connection::connect(config).await.map_err(|e| match &e {
        DialError::Refused { .. }
        | DialError::Timeout { .. }
        | DialError::Handshake { .. }
        | DialError::Tls { .. }
        | DialError::Http { .. }
        | DialError::Unreachable { .. } => Try::Again(told(&e)),
        _ => Try::Over(Error::chain(&e)),
    })?;
    let login = LoginRequest {
        auth_tag: format!("user-{ADMIN}"),
        credentials: plan.password.expose().to_owned(),
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
        ..LoginRequest::default()
    };
    let failed = |e: juju_rpc::CallError| {
        if e.is_closed() || matches!(e.code(), code::UPGRADE_IN_PROGRESS | code::MODEL_NOT_FOUND) {
            Try::Again(told(&e))
        } else {
            Try::Over(Error::from(e))
        }
    };
    connection.login(login).await.map_err(failed)?;
    connection.call::<call::FullStatus>(StatusParams::default()).await.map_err(failed)?;
    connection.close().await;
    Ok(())
}

/// Writes a new controller to the client store, in one turn.
pub fn register(store: &Store, plan: &Plan, make_current: bool) -> Result {
    let write = || -> std::result::Result<bool, StoreError> {
        let mut locked = store.lock()?;
        let is_new = locked.update(|file: &mut Controllers| {
            if file.controllers.contains_key(&plan.name) {
                return false;
            }
            file.controllers.insert(plan.name.clone(), plan.stored_controller());
            if make_current {
                file.current_controller.clone_from(&plan.name);
            }
            true
        })?;
        if is_new {
            locked.update(|file: &mut Accounts| {
                file.controllers.insert(plan.name.clone(), plan.stored_account());
            })?;
            locked.update(|file: &mut Models| {
                file.controllers.insert(plan.name.clone(), plan.stored_models());
            })?;
            locked.update(|file: &mut BootstrapConfigs| {
                file.controllers.insert(plan.name.clone(), plan.stored_bootstrap_config());
            })?;
        }
        Ok(is_new)
    };
    match write().context("cannot write the controller to the client store")? {
        true => cookies::create(store, &plan.name).context("cannot make the controller's cookie jar"),
        false => Err(Error::failed(format!("controller {:?} already exists", plan.name))),
    }
}

/// Removes a controller from the client store, in one turn.
pub fn unregister(store: &Store, name: &str) -> Result {
    let write = || -> std::result::Result<(), StoreError> {
        let mut locked = store.lock()?;
        locked.update(|file: &mut Controllers| file.remove(name))?;
        locked.update(|file: &mut Accounts| file.controllers.remove(name))?;
        locked.update(|file: &mut Models| file.controllers.remove(name))?;
        locked.update(|file: &mut BootstrapConfigs| file.controllers.remove(name))?;
        Ok(())
    };
    write().context("cannot remove the controller from the client store")?;
    cookies::remove(store, name).context("cannot remove the controller's cookie jar")
}

/// The directory of a local controller that was bootstrapped here.
pub fn dir_of(store: &Store, name: &str) -> Result<Option<PathBuf>> {
    let configs: BootstrapConfigs = store.read().context("cannot read the client store")?;
    let config = configs.controllers.get(name).filter(|it| it.cloud_type == super::plan::CLOUD);
    Ok(config.map(|it| PathBuf::from(&it.endpoint)).filter(|it| !it.as_os_str().is_empty()))
}

/// Ends a controller's processes and removes its files; one that is gone already is fine.
pub async fn destroy_dir(dir: &Path, host: &Host) -> Result {
    let dirs = match Dirs::open(dir) {
        Ok(dirs) => dirs,
        Err(DirsError::NotOurs { .. }) => return Ok(()),
        Err(e) => return Err(Error::chain(&e)),
    };
    let command = supervisor_command(&dirs, &host.vars);
    let destroyed = match ensure_supervisor(&dirs, &command).await {
        Ok(client) => client.destroy().await,
        Err(e) => Err(e),
    };
    match destroyed {
        Ok(()) => {}
        // Another is at it, or was: the lifeline.
        Err(
            ClientError::Lost | ClientError::NotThere { .. } | ClientError::Dirs(DirsError::NotOurs { .. }),
        ) => {}
        // There is no program to start: no agent ran either.
        Err(ClientError::Start { .. }) => remove_files(&dirs)?,
        Err(e) => return Err(Error::chain(&e)),
    }
    until_gone(dir).await
}

/// Removes a controller of which nothing runs.
fn remove_files(dirs: &Dirs) -> Result {
    dirs::remove_all(dirs.dir()).context("cannot remove the controller's files")?;
    files::remove_dir_all(dirs.runtime_dir()).context("cannot remove the controller's sockets")?;
    tidy(dirs.dir());
    Ok(())
}

async fn until_gone(dir: &Path) -> Result {
    let deadline = Instant::now() + REVIVAL;
    let mut pause = FIRST_TRY;
    while dir.exists() {
        if Instant::now() > deadline {
            return Err(Error::failed(format!("{} is still there", dir.display())));
        }
        sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
    tidy(dir);
    Ok(())
}

/// Removes the directory that controllers are in, if this was the last one.
fn tidy(dir: &Path) {
    if let Some(parent) = dir.parent() {
        // It fails while there are others.
        let _ = std::fs::remove_dir(parent);
    }
}

/// Starts the supervisor of a local controller if it is dead. False if it is none of ours, or gone.
pub async fn revive(store: &Store, host: &Host, name: &str) -> Result<bool> {
    let Some(dir) = dir_of(store, name)? else { return Ok(false) };
    let dirs = match Dirs::open(&dir) {
        Ok(dirs) => dirs,
        Err(DirsError::NotOurs { .. }) => return Ok(false),
        Err(e) => return Err(Error::chain(&e)),
    };
    ensure_supervisor(&dirs, &supervisor_command(&dirs, &host.vars))
        .await
        .context("cannot start the supervisor of the controller")?;
    Ok(true)
}

/// Dials until somebody listens.
pub async fn until_it_listens(config: &DialConfig) -> std::result::Result<Connection, DialError> {
    let deadline = Instant::now() + REVIVAL;
    let mut pause = FIRST_TRY;
    loop {
        match Connection::connect(config).await {
            Err(DialError::Refused { .. }) if Instant::now() < deadline => {}
            other => return other,
        }
        sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
}

impl Host {
    pub fn of(env: &crate::cli::Env) -> Self {
        Self { vars: environment::passed_on(env.vars.clone()), runtime_dir: env.runtime_dir.clone() }
    }
}

/// What the failed agent or the supervisor logged last, which is removed with the rest.
fn last_words(dirs: &Dirs) -> Option<String> {
    let machines = std::fs::read_dir(dirs.machines()).ok()?.flatten();
    let logs = machines.map(|it| it.path().join("var/log/juju/machine-0.log"));
    let mut logs: Vec<_> = logs.chain([log_path(dirs.dir())]).collect();
    logs.retain(|it| it.is_file());
    let text = std::fs::read_to_string(logs.first()?).ok()?;
    let lines: Vec<_> = text.lines().filter(|it| it.contains("ERROR")).collect();
    let last = lines.iter().rev().take(3).rev().copied().collect::<Vec<_>>();
    (!last.is_empty()).then(|| last.join("\n"))
}
