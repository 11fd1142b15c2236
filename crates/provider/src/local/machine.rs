//! A machine of this host: its root directory, and the record in it that says whose it is.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::net::Ipv4Addr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use juju_agent::conf::{AgentConf, ConfFile, values};
use juju_agent::files::{self, FileError};
use juju_agent::paths::Paths;
use juju_agent::tools::{self, Tools};
use juju_core::{Base, Binary, ControllerUuid, MachineId, ModelUuid};
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use super::dirs::Dirs;
use super::supervisor::protocol::MachineSpec;
use super::{address, binaries, environment};
use crate::{InstanceId, ProviderError};

const RECORD: &str = "instance.json";

/// A machine that has a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    dirs: Dirs,
    record: Record,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Record {
    /// The name of the root directory too, and what the supervisor knows the machine by.
    instance_id: String,
    controller: ControllerUuid,
    model: ModelUuid,
    machine: MachineId,
    /// What was asked for; the charm runs on the host's.
    base: Base,
    address: Ipv4Addr,
}

/// Whose machine it is to be.
#[derive(Debug, Clone)]
pub struct NewMachine<'a> {
    pub controller: &'a ControllerUuid,
    pub model: &'a ModelUuid,
    pub machine: &'a MachineId,
    pub base: &'a Base,
}

impl Machine {
    /// Makes a machine's root, empty but for its directories, over an old one of the same machine
    /// if there is one, of which no process may be left. Until it is complete it has another name.
    pub fn create(dirs: &Dirs, new: &NewMachine<'_>) -> Result<Self, ProviderError> {
        if new.machine.is_container() {
            return Err(ProviderError::refused(format!(
                "machine {} is a container, and the local cloud has none",
                new.machine
            )));
        }
        // Two at once must not choose the same name or address.
        let _lock = lock(dirs).map_err(failed)?;
        let others = all(dirs).map_err(failed)?;
        let (old, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|machine| {
            &machine.record.model == new.model && &machine.record.machine == new.machine
        });
        let taken: HashSet<_> = others.iter().map(|machine| machine.record.address).collect();
        let instance_id = match old.first() {
            Some(old) => old.record.instance_id.clone(),
            None => free_name(new, &others)?,
        };
        let seed = format!("{}/{}/{}", new.controller, new.model, new.machine);
        let address = address::choose(&seed, &taken)
            .ok_or_else(|| ProviderError::refused("all loopback addresses of this host are taken"))?;
        let record = Record {
            instance_id,
            controller: new.controller.clone(),
            model: new.model.clone(),
            machine: new.machine.clone(),
            base: new.base.clone(),
            address,
        };
        let machine = Self { dirs: dirs.clone(), record };
        for old in &old {
            old.remove_files().map_err(failed)?;
        }
        machine.make_root().map_err(failed)?;
        Ok(machine)
    }

    /// The machine of this instance, if there is one.
    pub fn open(dirs: &Dirs, id: &InstanceId) -> Option<Self> {
        // An id comes from elsewhere and must not lead elsewhere.
        let name = Path::new(id.as_str());
        (name.components().count() == 1 && !id.as_str().starts_with('.')).then_some(())?;
        let text = fs::read(dirs.machines().join(name).join(RECORD)).ok()?;
        let record: Record = serde_json::from_slice(&text).ok()?;
        (record.instance_id == id.as_str()).then(|| Self { dirs: dirs.clone(), record })
    }

    pub fn instance_id(&self) -> InstanceId {
        InstanceId::new(&self.record.instance_id)
    }

    pub fn model(&self) -> &ModelUuid {
        &self.record.model
    }

    pub fn machine(&self) -> &MachineId {
        &self.record.machine
    }

    pub fn base(&self) -> &Base {
        &self.record.base
    }

    /// The loopback address that is this machine's alone.
    pub fn address(&self) -> Ipv4Addr {
        self.record.address
    }

    pub fn root(&self) -> PathBuf {
        self.dirs.machines().join(&self.record.instance_id)
    }

    /// All places of the machine, its sockets in the runtime directory.
    pub fn paths(&self) -> Paths {
        Paths::under(&self.root()).with_runtime_dir(self.runtime_dir())
    }

    /// What its `agent.conf` says beyond what every agent's does.
    pub fn values(&self) -> BTreeMap<String, String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        BTreeMap::from([
            (values::PROVIDER_TYPE.to_owned(), "local".to_owned()),
            (values::ROOT_DIR.to_owned(), text(&self.root())),
            (values::RUNTIME_DIR.to_owned(), text(&self.runtime_dir())),
            (values::SUPERVISOR_SOCKET.to_owned(), text(&self.dirs.supervisor_socket())),
            (values::INSTANCE_ID.to_owned(), self.record.instance_id.clone()),
            (values::LOCAL_ADDRESS.to_owned(), self.record.address.to_string()),
        ])
    }

    /// Gives the machine its agent's binaries, as links to the controller's one copy.
    pub fn install_tools(&self, tools: &Tools) -> Result<(), ProviderError> {
        let version: Binary = tools
            .version
            .parse()
            .map_err(|_| ProviderError::refused(format!("agent version {:?} is not valid", tools.version)))?;
        let binaries = binaries::installed(&self.dirs, &version).map_err(failed)?;
        let paths = self.paths();
        tools::link_binaries(&paths, tools, &binaries)
            .and_then(|()| tools::switch(&paths, &self.tag(), &tools.version))
            .map_err(|e| ProviderError::transient("cannot install the agent binaries", e))?;
        Ok(())
    }

    /// Writes the configuration and the nonce of the machine's agent.
    pub fn install_agent(&self, mut conf: AgentConf) -> Result<(), ProviderError> {
        let paths = self.paths();
        conf.values.extend(self.values());
        files::write_atomic(&paths.nonce_file(), conf.nonce.as_bytes(), 0o600).map_err(failed)?;
        ConfFile::create(paths.agent_conf(self.tag()), conf)
            .map_err(|e| ProviderError::transient("cannot install the agent", e))?;
        Ok(())
    }

    /// What the supervisor is told of the machine; `env` is what [`environment::passed_on`] says.
    pub fn spec(&self, env: &BTreeMap<String, String>) -> MachineSpec {
        let paths = self.paths();
        let args = [
            "machine",
            "--data-dir",
            &paths.data_dir().to_string_lossy(),
            "--machine-id",
            self.machine().as_str(),
        ]
        .map(str::to_owned)
        .into();
        MachineSpec {
            key: self.record.instance_id.clone(),
            root: self.root(),
            transient_dir: paths.transient_dir().to_owned(),
            program: paths.agent_jujud(self.tag()),
            args,
            env: environment::of_machine(env, &paths),
            output: paths.agent_log(self.tag()),
        }
    }

    /// Makes sure that the machine's sockets can be made.
    pub(super) fn make_runtime_dir(&self) -> Result<(), FileError> {
        self.dirs.make_runtime_dir()?;
        files::create_dir_all(&self.runtime_dir(), 0o700)
    }

    /// Removes the machine's root and its sockets, and nothing else. No process of it may be left.
    pub(super) fn remove_files(&self) -> Result<(), FileError> {
        let root = self.root();
        // From here on it is no machine any more, however long the rest takes.
        let gone = root.with_file_name(format!(".gone-{}", self.record.instance_id));
        files::remove_dir_all(&gone)?;
        if root.exists() {
            fs::rename(&root, &gone).map_err(|e| FileError::new("remove", &root, e))?;
        }
        files::remove_dir_all(&gone)?;
        files::remove_dir_all(&self.runtime_dir())
    }

    fn make_root(&self) -> Result<(), FileError> {
        let root = self.root();
        let new = root.with_file_name(format!(".new-{}", self.record.instance_id));
        files::remove_dir_all(&new)?;
        files::create_dir_all(&new, 0o700)?;
        let paths = Paths::under(&new);
        for (dir, mode) in [
            (paths.agents_dir(), 0o755),
            (paths.tools_dir(), 0o755),
            (paths.transient_dir().to_owned(), 0o755),
            (paths.log_dir().to_owned(), 0o755),
            (paths.tmp_dir().to_owned(), 0o700),
            (paths.host_path("/usr/bin"), 0o755),
            (paths.host_path("/etc"), 0o755),
            (environment::home(&paths).into(), 0o755),
        ] {
            files::create_dir_all(&dir, mode)?;
        }
        let text = serde_json::to_vec(&self.record).map_err(|e| FileError::new("write", &new, e.into()))?;
        files::write_atomic(&new.join(RECORD), &text, 0o600)?;
        fs::rename(&new, &root).map_err(|e| FileError::new("make", &root, e))?;
        files::sync_dir(&self.dirs.machines())?;
        self.make_runtime_dir()
    }

    /// Short, since names of sockets are to fit in it.
    fn runtime_dir(&self) -> PathBuf {
        self.dirs.runtime_dir().join(&self.record.instance_id)
    }

    fn tag(&self) -> String {
        juju_core::Tag::from(&self.record.machine).to_string()
    }
}

/// All machines of a controller, in no order.
pub fn all(dirs: &Dirs) -> Result<Vec<Machine>, FileError> {
    let dir = dirs.machines();
    let failed = |e| FileError::new("read", &dir, e);
    let mut machines = Vec::new();
    for entry in fs::read_dir(&dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        machines.extend(Machine::open(dirs, &InstanceId::new(name.to_string_lossy())));
    }
    Ok(machines)
}

/// `<model>-<machine>`, with as much of the model as tells it from others.
fn free_name(new: &NewMachine<'_>, others: &[Machine]) -> Result<String, ProviderError> {
    let model = new.model.as_str();
    [6, 13, 36]
        .iter()
        .map(|length| format!("{}-{}", model[..*length].trim_end_matches('-'), new.machine))
        .find(|name| others.iter().all(|other| &other.record.instance_id != name))
        .ok_or_else(|| ProviderError::refused(format!("no name is left for machine {}", new.machine)))
}

fn lock(dirs: &Dirs) -> Result<Flock<File>, FileError> {
    let path = dirs.machines().join(".lock");
    let failed = |e| FileError::new("lock", &path, e);
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    // Held for as long as it takes to make some directories.
    Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, errno)| failed(errno.into()))
}

fn failed(error: FileError) -> ProviderError {
    ProviderError::transient("cannot prepare the machine's files", error)
}
