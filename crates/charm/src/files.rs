//! The files of a charm, in a directory or in an archive.

use std::{
    fs::File,
    io::{self, Read, Seek},
    path::{Path, PathBuf},
};

use zip::{ZipArchive, result::ZipError};

use crate::{CharmError, Result};

/// The largest of the files that are read whole.
const MAX_FILE: u64 = 4 << 20;

/// Where a charm's files are.
pub(crate) enum Files {
    Dir(PathBuf),
    Archive { path: PathBuf, zip: Box<ZipArchive<File>> },
}

impl Files {
    pub(crate) fn open(path: &Path) -> Result<Files> {
        let meta = std::fs::metadata(path).map_err(|err| match err.kind() {
            io::ErrorKind::NotFound => CharmError::NotThere(path.to_owned()),
            _ => CharmError::io("read", path, err),
        })?;
        if meta.is_dir() {
            return Ok(Files::Dir(path.to_owned()));
        }
        let file = File::open(path).map_err(|err| CharmError::io("open", path, err))?;
        let zip = open_zip(file, path)?;
        Ok(Files::Archive { path: path.to_owned(), zip: Box::new(zip) })
    }

    /// The text of a file at the top; none if it is not there.
    pub(crate) fn read(&mut self, name: &'static str) -> Result<Option<String>> {
        let bytes = match self {
            Files::Dir(dir) => {
                let path = dir.join(name);
                match File::open(&path) {
                    Ok(file) => bounded(file, name)?,
                    Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
                    Err(err) => return Err(CharmError::io("open", path, err)),
                }
            }
            Files::Archive { path, zip } => match zip.by_name(name) {
                Ok(entry) => bounded(entry, name)?,
                Err(ZipError::FileNotFound) => return Ok(None),
                Err(_) => return Err(CharmError::NotAnArchive(path.clone())),
            },
        };
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| CharmError::Parse { file: name, why: "not valid UTF-8".to_owned() })
    }

    /// Whether there is something to run: a file in `hooks/`, or a `dispatch`.
    pub(crate) fn has_code(&self) -> bool {
        match self {
            Files::Dir(dir) => {
                let hook = |entry: io::Result<std::fs::DirEntry>| {
                    entry.and_then(|it| it.file_type()).is_ok_and(|it| it.is_file() || it.is_symlink())
                };
                let hooks = std::fs::read_dir(dir.join("hooks")).is_ok_and(|mut it| it.any(hook));
                hooks || dir.join("dispatch").exists()
            }
            Files::Archive { zip, .. } => zip.file_names().filter_map(|it| it.ok()).any(|name| {
                let hook = name.strip_prefix("hooks/").is_some_and(|it| !it.is_empty() && !it.contains('/'));
                hook || name.contains("dispatch")
            }),
        }
    }
}

/// Opens an archive and refuses what is none.
pub(crate) fn open_zip<R: Read + Seek>(reader: R, path: &Path) -> Result<ZipArchive<R>> {
    ZipArchive::new(reader).map_err(|err| match err {
        ZipError::Io(source)
            if source.kind() != io::ErrorKind::UnexpectedEof
                && source.kind() != io::ErrorKind::InvalidData =>
        {
            CharmError::io("read", path, source)
        }
        _ => CharmError::NotAnArchive(path.to_owned()),
    })
}

fn bounded(reader: impl Read, name: &'static str) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let read = reader.take(MAX_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|err| CharmError::Parse { file: name, why: format!("cannot be read: {err}") })?;
    match bytes.len() as u64 {
        0..=MAX_FILE => Ok(bytes),
        _ => Err(CharmError::Parse { file: name, why: format!("larger than {MAX_FILE} bytes") }),
    }
}
