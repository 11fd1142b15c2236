//! The environment, read once.

use std::{ffi::OsString, path::PathBuf};

/// All that the command line takes from outside its arguments.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// The client store: `JUJU_DATA`, `XDG_DATA_HOME/juju` or `~/.local/share/juju`.
    pub juju_data: PathBuf,
    /// `JUJU_MODEL`.
    pub model: Option<String>,
    /// `JUJU_CONTROLLER`.
    pub controller: Option<String>,
    /// `JUJU_STATUS_ISO_TIME`.
    pub iso_time: Option<String>,
    /// `JUJU_JUJUD`: the `jujud` to start.
    pub jujud: Option<PathBuf>,
    /// `JUJU_LOGGING_CONFIG`.
    pub logging_config: Option<String>,
    /// The directories that programs are looked for in.
    pub path: Vec<PathBuf>,
    /// This program itself.
    pub exe: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// `NO_COLOR`, `TERM=dumb`.
    pub no_color: bool,
    /// `XDG_RUNTIME_DIR`.
    pub runtime_dir: Option<PathBuf>,
    /// `TMPDIR`.
    pub tmp: PathBuf,
    /// All variables that are text, of which agents on this host get some.
    pub vars: Vec<(String, String)>,
}

impl Env {
    /// Reads by name; a variable that is set to nothing counts as not set.
    pub fn read(var: impl Fn(&str) -> Option<OsString>, exe: Option<PathBuf>) -> Self {
        let os = |name: &str| var(name).filter(|it| !it.is_empty());
        let text = |name: &str| os(name).map(|it| it.to_string_lossy().into_owned());
        let home = os("HOME").map(PathBuf::from);
        let juju_data = os("JUJU_DATA")
            .map(PathBuf::from)
            .or_else(|| os("XDG_DATA_HOME").map(|it| PathBuf::from(it).join("juju")))
            .unwrap_or_else(|| home.clone().unwrap_or_else(|| PathBuf::from("/")).join(".local/share/juju"));
        Self {
            juju_data,
            model: text("JUJU_MODEL"),
            controller: text("JUJU_CONTROLLER"),
            iso_time: text("JUJU_STATUS_ISO_TIME"),
            jujud: os("JUJU_JUJUD").map(PathBuf::from),
            logging_config: text("JUJU_LOGGING_CONFIG"),
            path: os("PATH").map(|it| std::env::split_paths(&it).collect()).unwrap_or_default(),
            exe,
            home,
            no_color: os("NO_COLOR").is_some() || text("TERM").as_deref() == Some("dumb"),
            runtime_dir: os("XDG_RUNTIME_DIR").map(PathBuf::from),
            tmp: os("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from),
            vars: vec![],
        }
    }

    /// A program of this name in the directories of `PATH`.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let found = self.path.iter().filter(|it| it.is_absolute()).map(|dir| dir.join(name));
        found.into_iter().find(|it| is_executable(it))
    }
}

/// Whether this is a file that may be run.
pub fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn env(vars: &[(&str, &str)]) -> Env {
        Env::read(|name| vars.iter().find(|it| it.0 == name).map(|it| it.1.into()), None)
    }

    #[test]
    fn the_store_is_where_juju_has_it() {
        for (vars, want) in [
            (&[("HOME", "/h")][..], "/h/.local/share/juju"),
            (&[("HOME", "/h"), ("XDG_DATA_HOME", "/x")], "/x/juju"),
            (&[("HOME", "/h"), ("XDG_DATA_HOME", "/x"), ("JUJU_DATA", "/j")], "/j"),
            (&[("HOME", "/h"), ("JUJU_DATA", "")], "/h/.local/share/juju"),
            (&[], "/.local/share/juju"),
        ] {
            assert_eq!(env(vars).juju_data, Path::new(want));
        }
    }

    #[test]
    fn colour_can_be_refused() {
        assert!(env(&[("NO_COLOR", "1")]).no_color && env(&[("TERM", "dumb")]).no_color);
        assert!(!env(&[("NO_COLOR", ""), ("TERM", "xterm")]).no_color);
    }

    #[test]
    fn programs_are_found_in_absolute_directories_only() {
        let env = env(&[("PATH", ".:/nowhere:/bin:/usr/bin")]);
        assert!(env.find_program("sh").is_some_and(|it| it.is_absolute()));
        assert_eq!(env.find_program("no-such-program-anywhere"), None);
    }
}
