//! Agent binaries on disk: a directory for each version, and a link to it for each agent.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files::{self, FileError};
use crate::paths::Paths;

const METADATA: &str = "downloaded-tools.txt";

/// More than any binary of Juju has, and less than fills a disk.
const MAX_UNPACKED: u64 = 2 << 30;

/// What `downloaded-tools.txt` says of the binaries beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tools {
    /// With system and architecture: `3.6.28-ubuntu-amd64`.
    pub version: String,
    pub url: String,
    /// Of the compressed archive.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
    pub size: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum ToolsError {
    /// Not what was asked for; fetch it again.
    #[error("tarball sha256 mismatch, expected {expected}, got {got}")]
    Checksum { expected: String, got: String },
    /// The archive is not one of agent binaries.
    #[error("{0}")]
    Archive(String),
    #[error("cannot read the archive of agent binaries")]
    Read(#[source] io::Error),
    #[error("agent binaries {version} are not installed in {dir}", dir = .dir.display())]
    NotInstalled { version: String, dir: PathBuf },
    #[error(transparent)]
    File(#[from] FileError),
}

/// Unpacks a `.tgz` of agent binaries into their version's directory. All or nothing: until the
/// archive has proved to be what `tools` says, it is a directory of another name.
pub fn unpack(paths: &Paths, tools: &Tools, archive: impl Read) -> Result<(), ToolsError> {
    let room = unpacking_dir(paths)?;
    let mut hashed = Hashed { inner: archive, hash: Sha256::new() };
    unpack_members(&mut hashed, room.path())?;
    // What follows the last member counts too.
    io::copy(&mut hashed, &mut io::sink()).map_err(ToolsError::Read)?;
    let got = hex::encode(hashed.hash.finalize());
    if !tools.sha256.is_empty() && got != tools.sha256 {
        return Err(ToolsError::Checksum { expected: tools.sha256.clone(), got });
    }
    install_dir(paths, tools, room)
}

/// Installs binaries that are on this host already, by a hard link to each: machines of the local
/// provider share one copy. Where a link cannot be, as on another file system, it is copied.
pub fn link_binaries(paths: &Paths, tools: &Tools, binaries: &[PathBuf]) -> Result<(), ToolsError> {
    let room = unpacking_dir(paths)?;
    for binary in binaries {
        let Some(name) = binary.file_name() else { continue };
        let target = room.path().join(name);
        if fs::hard_link(binary, &target).is_err() {
            fs::copy(binary, &target).map_err(|e| FileError::new("copy", binary, e))?;
            set_mode(&target, 0o755)?;
        }
    }
    install_dir(paths, tools, room)
}

/// What is installed of a version; it must have been installed whole.
pub fn read(paths: &Paths, version: &str) -> Result<Tools, ToolsError> {
    let dir = paths.version_dir(version);
    let missing = || ToolsError::NotInstalled { version: version.to_owned(), dir: dir.clone() };
    let text = fs::read_to_string(dir.join(METADATA)).map_err(|_| missing())?;
    serde_json::from_str(&text).map_err(|_| missing())
}

/// Points an agent's link at a version that is installed, in one step.
pub fn switch(paths: &Paths, tag: &str, version: &str) -> Result<Tools, ToolsError> {
    let tools = read(paths, version)?;
    link_atomic(&paths.version_dir(version), &paths.agent_tools(tag))?;
    Ok(tools)
}

/// What an agent's link points at.
pub fn read_agent(paths: &Paths, tag: &str) -> Result<Tools, ToolsError> {
    let link = paths.agent_tools(tag);
    let target = fs::read_link(&link).map_err(|e| FileError::new("read the link", &link, e))?;
    let version = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    read(paths, &version)
}

/// Makes `link` point at `target`, whatever link was there, without a moment in which it is missing.
pub fn link_atomic(target: &Path, link: &Path) -> Result<(), FileError> {
    let dir = files::parent(link);
    files::create_dir_all(dir, 0o755)?;
    let room = tempfile::Builder::new()
        .prefix("tmpfile")
        .tempdir_in(dir)
        .map_err(|e| FileError::new("make a directory in", dir, e))?;
    let temporary = room.path().join("link");
    std::os::unix::fs::symlink(target, &temporary).map_err(|e| FileError::new("make the link", link, e))?;
    fs::rename(&temporary, link).map_err(|e| FileError::new("replace the link", link, e))?;
    files::sync_dir(dir)
}

fn unpacking_dir(paths: &Paths) -> Result<tempfile::TempDir, FileError> {
    let dir = paths.tools_dir();
    files::create_dir_all(&dir, 0o755)?;
    tempfile::Builder::new()
        .prefix("unpacking-")
        .tempdir_in(&dir)
        .map_err(|e| FileError::new("make a directory in", &dir, e))
}

fn unpack_members(archive: &mut impl Read, dir: &Path) -> Result<(), ToolsError> {
    let mut archive = tar::Archive::new(GzDecoder::new(archive).take(MAX_UNPACKED));
    for member in archive.entries().map_err(ToolsError::Read)? {
        let mut member = member.map_err(ToolsError::Read)?;
        let name = String::from_utf8_lossy(&member.path_bytes()).into_owned();
        let bad = |what: String| Err(ToolsError::Archive(format!("{what} in agent binary archive")));
        if name.is_empty() || name.contains(['/', '\\', '\0']) || name == "." || name == ".." {
            return bad(format!("bad name {name:?}"));
        }
        let kind = member.header().entry_type();
        if !kind.is_file() {
            return bad(format!("bad file type {} in file {name:?}", kind.as_byte() as char));
        }
        let mode = member.header().mode().map_err(ToolsError::Read)? & 0o777;
        let path = dir.join(&name);
        let mut file = fs::File::create_new(&path).map_err(|e| FileError::new("create", &path, e))?;
        io::copy(&mut member, &mut file).map_err(|e| FileError::new("write", &path, e))?;
        file.sync_all().map_err(|e| FileError::new("write", &path, e))?;
        set_mode(&path, mode)?;
    }
    Ok(())
}

/// Gives the directory its name. That another has it already is a success if it is whole.
fn install_dir(paths: &Paths, tools: &Tools, room: tempfile::TempDir) -> Result<(), ToolsError> {
    let text = serde_json::to_vec(tools).map_err(|e| ToolsError::Read(e.into()))?;
    files::write_atomic(&room.path().join(METADATA), &text, 0o644)?;
    set_mode(room.path(), 0o755)?;
    let target = paths.version_dir(&tools.version);
    match fs::rename(room.path(), &target) {
        Ok(()) => {
            // It has another name now, so there is nothing left to clean up.
            let _ = room.keep();
            files::sync_dir(&paths.tools_dir())?;
            Ok(())
        }
        Err(_) if read(paths, &tools.version).is_ok() => Ok(()),
        Err(e) => Err(FileError::new("install", target, e).into()),
    }
}

fn set_mode(path: &Path, mode: u32) -> Result<(), FileError> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(|e| FileError::new("set the mode of", path, e))
}

struct Hashed<R> {
    inner: R,
    hash: Sha256,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hash.update(&buffer[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const VERSION: &str = "3.6.28-ubuntu-amd64";

    fn archive(members: &[(&str, tar::EntryType, &str)]) -> Vec<u8> {
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, kind, content) in members {
            let mut header = tar::Header::new_gnu();
            // The builder refuses such names; an attacker does not use it.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(0o4755);
            header.set_size(content.len() as u64);
            header.set_cksum();
            tar.append(&header, content.as_bytes()).unwrap();
        }
        tar.into_inner().unwrap().finish().unwrap()
    }

    fn setup() -> (tempfile::TempDir, Paths) {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::host().with_data_dir(dir.path());
        (dir, paths)
    }

    fn tools(sha256: &str) -> Tools {
        let url = format!("https://10.0.0.5:17070/tools/{VERSION}");
        Tools { version: VERSION.into(), url, sha256: sha256.into(), size: 3 }
    }

    fn left(paths: &Paths) -> usize {
        fs::read_dir(paths.tools_dir()).unwrap().count()
    }

    #[test]
    fn binaries_are_unpacked_checked_and_switched_to() {
        let (_dir, paths) = setup();
        let tgz =
            archive(&[("jujud", tar::EntryType::Regular, "one"), ("jujuc", tar::EntryType::Regular, "two")]);
        let tools = tools(&hex::encode(Sha256::digest(&tgz)));
        unpack(&paths, &tools, &tgz[..]).unwrap();
        unpack(&paths, &tools, &tgz[..]).unwrap();
        assert_eq!(left(&paths), 1);
        let jujud = paths.version_dir(VERSION).join("jujud");
        assert_eq!(fs::read(&jujud).unwrap(), b"one");
        assert_eq!(fs::metadata(&jujud).unwrap().mode() & 0o7777, 0o755);
        let text = fs::read_to_string(paths.version_dir(VERSION).join(METADATA)).unwrap();
        assert!(
            text.starts_with(r#"{"version":"3.6.28-ubuntu-amd64","url":"https://"#) && !text.ends_with('\n')
        );

        switch(&paths, "machine-0", VERSION).unwrap();
        switch(&paths, "machine-0", VERSION).unwrap();
        assert_eq!(fs::read_link(paths.agent_tools("machine-0")).unwrap(), paths.version_dir(VERSION));
        assert_eq!(read_agent(&paths, "machine-0").unwrap(), tools);
        assert!(matches!(switch(&paths, "machine-0", "9.9.9"), Err(ToolsError::NotInstalled { .. })));
        assert_eq!(read_agent(&paths, "machine-0").unwrap(), tools);
        assert_eq!(left(&paths), 2);
    }

    #[test]
    fn bad_archives_leave_nothing() {
        let (_dir, paths) = setup();
        let good = archive(&[("jujud", tar::EntryType::Regular, "one")]);
        for (tgz, sha, want) in [
            (archive(&[("../jujud", tar::EntryType::Regular, "x")]), "", "bad name \"../jujud\""),
            (archive(&[("a/b", tar::EntryType::Regular, "x")]), "", "bad name \"a/b\""),
            (archive(&[("jujud", tar::EntryType::Symlink, "")]), "", "bad file type 2 in file \"jujud\""),
            (archive(&[("dir", tar::EntryType::Directory, "")]), "", "bad file type 5"),
            (good.clone(), "00", "tarball sha256 mismatch, expected 00, got "),
            (good[..good.len() / 2].to_vec(), "", "cannot"),
            (b"not gzip".to_vec(), "", "cannot read the archive"),
        ] {
            let error = unpack(&paths, &tools(sha), &tgz[..]).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
            assert_eq!(left(&paths), 0);
        }
    }

    #[test]
    fn local_machines_share_one_copy() {
        let (dir, paths) = setup();
        let binary = dir.path().join("jujud");
        fs::write(&binary, "binary").unwrap();
        link_binaries(&paths, &tools(""), std::slice::from_ref(&binary)).unwrap();
        let linked = paths.version_dir(VERSION).join("jujud");
        assert_eq!(fs::metadata(&linked).unwrap().ino(), fs::metadata(&binary).unwrap().ino());
        assert!(!fs::read_to_string(paths.version_dir(VERSION).join(METADATA)).unwrap().contains("sha256"));
    }
}
