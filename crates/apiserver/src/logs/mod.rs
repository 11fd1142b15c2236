//! What agents log: kept in files on the controller that they are connected to.
//!
//! Each model has a file of its own, a JSON object a line, which the debug log reads; `logsink.log` has them all as
//! text for whoever looks into the host. Both rotate by size. Losing them harms nothing, so writes are not synced.

mod query;
mod reader;

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::Stream;
use juju_agent::log_file::{LogFile, Rotation};
use juju_core::ModelUuid;
use juju_state::model::ModelDoc;
use juju_wire::{codec::Ser, params::LogMessage};
use tokio::sync::watch;

pub use query::Query;

use crate::{Error, Result};

/// The logs of all models. Clones share them.
#[derive(Clone)]
pub struct Logs(Arc<Inner>);

struct Inner {
    dir: PathBuf,
    rotation: Rotation,
    sink: Mutex<LogFile>,
    models: Mutex<HashMap<ModelUuid, Arc<ModelLog>>>,
}

/// The log of one model.
pub struct ModelLog {
    uuid: ModelUuid,
    path: PathBuf,
    file: Mutex<LogFile>,
    /// Counts writes, so that readers know when to look.
    written: watch::Sender<u64>,
}

/// How large `logsink.log` grows and what is kept of it.
fn sink_rotation() -> Rotation {
    Rotation { max_bytes: 100 << 20, max_backups: 2, mode: 0o600 }
}

impl Logs {
    /// Opens the logs in the agent's log directory. The rotation is that of a model's file.
    pub fn open(log_dir: &Path, rotation: Rotation) -> Result<Logs> {
        let failed = |err| Error::internal("cannot open the log of the controller's agents", &err);
        let sink = LogFile::open(log_dir.join("logsink.log"), sink_rotation()).map_err(failed)?;
        let (dir, models) = (log_dir.join("models"), Mutex::default());
        Ok(Logs(Arc::new(Inner { dir, rotation, sink: Mutex::new(sink), models })))
    }

    /// The log of a model, which begins with its first record.
    pub fn model(&self, model: &ModelDoc) -> Result<Arc<ModelLog>> {
        let mut models = lock(&self.0.models);
        if let Some(log) = models.get(&model.uuid) {
            return Ok(log.clone());
        }
        let path = self.0.dir.join(file_name(model));
        let file = LogFile::open(&path, self.0.rotation.clone())
            .map_err(|err| Error::internal("cannot open the model's log", &err))?;
        let (uuid, written) = (model.uuid.clone(), watch::channel(0).0);
        let log = Arc::new(ModelLog { uuid, path, file: Mutex::new(file), written });
        models.insert(model.uuid.clone(), log.clone());
        Ok(log)
    }

    /// Closes and removes the log of a model that is gone.
    pub fn remove(&self, model: &ModelDoc) -> io::Result<()> {
        lock(&self.0.models).remove(&model.uuid);
        let path = self.0.dir.join(file_name(model));
        for backup in reader::backups(&path)? {
            std::fs::remove_file(backup)?;
        }
        match std::fs::remove_file(path) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Writes messages in their order; where blocking is allowed.
    pub async fn write(&self, log: Arc<ModelLog>, messages: Vec<LogMessage>) -> io::Result<()> {
        let this = self.clone();
        tokio::task::spawn_blocking(move || this.write_blocking(&log, &messages))
            .await
            .map_err(io::Error::other)?
    }

    fn write_blocking(&self, log: &ModelLog, messages: &[LogMessage]) -> io::Result<()> {
        let mut file = lock(&log.file);
        for message in messages {
            let mut line = serde_json::to_vec(&Ser(message))?;
            line.push(b'\n');
            // One call a line, so that none is split between two files.
            file.write_all(&line)?;
        }
        drop(file);
        log.written.send_modify(|it| *it += 1);
        let mut sink = lock(&self.0.sink);
        messages.iter().try_for_each(|it| sink.write_all(text_line(&log.uuid, it).as_bytes()))
    }
}

impl ModelLog {
    /// The messages that the query asks for. The stream ends only if the query does not tail.
    pub fn read(
        self: &Arc<Self>,
        query: Query,
    ) -> impl Stream<Item = io::Result<LogMessage>> + Unpin + Send + use<> {
        reader::read(self.clone(), query)
    }

    /// The current file with its length, and the backups from the oldest on, as they fit together.
    fn snapshot(&self) -> io::Result<(File, u64, Vec<PathBuf>)> {
        let _writers_wait = lock(&self.file);
        let file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        Ok((file, length, reader::backups(&self.path)?))
    }
}

fn file_name(model: &ModelDoc) -> String {
    let uuid = model.uuid.to_string();
    format!("{}-{}-{}.log", model.owner, model.name, &uuid[..6])
}

/// As Juju writes it, with what would forge another line escaped.
fn text_line(model: &ModelUuid, it: &LogMessage) -> String {
    let time = it.time.0.map(|it| it.strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default();
    let line =
        format!("{model}: {} {time} {} {} {} {}", it.tag, it.severity, it.module, it.location, it.message);
    format!("{}\n", line.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r"))
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
