//! Lays a charm out in its directory, and trusts nothing in it.
//!
//! Everything is opened from a handle of the folder above it and never through a link, so that no name and no link in an
//! archive, and nothing that stands in the tree already, leads outside.

mod beneath;

use std::{collections::BTreeSet, io, path::Path};

use beneath::Beneath;

pub use crate::archive::Limits;
use crate::{Archive, CharmError, Result, archive::Kind, hooks};

/// What unpacking did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// Every path that the archive has.
    pub paths: BTreeSet<String>,
    /// The code that was not executable, and is now.
    pub made_executable: Vec<String>,
}

/// The names of what an archive holds, sorted, folders without their slash; all of them are checked.
pub fn manifest(archive: &Path) -> Result<BTreeSet<String>> {
    Ok(Archive::open(archive)?.manifest())
}

/// Writes what an archive holds below a directory, over what is there; files that are not the archive's stay. Those
/// that `executable` names, and `dispatch`, get the owner's execute bit. (Juju 3.6 gives it to hooks alone; a `dispatch`
/// without it would be passed over in silence.)
pub fn unpack(archive: &Path, dir: &Path, limits: Limits, executable: &BTreeSet<String>) -> Result<Unpacked> {
    let mut archive = Archive::open_within(archive, limits)?;
    let mut below = Beneath::open(dir).map_err(|it| CharmError::io("open", dir, it))?;
    let mut unpacked = Unpacked { paths: archive.manifest(), ..Unpacked::default() };
    let entries: Vec<_> = archive.entries().map(|(path, entry)| (path.to_owned(), entry.clone())).collect();
    for (path, entry) in &entries {
        let failed = |it: io::Error| CharmError::io("unpack", dir.join(path), it);
        match &entry.kind {
            Kind::Dir => below.dir(path).map_err(failed)?,
            Kind::Link(target) => below.link(path, target).map_err(failed)?,
            Kind::File => {
                let mut mode = entry.mode;
                if mode & 0o100 == 0 && (path == hooks::DISPATCH || executable.contains(path)) {
                    mode |= 0o100;
                    unpacked.made_executable.push(path.clone());
                }
                // The error of the archive, which the folder's handle knows nothing of.
                let mut wrong = None;
                let written = below.file(path, mode, |file| {
                    archive.copy(entry, file).map_err(|it| {
                        wrong = Some(it);
                        io::ErrorKind::InvalidData.into()
                    })
                });
                match wrong {
                    Some(CharmError::Io { source, .. }) => return Err(failed(source)),
                    Some(error) => return Err(error),
                    None => written.map_err(failed)?,
                }
            }
        }
    }
    // Last, so that a folder without write permission does not keep its own files out.
    for (path, entry) in entries.iter().filter(|(_, it)| it.kind == Kind::Dir) {
        below.set_dir_mode(path, entry.mode).map_err(|it| CharmError::io("unpack", dir.join(path), it))?;
    }
    Ok(unpacked)
}
