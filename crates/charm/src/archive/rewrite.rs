//! Writes an archive anew: the charm at its top, and a revision of the controller's choosing.

use std::{
    io::{self, Seek, Write},
    path::Path,
};

use zip::ZipWriter;

use super::{Archive, Kind, broken};
use crate::{Charm, CharmError, Result, pack};

/// Writes the charm in the archive at `from` to `to`, which must be empty, with another revision. Where `metadata.yaml`
/// is not at the top, the one folder that holds it (the shallowest) becomes the top. Every entry is read through, so
/// that a damaged archive is found here and not on the machine that unpacks it.
pub fn rewrite(from: &Path, to: impl Write + Seek, revision: u64) -> Result<Charm> {
    let mut archive = Archive::open(from)?;
    let mut charm = archive.charm()?;
    let failed = |it| CharmError::io("repack", from, it);
    let mut out = ZipWriter::new(to);
    let entries: Vec<_> = archive.entries().map(|(path, entry)| (path.to_owned(), entry.clone())).collect();
    for (path, entry) in entries.iter().filter(|(path, _)| path != "revision") {
        if entry.kind == Kind::Dir {
            out.add_directory(path.as_str(), pack::options(entry.mode)).map_err(|it| failed(it.into()))?;
            continue;
        }
        archive.copy(entry, &mut io::sink())?;
        let file = archive.zip.by_index_raw(entry.index).map_err(|it| broken(from, it))?;
        out.raw_copy_file_rename(file, path).map_err(|it| failed(it.into()))?;
    }
    pack::add_text(&mut out, "revision", &revision.to_string()).map_err(failed)?;
    out.finish().and_then(|mut it| Ok(it.flush()?)).map_err(|it| failed(it.into()))?;
    charm.revision = revision;
    Ok(charm)
}
