//! A service of the user's own systemd for a supervisor, where there is one.
//!
//! It brings the machines back after the host was started again, and it is a convenience: `juju`
//! starts a supervisor that is not there in any case. Enabling it is for whoever may run
//! `systemctl --user`.

use std::path::{Path, PathBuf};

use juju_agent::files::{self, FileError};

use super::dirs::Dirs;
use super::supervisor::SupervisorCommand;

/// The service of one controller's supervisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserUnit {
    /// `juju-local-1a2b3c4d.service`
    pub name: String,
    pub path: PathBuf,
    pub text: String,
}

impl UserUnit {
    /// `config_home` is `XDG_CONFIG_HOME`, mostly `~/.config`.
    pub fn new(dirs: &Dirs, command: &SupervisorCommand, config_home: &Path) -> Self {
        let short = dirs.runtime_dir().file_name().unwrap_or_default().to_string_lossy();
        let name = format!("juju-local-{short}.service");
        let words =
            std::iter::once(command.program.as_os_str()).chain(command.args.iter().map(AsRef::as_ref));
        let start: Vec<_> = words.map(|word| quoted(&word.to_string_lossy())).collect();
        let environment: String = command
            .env
            .iter()
            .map(|(key, value)| {
                let assignment = format!("{}={}", key.to_string_lossy(), value.to_string_lossy());
                format!("Environment={}\n", quoted(&assignment))
            })
            .collect();
        // Only the process itself: the agents are to live on without it, as when it is killed.
        let text = format!(
            "[Unit]\n\
             Description=supervisor of the Juju machines in {dir}\n\
             ConditionPathExists={dir}\n\
             \n\
             [Service]\n\
             {environment}\
             ExecStart={start}\n\
             Restart=on-failure\n\
             KillMode=process\n\
             LimitNOFILE=64000\n\
             \n\
             [Install]\n\
             WantedBy=default.target\n",
            dir = dirs.dir().to_string_lossy().replace('%', "%%"),
            start = start.join(" "),
        );
        Self { path: config_home.join("systemd/user").join(&name), name, text }
    }

    pub fn write(&self) -> Result<(), FileError> {
        files::create_dir_all(self.path.parent().unwrap_or(Path::new("/")), 0o755)?;
        files::write_atomic(&self.path, self.text.as_bytes(), 0o644)
    }

    pub fn remove(&self) -> Result<(), FileError> {
        files::remove_file(&self.path)
    }
}

/// Whether a systemd of this user runs, by its socket in the session's runtime directory.
pub fn is_there(xdg_runtime_dir: Option<&Path>) -> bool {
    xdg_runtime_dir.is_some_and(|dir| dir.join("systemd/private").exists())
}

/// A word of a unit file.
fn quoted(word: &str) -> String {
    let escaped = word.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::local::supervisor_command;

    #[test]
    fn the_unit_starts_the_supervisor_and_goes_again() {
        let temp = tempfile::tempdir().unwrap();
        let dirs = Dirs::create(&temp.path().join("50%"), &temp.path().join("run")).unwrap();
        let env = BTreeMap::from([("PATH".to_owned(), "/bin".to_owned())]);
        let unit = UserUnit::new(&dirs, &supervisor_command(&dirs, &env), &temp.path().join("config"));
        assert!(unit.name.starts_with("juju-local-") && unit.path.ends_with(&unit.name));
        assert!(
            unit.text.contains("/50%%/tools/current/jujud\" \"local-supervisor\" \"--dir\" \""),
            "{}",
            unit.text
        );
        assert!(
            unit.text.contains("\nEnvironment=\"PATH=/bin\"\n") && unit.text.contains("\nKillMode=process\n")
        );
        unit.write().unwrap();
        assert_eq!(std::fs::read_to_string(&unit.path).unwrap(), unit.text);
        unit.remove().unwrap();
        unit.remove().unwrap();
        assert!(!unit.path.exists());
        assert!(!is_there(None) && !is_there(Some(temp.path())));
    }
}
