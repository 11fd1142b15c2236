//! Which agent binaries this controller has: for each version the digest of an object.
//!
//! The index is a directory with a small file a version, beside the objects themselves: it says what is on this host,
//! so it belongs to the host and not to the state that controllers share.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use juju_agent::files;
use juju_core::Binary;
use serde::{Deserialize, Serialize};

use crate::{Error, Result, Stored};

/// The agent binaries. Clones share them.
#[derive(Clone, Debug)]
pub struct Tools {
    dir: Arc<Path>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    sha256: String,
    size: u64,
}

impl Tools {
    /// Opens the index in a directory, which is made if it is not there.
    pub fn open(dir: &Path) -> Result<Tools> {
        files::create_dir_all(dir, 0o700)
            .map_err(|err| Error::internal("cannot open the index of agent binaries", &err))?;
        Ok(Tools { dir: dir.into() })
    }

    /// The object that is this version's archive.
    pub async fn get(&self, binary: &Binary) -> Result<Option<Stored>> {
        let failed =
            |err: &(dyn std::error::Error + 'static)| Error::internal("cannot read agent binaries", err);
        match tokio::fs::read(self.path(binary)).await {
            Ok(bytes) => {
                let Entry { sha256, size } = serde_json::from_slice(&bytes).map_err(|err| failed(&err))?;
                Ok(Some(Stored { sha256, size }))
            }
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(err) => Err(failed(&err)),
        }
    }

    /// Says which object is this version's archive.
    pub async fn put(&self, binary: &Binary, stored: &Stored) -> Result<()> {
        let Stored { sha256, size } = stored.clone();
        let entry = serde_json::to_vec(&Entry { sha256, size })
            .map_err(|err| Error::internal("cannot write agent binaries", &err))?;
        let path = self.path(binary);
        let written = tokio::task::spawn_blocking(move || files::write_atomic(&path, &entry, 0o600)).await;
        let failed =
            |err: &(dyn std::error::Error + 'static)| Error::internal("cannot write agent binaries", err);
        written.map_err(|err| failed(&err))?.map_err(|err| failed(&err))
    }

    /// The versions that are here, in no order that matters.
    pub fn list(&self) -> io::Result<Vec<Binary>> {
        let mut found = vec![];
        for entry in std::fs::read_dir(&*self.dir)? {
            found.extend(entry?.file_name().to_str().and_then(|it| it.parse::<Binary>().ok()));
        }
        Ok(found)
    }

    /// A version's text holds neither a slash nor a dot alone.
    fn path(&self, binary: &Binary) -> PathBuf {
        self.dir.join(binary.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn versions_have_their_objects() {
        let dir = tempfile::tempdir().unwrap();
        let tools = Tools::open(&dir.path().join("tools")).unwrap();
        let binary: Binary = "3.6.28-ubuntu-amd64".parse().unwrap();
        assert_eq!(tools.get(&binary).await.unwrap(), None);
        let stored = Stored { sha256: "ab".repeat(32), size: 7 };
        tools.put(&binary, &stored).await.unwrap();
        tools.put(&binary, &stored).await.unwrap();
        assert_eq!(tools.get(&binary).await.unwrap(), Some(stored));
        assert_eq!(tools.list().unwrap(), [binary]);
    }
}
