//! What a server does with an archive that was uploaded: checks it, and writes it anew with its revision.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read, Seek, Write},
    path::Path,
};

use juju_core::Sha256;
use sha2::Digest as _;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{
    CharmError, Meta, Result,
    files::open_zip,
    unpack::{Limits, check_name, text},
};

/// The hooks that a charm with this metadata may have.
pub fn hook_names(meta: &Meta) -> BTreeSet<String> {
    const PLAIN: [&str; 18] = [
        "install",
        "start",
        "config-changed",
        "upgrade-charm",
        "stop",
        "remove",
        "action",
        "collect-metrics",
        "meter-status-changed",
        "leader-elected",
        "leader-deposed",
        "leader-settings-changed",
        "update-status",
        "pre-series-upgrade",
        "post-series-upgrade",
        "secret-changed",
        "secret-expired",
        "secret-rotate",
    ];
    let mut names: BTreeSet<String> = PLAIN.iter().map(|it| (*it).to_owned()).collect();
    names.insert("secret-remove".to_owned());
    for relation in meta.endpoints().keys() {
        for event in ["created", "joined", "changed", "departed", "broken"] {
            names.insert(format!("{relation}-relation-{event}"));
        }
    }
    for storage in meta.storage.keys() {
        for event in ["attached", "detaching"] {
            names.insert(format!("{storage}-storage-{event}"));
        }
    }
    names
}

/// Writes the archive at `from` to `to` with another revision. Where `metadata.yaml` is not at the top, the one
/// directory that holds it (the shallowest) becomes the top. Links and modes are kept; limits are those of unpacking.
pub fn rewrite(from: &Path, to: impl Write + Seek, revision: u64) -> Result<()> {
    let file = File::open(from).map_err(|err| CharmError::io("open", from, err))?;
    let mut zip = open_zip(file, from)?;
    let limits = Limits::default();
    limits.check_entries(zip.len())?;
    let top = top_of(&zip, from)?;
    let mut budget = limits.budget(std::fs::metadata(from).map_or(0, |it| it.len()));
    let mut out = ZipWriter::new(to);
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).map_err(|_| CharmError::NotAnArchive(from.to_owned()))?;
        let full = text(entry.name())?;
        check_name(&full)?;
        let Some(name) = full.strip_prefix(&top).map(str::to_owned) else { continue };
        if name.is_empty() || name == "revision" {
            continue;
        }
        let mode = entry.unix_mode().unwrap_or(0o644);
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(mode & 0o777);
        let failed = |err: zip::result::ZipError| CharmError::io("repack", from, err.into());
        if entry.is_dir() {
            out.add_directory(name.trim_end_matches('/'), options).map_err(failed)?;
        } else if entry.is_symlink() {
            let mut target = String::new();
            let read = budget.reader(&mut entry).read_to_string(&mut target);
            read.map_err(|err| budget.error(err, from))?;
            crate::pack::check_link(&name, &target)?;
            out.add_symlink(name, target, options).map_err(failed)?;
        } else {
            out.start_file(name, options).map_err(failed)?;
            let copied = io::copy(&mut budget.reader(&mut entry), &mut out);
            copied.map_err(|err| budget.error(err, from))?;
        }
    }
    let write = |err: io::Error| CharmError::io("repack", from, err);
    let options =
        SimpleFileOptions::default().last_modified_time(zip::DateTime::default()).unix_permissions(0o644);
    out.start_file("revision", options).map_err(|err| write(err.into()))?;
    out.write_all(revision.to_string().as_bytes()).map_err(write)?;
    out.finish().map_err(|err| write(err.into()))?;
    Ok(())
}

/// What stands before the names of the charm's files.
fn top_of(zip: &ZipArchive<File>, path: &Path) -> Result<String> {
    let names = zip.file_names().filter_map(|it| it.ok());
    let found = names.filter_map(|it| it.strip_suffix("metadata.yaml").map(str::to_owned));
    let tops = found.filter(|it| it.is_empty() || it.ends_with('/'));
    let top = tops.min_by_key(|it| (it.matches('/').count(), it.len()));
    top.ok_or_else(|| CharmError::NoMetadata(path.to_owned()))
}

/// The hash of a file's bytes, and their number.
pub fn sha256(path: &Path) -> Result<(Sha256, u64)> {
    let failed = |err| CharmError::io("read", path, err);
    let mut file = File::open(path).map_err(failed)?;
    let mut hash = sha2::Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => break,
            count => {
                hash.update(&buffer[..count]);
                size += count as u64;
            }
        }
    }
    let hex = hex::encode(hash.finalize());
    Ok((hex.parse().expect("a SHA-256 in hexadecimal"), size))
}
