//! The client store: what a client knows of its controllers, in the files of Juju 3.6.
//!
//! `controllers.yaml`, `models.yaml`, `accounts.yaml`, `bootstrap-config.yaml`, `credentials.yaml` and
//! `clouds.yaml` in one directory. Other clients (Juju's own, python-libjuju) read and write the same
//! files, so the keys are theirs and keys unknown here survive. A reader takes no lock and never fails
//! for a writer's sake: files are replaced whole. Writers take turns, see [`Locked`].

mod accounts;
mod bootstrap_config;
mod clouds;
mod controllers;
pub mod cookies;
mod credentials;
mod lock;
mod models;

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use juju_agent::files::{self, FileError};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

pub use self::{
    accounts::{Account, Accounts},
    bootstrap_config::{BootstrapConfig, BootstrapConfigs},
    clouds::{Cloud, Clouds},
    controllers::{Controller, Controllers},
    credentials::{Credential, Credentials},
    lock::Locked,
    models::{AmbiguousModel, ControllerModels, Model, Models, is_model_name, qualify},
};
use crate::output::yaml::{self, YamlError};

/// Keys of other versions, which stay as they are.
pub(crate) type Other = BTreeMap<String, Value>;

/// The store in one directory.
#[derive(Clone, Debug)]
pub struct Store {
    dir: PathBuf,
}

/// A file of the store: one kind of thing, by controller or cloud.
pub trait StoreFile: Serialize + DeserializeOwned + Default + Clone + PartialEq {
    const NAME: &'static str;
}

/// The store cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot read {path}", path = .path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot parse {path}", path = .path.display())]
    Malformed {
        path: PathBuf,
        #[source]
        source: YamlError,
    },
    #[error(transparent)]
    Write(#[from] FileError),
    #[error("cannot acquire the lock of the client store in {dir}: another juju holds it", dir = .dir.display())]
    Busy { dir: PathBuf },
    #[error("cannot lock the client store in {dir}", dir = .dir.display())]
    Lock {
        dir: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Store {
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads one file; one that is not there is empty.
    pub fn read<F: StoreFile>(&self) -> Result<F, StoreError> {
        let path = self.dir.join(F::NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(F::default()),
            Err(source) => return Err(StoreError::Read { path, source }),
        };
        yaml::from_str(&text).map_err(|source| StoreError::Malformed { path, source })
    }

    /// Makes the directory if need be and waits for its turn to write.
    pub fn lock(&self) -> Result<Locked<'_>, StoreError> {
        files::create_dir_all(&self.dir, 0o700)?;
        Locked::wait(self)
    }

    /// Changes one file under the lock; several that belong together take [`Store::lock`] once.
    pub fn update<F: StoreFile, T>(&self, change: impl FnOnce(&mut F) -> T) -> Result<T, StoreError> {
        self.lock()?.update(change)
    }

    fn write<F: StoreFile>(&self, file: &F) -> Result<(), StoreError> {
        let text = yaml::to_string(file);
        Ok(files::write_atomic(&self.dir.join(F::NAME), text.as_bytes(), 0o600)?)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn an_absent_store_is_empty_and_is_not_made_by_reading() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("juju"));
        assert_eq!(store.read::<Controllers>().unwrap(), Controllers::default());
        assert!(!store.dir().exists());
    }

    #[test]
    fn directory_and_files_are_private() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("share/juju"));
        store
            .update(|accounts: &mut Accounts| {
                accounts
                    .controllers
                    .insert("lab".into(), Account { user: "admin".into(), ..Account::default() });
            })
            .unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(store.dir()), 0o700);
        assert_eq!(mode(&store.dir().join("accounts.yaml")), 0o600);
        let names: Vec<_> = fs::read_dir(store.dir()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names, ["accounts.yaml"], "nothing else is left in the directory");
    }

    #[test]
    fn a_change_that_changes_nothing_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        fs::write(dir.path().join("models.yaml"), "controllers:\n    lab: {models: {}}\n").unwrap();
        store.update(|_: &mut Models| ()).unwrap();
        let text = fs::read_to_string(dir.path().join("models.yaml")).unwrap();
        assert_eq!(text, "controllers:\n    lab: {models: {}}\n");
    }

    #[test]
    fn a_broken_file_is_named_and_its_content_is_not_shown() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        fs::write(dir.path().join("accounts.yaml"), "controllers: {lab: {password: [hunter2}}").unwrap();
        let told = crate::error::told(&store.read::<Accounts>().unwrap_err());
        assert!(told.contains("accounts.yaml") && !told.contains("hunter2"), "{told}");
    }

    #[test]
    fn a_read_only_directory_reads_and_says_why_it_does_not_write() {
        if nix::unistd::geteuid().is_root() {
            return; // root writes everywhere
        }
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        store.update(|it: &mut Controllers| it.current_controller = "lab".into()).unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o500)).unwrap();
        assert_eq!(store.read::<Controllers>().unwrap().current_controller, "lab");
        let error = store.update(|it: &mut Controllers| it.current_controller = "b".into()).unwrap_err();
        assert!(error.to_string().contains(&dir.path().display().to_string()), "{error}");
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    }
}
