//! Lays an archive out below a directory, and trusts nothing in it.
//!
//! Everything is opened relative to a handle of the directory above it and never through a link, so that no name and no
//! link in an archive, and nobody who changes the tree meanwhile, leads outside.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read},
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path, PathBuf},
};

use nix::{
    errno::Errno,
    fcntl::{AtFlags, OFlag, openat},
    sys::stat::{Mode, fchmod, fstatat, mkdirat},
    unistd::{UnlinkatFlags, symlinkat, unlinkat},
};
use zip::result::ZipError;

use crate::{CharmError, Result, files::open_zip, pack::check_link};

/// What an archive may hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub entries: usize,
    /// Bytes, unpacked.
    pub size: u64,
    /// Unpacked to packed; small archives may be denser.
    pub ratio: u64,
}

/// Below this the ratio says nothing.
const RATIO_FROM: u64 = 16 << 20;

impl Default for Limits {
    fn default() -> Self {
        Limits { entries: 100_000, size: 2 << 30, ratio: 200 }
    }
}

impl Limits {
    pub(crate) fn check_entries(&self, entries: usize) -> Result<()> {
        if entries <= self.entries {
            return Ok(());
        }
        Err(CharmError::Refused(format!("{entries} entries, at most {} are allowed", self.entries)))
    }

    pub(crate) fn budget(&self, packed: u64) -> Budget {
        let dense = packed.saturating_mul(self.ratio).max(RATIO_FROM);
        Budget { left: self.size.min(dense), limits: *self, by_ratio: dense < self.size }
    }
}

/// How much may still be unpacked. What an archive says of its sizes is not believed: bytes are counted.
pub(crate) struct Budget {
    left: u64,
    limits: Limits,
    by_ratio: bool,
}

impl Budget {
    pub(crate) fn reader<'a, R: Read>(&'a mut self, inner: R) -> BudgetReader<'a, R> {
        BudgetReader { inner, budget: self }
    }

    /// The error of a read through [`Budget::reader`].
    pub(crate) fn error(&self, err: io::Error, path: &Path) -> CharmError {
        if err.kind() != io::ErrorKind::FileTooLarge {
            return CharmError::io("unpack", path, err);
        }
        CharmError::Refused(match self.by_ratio {
            true => format!("unpacks to more than {} times its size", self.limits.ratio),
            false => format!("unpacks to more than {} bytes", self.limits.size),
        })
    }
}

pub(crate) struct BudgetReader<'a, R> {
    inner: R,
    budget: &'a mut Budget,
}

impl<R: Read> Read for BudgetReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        match self.budget.left.checked_sub(count as u64) {
            Some(left) => self.budget.left = left,
            None => return Err(io::ErrorKind::FileTooLarge.into()),
        }
        Ok(count)
    }
}

/// The names of what an archive holds, sorted, directories without their slash; all of them are checked.
pub fn manifest(archive: &Path) -> Result<BTreeSet<String>> {
    let file = File::open(archive).map_err(|err| CharmError::io("open", archive, err))?;
    let zip = open_zip(file, archive)?;
    Limits::default().check_entries(zip.len())?;
    let mut names = BTreeSet::new();
    for name in zip.file_names() {
        let name = text(name)?;
        check_name(&name)?;
        names.insert(name.trim_end_matches('/').to_owned());
    }
    Ok(names)
}

/// Unpacks `archive` over `into`, which must be there. Files that are there already are replaced, never written through.
/// `executable` names files that get the owner's execute bit whatever the archive says.
pub fn unpack(archive: &Path, into: &Path, limits: Limits, executable: &BTreeSet<String>) -> Result<()> {
    let file = File::open(archive).map_err(|err| CharmError::io("open", archive, err))?;
    let mut zip = open_zip(file, archive)?;
    limits.check_entries(zip.len())?;
    // Names and links are checked before anything is written, so that a bad archive leaves nothing.
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).map_err(|_| CharmError::NotAnArchive(archive.to_owned()))?;
        let name = text(entry.name())?;
        check_name(&name)?;
        if entry.is_symlink() {
            let target = link_target(&mut entry, archive)?;
            check_link(&name, &target)?;
        }
    }
    let root = open_root(into)?;
    let mut budget = limits.budget(fs::metadata(archive).map_or(0, |it| it.len()));
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).map_err(|_| CharmError::NotAnArchive(archive.to_owned()))?;
        let name = text(entry.name())?.trim_end_matches('/').to_owned();
        let at = Place {
            root: root.as_fd().try_clone_to_owned().map_err(|err| CharmError::io("open", into, err))?,
            into,
            name: &name,
        };
        if entry.is_dir() {
            at.directory()?;
        } else if entry.is_symlink() {
            let target = link_target(&mut entry, archive)?;
            at.link(&target)?;
        } else {
            let mut mode = entry.unix_mode().unwrap_or(0o644) & 0o777 | 0o600;
            if executable.contains(&name) {
                mode |= 0o100;
            }
            let mut out = at.file(mode)?;
            let copied = io::copy(&mut budget.reader(&mut entry), &mut out);
            copied.map_err(|err| budget.error(err, &into.join(&name)))?;
        }
    }
    Ok(())
}

/// A link's target is its content; one that is longer than a path may be is none.
fn link_target(entry: &mut impl Read, archive: &Path) -> Result<String> {
    const LONGEST: u64 = 4096;
    let mut target = String::new();
    let read = entry.take(LONGEST + 1).read_to_string(&mut target);
    read.map_err(|err| CharmError::io("read a link in", archive, err))?;
    if target.len() as u64 > LONGEST {
        return Err(CharmError::Refused("a link is longer than 4096 bytes".to_owned()));
    }
    Ok(target)
}

/// The name of an entry as text.
pub(crate) fn text(name: std::result::Result<Cow<'_, str>, ZipError>) -> Result<String> {
    match name {
        Ok(name) => Ok(name.into_owned()),
        Err(_) => Err(CharmError::Refused("a file name that is no text".to_owned())),
    }
}

/// Refuses names that lead outside or nowhere.
pub(crate) fn check_name(name: &str) -> Result<()> {
    let parts = Path::new(name).components();
    let plain = parts.clone().all(|it| matches!(it, Component::Normal(_) | Component::CurDir));
    if name.is_empty() || !plain || name.contains(['\0', '\\']) || parts.count() == 0 {
        return Err(CharmError::Refused(format!("bad file name {name:?}")));
    }
    Ok(())
}

fn open_root(into: &Path) -> Result<OwnedFd> {
    let file = File::open(into).map_err(|err| CharmError::io("open", into, err))?;
    Ok(file.into())
}

/// Where one entry goes.
struct Place<'a> {
    root: OwnedFd,
    into: &'a Path,
    name: &'a str,
}

impl Place<'_> {
    fn failed(&self, doing: &'static str) -> impl Fn(Errno) -> CharmError + '_ {
        move |err| match err {
            Errno::ELOOP | Errno::ENOTDIR => CharmError::Refused(format!(
                "{:?} would be written through something that is no directory",
                self.name
            )),
            err => CharmError::io(doing, self.into.join(self.name), err.into()),
        }
    }

    /// The directory above the entry, made if it is not there, and the entry's own name in it.
    fn parent(&self) -> Result<(OwnedFd, PathBuf)> {
        let path = Path::new(self.name);
        let own = path.file_name().map(PathBuf::from).unwrap_or_default();
        let mut dir = self.root.try_clone().map_err(|err| CharmError::io("open", self.into, err))?;
        for part in path.parent().into_iter().flat_map(Path::components) {
            if let Component::Normal(part) = part {
                dir = self.step(&dir, Path::new(part))?;
            }
        }
        Ok((dir, own))
    }

    /// Goes down one directory, which is made if it is not there.
    fn step(&self, dir: &OwnedFd, part: &Path) -> Result<OwnedFd> {
        match mkdirat(dir, part, Mode::from_bits_truncate(0o755)) {
            Ok(()) | Err(Errno::EEXIST) => {}
            Err(err) => return Err(self.failed("make a directory for")(err)),
        }
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        openat(dir, part, flags, Mode::empty()).map_err(self.failed("open"))
    }

    fn directory(&self) -> Result<()> {
        let (dir, own) = self.parent()?;
        self.step(&dir, &own).map(drop)
    }

    fn link(&self, target: &str) -> Result<()> {
        let (dir, own) = self.parent()?;
        self.clear(&dir, &own)?;
        symlinkat(target, &dir, own.as_path()).map_err(self.failed("make link"))
    }

    fn file(&self, mode: u32) -> Result<File> {
        let (dir, own) = self.parent()?;
        self.clear(&dir, &own)?;
        let flags = OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_WRONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = openat(&dir, own.as_path(), flags, Mode::S_IRUSR | Mode::S_IWUSR)
            .map_err(self.failed("create"))?;
        fchmod(&file, Mode::from_bits_truncate(mode)).map_err(self.failed("set the mode of"))?;
        Ok(file.into())
    }

    /// Removes what has the entry's name, unless it is a directory: that would be somebody's work.
    fn clear(&self, dir: &OwnedFd, own: &Path) -> Result<()> {
        match fstatat(dir, own, AtFlags::AT_SYMLINK_NOFOLLOW) {
            Err(Errno::ENOENT) => Ok(()),
            Err(err) => Err(self.failed("look at")(err)),
            Ok(_) => match unlinkat(dir, own, UnlinkatFlags::NoRemoveDir) {
                Ok(()) | Err(Errno::ENOENT) => Ok(()),
                Err(err) => Err(self.failed("replace")(err)),
            },
        }
    }
}
