//! The supervisor: keeps the agents of one controller's machines running.
//!
//! It is to `local` machines what systemd is to others, in a process of its own: it starts each
//! agent in a session of its own, starts it again with a back-off when it fails, and before that
//! ends all that the last one left, so that no hook ever runs beside an orphan of itself. It is the
//! reaper of its agents' orphans. An agent that ends with exit code 0 means it and stays down.
//!
//! It may be killed at any moment. The machines it wants are on disk before anything is done for
//! them; agents live on without it; and the next one adopts them by pid and start time. It decides
//! nothing else: which machines there are is the provider's business.
//!
//! One task, [`actor`], owns all state. [`run`] is the whole process.

mod actor;
mod census;
mod client;
mod ending;
mod procfs;
pub mod protocol;
mod server;
mod spawn;
mod wanted;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use juju_agent::files::{self, FileError};
use juju_agent::sockets::SocketError;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use census::MARKER;
pub use client::{Client, ClientError, SupervisorCommand, ensure_supervisor};

use super::dirs::{Dirs, DirsError};
use actor::Actor;
use server::Server;

/// What a supervisor is told at its start.
#[derive(Debug, Clone)]
pub struct Config {
    /// The directory of the controller's machines. Its own files are in `supervisor` in there.
    pub dir: PathBuf,
    pub socket: PathBuf,
    /// Removed with `dir` when all is destroyed.
    pub runtime_dir: PathBuf,
    pub timing: Timing,
}

/// How patient it is.
#[derive(Debug, Clone)]
pub struct Timing {
    /// Before the first restart of an agent; doubled with each further one.
    pub restart: Duration,
    pub restart_max: Duration,
    /// An agent that ran this long has not failed yet.
    pub healthy: Duration,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// How often agents are looked at that are not its children.
    pub adopted: Duration,
    /// How often it makes sure that its socket can be reached.
    pub socket: Duration,
}

impl Config {
    /// The usual one for these directories.
    pub fn new(dirs: &Dirs) -> Self {
        Self {
            dir: dirs.dir().to_owned(),
            socket: dirs.supervisor_socket(),
            runtime_dir: dirs.runtime_dir().to_owned(),
            timing: Timing::default(),
        }
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            restart: Duration::from_millis(100),
            restart_max: Duration::from_secs(30),
            healthy: Duration::from_secs(30),
            grace: Duration::from_secs(3),
            adopted: Duration::from_millis(250),
            socket: Duration::from_secs(5),
        }
    }
}

impl Timing {
    /// How long to wait before an agent that failed this often in a row is started again.
    fn delay(&self, failures: u32) -> Duration {
        let factor = 1u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
        self.restart.saturating_mul(factor).min(self.restart_max)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// Another one has this directory; that is the one to talk to.
    #[error("a supervisor for {dir} runs already", dir = .dir.display())]
    AlreadyRuns { dir: PathBuf },
    #[error(transparent)]
    Dirs(#[from] DirsError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Socket(#[from] SocketError),
    #[error("cannot become the reaper of orphans")]
    Subreaper(#[source] io::Error),
    #[error("cannot handle signals")]
    Signals(#[source] io::Error),
}

/// Runs a supervisor until it is told to end by a request or by the token. With the token agents
/// live on, as when it is killed. It must be the only thing its process does: it reaps all
/// children.
pub async fn run(config: Config, stop: CancellationToken) -> Result<(), SupervisorError> {
    // A supervisor that comes late must not bring back what was destroyed.
    Dirs::open(&config.dir)?;
    let _lock = lock(&config.dir)?;
    nix::sys::prctl::set_child_subreaper(true).map_err(|e| SupervisorError::Subreaper(e.into()))?;
    let (requests, inbox) = mpsc::channel(64);
    // The actor first: a request is answered from what was recorded, so that must be read before.
    let mut actor = Actor::new(config.clone(), inbox)?;
    let server = Server::bind(&config, requests)?;
    tracing::info!(dir = %config.dir.display(), pid = std::process::id(), "supervisor started");
    let serving = CancellationToken::new();
    let (result, ()) = tokio::join!(
        async {
            let result = tokio::select! {
                result = actor.run() => result,
                () = stop.cancelled() => Ok(()),
            };
            serving.cancel();
            result
        },
        server.run(serving.clone()),
    );
    tracing::info!("supervisor ended");
    result
}

/// The files of the supervisor of a directory.
fn own_dir(dir: &Path) -> PathBuf {
    dir.join("supervisor")
}

/// Where a supervisor that was started in the background writes its log.
pub fn log_path(dir: &Path) -> PathBuf {
    own_dir(dir).join("supervisor.log")
}

fn lock(dir: &Path) -> Result<Flock<File>, SupervisorError> {
    files::create_dir_all(&own_dir(dir), 0o700)?;
    let path = own_dir(dir).join("lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(|e| FileError::new("lock", &path, e))?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| match errno {
        Errno::EWOULDBLOCK => SupervisorError::AlreadyRuns { dir: dir.to_owned() },
        errno => FileError::new("lock", path, errno.into()).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_longest() {
        let timing = Timing::default();
        let millis: Vec<_> = [1, 2, 3, 9, 10, 32, 33, 1000].map(|n| timing.delay(n).as_millis()).into();
        assert_eq!(millis, [100, 200, 400, 25_600, 30_000, 30_000, 30_000, 30_000]);
    }

    #[test]
    fn one_supervisor_a_directory() {
        let dir = tempfile::tempdir().unwrap();
        let first = lock(dir.path()).unwrap();
        assert!(matches!(lock(dir.path()), Err(SupervisorError::AlreadyRuns { .. })));
        drop(first);
        lock(dir.path()).unwrap();
    }
}
