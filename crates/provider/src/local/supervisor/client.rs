//! Talking to a supervisor, and starting one that is not there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use juju_agent::files::{self, FileError};
use juju_agent::sockets::{self, SocketError};
use tokio::net::UnixStream;
use tokio::time::Instant;
use tokio_util::codec::{Framed, LinesCodec};

use super::protocol::{MAX_LINE, MachineSpec, MachineStatus, Request, Response};
use super::{MARKER, log_path, spawn};
use crate::local::dirs::{Dirs, DirsError};

/// How long a supervisor may take to be there after it was started.
const START: Duration = Duration::from_secs(10);

/// How long one that ended at once is left alone before the next is started.
const AGAIN: Duration = Duration::from_millis(500);

/// How long it may take to do what it was asked. Ending processes takes a grace and a little.
const ANSWER: Duration = Duration::from_secs(120);

/// A connection to a supervisor.
#[derive(Debug)]
pub struct Client {
    lines: Framed<UnixStream, LinesCodec>,
}

#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody is there; [`ensure_supervisor`] changes that.
    #[error("no supervisor listens on {socket}", socket = .socket.display())]
    NotThere {
        socket: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Another user's process has the socket.
    #[error(transparent)]
    Stranger(#[from] SocketError),
    /// It ended, or does not answer. What was asked may have been done.
    #[error("lost the supervisor")]
    Lost,
    #[error("no machine {key:?} is known to the supervisor")]
    Unknown { key: String },
    /// It could not do it.
    #[error("{message}")]
    Refused { message: String },
    #[error("cannot start the supervisor {program}", program = .program.display())]
    Start {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
    /// It was started and ended again, or hangs. Its log says why.
    #[error("the supervisor did not start; see {log}", log = .log.display())]
    DidNotStart { log: PathBuf },
    #[error(transparent)]
    Dirs(#[from] DirsError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl Client {
    pub async fn connect(socket: &Path) -> Result<Self, ClientError> {
        let stream = UnixStream::connect(socket)
            .await
            .map_err(|source| ClientError::NotThere { socket: socket.to_owned(), source })?;
        // In a directory that others can write to, another user might have been first.
        sockets::require_own_user(&stream)?;
        Ok(Self { lines: Framed::new(stream, LinesCodec::new_with_max_length(MAX_LINE)) })
    }

    /// The supervisor's pid and the number of its machines.
    pub async fn ping(&mut self) -> Result<(i32, usize), ClientError> {
        match self.ask(&Request::Ping).await? {
            Response::Pong { pid, machines } => Ok((pid, machines)),
            other => Err(unexpected(other)),
        }
    }

    /// Keeps a machine running. Returns when its agent was started.
    pub async fn ensure(&mut self, machine: MachineSpec) -> Result<(), ClientError> {
        self.done(&Request::Ensure { machine }).await
    }

    /// Ends a machine's processes. Returns when there are none left.
    pub async fn stop(&mut self, key: &str, forget: bool) -> Result<(), ClientError> {
        self.done(&Request::Stop { key: key.to_owned(), forget }).await
    }

    /// Asks for a reboot, which comes after the answer.
    pub async fn reboot(&mut self, key: &str) -> Result<(), ClientError> {
        self.done(&Request::Reboot { key: key.to_owned() }).await
    }

    pub async fn list(&mut self) -> Result<Vec<MachineStatus>, ClientError> {
        match self.ask(&Request::List).await? {
            Response::Machines { machines } => Ok(machines),
            other => Err(unexpected(other)),
        }
    }

    /// Ends all machines and the supervisor.
    pub async fn shutdown(mut self) -> Result<(), ClientError> {
        self.done(&Request::Shutdown).await
    }

    /// Ends all machines and the supervisor, and removes all their files.
    pub async fn destroy(mut self) -> Result<(), ClientError> {
        self.done(&Request::Destroy).await
    }

    /// From now on everything is destroyed when this connection ends, however it does.
    pub async fn lifeline(&mut self) -> Result<(), ClientError> {
        self.done(&Request::Lifeline).await
    }

    /// Takes a lifeline back.
    pub async fn release(&mut self) -> Result<(), ClientError> {
        self.done(&Request::Release).await
    }

    async fn done(&mut self, request: &Request) -> Result<(), ClientError> {
        match self.ask(request).await? {
            Response::Done => Ok(()),
            other => Err(unexpected(other)),
        }
    }

    async fn ask(&mut self, request: &Request) -> Result<Response, ClientError> {
        let line =
            serde_json::to_string(request).map_err(|e| ClientError::Refused { message: e.to_string() })?;
        self.lines.send(line).await.map_err(|_| ClientError::Lost)?;
        match tokio::time::timeout(ANSWER, self.lines.next()).await {
            Ok(Some(Ok(line))) => serde_json::from_str(&line).map_err(|_| ClientError::Lost),
            _ => Err(ClientError::Lost),
        }
    }
}

fn unexpected(response: Response) -> ClientError {
    match response {
        Response::Failed { message } => ClientError::Refused { message },
        Response::Unknown { key } => ClientError::Unknown { key },
        other => ClientError::Refused { message: format!("unexpected answer {other:?}") },
    }
}

/// How to start a supervisor.
#[derive(Debug, Clone)]
pub struct SupervisorCommand {
    /// `jujud`
    pub program: PathBuf,
    /// `local-supervisor --dir …`
    pub args: Vec<OsString>,
    /// All of its environment.
    pub env: BTreeMap<OsString, OsString>,
}

/// A connection to the supervisor of these directories, which is started in the background if it is
/// not there. When several do this at the same time one supervisor comes of it.
pub async fn ensure_supervisor(dirs: &Dirs, command: &SupervisorCommand) -> Result<Client, ClientError> {
    let (dir, socket) = (dirs.dir(), dirs.supervisor_socket());
    let deadline = Instant::now() + START;
    let mut child: Option<std::process::Child> = None;
    let mut started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match Client::connect(&socket).await {
            Ok(mut client) => match client.ping().await {
                Ok(_) => return Ok(client),
                // It was about to end; look again.
                Err(ClientError::Lost) => {}
                Err(error) => return Err(error),
            },
            Err(ClientError::NotThere { .. }) => {
                // One that ended may have found that another was faster. That other one will be there
                // soon or, if it was at its end, no longer be in the way.
                let again = child.as_mut().is_none_or(|child| ended(child) && started.elapsed() > AGAIN);
                if again {
                    child = Some(start(dir, command)?);
                    started = Instant::now();
                }
            }
            Err(error) => return Err(error),
        }
        if Instant::now() > deadline {
            return Err(ClientError::DidNotStart { log: log_path(dir) });
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Whether the process has ended; if so it is reaped.
fn ended(child: &mut std::process::Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Starts a supervisor that has nothing of this process: a session of its own, its output in its
/// log, no marker of a machine.
fn start(dir: &Path, command: &SupervisorCommand) -> Result<std::process::Child, ClientError> {
    let failed = |source| ClientError::Start { program: command.program.clone(), source };
    // What was destroyed is not brought back.
    Dirs::open(dir)?;
    let log = log_path(dir);
    files::create_dir_all(log.parent().unwrap_or(dir), 0o700)?;
    let output = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&log)
        .map_err(|e| FileError::new("open", &log, e))?;
    let mut process = Command::new(&command.program);
    process
        .args(&command.args)
        .env_clear()
        .envs(&command.env)
        .env_remove(MARKER)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(output.try_clone().map_err(failed)?)
        .stderr(output);
    spawn::in_own_session(&mut process).spawn().map_err(failed)
}
