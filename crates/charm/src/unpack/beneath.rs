//! Writes below one directory and never through a link: every step is taken from the handle of the folder above.

use std::{
    io::{self, Write},
    os::fd::OwnedFd,
    path::Path,
};

use nix::{
    dir::Dir,
    errno::Errno,
    fcntl::{AtFlags, OFlag, open, openat, renameat},
    sys::stat::{Mode, SFlag, fchmod, fstatat, mkdirat},
    unistd::{UnlinkatFlags, symlinkat, unlinkat},
};

/// The name under which a file is written before it takes its place.
const TEMPORARY: &str = ".juju-unpack";

/// A directory below which files are made.
pub(super) struct Beneath {
    root: OwnedFd,
    /// The folder written to last, since the next file is mostly in the same one.
    last: Option<(String, OwnedFd)>,
}

impl Beneath {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Beneath { root: open(path, folder() & !OFlag::O_NOFOLLOW, Mode::empty())?, last: None })
    }

    /// Makes a folder, and those above it. What stands there and is none gives way.
    pub(super) fn dir(&mut self, path: &str) -> io::Result<()> {
        self.enter(path).map(drop)
    }

    /// Sets the permissions of a folder that was made.
    pub(super) fn set_dir_mode(&mut self, path: &str, mode: u32) -> io::Result<()> {
        let dir = self.enter(path)?;
        Ok(fchmod(dir, permissions(mode))?)
    }

    /// Writes a file whole: whoever looks sees the old one or the new one.
    pub(super) fn file(
        &mut self,
        path: &str,
        mode: u32,
        write: impl FnOnce(&mut std::fs::File) -> io::Result<()>,
    ) -> io::Result<()> {
        let (dir, name) = self.enter_above(path)?;
        remove(dir, TEMPORARY)?;
        let flags = OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_WRONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mut file = std::fs::File::from(openat(dir, TEMPORARY, flags, permissions(0o600))?);
        let written =
            write(&mut file).and_then(|()| file.flush()).and_then(|()| Ok(fchmod(&file, permissions(mode))?));
        drop(file);
        match written {
            Ok(()) => replace(dir, name),
            Err(error) => {
                remove(dir, TEMPORARY)?;
                Err(error)
            }
        }
    }

    pub(super) fn link(&mut self, path: &str, target: &str) -> io::Result<()> {
        let (dir, name) = self.enter_above(path)?;
        remove(dir, TEMPORARY)?;
        symlinkat(target, dir, TEMPORARY)?;
        replace(dir, name)
    }

    fn enter_above<'p>(&mut self, path: &'p str) -> io::Result<(&OwnedFd, &'p str)> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.enter(above)?, name))
    }

    fn enter(&mut self, path: &str) -> io::Result<&OwnedFd> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let mut dir = self.root.try_clone()?;
            for part in path.split('/').filter(|it| !it.is_empty()) {
                dir = step(&dir, part)?;
            }
            self.last = Some((path.to_owned(), dir));
        }
        let (_, dir) = self.last.as_ref().expect("the folder was just entered");
        Ok(dir)
    }
}

/// Takes away what stands under a name in a folder, with all below it, following nothing.
fn remove(dir: &OwnedFd, name: &str) -> io::Result<()> {
    match fstatat(dir, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Err(Errno::ENOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
        Ok(stat) if SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT != SFlag::S_IFDIR => {
            return Ok(unlinkat(dir, name, UnlinkatFlags::NoRemoveDir)?);
        }
        Ok(_) => {}
    }
    let inner = openat(dir, name, folder(), Mode::empty())?;
    let mut names = vec![];
    for entry in Dir::from_fd(inner.try_clone()?)?.iter() {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            // A name that is no text was not made by us, and is not removed by us.
            names.push(name.to_str().map_err(|_| Errno::ENOTEMPTY)?.to_owned());
        }
    }
    for name in names {
        remove(&inner, &name)?;
    }
    Ok(unlinkat(dir, name, UnlinkatFlags::RemoveDir)?)
}

/// Opens a folder in another, made if it is not there.
fn step(dir: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    match openat(dir, name, folder(), Mode::empty()) {
        Ok(found) => return Ok(found),
        Err(Errno::ENOENT) => {}
        Err(Errno::ENOTDIR | Errno::ELOOP) => remove(dir, name)?,
        Err(error) => return Err(error.into()),
    }
    mkdirat(dir, name, permissions(0o755))?;
    Ok(openat(dir, name, folder(), Mode::empty())?)
}

/// Puts what was written into its place.
fn replace(dir: &OwnedFd, name: &str) -> io::Result<()> {
    match renameat(dir, TEMPORARY, dir, name) {
        Err(Errno::EISDIR | Errno::ENOTEMPTY | Errno::EEXIST) => {
            remove(dir, name)?;
            Ok(renameat(dir, TEMPORARY, dir, name)?)
        }
        other => Ok(other?),
    }
}

fn folder() -> OFlag {
    OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC
}

fn permissions(mode: u32) -> Mode {
    Mode::from_bits_truncate(mode & 0o777)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn write(beneath: &mut Beneath, path: &str, text: &str) -> io::Result<()> {
        beneath.file(path, 0o644, |file| file.write_all(text.as_bytes()))
    }

    #[test]
    fn never_through_a_link() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("passwd"), "root").unwrap();
        let dir = tempfile::tempdir().unwrap();
        symlink(outside.path(), dir.path().join("etc")).unwrap();
        symlink(outside.path().join("passwd"), dir.path().join("file")).unwrap();
        let mut beneath = Beneath::open(dir.path()).unwrap();
        write(&mut beneath, "etc/passwd", "mine").unwrap();
        write(&mut beneath, "file", "mine").unwrap();
        beneath.link(".juju-unpack-x", "etc").unwrap();
        assert_eq!(fs::read_to_string(outside.path().join("passwd")).unwrap(), "root");
        assert_eq!(fs::read_to_string(dir.path().join("etc/passwd")).unwrap(), "mine");
        assert!(!dir.path().join("etc").is_symlink() && !dir.path().join("file").is_symlink());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }

    #[test]
    fn whatever_stood_there_gives_way() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("keep"), "x").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let mut beneath = Beneath::open(dir.path()).unwrap();
        write(&mut beneath, "a/b/c", "1").unwrap();
        symlink(outside.path(), dir.path().join("a/b/out")).unwrap();
        write(&mut beneath, "a", "2").unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "2");
        assert!(outside.path().join("keep").exists(), "a removed tree's links are not followed");
        let mut beneath = Beneath::open(dir.path()).unwrap();
        write(&mut beneath, "a/b", "3").unwrap();
        beneath.link("a", "elsewhere").unwrap();
        assert_eq!(fs::read_link(dir.path().join("a")).unwrap(), Path::new("elsewhere"));
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let mut beneath = Beneath::open(dir.path()).unwrap();
        write(&mut beneath, "a", "old").unwrap();
        let failed = beneath.file("a", 0o644, |file| {
            file.write_all(b"ne")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
