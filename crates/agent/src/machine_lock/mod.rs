//! The machine lock: on one machine, one hook, action, container set-up or reboot at a time.
//!
//! It works between processes (`juju-exec` takes it too) by a locked file of Juju's name, and within
//! a process by a queue in front of that file, first come, first served. What holds it, what waits
//! and what held it before can be asked at any time, and each hold is written to a log.
//!
//! A request is dropped by dropping its future; a hold ends by dropping its [`Guard`].

mod queue;
mod report;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use jiff::ZonedDateTime;

use crate::log_file::{LogFile, Rotation};
use crate::paths::Paths;
use queue::{FileQueue, Held};
use report::Record;
pub use report::ReportOptions;

/// How many past holds a report can show.
const HISTORY: usize = 1000;

/// The longest name of a lock, `machine-lock-` included.
const MAX_NAME: usize = 40;

/// One machine's lock as one agent sees it. Clones are the same lock.
#[derive(Debug, Clone)]
pub struct MachineLock {
    shared: Arc<Shared>,
    view: Arc<View>,
}

/// Where the lock and its log are.
#[derive(Debug, Clone)]
pub struct Config {
    pub paths: Paths,
    /// User and group of a new lock file: those behind `sudo`, where it is used.
    pub lock_owner: Option<(u32, u32)>,
    /// User and group of a new log file: `syslog:adm` on a host of its own.
    pub log_owner: Option<(u32, u32)>,
}

/// Who wants the lock and what for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Such as `mysql/0 uniter` or `juju-exec`.
    pub worker: String,
    /// Such as `run start hook`; may be empty.
    pub comment: String,
    /// Requests of different groups do not wait for each other. Actions use it.
    pub group: Option<String>,
}

impl Request {
    pub fn new(worker: impl Into<String>, comment: impl Into<String>) -> Self {
        Self { worker: worker.into(), comment: comment.into(), group: None }
    }

    pub fn in_group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MachineLockError {
    #[error("machine lock group {group:?} is not valid: letters, digits and dashes, {} at most", MAX_NAME - "machine-lock-".len())]
    Group { group: String },
    #[error("cannot lock {path}", path = .path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// A hold of the lock.
#[derive(Debug)]
#[must_use = "dropping it releases the machine lock"]
pub struct Guard {
    id: u64,
    lock: MachineLock,
    held: Option<Held>,
}

impl MachineLock {
    /// The lock for the agent of this tag.
    pub fn new(agent: impl Into<String>, config: Config) -> Self {
        Self {
            shared: Arc::new(Shared { config, queues: Mutex::default(), log: Mutex::default() }),
            view: Arc::new(View::new(agent.into())),
        }
    }

    /// The same lock for another agent of this process: one queue, a report and a log name of its own.
    pub fn for_agent(&self, agent: impl Into<String>) -> Self {
        Self { shared: self.shared.clone(), view: Arc::new(View::new(agent.into())) }
    }

    /// Waits for the lock.
    pub async fn acquire(&self, request: Request) -> Result<Guard, MachineLockError> {
        let queue = self.shared.queue(request.group.as_deref())?;
        let waiting = Waiting::new(&self.view, request);
        let held = queue
            .acquire()
            .await
            .map_err(|source| MachineLockError::File { path: queue.path().to_owned(), source })?;
        Ok(Guard { id: waiting.acquired(), lock: self.clone(), held: Some(held) })
    }

    /// What holds the lock, what waits for it and, if asked for, what held it, as YAML.
    pub fn report(&self, options: ReportOptions) -> String {
        let state = self.view.state();
        report::render(&self.view.agent, &state.holding, &state.waiting, &state.history, options)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let record = self.lock.view.released(self.id);
        if let Some(record) = &record {
            self.lock.shared.write_log(&self.lock.view, record);
        }
        // Only now, so that the log has the holds in their order.
        drop(self.held.take());
    }
}

/// What all agents of a process share.
#[derive(Debug)]
struct Shared {
    config: Config,
    queues: Mutex<HashMap<Option<String>, Arc<FileQueue>>>,
    log: Mutex<Option<LogFile>>,
}

impl Shared {
    fn queue(&self, group: Option<&str>) -> Result<Arc<FileQueue>, MachineLockError> {
        if let Some(group) = group.filter(|group| !valid_group(group)) {
            return Err(MachineLockError::Group { group: group.to_owned() });
        }
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queues.entry(group.map(str::to_owned)).or_insert_with(|| {
            Arc::new(FileQueue::new(self.config.paths.machine_lock(group), self.config.lock_owner))
        });
        Ok(queue.clone())
    }

    /// Appends one line; the first of an agent comes after the line of its start. A log that cannot
    /// be written is no reason to hold work up.
    fn write_log(&self, view: &View, record: &Record) {
        use std::io::Write as _;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.is_none() {
            *log = self.open_log();
        }
        let Some(file) = log.as_mut() else { return };
        let mut text = String::new();
        if let Some(started) = view.start_line() {
            text.push_str(&started);
        }
        text.push_str(&record.log_line(&view.agent));
        if let Err(error) = file.write_all(text.as_bytes()) {
            tracing::warn!(%error, path = %file.path().display(), "cannot write the machine lock log");
        }
    }

    fn open_log(&self) -> Option<LogFile> {
        let path = self.config.paths.machine_lock_log();
        let new = !path.exists();
        match LogFile::open(&path, Rotation::of_machine_lock()) {
            Ok(file) => {
                if let (true, Some((uid, gid))) = (new, self.config.log_owner) {
                    let _ = std::os::unix::fs::chown(&path, Some(uid), Some(gid));
                }
                Some(file)
            }
            Err(error) => {
                tracing::warn!(%error, "machine lock log not written");
                None
            }
        }
    }
}

fn valid_group(group: &str) -> bool {
    !group.is_empty()
        && "machine-lock-".len() + group.len() <= MAX_NAME
        && group.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// What one agent's report is made of.
#[derive(Debug)]
struct View {
    agent: String,
    started: ZonedDateTime,
    state: Mutex<ViewState>,
}

#[derive(Debug, Default)]
struct ViewState {
    next: u64,
    start_logged: bool,
    waiting: BTreeMap<u64, Record>,
    holding: BTreeMap<u64, Record>,
    /// Newest first.
    history: VecDeque<Record>,
}

impl View {
    fn new(agent: String) -> Self {
        Self { agent, started: ZonedDateTime::now(), state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, ViewState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn released(&self, id: u64) -> Option<Record> {
        let mut state = self.state();
        let mut record = state.holding.remove(&id)?;
        record.released = Some((ZonedDateTime::now(), Instant::now()));
        state.history.push_front(record.clone());
        state.history.truncate(HISTORY);
        Some(record)
    }

    fn start_line(&self) -> Option<String> {
        let first = !std::mem::replace(&mut self.state().start_logged, true);
        first.then(|| report::start_line(&self.agent, &self.started))
    }
}

/// An entry among those that wait; it goes when the request does.
struct Waiting<'a> {
    view: &'a View,
    id: u64,
}

impl<'a> Waiting<'a> {
    fn new(view: &'a View, request: Request) -> Self {
        let mut state = view.state();
        let id = state.next;
        state.next += 1;
        state.waiting.insert(id, Record::new(request.worker, request.comment));
        Self { view, id }
    }

    fn acquired(self) -> u64 {
        let mut state = self.view.state();
        if let Some(mut record) = state.waiting.remove(&self.id) {
            record.acquired = Some((ZonedDateTime::now(), Instant::now()));
            state.holding.insert(self.id, record);
        }
        self.id
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.view.state().waiting.remove(&self.id);
    }
}

#[cfg(test)]
mod tests;
