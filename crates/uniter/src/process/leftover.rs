//! What an agent that was killed has left running.
//!
//! A hook outlives an agent that is killed, and would go on beside its own second run. So each is noted in a file before
//! it starts, and an agent that starts ends what is noted there: the processes of the hook's group that carry its
//! context in their environment. Two marks are needed, since group numbers come round again, and since what a hook has
//! deliberately sent into the background, in a session of its own, is none of ours.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use tokio::time::{Instant, sleep};

/// How long killed processes may take to be gone. Only a broken disk makes one take longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The file that says which hook runs.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    path: PathBuf,
    context: String,
}

impl Mark {
    pub(crate) fn new(path: PathBuf, context: impl Into<String>) -> Self {
        Mark { path, context: context.into() }
    }

    pub(super) fn write(&self) -> io::Result<()> {
        fs::write(&self.path, format!("{}\n", self.context))
    }

    pub(super) fn set_group(&self, group: Option<i32>) -> io::Result<()> {
        match group {
            Some(group) => fs::write(&self.path, format!("{}\n{group}\n", self.context)),
            None => Ok(()),
        }
    }

    pub(super) fn clear(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Ends the hook that the file speaks of, if it still runs. Returns the number of processes that were killed.
pub(crate) async fn end_leftovers(path: &Path) -> io::Result<usize> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(err) => return Err(err),
    };
    let mut lines = text.lines();
    let context = lines.next().unwrap_or_default();
    let group = lines.next().and_then(|it| it.parse::<i32>().ok());
    let mut killed = 0;
    if !context.is_empty() {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = processes(context, group);
            if left.is_empty() {
                break;
            }
            killed = killed.max(left.len());
            for pid in left {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
            if Instant::now() > deadline {
                return Err(io::Error::other(format!("processes of {context} do not end")));
            }
            sleep(Duration::from_millis(20)).await;
        }
    }
    fs::remove_file(path)?;
    Ok(killed)
}

/// The live processes of a hook. Without a group, all that carry the context: the agent ended just as it started them.
fn processes(context: &str, group: Option<i32>) -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else { return vec![] };
    let wanted = format!("JUJU_CONTEXT_ID={context}");
    entries
        .flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name may hold anything, brackets too, so fields count from the last one.
            let fields: Vec<_> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
            let (state, pgrp) = (*fields.first()?, fields.get(2)?.parse::<i32>().ok()?);
            if matches!(state, "Z" | "X") || group.is_some_and(|it| it != pgrp) {
                return None;
            }
            let environment = fs::read(entry.path().join("environ")).ok()?;
            environment.split(|it| *it == 0).any(|it| it == wanted.as_bytes()).then_some(pid)
        })
        .collect()
}
