//! `agent.conf`: what an agent knows before it has spoken to anyone.
//!
//! [`AgentConf`] is one configuration, a plain value. [`ConfFile`] is the file of a running agent:
//! it is read once, changed by one mutator at a time, and each change can be awaited. The format is
//! Juju's 2.0, so that either program can take over the other's machine.

mod api_info;
mod file;
mod format;
pub mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use juju_core::{ControllerUuid, ModelUuid, Tag, Version};

use crate::Secret;
use crate::paths::Paths;
pub use api_info::ApiInfo;
pub use file::{ChangeError, ConfFile};
pub use format::{FormatError, parse, render};

pub use crate::yaml::YamlError;

/// Why there is no configuration, by what can be done about it.
#[derive(Debug, thiserror::Error)]
pub enum ConfError {
    /// The agent was never installed here, or `--data-dir` or `--machine-id` are another's.
    #[error("cannot read agent config \"{path}\": open {path}: no such file or directory", path = .path.display())]
    Missing { path: PathBuf },
    #[error("cannot read agent config \"{path}\"", path = .path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The file is not one, or not all of one. It was left as it is.
    #[error("cannot read agent config \"{path}\": {problem}", path = .path.display())]
    Format { path: PathBuf, problem: FormatError },
    #[error("cannot write agent configuration: {0}")]
    Write(#[from] crate::files::FileError),
    /// A value that could not be read back, such as a tag with a space.
    #[error("cannot write agent configuration: {0}")]
    Render(FormatError),
}

/// The configuration of one agent, as plain as its file: texts that a new file leaves out are empty
/// here, and ids are texts that were checked when they were read and are again when they are written.
/// [`AgentConf::ids`] gives them their types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConf {
    /// `machine-0`, `unit-mysql-0`, `controller-0`.
    pub tag: String,
    pub data_dir: PathBuf,
    pub transient_data_dir: PathBuf,
    pub log_dir: PathBuf,
    pub metrics_spool_dir: PathBuf,
    /// Proves to the controller that this is the machine that it started.
    pub nonce: String,
    /// `JobHostUnits`, `JobManageModel`; written by provisioning and never after.
    pub jobs: Vec<String>,
    /// The version whose upgrade steps have all run.
    pub upgraded_to_version: String,
    /// The authority of the controller, PEM.
    pub ca_cert: String,
    /// UUID of the controller.
    pub controller: String,
    /// UUID of the model.
    pub model: String,
    /// `host:port` of each known API server.
    pub api_addresses: Vec<String>,
    /// Not set yet in a fresh file.
    pub api_password: Secret,
    /// What provisioning gave; tried when the other is refused.
    pub old_password: Secret,
    /// The last logging configuration that the controller gave.
    pub logging_config: String,
    /// Further settings; [`values`] names them.
    pub values: BTreeMap<String, String>,
    /// In MB.
    pub log_file_max_size: u32,
    pub log_file_max_backups: u32,
    /// Of a controller only. Its presence makes the agent one.
    pub serving: Option<ServingInfo>,
    pub legacy: Legacy,
    /// Keys this version does not know, as they stood in the file. Juju loses them.
    pub unknown: Vec<UnknownKey>,
}

/// Who an agent is and whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids {
    pub tag: Tag,
    pub controller: ControllerUuid,
    pub model: ModelUuid,
    pub upgraded_to_version: Version,
}

/// A configuration that was changed in memory to something that cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdsError {
    #[error(transparent)]
    Tag(#[from] juju_core::TagError),
    #[error(transparent)]
    Id(#[from] juju_core::ids::IdError),
    #[error(transparent)]
    Version(#[from] juju_core::version::VersionError),
}

/// What an agent needs to be a controller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServingInfo {
    /// The certificate to serve, with its chain, PEM.
    pub cert: String,
    /// Its key, PEM.
    pub private_key: Secret,
    /// The key of the authority, PEM.
    pub ca_private_key: Secret,
    pub api_port: u16,
    /// Zero if there is none.
    pub controller_api_port: u16,
    /// MongoDB's, of which we have none; kept, because clients of the API are shown it.
    pub state_port: u16,
    pub shared_secret: Secret,
    /// The controller's ssh key.
    pub system_identity: Secret,
}

/// Settings of Juju's databases. We have neither, and give back what we were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Legacy {
    pub state_addresses: Vec<String>,
    pub mongo_memory_profile: String,
    pub juju_db_snap_channel: String,
    pub query_tracing_enabled: bool,
    /// A Go duration, such as `1s`.
    pub query_tracing_threshold: String,
}

/// A key of the file with its value, as text.
#[derive(Clone, PartialEq, Eq)]
pub struct UnknownKey {
    pub key: String,
    /// All its lines, the one with the key included.
    pub text: String,
}

impl std::fmt::Debug for UnknownKey {
    /// Without the value, which may be a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnknownKey").field("key", &self.key).finish_non_exhaustive()
    }
}

/// What is known of an agent before it exists.
#[derive(Debug, Clone)]
pub struct NewAgent {
    pub tag: String,
    pub nonce: String,
    pub jobs: Vec<String>,
    pub version: String,
    pub controller: String,
    pub model: String,
    pub ca_cert: String,
    pub api_addresses: Vec<String>,
    /// The password to log in with the first time; the agent changes it then.
    pub password: Secret,
}

impl AgentConf {
    /// The configuration that an installer writes for a new agent with these places.
    pub fn new(agent: NewAgent, paths: &Paths) -> Self {
        let mut conf = Self {
            tag: agent.tag,
            data_dir: paths.data_dir().to_owned(),
            transient_data_dir: paths.transient_dir().to_owned(),
            log_dir: paths.log_dir().to_owned(),
            metrics_spool_dir: paths.metrics_spool_dir().to_owned(),
            nonce: agent.nonce,
            jobs: agent.jobs,
            upgraded_to_version: agent.version,
            ca_cert: agent.ca_cert,
            controller: agent.controller,
            model: agent.model,
            api_addresses: agent.api_addresses,
            api_password: Secret::default(),
            old_password: agent.password,
            logging_config: String::new(),
            values: BTreeMap::new(),
            log_file_max_size: 100,
            log_file_max_backups: 2,
            serving: None,
            legacy: Legacy::default(),
            unknown: Vec::new(),
        };
        if paths.root() != Path::new("/") {
            conf.set_value(values::ROOT_DIR, paths.root().to_string_lossy());
        }
        if let Some(dir) = paths.runtime_dir() {
            conf.set_value(values::RUNTIME_DIR, dir.to_string_lossy());
        }
        conf
    }

    /// A setting; empty if it is not there.
    pub fn value(&self, key: &str) -> &str {
        self.values.get(key).map(String::as_str).unwrap_or_default()
    }

    /// Sets a setting; an empty text removes it.
    pub fn set_value(&mut self, key: &str, value: impl Into<String>) {
        let value = value.into();
        if value.is_empty() {
            self.values.remove(key);
        } else {
            self.values.insert(key.to_owned(), value);
        }
    }

    /// Who this agent is, by types.
    pub fn ids(&self) -> Result<Ids, IdsError> {
        Ok(Ids {
            tag: self.tag.parse()?,
            controller: self.controller.parse()?,
            model: self.model.parse()?,
            upgraded_to_version: self.upgraded_to_version.parse()?,
        })
    }

    pub fn is_controller(&self) -> bool {
        self.serving.is_some()
    }

    /// What the machine's fixed places are below: `/` but for machines of the local provider.
    pub fn root_dir(&self) -> &Path {
        match self.value(values::ROOT_DIR) {
            "" => Path::new("/"),
            root => Path::new(root),
        }
    }

    /// All places of this agent's machine.
    pub fn paths(&self) -> Paths {
        let mut paths = Paths::under(self.root_dir()).with_data_dir(&self.data_dir);
        if self.transient_data_dir != Path::new("") {
            paths = paths.with_transient_dir(&self.transient_data_dir);
        }
        if self.log_dir != Path::new("") {
            paths = paths.with_log_dir(&self.log_dir);
        }
        if self.metrics_spool_dir != Path::new("") {
            paths = paths.with_metrics_spool_dir(&self.metrics_spool_dir);
        }
        match self.value(values::RUNTIME_DIR) {
            "" => paths,
            dir => paths.with_runtime_dir(dir),
        }
    }
}

#[cfg(test)]
mod tests;
