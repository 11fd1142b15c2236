//! Files that are either the old ones or the new ones, whatever happens in between.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Something that could not be done to a file. The message names the action and the path; the
/// source says why.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {path}{}", hint(.source), path = .path.display())]
pub struct FileError {
    pub action: &'static str,
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl FileError {
    pub fn new(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self { action, path: path.into(), source }
    }
}

/// What a person can do about the usual causes.
fn hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull => " (free some space on that file system)",
        io::ErrorKind::QuotaExceeded => " (the disk quota is used up)",
        io::ErrorKind::ReadOnlyFilesystem => " (that file system is mounted read-only)",
        io::ErrorKind::PermissionDenied => " (check owner and mode, and which user this runs as)",
        _ => "",
    }
}

/// Replaces `path` by `content` with the given mode: a temporary file beside it, synced, renamed
/// over it, and the directory synced. A reader sees the old content or the new, also after a power
/// loss. The temporary file is 0600 from its creation, so that a secret is never readable.
pub fn write_atomic(path: &Path, content: &[u8], mode: u32) -> Result<(), FileError> {
    let dir = parent(path);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut temporary = tempfile::Builder::new()
        .prefix(&name)
        .tempfile_in(dir)
        .map_err(|e| FileError::new("create a file in", dir, e))?;
    let written = temporary
        .write_all(content)
        .and_then(|()| temporary.as_file().set_permissions(Permissions::from_mode(mode)))
        .and_then(|()| temporary.as_file().sync_all());
    written.map_err(|e| FileError::new("write", path, e))?;
    temporary.persist(path).map_err(|e| FileError::new("replace", path, e.error))?;
    sync_dir(dir)
}

/// Makes the renames and removals in a directory durable.
pub fn sync_dir(dir: &Path) -> Result<(), FileError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|e| FileError::new("sync", dir, e))
}

/// Makes a directory and its missing parents; those that are made get this mode.
pub fn create_dir_all(dir: &Path, mode: u32) -> Result<(), FileError> {
    DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(dir)
        .map_err(|e| FileError::new("make the directory", dir, e))
}

/// Removes a file; one that is not there is removed already.
pub fn remove_file(path: &Path) -> Result<(), FileError> {
    gone(fs::remove_file(path)).map_err(|e| FileError::new("remove", path, e))
}

/// Removes a directory with all below it; one that is not there is removed already. Links are
/// removed, never followed. Directories that their owner closed are opened first.
pub fn remove_dir_all(path: &Path) -> Result<(), FileError> {
    let mut removed = gone(fs::remove_dir_all(path));
    if removed.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::PermissionDenied) && open_up(path).is_ok() {
        removed = gone(fs::remove_dir_all(path));
    }
    removed.map_err(|e| FileError::new("remove", path, e))
}

/// Lets the owner into a directory and all directories below it.
fn open_up(dir: &Path) -> io::Result<()> {
    let meta = fs::symlink_metadata(dir)?;
    if !meta.is_dir() {
        return Ok(());
    }
    let mode = meta.permissions().mode() & 0o7777;
    if mode & 0o700 != 0o700 {
        fs::set_permissions(dir, Permissions::from_mode(mode | 0o700))?;
    }
    fs::read_dir(dir)?.try_for_each(|entry| open_up(&entry?.path()))
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The directory a path is in; for a bare name the current one.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn a_write_replaces_content_and_mode_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret");
        write_atomic(&path, b"one", 0o644).unwrap();
        write_atomic(&path, b"two", 0o600).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(mode(&path), 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_the_old_content_and_names_the_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir(&path).unwrap();
        fs::write(path.join("inside"), b"kept").unwrap();
        let error = write_atomic(&path, b"new", 0o600).unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert_eq!(fs::read(path.join("inside")).unwrap(), b"kept");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);

        let nowhere = dir.path().join("missing/file");
        let error = write_atomic(&nowhere, b"new", 0o600).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("missing"), "{error}");
    }

    #[test]
    fn removing_what_is_not_there_is_fine() {
        let dir = tempfile::tempdir().unwrap();
        remove_file(&dir.path().join("no")).unwrap();
        remove_dir_all(&dir.path().join("no")).unwrap();
        assert!(remove_dir_all(&dir.path().join("no\0pe")).is_err());
    }

    #[test]
    fn closed_directories_are_removed_too() {
        let dir = tempfile::tempdir().unwrap();
        let closed = dir.path().join("a/closed");
        fs::create_dir_all(closed.join("inner")).unwrap();
        fs::write(closed.join("inner/file"), "x").unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
        remove_dir_all(&dir.path().join("a")).unwrap();
        assert!(!dir.path().join("a").exists());
    }

    #[test]
    fn usual_causes_come_with_advice() {
        let error = FileError::new("write", "/x", io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(error.to_string(), "cannot write /x (free some space on that file system)");
    }
}
