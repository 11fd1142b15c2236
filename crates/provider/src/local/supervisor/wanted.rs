//! What a supervisor must not forget when it is killed: which machines are wanted, and what runs.
//!
//! One file a machine, so that a change to one costs the same whatever the number of the others.

use std::fs;
use std::path::{Path, PathBuf};

use juju_agent::files::{self, FileError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::procfs;
use super::protocol::MachineSpec;

/// The files of a supervisor.
#[derive(Debug)]
pub(super) struct Records {
    wanted: PathBuf,
    running: PathBuf,
}

/// A machine and what is wanted of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Wanted {
    pub(super) machine: MachineSpec,
    pub(super) desired: Desired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Desired {
    Running,
    /// Running again with an empty transient directory.
    Rebooted,
    Stopped,
    /// Stopped and forgotten.
    Gone,
}

/// An agent that was started, in this boot if the id says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Running {
    pub(super) pid: i32,
    pub(super) start: u64,
    pub(super) boot: String,
}

impl Records {
    pub(super) fn open(dir: &Path) -> Result<Self, FileError> {
        let records = Self { wanted: dir.join("wanted"), running: dir.join("running") };
        files::create_dir_all(&records.wanted, 0o700)?;
        files::create_dir_all(&records.running, 0o700)?;
        Ok(records)
    }

    /// All machines. A file that cannot be read is left where it is and reported.
    pub(super) fn load(&self) -> Result<Vec<Wanted>, FileError> {
        let failed = |e| FileError::new("read", &self.wanted, e);
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.wanted).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match read::<Wanted>(&path) {
                Some(wanted) if wanted.machine.check().is_ok() => all.push(wanted),
                _ => tracing::error!(path = %path.display(), "not a record of a machine; ignored"),
            }
        }
        Ok(all)
    }

    /// Durable when it returns.
    pub(super) fn want(&self, wanted: &Wanted) -> Result<(), FileError> {
        let text = serde_json::to_vec(wanted).map_err(|e| FileError::new("write", &self.wanted, e.into()))?;
        files::write_atomic(&self.file(&self.wanted, &wanted.machine.key), &text, 0o600)
    }

    pub(super) fn forget(&self, key: &str) -> Result<(), FileError> {
        files::remove_file(&self.file(&self.running, key))?;
        files::remove_file(&self.file(&self.wanted, key))?;
        files::sync_dir(&self.wanted)
    }

    /// Need not survive a crash of the host, since the process would not either.
    pub(super) fn set_running(&self, key: &str, pid: i32, start: u64) -> Result<(), FileError> {
        let path = self.file(&self.running, key);
        let text = serde_json::to_vec(&Running { pid, start, boot: procfs::boot_id() })
            .map_err(|e| FileError::new("write", &path, e.into()))?;
        let temporary = path.with_extension("new");
        fs::write(&temporary, text)
            .and_then(|()| fs::rename(&temporary, &path))
            .map_err(|e| FileError::new("write", &path, e))
    }

    /// The agent that was started last, if it still runs.
    pub(super) fn running(&self, key: &str) -> Option<Running> {
        let running: Running = read(&self.file(&self.running, key))?;
        (running.boot == procfs::boot_id() && procfs::is_alive(running.pid, running.start)).then_some(running)
    }

    fn file(&self, dir: &Path, key: &str) -> PathBuf {
        dir.join(format!("{key}.json"))
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn wanted(key: &str) -> Wanted {
        let machine = MachineSpec {
            key: key.into(),
            root: "/srv/m".into(),
            transient_dir: "/srv/m/run".into(),
            program: "/bin/true".into(),
            args: vec!["x".into()],
            env: BTreeMap::new(),
            output: "/srv/m/log".into(),
        };
        Wanted { machine, desired: Desired::Running }
    }

    #[test]
    fn machines_are_remembered_one_by_one() {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::open(dir.path()).unwrap();
        records.want(&wanted("a")).unwrap();
        records.want(&wanted("b")).unwrap();
        let stopped = Wanted { desired: Desired::Stopped, ..wanted("a") };
        records.want(&stopped).unwrap();
        records.forget("b").unwrap();
        records.forget("b").unwrap();
        fs::write(dir.path().join("wanted/broken.json"), "{").unwrap();
        let again = Records::open(dir.path()).unwrap();
        assert_eq!(again.load().unwrap(), [stopped]);
        assert!(dir.path().join("wanted/broken.json").exists());
    }

    #[test]
    fn only_the_very_process_counts_as_running() {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::open(dir.path()).unwrap();
        let pid = std::process::id() as i32;
        let start = procfs::process(pid).unwrap().start;
        assert_eq!(records.running("a"), None);
        records.set_running("a", pid, start).unwrap();
        assert_eq!(records.running("a").unwrap().pid, pid);
        records.set_running("a", pid, start + 1).unwrap();
        assert_eq!(records.running("a"), None);
        fs::write(
            dir.path().join("running/a.json"),
            format!(r#"{{"pid":{pid},"start":{start},"boot":"x"}}"#),
        )
        .unwrap();
        assert_eq!(records.running("a"), None);
    }
}
