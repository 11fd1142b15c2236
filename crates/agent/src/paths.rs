//! Where everything is: one answer for installers, agents and units.
//!
//! A machine's files are below a *root*, `/` on a host of its own. A machine of the local provider
//! is a directory of a host, so there the fixed places (`/usr/bin`, `/etc`, `/tmp`, `/var/run`) are
//! below that directory, and its sockets are elsewhere again: the name of a unix socket may have 107
//! bytes, which a directory below a home directory easily exceeds.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The longest name of a unix socket: `sockaddr_un` has 108 bytes and the last is zero.
pub const MAX_SOCKET_PATH: usize = 107;

/// A room that [`crate::sockets::bind`] needs beside the socket while it makes it.
const SOCKET_SPARE: usize = 10;

/// All paths of one machine. It is a plain value: nothing is looked up, nothing is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    root: PathBuf,
    data_dir: PathBuf,
    transient_dir: PathBuf,
    log_dir: PathBuf,
    metrics_spool_dir: PathBuf,
    tmp_dir: PathBuf,
    runtime_dir: Option<PathBuf>,
}

/// The unix sockets an agent listens on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Socket {
    /// Reports of a running agent.
    Introspection,
    /// Hook tools of a unit.
    Agent,
    /// `juju-exec` of a unit.
    Run,
}

/// The links to `jujud` that a machine agent keeps in `/usr/bin`.
pub const JUJUD_LINKS: [&str; 3] = ["juju-exec", "juju-dumplogs", "juju-introspect"];

impl Paths {
    /// The default places of a machine that is a host.
    pub fn host() -> Self {
        Self::under(Path::new("/"))
    }

    /// The default places of a machine below `root`.
    pub fn under(root: &Path) -> Self {
        let data_dir = below(root, Path::new("/var/lib/juju"));
        Self {
            root: root.to_owned(),
            metrics_spool_dir: data_dir.join("metricspool"),
            data_dir,
            transient_dir: below(root, Path::new("/var/run/juju")),
            log_dir: below(root, Path::new("/var/log/juju")),
            tmp_dir: below(root, Path::new("/tmp")),
            runtime_dir: None,
        }
    }

    /// Another data directory; the metrics spool goes with it.
    pub fn with_data_dir(mut self, data_dir: impl Into<PathBuf>) -> Self {
        self.data_dir = data_dir.into();
        self.metrics_spool_dir = self.data_dir.join("metricspool");
        self
    }

    pub fn with_transient_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.transient_dir = dir.into();
        self
    }

    pub fn with_log_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.log_dir = dir.into();
        self
    }

    pub fn with_metrics_spool_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.metrics_spool_dir = dir.into();
        self
    }

    /// Sockets live here and not among the agents' files.
    pub fn with_runtime_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.runtime_dir = Some(dir.into());
        self
    }

    /// What `TMPDIR` says, where a process has it: the machine lock is in there.
    pub fn with_tmp_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.tmp_dir = dir.into();
        self
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Emptied by a reboot.
    pub fn transient_dir(&self) -> &Path {
        &self.transient_dir
    }

    pub fn log_dir(&self) -> &Path {
        &self.log_dir
    }

    pub fn metrics_spool_dir(&self) -> &Path {
        &self.metrics_spool_dir
    }

    pub fn tmp_dir(&self) -> &Path {
        &self.tmp_dir
    }

    /// Where sockets are, if not among the agents' files.
    pub fn runtime_dir(&self) -> Option<&Path> {
        self.runtime_dir.as_deref()
    }

    /// A fixed place of a host, such as `/etc/profile.d`, as this machine has it.
    pub fn host_path(&self, path: impl AsRef<Path>) -> PathBuf {
        below(&self.root, path.as_ref())
    }

    pub fn agents_dir(&self) -> PathBuf {
        self.data_dir.join("agents")
    }

    pub fn agent_dir(&self, tag: impl Display) -> PathBuf {
        self.agents_dir().join(tag.to_string())
    }

    pub fn agent_conf(&self, tag: impl Display) -> PathBuf {
        self.agent_dir(tag).join("agent.conf")
    }

    /// A unit's unpacked charm.
    pub fn charm_dir(&self, unit: impl Display) -> PathBuf {
        self.agent_dir(unit).join("charm")
    }

    /// A unit's own records; `bundles` below it holds downloaded charms.
    pub fn unit_state_dir(&self, unit: impl Display) -> PathBuf {
        self.agent_dir(unit).join("state")
    }

    pub fn resources_dir(&self, unit: impl Display) -> PathBuf {
        self.agent_dir(unit).join("resources")
    }

    /// A socket of an agent. Its directory is the agent's own or, where this machine has a runtime
    /// directory, that one; a tag that would make the name too long is replaced by its hash.
    pub fn socket(&self, tag: impl Display, socket: Socket) -> PathBuf {
        let tag = tag.to_string();
        let name = match socket {
            Socket::Introspection => "introspection.socket",
            Socket::Agent => "agent.socket",
            Socket::Run => "run.socket",
        };
        let Some(runtime) = &self.runtime_dir else { return self.agent_dir(tag).join(name) };
        let path = runtime.join(format!("{tag}.{name}"));
        if path.as_os_str().len() + SOCKET_SPARE <= MAX_SOCKET_PATH {
            return path;
        }
        let hash = hex::encode(&Sha256::digest(tag.as_bytes())[..6]);
        runtime.join(format!("{hash}.{name}"))
    }

    /// The control socket of a controller.
    pub fn control_socket(&self) -> PathBuf {
        self.runtime_dir.as_ref().unwrap_or(&self.data_dir).join("control.socket")
    }

    pub fn tools_dir(&self) -> PathBuf {
        self.data_dir.join("tools")
    }

    /// The binaries of one version, such as `3.6.28-ubuntu-amd64`.
    pub fn version_dir(&self, binary_version: impl Display) -> PathBuf {
        self.tools_dir().join(binary_version.to_string())
    }

    /// The link to the binaries that an agent runs. Services name it, so that an upgrade is a new
    /// target and never a new service.
    pub fn agent_tools(&self, tag: impl Display) -> PathBuf {
        self.tools_dir().join(tag.to_string())
    }

    pub fn agent_jujud(&self, tag: impl Display) -> PathBuf {
        self.agent_tools(tag).join("jujud")
    }

    /// A machine's nonce, left by whoever provisioned it.
    pub fn nonce_file(&self) -> PathBuf {
        self.data_dir.join("nonce.txt")
    }

    pub fn system_identity(&self) -> PathBuf {
        self.data_dir.join("system-identity")
    }

    pub fn server_pem(&self) -> PathBuf {
        self.data_dir.join("server.pem")
    }

    pub fn ca_cert(&self) -> PathBuf {
        self.data_dir.join("ca.crt")
    }

    pub fn bootstrap_params(&self) -> PathBuf {
        self.data_dir.join("bootstrap-params")
    }

    /// Where a machine says that its agent may be removed altogether.
    pub fn uninstall_marker(&self) -> PathBuf {
        self.data_dir.join("uninstall-agent")
    }

    /// Held by the one agent that may use this data directory.
    pub fn data_dir_lock(&self) -> PathBuf {
        self.data_dir.join("agent.lock")
    }

    pub fn agent_log(&self, tag: impl Display) -> PathBuf {
        self.log_dir.join(format!("{tag}.log"))
    }

    /// A controller's logs of its models.
    pub fn model_logs_dir(&self) -> PathBuf {
        self.log_dir.join("models")
    }

    pub fn machine_lock_log(&self) -> PathBuf {
        self.log_dir.join("machine-lock.log")
    }

    /// The file that the holder of the machine lock has locked.
    pub fn machine_lock(&self, group: Option<&str>) -> PathBuf {
        match group {
            None => self.tmp_dir.join("juju-machine-lock"),
            Some(group) => self.tmp_dir.join(format!("juju-machine-lock-{group}")),
        }
    }

    /// Flags, one a unit, that say whether the machine was rebooted since.
    pub fn reboot_monitor_dir(&self) -> PathBuf {
        self.transient_dir.join("reboot-monitor")
    }

    /// Where [`JUJUD_LINKS`] are.
    pub fn link(&self, name: &str) -> PathBuf {
        self.host_path("/usr/bin").join(name)
    }

    pub fn systemd_dir(&self) -> PathBuf {
        self.host_path("/etc/systemd/system")
    }

    pub fn profile_script(&self) -> PathBuf {
        self.host_path("/etc/profile.d/juju-introspection.sh")
    }
}

/// `path` below `root`, also when `path` is absolute.
fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_the_places_of_juju() {
        let paths = Paths::host();
        for (got, want) in [
            (paths.agent_conf("machine-0"), "/var/lib/juju/agents/machine-0/agent.conf"),
            (
                paths.socket("machine-0", Socket::Introspection),
                "/var/lib/juju/agents/machine-0/introspection.socket",
            ),
            (paths.socket("unit-a-0", Socket::Agent), "/var/lib/juju/agents/unit-a-0/agent.socket"),
            (paths.version_dir("3.6.28-ubuntu-amd64"), "/var/lib/juju/tools/3.6.28-ubuntu-amd64"),
            (paths.agent_jujud("machine-0"), "/var/lib/juju/tools/machine-0/jujud"),
            (paths.metrics_spool_dir().to_owned(), "/var/lib/juju/metricspool"),
            (paths.transient_dir().to_owned(), "/var/run/juju"),
            (paths.agent_log("machine-0"), "/var/log/juju/machine-0.log"),
            (paths.machine_lock(None), "/tmp/juju-machine-lock"),
            (paths.machine_lock(Some("g")), "/tmp/juju-machine-lock-g"),
            (paths.link("juju-exec"), "/usr/bin/juju-exec"),
            (paths.control_socket(), "/var/lib/juju/control.socket"),
        ] {
            assert_eq!(got, Path::new(want));
        }
    }

    #[test]
    fn a_root_prefixes_the_fixed_places() {
        let paths = Paths::under(Path::new("/srv/m/0")).with_runtime_dir("/run/u/0");
        assert_eq!(paths.data_dir(), Path::new("/srv/m/0/var/lib/juju"));
        assert_eq!(paths.host_path("/etc/x"), Path::new("/srv/m/0/etc/x"));
        assert_eq!(paths.machine_lock(None), Path::new("/srv/m/0/tmp/juju-machine-lock"));
        assert_eq!(paths.socket("unit-a-0", Socket::Run), Path::new("/run/u/0/unit-a-0.run.socket"),);
        assert_eq!(paths.control_socket(), Path::new("/run/u/0/control.socket"));
    }

    #[test]
    fn sockets_of_long_names_stay_short_and_apart() {
        let paths =
            Paths::under(Path::new("/srv")).with_runtime_dir("/run/user/1000/juju/0123456789abcdef/42");
        let long = "unit-".to_owned() + &"a".repeat(80);
        let (one, two) = (format!("{long}-0"), format!("{long}-1"));
        let socket = paths.socket(&one, Socket::Introspection);
        assert!(socket.as_os_str().len() + SOCKET_SPARE <= MAX_SOCKET_PATH, "{}", socket.display());
        assert_ne!(socket, paths.socket(&two, Socket::Introspection));
        assert_ne!(socket, paths.socket(&one, Socket::Agent));
    }
}
