//! One agent a data directory.
//!
//! Two agents that shared one would overwrite each other's configuration and run each hook twice.
//! The kernel drops the lock when its holder ends in whatever way, so it is never stale.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

use crate::files::FileError;
use crate::paths::Paths;

/// The right to use a data directory, until dropped.
#[derive(Debug)]
pub struct DataDirLock {
    _file: Flock<File>,
}

#[derive(Debug, thiserror::Error)]
pub enum DataDirLockError {
    /// Stop the other one, or give this one a directory of its own.
    #[error("data directory {data_dir} is in use by another agent ({holder}); stop that one first, or use another --data-dir", data_dir = .data_dir.display())]
    InUse { data_dir: PathBuf, holder: String },
    #[error(transparent)]
    File(#[from] FileError),
}

impl DataDirLock {
    /// Takes the data directory for the agent `tag`, at once or not at all.
    pub fn take(paths: &Paths, tag: &str) -> Result<Self, DataDirLockError> {
        let path = paths.data_dir_lock();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|e| FileError::new("lock", &path, e))?;
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(mut file) => {
                // The content only helps whoever meets the lock held, so failing here is harmless.
                let _ = record(&mut file, tag);
                Ok(Self { _file: file })
            }
            Err((file, Errno::EWOULDBLOCK)) => Err(DataDirLockError::InUse {
                data_dir: paths.data_dir().to_owned(),
                holder: holder(file).unwrap_or_else(|| "unknown process".to_owned()),
            }),
            Err((_, errno)) => Err(FileError::new("lock", path, errno.into()).into()),
        }
    }
}

fn record(file: &mut File, tag: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{tag}, process {}", std::process::id())
}

fn holder(mut file: File) -> Option<String> {
    let mut text = String::new();
    Read::by_ref(&mut file).take(200).read_to_string(&mut text).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_agent_is_refused_by_name_until_the_first_ends() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::host().with_data_dir(dir.path());
        let first = DataDirLock::take(&paths, "machine-0").unwrap();
        let error = DataDirLock::take(&paths, "machine-1").unwrap_err().to_string();
        assert!(error.contains(&dir.path().display().to_string()), "{error}");
        assert!(error.contains(&format!("machine-0, process {}", std::process::id())), "{error}");
        drop(first);
        DataDirLock::take(&paths, "machine-1").unwrap();
    }

    #[test]
    fn a_missing_directory_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::host().with_data_dir(dir.path().join("none"));
        let error = DataDirLock::take(&paths, "machine-0").unwrap_err();
        assert!(matches!(error, DataDirLockError::File(_)));
        assert!(error.to_string().contains("none"), "{error}");
    }
}
