//! Packs a charm's directory into an archive: the same bytes for the same files.

mod ignore;

use std::{
    collections::BTreeSet,
    fs::{self, File, FileType},
    io::{self, Read, Seek, Write},
    os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use ignore::Ignore;
use nix::fcntl::OFlag;
use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use crate::{Charm, CharmError, Result, archive::Limits, hooks};

/// What is said of a charm that is packed, in place of what its own files say.
#[derive(Clone, Debug, Default)]
pub struct PackOptions {
    pub revision: Option<u64>,
    /// Such as [`crate::vcs::version_of`] finds.
    pub version: Option<String>,
}

/// What was packed.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    pub charm: Charm,
    /// The code that is not executable in the directory, and is in the archive: worth a warning.
    pub made_executable: Vec<String>,
}

/// Packs the charm in a directory into `to`, which must be empty. It is checked first, as [`Charm::read`] does.
pub fn pack(dir: &Path, to: impl Write + Seek) -> Result<Packed> {
    pack_with(dir, to, &PackOptions::default())
}

pub fn pack_with(dir: &Path, to: impl Write + Seek, options: &PackOptions) -> Result<Packed> {
    let mut charm = Charm::read(dir)?;
    charm.revision = options.revision.unwrap_or(charm.revision);
    charm.version = options.version.clone().unwrap_or(charm.version);
    let mut packer = Packer {
        root: dir.to_owned(),
        ignore: Ignore::for_dir(dir)?,
        hooks: charm.meta.hooks(),
        out: ZipWriter::new(to),
        made_executable: vec![],
        entries: 0,
        bytes: 0,
    };
    packer.folder("")?;
    let mut out = packer.out;
    let failed = |it| CharmError::io("write an archive of", dir, it);
    add_text(&mut out, "revision", &charm.revision.to_string()).map_err(failed)?;
    if !charm.version.is_empty() {
        add_text(&mut out, "version", &charm.version).map_err(failed)?;
    }
    out.finish().and_then(|mut it| Ok(it.flush()?)).map_err(|it| failed(it.into()))?;
    Ok(Packed { charm, made_executable: packer.made_executable })
}

struct Packer<W: Write + Seek> {
    root: PathBuf,
    ignore: Ignore,
    hooks: BTreeSet<String>,
    out: ZipWriter<W>,
    made_executable: Vec<String>,
    entries: u64,
    bytes: u64,
}

impl<W: Write + Seek> Packer<W> {
    /// Packs what is in a folder, in the order of its names, whatever the order on the disk.
    fn folder(&mut self, path: &str) -> Result<()> {
        let full = self.root.join(path);
        let failed = |it| CharmError::io("read", &full, it);
        let mut names = vec![];
        for entry in fs::read_dir(&full).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().into_string();
            let name = name.map_err(|it| {
                CharmError::invalid(format!("file name {:?} is not valid UTF-8", it.to_string_lossy()))
            })?;
            names.push((name, entry.file_type().map_err(failed)?));
        }
        names.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, kind) in names {
            let path = if path.is_empty() { name } else { format!("{path}/{name}") };
            if self.ignore.matches(&path, kind.is_dir()) {
                continue;
            }
            self.count(1, 0)?;
            self.entry(&path, kind)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &str, kind: FileType) -> Result<()> {
        let wrong = |what: &str| Err(CharmError::invalid(format!("{what}: {path:?}")));
        if kind.is_dir() {
            self.out.add_directory(path, options(0o755)).map_err(|it| self.failed(path, it.into()))?;
            self.folder(path)
        } else if kind.is_symlink() {
            self.link(path)
        } else if kind.is_file() {
            self.file(path)
        } else if kind.is_fifo() {
            wrong("file is a named pipe")
        } else if kind.is_socket() {
            wrong("file is a socket")
        } else if kind.is_block_device() || kind.is_char_device() {
            wrong("file is a device")
        } else {
            wrong("file has an unknown type")
        }
    }

    fn file(&mut self, path: &str) -> Result<()> {
        let failed = |it: io::Error| CharmError::io("read", self.root.join(path), it);
        // Should it have become a link or a pipe since, it is neither followed nor waited for.
        let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
        let file = File::options()
            .read(true)
            .custom_flags(flags.bits())
            .open(self.root.join(path))
            .map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        self.count(0, metadata.len())?;
        let mut mode = if metadata.permissions().mode() & 0o100 == 0 { 0o644 } else { 0o755 };
        if mode == 0o644 && self.is_code(path) {
            mode = 0o755;
            self.made_executable.push(path.to_owned());
        }
        self.out.start_file(path, options(mode)).map_err(|it| self.failed(path, it.into()))?;
        io::copy(&mut file.take(metadata.len()), &mut self.out).map_err(|it| self.failed(path, it))?;
        Ok(())
    }

    fn link(&mut self, path: &str) -> Result<()> {
        let target = fs::read_link(self.root.join(path)).map_err(|it| self.failed(path, it))?;
        let target = target
            .to_str()
            .ok_or_else(|| CharmError::invalid(format!("symlink {path:?} is not valid UTF-8")))?;
        if target.starts_with('/') {
            return Err(CharmError::invalid(format!("symlink {path:?} is absolute: {target:?}")));
        }
        if leads_out(path, target) {
            return Err(CharmError::invalid(format!("symlink {path:?} links out of charm: {target:?}")));
        }
        self.out.add_symlink(path, target, options(0o777)).map_err(|it| self.failed(path, it.into()))
    }

    /// What would be refused where it is unpacked is not packed.
    fn count(&mut self, entries: u64, bytes: u64) -> Result<()> {
        let limits = Limits::default();
        self.entries += entries;
        self.bytes += bytes;
        if self.entries > limits.entries {
            return Err(CharmError::invalid(format!("charm has more than {} files", limits.entries)));
        }
        if self.bytes > limits.size {
            return Err(CharmError::invalid(format!("charm is larger than {} bytes", limits.size)));
        }
        Ok(())
    }

    /// Whether a file is code that an agent runs.
    fn is_code(&self, path: &str) -> bool {
        path == hooks::DISPATCH || path.strip_prefix("hooks/").is_some_and(|it| self.hooks.contains(it))
    }

    fn failed(&self, path: &str, source: io::Error) -> CharmError {
        CharmError::io("pack", self.root.join(path), source)
    }
}

/// Whether a link's target, by its text, lies above the charm.
fn leads_out(path: &str, target: &str) -> bool {
    let mut depth = path.matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

/// Nothing of when or where it was packed.
pub(crate) fn options(mode: u32) -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(mode)
}

pub(crate) fn add_text(out: &mut ZipWriter<impl Write + Seek>, name: &str, text: &str) -> io::Result<()> {
    out.start_file(name, options(0o644))?;
    out.write_all(text.as_bytes())
}
