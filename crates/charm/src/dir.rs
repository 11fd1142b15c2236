//! A charm as a directory.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read},
    path::PathBuf,
};

use crate::{CharmError, Result, charm::Files, hooks, yaml};

/// The files of a charm below a directory.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Files for Directory {
    fn read(&mut self, name: &'static str) -> Result<Option<Vec<u8>>> {
        let path = self.0.join(name);
        let failed = |it| CharmError::io("read", &path, it);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(CharmError::parse(name, "not a file"));
        }
        let mut bytes = vec![];
        file.take(yaml::MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > yaml::MAX_BYTES {
            return Err(CharmError::parse(name, format!("larger than {} bytes", yaml::MAX_BYTES)));
        }
        Ok(Some(bytes))
    }

    fn has_code(&mut self) -> Result<bool> {
        if self.0.join(hooks::DISPATCH).exists() {
            return Ok(true);
        }
        let path = self.0.join("hooks");
        let failed = |it| CharmError::io("read", &path, it);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(false);
            }
            Err(error) => return Err(failed(error)),
        };
        for entry in entries {
            let kind = entry.and_then(|it| it.file_type()).map_err(failed)?;
            if kind.is_file() || kind.is_symlink() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
