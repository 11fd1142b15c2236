//! Where a controller keeps its state: one SQLite store in its data directory.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use juju_store::{Sqlite, Store};

/// The directory of the store.
pub(crate) fn dir(data_dir: &Path) -> PathBuf {
    data_dir.join("store")
}

/// What is kept beside the store: objects, agent binaries, status history.
pub(crate) fn objects_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("objects")
}
pub(crate) fn tools_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("agent-binaries")
}
pub(crate) fn history_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("status-history")
}

/// Opens the store, making it if it is not there. One process at a time has it.
pub(crate) async fn open(data_dir: &Path) -> anyhow::Result<Arc<dyn Store>> {
    let dir = dir(data_dir);
    Sqlite::open(&dir)
        .await
        .with_context(|| format!("cannot open the controller's store in {}", dir.display()))
}
