//! What is said to a supervisor: one JSON object a line each way, answered in order.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The longest line either side sends.
pub const MAX_LINE: usize = 256 << 10;

/// A machine to keep running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MachineSpec {
    /// The instance id. It is a file name: letters, digits, dots and dashes.
    pub key: String,
    /// The machine's root, where its agent starts.
    pub root: PathBuf,
    /// Emptied by a reboot.
    pub transient_dir: PathBuf,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// All of the agent's environment, but for what the supervisor adds.
    pub env: BTreeMap<String, String>,
    /// Where the agent's output is appended.
    pub output: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Request {
    Ping,
    /// Keep this machine running, from now on and over restarts of the supervisor. Answered when
    /// its agent was started.
    Ensure {
        machine: MachineSpec,
    },
    /// End all processes of a machine. Answered when there are none left.
    Stop {
        key: String,
        /// Whether to forget the machine too.
        forget: bool,
    },
    /// Stop, empty the transient directory, start again. Answered at once, since the one who asks
    /// is mostly among those that are stopped.
    Reboot {
        key: String,
    },
    List,
    /// Stop and forget all machines, leave no process behind, and end.
    Shutdown,
    /// The same, and remove the supervisor's whole directory with all machines in it.
    Destroy,
    /// Destroy when this connection ends, in whatever way.
    Lifeline,
    /// Takes that back.
    Release,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Response {
    Done,
    Pong {
        pid: i32,
        machines: usize,
    },
    Machines {
        machines: Vec<MachineStatus>,
    },
    /// There is no such machine.
    Unknown {
        key: String,
    },
    Failed {
        message: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MachineStatus {
    pub key: String,
    pub state: MachineState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// How often the agent was started by this supervisor.
    pub starts: u64,
    /// How the agent ended last, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_end: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MachineState {
    /// Its agent runs.
    Running,
    /// Its agent failed and will be started again.
    Restarting,
    /// Its processes are being ended.
    Stopping,
    /// It was stopped, or its agent ended by itself and said that all was well.
    Stopped,
}

impl MachineSpec {
    /// Whether the key can be a file name, and only that.
    pub fn check(&self) -> Result<(), String> {
        let clean = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if self.key.is_empty()
            || self.key.len() > 128
            || self.key.starts_with('.')
            || !self.key.chars().all(clean)
        {
            return Err(format!("{:?} is not a valid machine key", self.key));
        }
        for (name, path) in
            [("root", &self.root), ("transient directory", &self.transient_dir), ("program", &self.program)]
        {
            if !path.is_absolute() {
                return Err(format!("the {name} {path:?} is not an absolute path"));
            }
        }
        if !self.transient_dir.starts_with(&self.root) || self.transient_dir == self.root {
            // A reboot empties it, so it must not be a directory of the host.
            return Err(format!("the transient directory {:?} is not below the root", self.transient_dir));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> MachineSpec {
        MachineSpec {
            key: "9f6b2f-0".into(),
            root: "/srv/m".into(),
            transient_dir: "/srv/m/var/run/juju".into(),
            program: "/bin/true".into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            output: "/srv/m/log".into(),
        }
    }

    #[test]
    fn lines_read_back() {
        for request in [
            Request::Ping,
            Request::Ensure { machine: spec() },
            Request::Stop { key: "a".into(), forget: true },
            Request::Shutdown,
        ] {
            let line = serde_json::to_string(&request).unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Request>(&line).unwrap(), request);
        }
        assert_eq!(serde_json::to_string(&Request::Ping).unwrap(), r#"{"op":"ping"}"#);
    }

    #[test]
    fn what_could_leave_the_machine_is_refused() {
        assert_eq!(spec().check(), Ok(()));
        for bad in ["", "..", ".a", "a/b", "a b", &"x".repeat(129)] {
            assert!(MachineSpec { key: bad.into(), ..spec() }.check().is_err(), "{bad}");
        }
        for bad in ["/tmp", "/srv/m", "/srv/mm/x", "x"] {
            assert!(MachineSpec { transient_dir: bad.into(), ..spec() }.check().is_err(), "{bad}");
        }
        assert!(MachineSpec { program: "jujud".into(), ..spec() }.check().is_err());
    }
}
