//! What is in a charm's archive, for those who ask for one file of it.

use std::path::PathBuf;

use juju_charm::Archive;

use super::bad_charm;
use crate::{Error, Result};

/// A file larger than this is not for looking at.
const MAX_FILE: u64 = 64 << 20;

/// The names of all files.
pub(super) async fn list(path: PathBuf) -> Result<Vec<String>> {
    open(path, |archive| Ok(archive.files().into_iter().map(str::to_owned).collect())).await
}

/// One file.
pub(super) async fn file(path: PathBuf, name: String) -> Result<Vec<u8>> {
    open(path, move |archive| match archive.read(&name, MAX_FILE).map_err(bad_charm)? {
        Some(content) => Ok(content),
        None if archive.manifest().contains(&name) => Err(Error::new(
            juju_wire::code::FORBIDDEN,
            format_args!("{name:?} is a directory, or too large to be shown"),
        )),
        None => Err(Error::not_found(format_args!("file {name:?} in the archive"))),
    })
    .await
}

async fn open<T: Send + 'static>(
    path: PathBuf,
    look: impl FnOnce(&mut Archive) -> Result<T> + Send + 'static,
) -> Result<T> {
    let work = move || look(&mut Archive::open(&path).map_err(bad_charm)?);
    tokio::task::spawn_blocking(work).await.map_err(|err| Error::internal("cannot read the archive", &err))?
}
