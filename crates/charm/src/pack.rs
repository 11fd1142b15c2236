//! Makes a `.charm` archive of a directory; the same directory always gives the same bytes.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek, Write},
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _},
    path::{Component, Path, PathBuf},
};

use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use crate::{Charm, CharmError, Result, ignore::Ignore};

/// Packs the charm in `dir` and says what it is. It is checked first, as [`Charm::read`] does.
pub fn pack(dir: &Path, to: impl Write + Seek) -> Result<Charm> {
    let charm = Charm::read(dir)?;
    let own = match fs::read_to_string(dir.join(".jujuignore")) {
        Ok(text) => text,
        Err(err) if err.kind() == io::ErrorKind::NotFound => String::new(),
        Err(err) => return Err(CharmError::io("read", dir.join(".jujuignore"), err)),
    };
    let mut packer =
        Packer { root: dir.to_owned(), ignore: Ignore::new(&own)?, zip: ZipWriter::new(to), charm: &charm };
    packer.directory("")?;
    packer.generated("revision", &charm.revision.to_string())?;
    if !charm.version.is_empty() {
        packer.generated("version", &charm.version)?;
    }
    packer.zip.finish().map_err(|err| CharmError::io("write an archive of", dir, err.into()))?;
    Ok(charm)
}

struct Packer<'a, W: Write + Seek> {
    root: PathBuf,
    ignore: Ignore,
    zip: ZipWriter<W>,
    charm: &'a Charm,
}

impl<W: Write + Seek> Packer<'_, W> {
    /// Everything below a directory, in the order of names.
    fn directory(&mut self, below: &str) -> Result<()> {
        let path = self.root.join(below);
        let failed = |err| CharmError::io("read", &path, err);
        let mut names = vec![];
        for entry in fs::read_dir(&path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.into_string().map_err(|name| {
                CharmError::invalid(format!("file name {:?} is not valid UTF-8", name.to_string_lossy()))
            })?;
            names.push(name);
        }
        names.sort();
        for name in names {
            let inner = if below.is_empty() { name } else { format!("{below}/{name}") };
            self.entry(&inner)?;
        }
        Ok(())
    }

    fn entry(&mut self, name: &str) -> Result<()> {
        let path = self.root.join(name);
        let meta = fs::symlink_metadata(&path).map_err(|err| CharmError::io("read", &path, err))?;
        let kind = meta.file_type();
        if self.ignore.matches(name, kind.is_dir()) {
            return Ok(());
        }
        let failed = |err: zip::result::ZipError| CharmError::io("add to the archive", &path, err.into());
        if kind.is_dir() {
            self.zip.add_directory(name, options(0o755)).map_err(failed)?;
            return self.directory(name);
        }
        if kind.is_symlink() {
            let target = fs::read_link(&path).map_err(|err| CharmError::io("read", &path, err))?;
            let target = target.to_string_lossy().into_owned();
            check_link(name, &target)?;
            return self.zip.add_symlink(name, target, options(0o777)).map_err(failed);
        }
        if !kind.is_file() {
            let what = match () {
                () if kind.is_fifo() => "named pipe",
                () if kind.is_socket() => "socket",
                () => "device",
            };
            return Err(CharmError::invalid(format!("file is a {what}: {name:?}")));
        }
        let executable = meta.permissions().mode() & 0o100 != 0 || self.is_hook(name);
        let mode = if executable { 0o755 } else { 0o644 };
        self.zip.start_file(name, options(mode)).map_err(failed)?;
        let mut file = File::open(&path).map_err(|err| CharmError::io("open", &path, err))?;
        io::copy(&mut file, &mut self.zip).map_err(|err| CharmError::io("pack", &path, err))?;
        Ok(())
    }

    /// Known hooks are made executable: an editor that loses the bit must not lose the hook.
    fn is_hook(&self, name: &str) -> bool {
        name.strip_prefix("hooks/")
            .is_some_and(|it| crate::archive::hook_names(&self.charm.meta).contains(it))
    }

    fn generated(&mut self, name: &str, text: &str) -> Result<()> {
        let failed = |err: io::Error| CharmError::io("write", name, err);
        self.zip.start_file(name, options(0o644)).map_err(|err| failed(err.into()))?;
        self.zip.write_all(text.as_bytes()).map_err(failed)
    }
}

/// The earliest time that the format knows: times would make equal charms differ.
fn options(mode: u32) -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(mode)
}

/// Refuses a link that leads out of the charm.
pub(crate) fn check_link(name: &str, target: &str) -> Result<()> {
    if target.starts_with('/') {
        return Err(CharmError::invalid(format!("symlink {name:?} is absolute: {target:?}")));
    }
    let mut depth = name.matches('/').count();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::CurDir => {}
            _ => return Err(CharmError::invalid(format!("symlink {name:?} links out of charm: {target:?}"))),
        }
    }
    Ok(())
}

/// The bytes of an archive file, for those who upload it.
pub fn read_archive(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let read = File::open(path).and_then(|mut it| it.read_to_end(&mut bytes));
    read.map_err(|err| CharmError::io("read", path, err))?;
    Ok(bytes)
}
