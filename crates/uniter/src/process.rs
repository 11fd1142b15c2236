//! A hook's process: found, started, listened to, ended.
//!
//! It gets a process group of its own, so that it can be ended with all it started, and a mark in a file, so that
//! an agent that was killed finds and ends what it left running before it runs anything anew.

mod leftover;
mod lines;

use std::{
    io,
    os::unix::{fs::PermissionsExt as _, process::ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use tokio::{
    process::{Child, Command},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

pub(crate) use leftover::{Mark, end_leftovers};
use lines::Lines;

/// How long output is waited for once the process has ended: what it left in the background may hold the pipe for ever.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// How long a process that was told to end may take.
const GRACE: Duration = Duration::from_secs(5);

/// What a charm has for a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Script {
    /// `dispatch`, which runs every hook.
    Dispatch(PathBuf),
    /// The hook's own file.
    Hook(PathBuf),
    Missing,
}

/// Why a charm cannot be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ScriptError {
    #[error("charm missing from disk")]
    NoCharm,
    #[error("{path} is not executable", path = .0.display())]
    NotExecutable(PathBuf),
    #[error("cannot look at {path}", path = .path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Script {
    /// The script of a hook, in Juju's order.
    pub(crate) fn find(charm_dir: &Path, hook: &str) -> Result<Self, ScriptError> {
        if !charm_dir.join("metadata.yaml").exists() {
            return Err(ScriptError::NoCharm);
        }
        let dispatch = charm_dir.join("dispatch");
        if executable(&dispatch)? == Some(true) {
            return Ok(Script::Dispatch(dispatch));
        }
        let path = charm_dir.join("hooks").join(hook);
        match executable(&path)? {
            None => Ok(Script::Missing),
            Some(true) => Ok(Script::Hook(path)),
            Some(false) => Err(ScriptError::NotExecutable(path)),
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Script::Dispatch(path) | Script::Hook(path) => Some(path),
            Script::Missing => None,
        }
    }

    /// The words in which the log speaks of it.
    pub(crate) fn via(&self) -> &'static str {
        match self {
            Script::Dispatch(_) => "hook dispatching script: dispatch",
            Script::Hook(_) | Script::Missing => "explicit, bespoke hook script",
        }
    }
}

/// Whether a file can be run; nothing if there is none.
fn executable(path: &Path) -> Result<Option<bool>, ScriptError> {
    match std::fs::metadata(path) {
        Ok(meta) => Ok(Some(meta.is_file() && meta.permissions().mode() & 0o111 != 0)),
        Err(err) if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(source) => Err(ScriptError::Unreadable { path: path.to_owned(), source }),
    }
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    Well,
    /// In words: `exit status 1`.
    Badly(String),
    /// Somebody ended it (SIGTERM, SIGKILL), which is not the charm's fault.
    Killed,
}

/// Which of its outputs a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

pub(crate) struct Process<'a> {
    pub(crate) script: &'a Path,
    pub(crate) dir: &'a Path,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) mark: Mark,
}

impl Process<'_> {
    /// Runs it to its end, or ends it when `stop` is cancelled. Dropping the future kills it.
    pub(crate) async fn run(
        mut self,
        stop: &CancellationToken,
        log: &(dyn Fn(Stream, &str) + Send + Sync),
    ) -> io::Result<Ended> {
        self.mark.write()?;
        let mut command = Command::new(self.script);
        command.env_clear().envs(self.variables.drain(..)).current_dir(self.dir);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut group = Group::new(command.spawn()?);
        self.mark.set_group(group.id)?;
        let (stdout, stderr) = (group.child.stdout.take(), group.child.stderr.take());
        let stdout = async {
            if let Some(pipe) = stdout {
                Lines::new(pipe).each(|line| log(Stream::Stdout, line)).await;
            }
        };
        let stderr = async {
            if let Some(pipe) = stderr {
                Lines::new(pipe).each(|line| log(Stream::Stderr, line)).await;
            }
        };
        let mut output = std::pin::pin!(async { tokio::join!(stdout, stderr) });
        let mut silent = false;
        let ended = {
            let mut wait = std::pin::pin!(group.wait(stop));
            loop {
                tokio::select! {
                    ended = &mut wait => break ended,
                    _ = &mut output, if !silent => silent = true,
                }
            }
        };
        if !silent {
            let _ = timeout(LAST_WORDS, output).await;
        }
        self.mark.clear();
        ended
    }
}

/// A process and all that it has started in its group; killed when dropped before its end.
struct Group {
    child: Child,
    id: Option<i32>,
    ended: bool,
}

impl Group {
    fn new(child: Child) -> Self {
        let id = child.id().and_then(|it| i32::try_from(it).ok());
        Group { child, id, ended: false }
    }

    async fn wait(&mut self, stop: &CancellationToken) -> io::Result<Ended> {
        tokio::select! {
            status = self.child.wait() => {
                self.ended = true;
                let ended = words(status?);
                // Whoever ended it meant all of it: what it had started would run beside its second run.
                if ended == Ended::Killed {
                    self.signal(Signal::SIGKILL);
                }
                return Ok(ended);
            }
            () = stop.cancelled() => {}
        }
        self.signal(Signal::SIGTERM);
        tokio::select! {
            _ = self.child.wait() => {}
            () = sleep(GRACE) => {}
        }
        // Those of the group that outlive it would run beside the next hook.
        self.signal(Signal::SIGKILL);
        let _ = self.child.wait().await;
        self.ended = true;
        Ok(Ended::Killed)
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // It may be gone already.
            let _ = killpg(Pid::from_raw(id), signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(Signal::SIGKILL);
        }
    }
}

fn words(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(0), _) => Ended::Well,
        (Some(code), _) => Ended::Badly(format!("exit status {code}")),
        (None, Some(signal)) if signal == Signal::SIGTERM as i32 || signal == Signal::SIGKILL as i32 => {
            Ended::Killed
        }
        (None, signal) => Ended::Badly(format!("signal: {}", signal.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests;
