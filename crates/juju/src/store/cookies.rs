//! `cookies/<controller>.json`: the jar in which clients keep macaroons of a controller.
//!
//! A controller that is logged in to with a password needs none, but python-libjuju reads the file of any controller, and
//! falls back to one in the home directory, which must exist, if there is none.

use std::path::PathBuf;

use juju_agent::files::{self, FileError};

use super::Store;

fn path(store: &Store, controller: &str) -> PathBuf {
    store.dir().join("cookies").join(format!("{controller}.json"))
}

/// Makes an empty jar.
pub fn create(store: &Store, controller: &str) -> Result<(), FileError> {
    files::create_dir_all(&store.dir().join("cookies"), 0o700)?;
    files::write_atomic(&path(store, controller), b"[]\n", 0o600)
}

/// Removes the jar, if there is one.
pub fn remove(store: &Store, controller: &str) -> Result<(), FileError> {
    files::remove_file(&path(store, controller))
}
