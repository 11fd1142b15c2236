//! The file of a running agent.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{Mutex, watch};

use super::{AgentConf, ConfError, format};
use crate::files;

/// An agent's configuration on disk and in memory, which are the same. Clones are the same file.
///
/// Readers get the whole of it as it is now and never wait. A change that fails, at whatever point,
/// has changed nothing.
#[derive(Debug, Clone)]
pub struct ConfFile {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    current: watch::Sender<Arc<AgentConf>>,
    /// Held by the one mutator there may be.
    changing: Arc<Mutex<()>>,
}

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError<E> {
    /// The mutator's own refusal.
    #[error("{0}")]
    Refused(E),
    #[error(transparent)]
    Conf(#[from] ConfError),
}

impl ConfFile {
    /// Reads an agent's file.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ConfError> {
        let path = path.into();
        let conf = read(&path)?;
        Ok(Self::new(path, conf))
    }

    /// Writes a new agent's file, over an old one if there is one.
    pub fn create(path: impl Into<PathBuf>, conf: AgentConf) -> Result<Self, ConfError> {
        let path = path.into();
        write(&path, &conf)?;
        Ok(Self::new(path, conf))
    }

    fn new(path: PathBuf, conf: AgentConf) -> Self {
        let (current, _) = watch::channel(Arc::new(conf));
        Self { inner: Arc::new(Inner { path, current, changing: Arc::default() }) }
    }

    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The configuration now.
    pub fn current(&self) -> Arc<AgentConf> {
        self.inner.current.borrow().clone()
    }

    /// Tells of changes, the latest at least. What is there at the call counts as seen.
    pub fn subscribe(&self) -> watch::Receiver<Arc<AgentConf>> {
        self.inner.current.subscribe()
    }

    /// Changes the configuration. When this returns, the new one is on disk and is what
    /// [`ConfFile::current`] gives; if the mutator refuses or the file cannot be written, both are
    /// as before. One mutator runs at a time; it must not wait for anything. A change that changes
    /// nothing writes and tells nothing.
    pub async fn change<E>(
        &self,
        mutate: impl FnOnce(&mut AgentConf) -> Result<(), E>,
    ) -> Result<Arc<AgentConf>, ChangeError<E>> {
        let turn = self.inner.changing.clone().lock_owned().await;
        let old = self.current();
        let mut conf = AgentConf::clone(&old);
        mutate(&mut conf).map_err(ChangeError::Refused)?;
        if conf == *old {
            return Ok(old);
        }
        let conf = Arc::new(conf);
        let (inner, new) = (self.inner.clone(), conf.clone());
        // In one piece: a caller that stops waiting must not leave memory behind the disk.
        let written = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            write(&inner.path, &new)?;
            inner.current.send_replace(new);
            Ok::<_, ConfError>(())
        });
        match written.await {
            Ok(result) => result?,
            Err(_) => return Err(ConfError::Write(interrupted(self.path())).into()),
        }
        Ok(conf)
    }

    /// [`ConfFile::change`] for a mutator that cannot refuse.
    pub async fn update(&self, mutate: impl FnOnce(&mut AgentConf)) -> Result<Arc<AgentConf>, ConfError> {
        let changed = self.change(|conf| {
            mutate(conf);
            Ok::<_, Infallible>(())
        });
        changed.await.map_err(|error| match error {
            ChangeError::Refused(never) => match never {},
            ChangeError::Conf(error) => error,
        })
    }
}

/// Reads a configuration without keeping the file.
pub(super) fn read(path: &Path) -> Result<AgentConf, ConfError> {
    let text = fs::read_to_string(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ConfError::Missing { path: path.to_owned() },
        _ => ConfError::Unreadable { path: path.to_owned(), source },
    })?;
    format::parse(&text).map_err(|problem| ConfError::Format { path: path.to_owned(), problem })
}

fn write(path: &Path, conf: &AgentConf) -> Result<(), ConfError> {
    let text = format::render(conf).map_err(ConfError::Render)?;
    files::create_dir_all(files::parent(path), 0o755)?;
    files::write_atomic(path, text.as_bytes(), 0o600)?;
    Ok(())
}

fn interrupted(path: &Path) -> files::FileError {
    files::FileError::new("write", path, io::Error::from(io::ErrorKind::Interrupted))
}
