//! The store's directory: private, and one process's at a time.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

use anyhow::Context;

use crate::{Error, Result};

/// The right to write in the directory. The kernel takes it back when the process ends, however that happens.
pub(super) struct Lock(#[expect(dead_code, reason = "closing the file unlocks it")] File);

impl Lock {
    /// Makes the directory and the store's file if they do not exist, readable by their owner only from the
    /// first moment on, and takes the lock.
    pub(super) fn take(directory: &Path) -> Result<Lock> {
        let made =
            make(directory).with_context(|| format!("cannot use the directory {}", directory.display()));
        let lock = made.map_err(Error::Unavailable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Locked { path: directory.to_owned() }),
            Err(TryLockError::Error(err)) => return Err(Error::unavailable(err)),
        }
        Ok(Lock(lock))
    }
}

fn make(directory: &Path) -> std::io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    if fs::metadata(directory)?.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(directory, Permissions::from_mode(0o700))?;
    }
    let open = |name: &str| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600).open(directory.join(name))
    };
    let lock = open("lock")?;
    open("store.db")?.sync_all()?;
    // So that the names are as durable as what will be written under them.
    File::open(directory)?.sync_all()?;
    if let Some(parent) = directory.parent().filter(|it| !it.as_os_str().is_empty()) {
        match File::open(parent) {
            Ok(parent) => parent.sync_all()?,
            // Where only others may look, others see to it.
            Err(err) if err.kind() == std::io::ErrorKind::PermissionDenied => {}
            Err(err) => return Err(err),
        }
    }
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_and_exclusive() {
        let root = tempfile::tempdir().expect("a directory");
        let directory = root.path().join("a/store");
        let lock = Lock::take(&directory).expect("the lock");
        let mode = |path: &Path| fs::metadata(path).expect("exists").permissions().mode() & 0o777;
        assert_eq!(mode(&directory), 0o700);
        assert_eq!(mode(&directory.join("store.db")), 0o600);
        let refused = Lock::take(&directory).err().expect("a second taker is refused");
        assert_eq!(
            refused.to_string(),
            format!("the store in {} is in use by another process", directory.display())
        );
        drop(lock);
        Lock::take(&directory).expect("the lock, once it is free");
    }

    #[test]
    fn an_open_directory_is_closed_to_others() {
        let root = tempfile::tempdir().expect("a directory");
        fs::set_permissions(root.path(), Permissions::from_mode(0o755)).expect("chmod");
        let _lock = Lock::take(root.path()).expect("the lock");
        assert_eq!(fs::metadata(root.path()).expect("exists").permissions().mode() & 0o777, 0o700);
    }
}
