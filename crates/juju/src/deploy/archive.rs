//! A charm on this host, read, checked and packed.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use juju_charm::{
    Charm,
    pack::{PackOptions, Packed, pack_with},
};
use tempfile::NamedTempFile;

use crate::error::{Error, Result, told};

/// A charm that can be uploaded.
pub struct CharmArchive {
    pub charm: Charm,
    file: ArchiveFile,
    /// Of the archive, in hex.
    pub sha256: String,
    /// What its author may want to know.
    pub warnings: Vec<String>,
}

enum ArchiveFile {
    Given(PathBuf),
    /// Packed from a directory; goes with this value.
    Packed(NamedTempFile),
}

impl CharmArchive {
    /// Reads the charm at `path`, a directory or a `.charm`, off the threads that must not wait.
    pub async fn read(path: &Path) -> Result<Self> {
        let path = path.to_owned();
        tokio::task::spawn_blocking(move || read(&path))
            .await
            .map_err(|e| Error::failed(format!("reading the charm was cut off: {e}")))?
    }

    pub fn path(&self) -> &Path {
        match &self.file {
            ArchiveFile::Given(path) => path,
            ArchiveFile::Packed(file) => file.path(),
        }
    }

    pub fn name(&self) -> &str {
        &self.charm.meta.name
    }

    pub fn revision(&self) -> i64 {
        i64::try_from(self.charm.revision).unwrap_or(i64::MAX)
    }

    pub fn is_subordinate(&self) -> bool {
        self.charm.meta.subordinate
    }
}

fn read(path: &Path) -> Result<CharmArchive> {
    let failed = |e: juju_charm::CharmError| {
        Error::failed(format!("attempting to deploy {:?}: {}", shown(path), told(&e)))
    };
    if !path.is_dir() {
        if !is_zip(path) {
            return Err(Error::failed(format!("invalid charm or bundle provided at {:?}", shown(path))));
        }
        let charm = Charm::read(path).map_err(failed)?;
        let (sha256, _) = juju_charm::archive::sha256(path).map_err(failed)?;
        let file = ArchiveFile::Given(path.to_owned());
        return Ok(CharmArchive { charm, file, sha256: sha256.to_string(), warnings: vec![] });
    }
    let cannot = |e: io::Error| Error::failed(format!("cannot pack the charm at {:?}: {e}", shown(path)));
    let file = tempfile::Builder::new().prefix("juju-").suffix(".charm").tempfile().map_err(cannot)?;
    let options = PackOptions { revision: None, version: juju_charm::vcs::version_of(path) };
    let Packed { charm, made_executable } = pack_with(path, file.as_file(), &options).map_err(failed)?;
    let (sha256, _) = juju_charm::archive::sha256(file.path()).map_err(failed)?;
    let warnings =
        made_executable.iter().map(|it| format!("{it} is not executable; it will be in the model")).collect();
    Ok(CharmArchive { charm, file: ArchiveFile::Packed(file), sha256: sha256.to_string(), warnings })
}

/// Whether a file begins as archives do.
fn is_zip(path: &Path) -> bool {
    use io::Read;
    let mut magic = [0; 2];
    File::open(path).and_then(|mut it| it.read_exact(&mut magic)).is_ok() && magic == *b"PK"
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
pub mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    /// A charm that does nothing, in a directory of its own.
    pub fn tiny_charm(dir: &Path, name: &str, more: &str) {
        fs::create_dir_all(dir).unwrap();
        let metadata = format!("name: {name}\nsummary: s\ndescription: d\n{more}");
        fs::write(dir.join("metadata.yaml"), metadata).unwrap();
        fs::write(
            dir.join("manifest.yaml"),
            "bases:\n- {name: ubuntu, channel: '24.04', architectures: [amd64]}\n",
        )
        .unwrap();
        fs::write(dir.join("dispatch"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(dir.join("dispatch"), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_directory_is_packed_and_the_archive_reads_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("web");
        tiny_charm(&source, "web", "");
        let packed = read(&source).unwrap();
        assert_eq!((packed.name(), packed.revision(), packed.is_subordinate()), ("web", 0, false));
        assert_eq!(packed.sha256.len(), 64);
        let kept = dir.path().join("web.charm");
        fs::copy(packed.path(), &kept).unwrap();
        let again = read(&kept).unwrap();
        assert_eq!((again.name(), &again.sha256), ("web", &packed.sha256));
        let temporary = packed.path().to_owned();
        drop(packed);
        assert!(!temporary.exists());
    }

    #[test]
    fn what_is_no_charm_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let error = |path: &Path| read(path).err().map(|e| e.to_string()).unwrap_or_default();
        let text = dir.path().join("x.charm");
        fs::write(&text, "text").unwrap();
        assert!(error(&text).starts_with("invalid charm or bundle provided at"), "{}", error(&text));
        let empty = dir.path().join("empty");
        fs::create_dir(&empty).unwrap();
        assert!(error(&empty).contains("not found"), "{}", error(&empty));
        let broken = dir.path().join("broken");
        tiny_charm(&broken, "web", "requires: [1\n");
        assert!(error(&broken).starts_with("attempting to deploy"), "{}", error(&broken));
    }
}
