//! What version control says of a charm's directory: the `version` of a charm that is packed from its sources.

use std::{path::Path, process::Command};

use crate::charm::parse_version;

/// For each system, the folder that tells it and the command that describes the state.
const SYSTEMS: [(&str, &[&str]); 3] = [
    (".git", &["git", "describe", "--dirty", "--always"]),
    (".hg", &["hg", "id", "-n"]),
    (".bzr", &["bzr", "version-info"]),
];

/// The state that the directory's version control describes; none without one, or if its program is not there.
pub fn version_of(dir: &Path) -> Option<String> {
    let (_, command) = SYSTEMS.iter().find(|(folder, _)| dir.join(folder).exists())?;
    let output = Command::new(command[0]).args(&command[1..]).current_dir(dir).output().ok()?;
    let version = parse_version(&output.stdout);
    (output.status.success() && !version.is_empty()).then_some(version)
}
