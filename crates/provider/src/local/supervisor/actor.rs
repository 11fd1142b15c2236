//! The one task that owns a supervisor's state.
//!
//! What is done to a machine follows from what is desired of it and from its phase, never from the
//! request that changed either: so a restart of the supervisor in the middle of anything takes the
//! same paths again.
//!
//! ```text
//!            spawned            agent ended, or not wanted
//!   Waiting ────────> Running ────────────────────────────> Ending
//!      ^  delay over      ^ adopted                            │ no process left
//!      │                  └──────────────── Running desired ───┤
//!      └─────────────────── Running desired, delay not over ───┤
//!                                     Stopped <── Stopped desired
//!                                   (forgotten) <── Gone desired
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use juju_agent::files::{self, FileError};
use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::census::CensusTaker;
use super::protocol::{MachineSpec, MachineState, MachineStatus, Request, Response};
use super::wanted::{Desired, Records, Wanted};
use super::{Config, SupervisorError, ending, own_dir, procfs, spawn};
use crate::local::dirs;

pub(super) type Inbox = mpsc::Receiver<(Request, Reply)>;
pub(super) type Reply = oneshot::Sender<Response>;

pub(super) struct Actor {
    config: Config,
    records: Records,
    taker: Arc<CensusTaker>,
    machines: BTreeMap<String, Machine>,
    inbox: Inbox,
    tasks: JoinSet<Event>,
    finale: Option<Finale>,
}

struct Machine {
    wanted: Wanted,
    phase: Phase,
    /// Starts that failed in a row.
    failures: u32,
    starts: u64,
    last_end: String,
    /// The earliest moment of the next start.
    not_before: Instant,
    /// Told when no process is left.
    ended: Vec<Reply>,
    /// Told when the agent was started, or could not be.
    started: Vec<Reply>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running { pid: i32, start: u64, since: Instant, child: bool },
    Ending,
    Waiting,
    Stopped,
}

enum Event {
    /// No process of the machine is left.
    Ended(String),
    /// The delay of a start is over, if nothing came in between.
    Due(String),
}

/// What is done when the last machine is gone.
struct Finale {
    destroy: bool,
    replies: Vec<Reply>,
}

impl Actor {
    pub(super) fn new(config: Config, inbox: Inbox) -> Result<Self, SupervisorError> {
        let records = Records::open(&own_dir(&config.dir))?;
        let taker = Arc::new(CensusTaker::new(&config.dir.to_string_lossy()));
        let mut actor = Self {
            config,
            records,
            taker,
            machines: BTreeMap::new(),
            inbox,
            tasks: JoinSet::new(),
            finale: None,
        };
        for wanted in actor.records.load()? {
            actor.resume(wanted);
        }
        Ok(actor)
    }

    /// Returns when it was told to end everything and has done so.
    pub(super) async fn run(&mut self) -> Result<(), SupervisorError> {
        let mut children = signal(SignalKind::child()).map_err(SupervisorError::Signals)?;
        let mut look = tokio::time::interval(self.config.timing.adopted);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        self.begin();
        // What ended before the signals were listened to.
        self.reap();
        loop {
            if self.machines.is_empty()
                && let Some(finale) = self.finale.take()
            {
                self.finish(finale).await;
                return Ok(());
            }
            tokio::select! {
                Some((request, reply)) = self.inbox.recv() => self.request(request, reply),
                Some(event) = self.tasks.join_next(), if !self.tasks.is_empty() => match event {
                    Ok(Event::Ended(key)) => self.no_process_left(&key),
                    Ok(Event::Due(key)) => self.due(&key),
                    Err(error) => tracing::error!(%error, "a task of the supervisor failed"),
                },
                _ = children.recv() => self.reap(),
                _ = look.tick(), if self.has_adopted() => self.look_at_adopted(),
            }
        }
    }

    /// Takes a machine from the records of an earlier supervisor.
    fn resume(&mut self, wanted: Wanted) {
        let key = wanted.machine.key.clone();
        let mut machine = Machine::new(wanted);
        if let Some(running) = self.records.running(&key) {
            self.taker.add_agent(running.pid, running.start, &key);
            if machine.wanted.desired == Desired::Running {
                tracing::info!(machine = key, pid = running.pid, "agent adopted");
                let (pid, start) = (running.pid, running.start);
                machine.phase = Phase::Running { pid, start, since: Instant::now(), child: false };
            }
        }
        self.machines.insert(key, machine);
    }

    /// What is not running may have left something, whatever is desired of it.
    fn begin(&mut self) {
        let idle =
            |(key, machine): (&String, &Machine)| (machine.phase == Phase::Stopped).then(|| key.clone());
        let keys: Vec<_> = self.machines.iter().filter_map(idle).collect();
        for key in keys {
            self.end(&key);
        }
    }

    fn request(&mut self, request: Request, reply: Reply) {
        let answer = match request {
            Request::Ping => Response::Pong { pid: std::process::id() as i32, machines: self.machines.len() },
            Request::List => Response::Machines { machines: self.list() },
            Request::Ensure { machine } => return self.ensure(machine, reply),
            Request::Stop { key, forget } => {
                let desired = if forget { Desired::Gone } else { Desired::Stopped };
                return self.stop(&key, desired, reply);
            }
            Request::Reboot { key } => self.reboot(&key),
            Request::Shutdown => return self.conclude(false, reply),
            Request::Destroy => return self.conclude(true, reply),
            Request::Lifeline | Request::Release => {
                Response::Failed { message: "a lifeline is a matter of its connection".into() }
            }
        };
        // Whoever asked may have gone.
        let _ = reply.send(answer);
    }

    fn ensure(&mut self, spec: MachineSpec, reply: Reply) {
        if self.finale.is_some() {
            let _ = reply.send(Response::Failed { message: "the supervisor is ending".into() });
            return;
        }
        let wanted = Wanted { machine: spec, desired: Desired::Running };
        let checked = wanted.machine.check().and_then(|()| self.records.want(&wanted).map_err(|e| chain(&e)));
        if let Err(message) = checked {
            let _ = reply.send(Response::Failed { message });
            return;
        }
        let key = wanted.machine.key.clone();
        let machine = self.machines.entry(key.clone()).or_insert_with(|| Machine::new(wanted.clone()));
        machine.wanted = wanted;
        match machine.phase {
            Phase::Running { .. } => {
                let _ = reply.send(Response::Done);
            }
            Phase::Ending => machine.started.push(reply),
            Phase::Waiting | Phase::Stopped => {
                machine.started.push(reply);
                self.start(&key);
            }
        }
    }

    fn stop(&mut self, key: &str, desired: Desired, reply: Reply) {
        let Some(machine) = self.machines.get_mut(key) else {
            let _ = reply.send(Response::Unknown { key: key.to_owned() });
            return;
        };
        let wanted = Wanted { desired, ..machine.wanted.clone() };
        if let Err(error) = self.records.want(&wanted) {
            let _ = reply.send(Response::Failed { message: chain(&error) });
            return;
        }
        machine.wanted = wanted;
        machine.ended.push(reply);
        self.end(key);
    }

    fn reboot(&mut self, key: &str) -> Response {
        let Some(machine) = self.machines.get_mut(key) else {
            return Response::Unknown { key: key.to_owned() };
        };
        let wanted = Wanted { desired: Desired::Rebooted, ..machine.wanted.clone() };
        if let Err(error) = self.records.want(&wanted) {
            return Response::Failed { message: chain(&error) };
        }
        tracing::info!(machine = key, "rebooting");
        machine.wanted = wanted;
        machine.not_before = Instant::now();
        self.end(key);
        Response::Done
    }

    fn conclude(&mut self, destroy: bool, reply: Reply) {
        tracing::info!(destroy, "ending all machines");
        let finale = self.finale.get_or_insert(Finale { destroy: false, replies: Vec::new() });
        finale.destroy |= destroy;
        finale.replies.push(reply);
        let keys: Vec<_> = self.machines.keys().cloned().collect();
        for key in keys {
            if let Some(machine) = self.machines.get_mut(&key) {
                machine.wanted.desired = Desired::Gone;
                // A failure here is no reason to leave processes running; after a kill at this
                // moment the machine would be started again, and not lost.
                if let Err(error) = self.records.want(&machine.wanted) {
                    tracing::warn!(machine = key, error = chain(&error), "cannot record that a machine goes");
                }
            }
            self.end(&key);
        }
    }

    /// Begins to end all processes of a machine.
    fn end(&mut self, key: &str) {
        let Some(machine) = self.machines.get_mut(key) else { return };
        if machine.phase == Phase::Ending {
            return;
        }
        machine.phase = Phase::Ending;
        let (taker, key, grace) = (self.taker.clone(), key.to_owned(), self.config.timing.grace);
        self.tasks.spawn(async move {
            ending::end_all(&taker, &key, grace).await;
            Event::Ended(key)
        });
    }

    /// All processes of a machine have ended; what comes next is what is desired.
    fn no_process_left(&mut self, key: &str) {
        let Some(machine) = self.machines.get_mut(key) else { return };
        machine.phase = Phase::Stopped;
        let mut answer = Response::Done;
        match machine.wanted.desired {
            Desired::Stopped => {}
            Desired::Gone => {
                if let Err(error) = self.records.forget(key) {
                    answer = Response::Failed { message: chain(&error) };
                }
            }
            Desired::Rebooted => {
                if let Err(error) = empty_dir(&machine.wanted.machine.transient_dir) {
                    tracing::error!(machine = key, error = chain(&error), "transient directory not emptied");
                }
                machine.wanted.desired = Desired::Running;
                if let Err(error) = self.records.want(&machine.wanted) {
                    tracing::error!(
                        machine = key,
                        error = chain(&error),
                        "cannot record that a reboot is done"
                    );
                }
            }
            Desired::Running => {}
        }
        for reply in machine.ended.drain(..) {
            let _ = reply.send(answer.clone());
        }
        match machine.wanted.desired {
            Desired::Running | Desired::Rebooted => self.start_when_due(key),
            Desired::Stopped => {}
            Desired::Gone => {
                self.machines.remove(key);
            }
        }
    }

    fn start_when_due(&mut self, key: &str) {
        let Some(machine) = self.machines.get_mut(key) else { return };
        let wait = machine.not_before.saturating_duration_since(Instant::now());
        // Someone who waits for the start has a reason not to wait for the delay.
        if wait.is_zero() || !machine.started.is_empty() {
            return self.start(key);
        }
        machine.phase = Phase::Waiting;
        let key = key.to_owned();
        self.tasks.spawn(async move {
            tokio::time::sleep(wait).await;
            Event::Due(key)
        });
    }

    fn due(&mut self, key: &str) {
        let now = Instant::now();
        if self.machines.get(key).is_some_and(|m| m.phase == Phase::Waiting && m.not_before <= now) {
            self.start(key);
        }
    }

    /// Starts an agent of which nothing is left.
    fn start(&mut self, key: &str) {
        let Some(machine) = self.machines.get_mut(key) else { return };
        let answer = match spawn::spawn(&machine.wanted.machine, &self.taker.marker(key)) {
            Ok(spawn::Started { pid, start }) => {
                self.taker.add_agent(pid, start, key);
                // Without the record a successor would end this agent and start another.
                if let Err(error) = self.records.set_running(key, pid, start) {
                    tracing::error!(
                        machine = key,
                        error = chain(&error),
                        "cannot record the agent's process"
                    );
                }
                tracing::info!(machine = key, pid, "agent started");
                machine.starts += 1;
                machine.phase = Phase::Running { pid, start, since: Instant::now(), child: true };
                Response::Done
            }
            Err(error) => {
                let program = machine.wanted.machine.program.display();
                let message = format!("cannot start {program}: {error}");
                tracing::error!(machine = key, message);
                machine.last_end = message.clone();
                machine.failed(&self.config);
                Response::Failed { message }
            }
        };
        for reply in machine.started.drain(..) {
            let _ = reply.send(answer.clone());
        }
        if answer != Response::Done {
            self.start_when_due(key);
        }
    }

    /// Takes the exit codes of all children that ended, agents and orphans.
    fn reap(&mut self) {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => {
                    self.child_ended(pid, code == 0, format!("exit code {code}"))
                }
                Ok(WaitStatus::Signaled(pid, by, _)) => {
                    self.child_ended(pid, false, format!("killed by {by}"))
                }
                Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return,
                Err(Errno::EINTR) | Ok(_) => {}
                Err(error) => {
                    tracing::error!(%error, "cannot wait for children");
                    return;
                }
            }
        }
    }

    fn child_ended(&mut self, child: Pid, well: bool, how: String) {
        let agent = |(key, machine): (&String, &Machine)| match machine.phase {
            Phase::Running { pid, child: true, .. } if pid == child.as_raw() => Some(key.clone()),
            _ => None,
        };
        if let Some(key) = self.machines.iter().find_map(agent) {
            self.agent_ended(&key, well, how);
        }
    }

    fn has_adopted(&self) -> bool {
        self.machines.values().any(|machine| matches!(machine.phase, Phase::Running { child: false, .. }))
    }

    fn look_at_adopted(&mut self) {
        let gone = |(key, machine): (&String, &Machine)| match machine.phase {
            Phase::Running { pid, start, child: false, .. } if !procfs::is_alive(pid, start) => {
                Some(key.clone())
            }
            _ => None,
        };
        let gone: Vec<_> = self.machines.iter().filter_map(gone).collect();
        for key in gone {
            // Only a parent is told how. If it meant to end it will say so again, as a child.
            self.agent_ended(&key, false, "ended in an unknown way".to_owned());
        }
    }

    fn agent_ended(&mut self, key: &str, well: bool, how: String) {
        let Some(machine) = self.machines.get_mut(key) else { return };
        tracing::info!(machine = key, how, "agent ended");
        let Phase::Running { since, .. } = machine.phase else { return };
        machine.last_end = how;
        if well {
            machine.failures = 0;
            if machine.wanted.desired == Desired::Running {
                machine.wanted.desired = Desired::Stopped;
                if let Err(error) = self.records.want(&machine.wanted) {
                    tracing::error!(
                        machine = key,
                        error = chain(&error),
                        "cannot record that an agent is done"
                    );
                }
            }
        } else {
            if since.elapsed() >= self.config.timing.healthy {
                machine.failures = 0;
            }
            machine.failed(&self.config);
        }
        self.end(key);
    }

    fn list(&self) -> Vec<MachineStatus> {
        let status = |(key, machine): (&String, &Machine)| MachineStatus {
            key: key.clone(),
            state: match (machine.phase, machine.wanted.desired) {
                (Phase::Running { .. }, _) => MachineState::Running,
                (Phase::Waiting, _) | (Phase::Ending, Desired::Running | Desired::Rebooted) => {
                    MachineState::Restarting
                }
                (Phase::Ending, _) => MachineState::Stopping,
                (Phase::Stopped, _) => MachineState::Stopped,
            },
            pid: match machine.phase {
                Phase::Running { pid, .. } => Some(pid),
                _ => None,
            },
            starts: machine.starts,
            last_end: machine.last_end.clone(),
        };
        self.machines.iter().map(status).collect()
    }

    /// The last machine is gone: now what belongs to none, and the files.
    async fn finish(&mut self, finale: Finale) {
        self.end_strays().await;
        let mut answer = Response::Done;
        if finale.destroy {
            let removed = dirs::remove_all(&self.config.dir)
                .and_then(|()| dirs::remove_runtime_dir(&self.config.runtime_dir));
            if let Err(error) = removed {
                tracing::error!(error = chain(&error), "not everything was removed");
                answer = Response::Failed { message: chain(&error) };
            }
        }
        for reply in finale.replies {
            let _ = reply.send(answer.clone());
        }
    }

    /// Ends children that no machine was known to own: orphans that hid from the census.
    async fn end_strays(&mut self) {
        let own = std::process::id() as i32;
        let began = Instant::now();
        loop {
            self.reap();
            let strays: Vec<_> = procfs::processes()
                .unwrap_or_default()
                .into_iter()
                .filter(|process| process.parent == own && !process.zombie)
                .collect();
            if strays.is_empty() {
                return;
            }
            let patient = began.elapsed() < self.config.timing.grace;
            for stray in &strays {
                ending::signal(stray, if patient { Signal::SIGTERM } else { Signal::SIGKILL });
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
}

impl Machine {
    fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            phase: Phase::Stopped,
            failures: 0,
            starts: 0,
            last_end: String::new(),
            not_before: Instant::now(),
            ended: Vec::new(),
            started: Vec::new(),
        }
    }

    fn failed(&mut self, config: &Config) {
        self.failures += 1;
        self.not_before = Instant::now() + config.timing.delay(self.failures);
    }
}

/// Removes all that is in a directory, which need not be there.
fn empty_dir(dir: &Path) -> Result<(), FileError> {
    let entries = match fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|e| FileError::new("read", dir, e))?,
    };
    for entry in entries {
        let entry = entry.map_err(|e| FileError::new("read", dir, e))?;
        // A link is removed and never followed.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files::remove_dir_all(&entry.path())?,
            _ => files::remove_file(&entry.path())?,
        }
    }
    Ok(())
}

/// An error with its causes, for those who get it as text.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}
