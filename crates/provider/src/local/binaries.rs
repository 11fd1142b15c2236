//! The one copy of the agent binaries that all machines of a controller have links to.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use juju_agent::files::{self, FileError};
use juju_agent::tools;
use juju_core::Binary;

use super::dirs::Dirs;
use super::supervisor::SupervisorCommand;

/// Points at the version that the supervisor runs.
const CURRENT: &str = "current";

/// Copies binaries (`jujud`, `jujuc`) to a controller's directory, so that it does not depend on
/// where it was bootstrapped from, and has the supervisor run them from its next start on.
pub fn install_binaries(dirs: &Dirs, version: &Binary, binaries: &[PathBuf]) -> Result<(), FileError> {
    let dir = version_dir(dirs, version);
    if !dir.is_dir() {
        files::create_dir_all(&dirs.tools(), 0o700)?;
        let room = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(dirs.tools())
            .map_err(|e| FileError::new("make a directory in", dirs.tools(), e))?;
        for binary in binaries {
            let Some(name) = binary.file_name() else { continue };
            let target = room.path().join(name);
            // The mode comes along; a copy on the same file system may share its blocks.
            fs::copy(binary, &target).map_err(|e| FileError::new("copy", binary, e))?;
        }
        match fs::rename(room.path(), &dir) {
            Ok(()) => drop(room.keep()),
            Err(_) if dir.is_dir() => {}
            Err(e) => return Err(FileError::new("install", dir, e)),
        }
    }
    tools::link_atomic(&dir, &dirs.tools().join(CURRENT))
}

/// How the supervisor of these directories is started, with this environment.
pub fn supervisor_command(dirs: &Dirs, env: &BTreeMap<String, String>) -> SupervisorCommand {
    SupervisorCommand {
        program: dirs.tools().join(CURRENT).join("jujud"),
        args: vec!["local-supervisor".into(), "--dir".into(), dirs.dir().into()],
        env: env.iter().map(|(key, value)| (OsString::from(key), OsString::from(value))).collect(),
    }
}

/// The binaries of a version, to make links to.
pub(super) fn installed(dirs: &Dirs, version: &Binary) -> Result<Vec<PathBuf>, FileError> {
    let dir = version_dir(dirs, version);
    let failed = |e| FileError::new("read", &dir, e);
    let entries = fs::read_dir(&dir).map_err(failed)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect()
}

fn version_dir(dirs: &Dirs, version: &Binary) -> PathBuf {
    dirs.tools().join(Path::new(&version.to_string()))
}

#[cfg(test)]
mod tests {
    use juju_core::{Arch, version};

    use super::*;

    #[test]
    fn binaries_are_copied_once_and_become_the_supervisors() {
        let temp = tempfile::tempdir().unwrap();
        let dirs = Dirs::create(&temp.path().join("ctl"), &temp.path().join("run")).unwrap();
        let jujud = temp.path().join("jujud");
        fs::write(&jujud, "one").unwrap();
        let binary = Binary::new(version::CURRENT, "ubuntu", Arch::Amd64);
        assert!(installed(&dirs, &binary).is_err());
        install_binaries(&dirs, &binary, std::slice::from_ref(&jujud)).unwrap();
        fs::write(&jujud, "two").unwrap();
        install_binaries(&dirs, &binary, std::slice::from_ref(&jujud)).unwrap();
        let command = supervisor_command(&dirs, &BTreeMap::new());
        assert_eq!(fs::read_to_string(&command.program).unwrap(), "one");
        assert_eq!(installed(&dirs, &binary).unwrap().len(), 1);
        assert_eq!(fs::read_dir(dirs.tools()).unwrap().count(), 2);
    }
}
