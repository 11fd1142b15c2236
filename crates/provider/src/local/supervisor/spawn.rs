//! Starting an agent: a session of its own, a clean environment, its output in its log.
//!
//! This is the one place of the project with `unsafe` in it. A new session must be begun between
//! fork and exec, the standard library has no safe way to say so, and without a session of its own
//! an agent's orphans could not be told from another's.
#![allow(unsafe_code)]

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::census::MARKER;
use super::procfs;
use super::protocol::MachineSpec;
use juju_agent::files;

/// An agent that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Started {
    pub(super) pid: i32,
    pub(super) start: u64,
}

/// Starts a machine's agent. The child is left to the supervisor's own reaping.
pub(super) fn spawn(spec: &MachineSpec, marker: &str) -> io::Result<Started> {
    let mut command = Command::new(&spec.program);
    command
        .args(&spec.args)
        .env_clear()
        .envs(&spec.env)
        .env(MARKER, marker)
        .current_dir(&spec.root)
        .stdin(Stdio::null());
    files::create_dir_all(spec.output.parent().unwrap_or(&spec.root), 0o755).map_err(|e| e.source)?;
    let output = OpenOptions::new().append(true).create(true).mode(0o600).open(&spec.output)?;
    command.stdout(output.try_clone()?).stderr(output);
    let child = in_own_session(&mut command).spawn()?;
    let pid = child.id() as i32;
    // The child is not waited for here, so its pid cannot be reused before it is looked at.
    let start = procfs::process(pid).map(|process| process.start).unwrap_or_default();
    Ok(Started { pid, start })
}

/// Lets the child begin a session of its own, in which it has no terminal and of which it is the
/// leader.
pub(super) fn in_own_session(command: &mut Command) -> &mut Command {
    // SAFETY: the closure runs in the child between fork and exec, where only async-signal-safe
    // calls are allowed. It makes one system call, setsid, and allocates nothing.
    unsafe {
        command.pre_exec(|| match nix::unistd::setsid() {
            Ok(_) => Ok(()),
            Err(errno) => Err(io::Error::from_raw_os_error(errno as i32)),
        })
    }
}
