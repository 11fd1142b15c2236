//! The directories of one controller with its machines, and who may have them.
//!
//! Everything of a controller is below one directory, its `dir`; only its sockets are in a runtime
//! directory, where names are short. Both belong to one user and are closed to others.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use juju_agent::files::{self, FileError};
use nix::unistd::Uid;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Says that a directory is one of ours, and where its sockets are.
const MARK: &str = "local.json";

/// Where a controller's machines and sockets are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    dir: PathBuf,
    runtime_dir: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Mark {
    /// Chosen once: a process without `XDG_RUNTIME_DIR` must find the same place.
    runtime_dir: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum DirsError {
    #[error("{dir} is not empty", dir = .dir.display())]
    Taken { dir: PathBuf },
    #[error("{dir} holds no local controller", dir = .dir.display())]
    NotOurs { dir: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
}

impl Dirs {
    /// Makes the directories of a new controller. `runtime_base` is what [`runtime_base`] says.
    pub fn create(dir: &Path, runtime_base: &Path) -> Result<Self, DirsError> {
        make_private(dir)?;
        let mut entries = fs::read_dir(dir).map_err(|e| FileError::new("read", dir, e))?;
        if entries.next().is_some() {
            return Err(DirsError::Taken { dir: dir.to_owned() });
        }
        let dir = dir.canonicalize().map_err(|e| FileError::new("find", dir, e))?;
        let runtime_dir = runtime_base.join(short_name(&dir));
        let text = serde_json::to_vec(&Mark { runtime_dir: runtime_dir.clone() })
            .map_err(|e| FileError::new("write", &dir, e.into()))?;
        files::write_atomic(&dir.join(MARK), &text, 0o600)?;
        let dirs = Self { dir, runtime_dir };
        files::create_dir_all(&dirs.machines(), 0o700)?;
        dirs.make_runtime_dir()?;
        Ok(dirs)
    }

    /// Those of a controller that was made before.
    pub fn open(dir: &Path) -> Result<Self, DirsError> {
        let path = dir.join(MARK);
        let text = fs::read(&path).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => DirsError::NotOurs { dir: dir.to_owned() },
            _ => FileError::new("read", &path, e).into(),
        })?;
        let mark: Mark =
            serde_json::from_slice(&text).map_err(|_| DirsError::NotOurs { dir: dir.to_owned() })?;
        let dir = dir.canonicalize().map_err(|e| FileError::new("find", dir, e))?;
        Ok(Self { dir, runtime_dir: mark.runtime_dir })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Short, and perhaps gone: a logout may remove it. See [`Dirs::make_runtime_dir`].
    pub fn runtime_dir(&self) -> &Path {
        &self.runtime_dir
    }

    pub fn supervisor_socket(&self) -> PathBuf {
        self.runtime_dir.join("supervisor.socket")
    }

    /// The roots of all machines.
    pub fn machines(&self) -> PathBuf {
        self.dir.join("machines")
    }

    /// The one copy of the agent binaries of each version.
    pub fn tools(&self) -> PathBuf {
        self.dir.join("tools")
    }

    /// Makes sure that sockets can be made.
    pub fn make_runtime_dir(&self) -> Result<(), FileError> {
        make_private(files_parent(&self.runtime_dir))?;
        make_private(&self.runtime_dir)
    }
}

/// The directory that runtime directories of this user's controllers are in: in the session's own
/// one if there is one and it is the user's, otherwise below `/tmp`.
pub fn runtime_base(xdg_runtime_dir: Option<&Path>) -> PathBuf {
    let uid = Uid::effective();
    match xdg_runtime_dir {
        Some(dir) if dir.is_absolute() && is_private(dir, uid) => dir.join("juju"),
        _ => PathBuf::from(format!("/tmp/juju-{uid}")),
    }
}

/// Makes a directory that is this user's alone, or makes sure that it is. In `/tmp` another user
/// may have been first.
pub fn make_private(dir: &Path) -> Result<(), FileError> {
    let failed = |e| FileError::new("make the directory", dir, e);
    let parent = files_parent(dir);
    files::create_dir_all(parent, 0o755)?;
    match fs::DirBuilder::new().mode(0o700).create(dir) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(failed(e)),
        _ => {}
    }
    let meta = fs::symlink_metadata(dir).map_err(failed)?;
    if !meta.is_dir() || meta.uid() != Uid::effective().as_raw() {
        return Err(failed(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is there already and belongs to another user, or is no directory",
        )));
    }
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// Whether this is the directory of a controller.
pub(super) fn is_ours(dir: &Path) -> bool {
    dir.join(MARK).is_file()
}

/// Removes a runtime directory, and the one it is in if it was the last.
pub(super) fn remove_runtime_dir(dir: &Path) -> Result<(), FileError> {
    files::remove_dir_all(dir)?;
    // Another controller of the user may have its own in there.
    let _ = fs::remove_dir(files_parent(dir));
    Ok(())
}

/// Removes a controller's directory with everything in it, and no other directory.
pub fn remove_all(dir: &Path) -> Result<(), FileError> {
    if !is_ours(dir) {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "it holds no local controller");
        return Err(FileError::new("remove", dir, error));
    }
    // The mark goes last, so that a removal that was cut off can be taken up again.
    for entry in fs::read_dir(dir).map_err(|e| FileError::new("read", dir, e))? {
        let entry = entry.map_err(|e| FileError::new("read", dir, e))?;
        if entry.file_name() == MARK {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files::remove_dir_all(&entry.path())?,
            _ => files::remove_file(&entry.path())?,
        }
    }
    files::remove_dir_all(dir)
}

fn is_private(dir: &Path, uid: Uid) -> bool {
    fs::symlink_metadata(dir).is_ok_and(|m| m.is_dir() && m.uid() == uid.as_raw() && m.mode() & 0o077 == 0)
}

/// Short, and the same for the same directory.
fn short_name(dir: &Path) -> String {
    let hash = Sha256::digest(dir.as_os_str().as_encoded_bytes());
    hash[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn files_parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controllers_directories_are_private_and_found_again() {
        let temp = tempfile::tempdir().unwrap();
        let (dir, base) = (temp.path().join("a/b"), temp.path().join("run"));
        let dirs = Dirs::create(&dir, &base).unwrap();
        for path in [dirs.dir(), dirs.runtime_dir(), &dirs.machines(), &base] {
            assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, 0o700, "{}", path.display());
        }
        assert_eq!(Dirs::open(&dir).unwrap(), dirs);
        assert!(matches!(Dirs::create(&dir, &base), Err(DirsError::Taken { .. })));

        fs::remove_dir_all(&base).unwrap();
        dirs.make_runtime_dir().unwrap();
        assert!(dirs.runtime_dir().is_dir());

        remove_all(&dir).unwrap();
        assert!(!dir.exists());
    }

    #[test]
    fn a_directory_that_is_not_ours_is_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("thesis.txt"), "years of work").unwrap();
        assert!(matches!(Dirs::open(temp.path()), Err(DirsError::NotOurs { .. })));
        assert!(remove_all(temp.path()).is_err());
        assert!(temp.path().join("thesis.txt").exists());
    }

    #[test]
    fn a_link_or_file_in_the_way_is_refused_and_an_open_directory_closed() {
        let temp = tempfile::tempdir().unwrap();
        let (target, link) = (temp.path().join("target"), temp.path().join("link"));
        fs::create_dir(&target).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(make_private(&link).is_err());
        make_private(&target).unwrap();
        assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_directory_of_another_user_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let mut theirs = temp.path().join("theirs");
        fs::create_dir(&theirs).unwrap();
        // Root can give one away; any other user finds one that is root's.
        if std::os::unix::fs::chown(&theirs, Some(65533), None).is_err() {
            theirs = PathBuf::from("/usr");
        }
        let error = make_private(&theirs).unwrap_err();
        assert!(error.to_string().contains(&*theirs.to_string_lossy()), "{error}");
        assert!(error.source.to_string().contains("belongs to another user"), "{}", error.source);
        assert!(!is_private(&theirs, Uid::effective()));
    }

    #[test]
    fn the_sessions_runtime_directory_is_used_only_if_it_is_private() {
        let temp = tempfile::tempdir().unwrap();
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(runtime_base(Some(temp.path())), temp.path().join("juju"));
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let fallback = PathBuf::from(format!("/tmp/juju-{}", Uid::effective()));
        assert_eq!(runtime_base(Some(temp.path())), fallback);
        assert_eq!(runtime_base(None), fallback);
    }
}
