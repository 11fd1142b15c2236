//! A charm as a zip archive.
//!
//! An archive may come from anywhere. [`Archive::open`] looks at every entry before anything is done with one, and
//! refuses the whole for what no honest tool writes: paths and links that lead out, sizes beyond all measure, devices,
//! files behind links. What it accepts can be listed, read, laid out and written anew.

mod check;
mod count;
mod rewrite;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use juju_core::Sha256;
use sha2::Digest;
use zip::{ZipArchive, result::ZipError};

pub use rewrite::rewrite;

use crate::{Charm, CharmError, Meta, Result, charm::Files, hooks, yaml};

/// How much an archive may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub entries: u64,
    /// Bytes, unpacked.
    pub size: u64,
    /// Unpacked to packed.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { entries: 100_000, size: 2 << 30, ratio: 200 }
    }
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Dir,
    /// With its target, which is known to stay inside.
    Link(String),
}

/// One entry of an archive, by a path without `.`, `..` or a slash at its ends.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: String,
    pub kind: Kind,
    /// Permissions alone; `0644` or `0755` where the archive has none.
    pub mode: u32,
    pub size: u64,
    index: usize,
}

/// An archive whose every entry was looked at.
pub struct Archive {
    path: PathBuf,
    zip: ZipArchive<File>,
    entries: BTreeMap<String, Entry>,
    /// The folder that holds the charm, `""` or ending in `/`.
    top: String,
}

/// What unpacks to less is no bomb, however small it is packed.
const RATIO_FROM: u64 = 1 << 20;

/// A link's target longer than this leads nowhere.
const MAX_TARGET: u64 = 4096;

impl Archive {
    /// Looks at all of an archive.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_within(path, Limits::default())
    }

    pub fn open_within(path: &Path, limits: Limits) -> Result<Self> {
        let failed = |it| CharmError::io("read", path, it);
        let mut file = File::open(path).map_err(|it| match it.kind() {
            ErrorKind::NotFound => CharmError::NotThere(path.to_owned()),
            _ => CharmError::io("open", path, it),
        })?;
        if let Some(count) = count::declared_entries(&mut file).map_err(failed)? {
            check_count(count, limits)?;
        }
        let packed = file.seek(SeekFrom::End(0)).map_err(failed)?;
        file.rewind().map_err(failed)?;
        let mut zip = ZipArchive::new(file).map_err(|it| broken(path, it))?;
        check_count(zip.len() as u64, limits)?;
        if zip.has_duplicate_names() {
            return Err(CharmError::refused("an entry stands twice"));
        }
        let mut entries = BTreeMap::new();
        let mut total = 0_u64;
        for index in 0..zip.len() {
            let Some(entry) = read_entry(path, &mut zip, index)? else { continue };
            total = total.saturating_add(entry.size);
            if let Some(twice) = entries.insert(entry.path.clone(), entry) {
                return Err(CharmError::refused(format!("entry {:?} stands twice", twice.path)));
            }
        }
        if total > limits.size {
            return Err(CharmError::refused(format!("unpacks to more than {} bytes", limits.size)));
        }
        if total > packed.saturating_mul(limits.ratio).max(RATIO_FROM) {
            return Err(CharmError::refused(format!("unpacks to more than {} times its size", limits.ratio)));
        }
        check::structure(&entries)?;
        let top = check::top(entries.values().filter(|it| it.kind == Kind::File).map(|it| it.path.as_str()))?;
        check::links(&entries, &top)?;
        Ok(Archive { path: path.to_owned(), zip, entries, top })
    }

    /// Reads and checks the charm in it.
    pub fn charm(&mut self) -> Result<Charm> {
        let path = self.path.clone();
        Charm::from_files(self, &path)
    }

    /// The entries of the charm, in order, with their paths below its top.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().filter_map(|(path, entry)| {
            path.strip_prefix(self.top.as_str()).filter(|it| !it.is_empty()).map(|it| (it, entry))
        })
    }

    /// The files and links of the charm.
    pub fn files(&self) -> Vec<&str> {
        self.entries().filter(|(_, it)| it.kind != Kind::Dir).map(|(path, _)| path).collect()
    }

    /// Every path that the charm has, folders too.
    pub fn manifest(&self) -> BTreeSet<String> {
        self.entries().map(|(path, _)| path.to_owned()).collect()
    }

    /// The content of a file, links inside the charm followed; none if it is not there or larger than `limit`.
    pub fn read(&mut self, path: &str, limit: u64) -> Result<Option<Vec<u8>>> {
        let Some(path) = check::follow(&self.entries, &self.top, path) else { return Ok(None) };
        let Some(entry) = self.entries.get(&path).filter(|it| it.kind == Kind::File && it.size <= limit)
        else {
            return Ok(None);
        };
        let entry = entry.clone();
        let mut content = vec![];
        self.copy(&entry, &mut content)?;
        Ok(Some(content))
    }

    /// Writes an entry's content, as much as the archive says it is and no more. A damaged one is an error.
    pub(crate) fn copy(&mut self, entry: &Entry, to: &mut impl Write) -> Result<()> {
        copy(&self.path, &mut self.zip, entry, to)
    }
}

impl Files for Archive {
    fn read(&mut self, name: &'static str) -> Result<Option<Vec<u8>>> {
        let too_large = |it: &Entry| it.kind == Kind::File && it.size > yaml::MAX_BYTES;
        if self.entries.get(&format!("{}{name}", self.top)).is_some_and(too_large) {
            return Err(CharmError::parse(name, format!("larger than {} bytes", yaml::MAX_BYTES)));
        }
        Archive::read(self, name, yaml::MAX_BYTES)
    }

    fn has_code(&mut self) -> Result<bool> {
        Ok(self.entries().any(|(path, entry)| {
            let hook =
                path.strip_prefix("hooks/").is_some_and(|it| !it.contains('/')) && entry.kind != Kind::Dir;
            hook || path.contains(hooks::DISPATCH)
        }))
    }
}

/// The hooks that a charm may have, by their names.
pub fn hook_names(meta: &Meta) -> BTreeSet<String> {
    meta.hooks()
}

/// The hash of a file's bytes, and their number.
pub fn sha256(path: &Path) -> Result<(Sha256, u64)> {
    let failed = |it| CharmError::io("read", path, it);
    let mut file = File::open(path).map_err(failed)?;
    let mut hash = sha2::Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    loop {
        let count = file.read(&mut buffer).map_err(failed)?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
        size += count as u64;
    }
    Ok((hex::encode(hash.finalize()).parse().expect("it is a SHA-256 in hexadecimal"), size))
}

fn copy(path: &Path, zip: &mut ZipArchive<File>, entry: &Entry, to: &mut impl Write) -> Result<()> {
    let file = zip.by_index(entry.index).map_err(|it| broken(path, it))?;
    let copied = io::copy(&mut file.take(entry.size + 1), to).map_err(|it| broken(path, it.into()))?;
    if copied != entry.size {
        return Err(CharmError::refused(format!("entry {:?} is not as large as it says", entry.path)));
    }
    Ok(())
}

/// Looks at one entry. The top itself, which some tools write, is none.
fn read_entry(path: &Path, zip: &mut ZipArchive<File>, index: usize) -> Result<Option<Entry>> {
    let file = zip.by_index(index).map_err(|it| broken(path, it))?;
    let name = file.name().map_err(|it| broken(path, it))?.into_owned();
    let (mode, size) = (file.unix_mode(), file.size());
    drop(file);
    let Some(clean) = check::clean(&name)? else { return Ok(None) };
    let kind = match mode.unwrap_or_default() & check::TYPE {
        0 if name.ends_with('/') => Kind::Dir,
        0 | check::REGULAR if !name.ends_with('/') => Kind::File,
        check::DIRECTORY => Kind::Dir,
        check::SYMLINK => Kind::Link(String::new()),
        _ => return Err(CharmError::refused(format!("entry {name:?} is no file, folder or link"))),
    };
    let permissions = mode.map(|it| it & 0o777);
    let mode = match kind {
        Kind::File => permissions.unwrap_or(0o644) | 0o600,
        Kind::Dir => permissions.unwrap_or(0o755) | 0o700,
        Kind::Link(_) => 0o777,
    };
    let mut entry = Entry { path: clean, kind, mode, size, index };
    match entry.kind {
        Kind::File => {}
        Kind::Dir => entry.size = 0,
        Kind::Link(_) => {
            let senseless = || CharmError::refused(format!("link {:?} has no sensible target", entry.path));
            let mut target = vec![];
            if size > MAX_TARGET {
                return Err(senseless());
            }
            copy(path, zip, &entry, &mut target)?;
            let target = String::from_utf8(target).ok().filter(|it| !it.is_empty() && !it.contains('\0'));
            entry.kind = Kind::Link(target.ok_or_else(senseless)?);
        }
    }
    Ok(Some(entry))
}

fn check_count(count: u64, limits: Limits) -> Result<()> {
    if count <= limits.entries {
        return Ok(());
    }
    Err(CharmError::refused(format!("{count} entries, at most {} are allowed", limits.entries)))
}

/// What the zip library says: mostly that there is no archive, or a damaged one.
fn broken(path: &Path, error: ZipError) -> CharmError {
    match error {
        ZipError::Io(it)
            if !matches!(
                it.kind(),
                ErrorKind::InvalidData
                    | ErrorKind::UnexpectedEof
                    | ErrorKind::InvalidInput
                    | ErrorKind::Other
            ) =>
        {
            CharmError::io("read", path, it)
        }
        _ => CharmError::NotAnArchive(path.to_owned()),
    }
}

#[cfg(test)]
mod tests;
