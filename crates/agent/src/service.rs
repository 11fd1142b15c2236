//! The systemd service of an agent, as text. Installing it is for those who may run `systemctl`.

use std::path::{Path, PathBuf};

use crate::paths::Paths;

/// A machine agent's service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentService {
    /// `machine-0` or `machine-0-lxd-1`.
    pub tag: String,
    pub machine_id: String,
    pub paths: Paths,
    /// `JUJU_DEV_FEATURE_FLAGS`.
    pub feature_flags: Vec<String>,
    /// User and group of the log: `syslog:adm`, or `root:adm` on CentOS.
    pub log_owner: String,
}

impl AgentService {
    /// `jujud-machine-0`; also the value `AGENT_SERVICE_NAME` of `agent.conf`.
    pub fn name(&self) -> String {
        format!("jujud-{}", self.tag)
    }

    /// Mode 0644.
    pub fn unit_path(&self) -> PathBuf {
        self.paths.systemd_dir().join(format!("{}.service", self.name()))
    }

    /// Mode 0755.
    pub fn wrapper_path(&self) -> PathBuf {
        self.paths.systemd_dir().join(format!("{}-exec-start.sh", self.name()))
    }

    pub fn unit(&self) -> String {
        let mut environment = String::new();
        if !self.feature_flags.is_empty() {
            let flags = self.feature_flags.join(",");
            environment = format!("Environment=\"JUJU_DEV_FEATURE_FLAGS={}\"\n", unit_escape(&flags));
        }
        format!(
            "[Unit]\n\
             Description=juju agent for {tag}\n\
             Requires=network.target\n\
             Requires=local-fs.target\n\
             Wants=lxd-agent.target\n\
             After=syslog.target\n\
             After=network.target\n\
             After=local-fs.target\n\
             After=lxd-agent.target\n\
             After=systemd-user-sessions.service\n\
             \n\
             [Service]\n\
             {environment}\
             LimitNOFILE=64000\n\
             ExecStart={wrapper}\n\
             Restart=on-failure\n\
             TimeoutSec=300\n\
             \n\
             [Install]\n\
             WantedBy=multi-user.target\n",
            tag = self.tag,
            wrapper = unit_escape(&self.wrapper_path().to_string_lossy()),
        )
    }

    /// Sends output to the log and runs the agent by its link, so that an upgrade needs no new
    /// service.
    pub fn wrapper(&self) -> String {
        let log = quoted(&self.paths.agent_log(&self.tag));
        let data_dir = quoted(self.paths.data_dir());
        format!(
            "#!/usr/bin/env bash\n\
             \n\
             # Set up logging.\n\
             touch {log}\n\
             chown {owner} {log}\n\
             chmod 0640 {log}\n\
             exec >> {log}\n\
             exec 2>&1\n\
             \n\
             # Run the script.\n\
             {jujud} machine --data-dir {data_dir} --machine-id {id} --debug\n",
            owner = self.log_owner,
            jujud = quoted(&self.paths.agent_jujud(&self.tag)),
            id = self.machine_id,
        )
    }
}

/// A word of a shell script, whatever is in it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// A value of a unit file, where `%` begins a specifier and quotes end a word.
fn unit_escape(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service() -> AgentService {
        AgentService {
            tag: "machine-3".into(),
            machine_id: "3".into(),
            paths: Paths::host(),
            feature_flags: Vec::new(),
            log_owner: "syslog:adm".into(),
        }
    }

    #[test]
    fn the_unit_is_jujus() {
        let unit = service().unit();
        assert!(unit.starts_with("[Unit]\nDescription=juju agent for machine-3\nRequires=network.target\n"));
        assert!(unit.contains("\n\n[Service]\nLimitNOFILE=64000\nExecStart=/etc/systemd/system/jujud-machine-3-exec-start.sh\nRestart=on-failure\nTimeoutSec=300\n\n[Install]\n"));
        let flags = AgentService { feature_flags: vec!["a".into(), "b".into()], ..service() };
        assert!(flags.unit().contains("[Service]\nEnvironment=\"JUJU_DEV_FEATURE_FLAGS=a,b\"\nLimitNOFILE"));
        assert_eq!(service().unit_path(), Path::new("/etc/systemd/system/jujud-machine-3.service"));
    }

    #[test]
    fn the_wrapper_runs_the_link_and_quotes_what_it_names() {
        let wrapper = service().wrapper();
        assert!(wrapper.ends_with(
            "'/var/lib/juju/tools/machine-3/jujud' machine --data-dir '/var/lib/juju' --machine-id 3 --debug\n"
        ));
        assert!(wrapper.contains("chown syslog:adm '/var/log/juju/machine-3.log'\n"));
        let odd = AgentService { paths: Paths::host().with_data_dir("/a b/it's"), ..service() };
        assert!(odd.wrapper().contains(r"--data-dir '/a b/it'\''s' "));
    }
}
