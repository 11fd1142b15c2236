//! A log file that rotates by size, with Juju's names.
//!
//! `machine-0.log` that would grow past its size becomes `machine-0-<UTC time>.log`, is compressed to
//! `machine-0-<UTC time>.log.gz` by a thread of its own, and only the newest backups are kept. The new
//! file gets the mode and owner of the old one, because an installer may have given it to
//! `syslog:adm`. A backup that a killed process left uncompressed is compressed by the next one.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::files::{self, FileError};

/// How large a log file grows and what is kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    pub max_bytes: u64,
    /// Zero keeps all.
    pub max_backups: usize,
    /// Of a file that is not there yet.
    pub mode: u32,
}

impl Rotation {
    /// From `agent-logfile-max-size` (in MB, zero is 100) and `agent-logfile-max-backups`.
    pub fn of_agent(max_size_mb: u32, max_backups: u32) -> Self {
        let mb = if max_size_mb == 0 { 100 } else { max_size_mb };
        Self { max_bytes: u64::from(mb) << 20, max_backups: max_backups as usize, mode: 0o600 }
    }

    /// Of `machine-lock.log`.
    pub fn of_machine_lock() -> Self {
        Self { max_bytes: 10 << 20, max_backups: 5, mode: 0o640 }
    }

    /// Of a model's log on a controller.
    pub fn of_model(max_size_mb: u32, max_backups: u32) -> Self {
        let mb = if max_size_mb == 0 { 10 } else { max_size_mb };
        Self { max_bytes: u64::from(mb) << 20, max_backups: max_backups as usize, mode: 0o600 }
    }
}

/// The writer. Each `write` lands in one file, so a line that is written in one call is never split.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    rotation: Rotation,
    file: File,
    size: u64,
    mill: Option<JoinHandle<()>>,
}

impl LogFile {
    /// Opens a log to append to it, with its directory made if need be.
    pub fn open(path: impl Into<PathBuf>, rotation: Rotation) -> Result<Self, FileError> {
        let path = path.into();
        files::create_dir_all(files::parent(&path), 0o755)?;
        let (file, size) =
            open(&path, rotation.mode).map_err(|e| FileError::new("open the log file", &path, e))?;
        let mut log = Self { path, rotation, file, size, mill: None };
        log.start_mill();
        Ok(log)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file away and begins a new one.
    pub fn rotate(&mut self) -> io::Result<()> {
        // A file that someone removed or renamed is not ours to move; just begin again.
        if let Ok(old) = fs::symlink_metadata(&self.path) {
            let backup = self.free_backup_name();
            fs::rename(&self.path, backup)?;
            (self.file, self.size) = open(&self.path, old.mode() & 0o7777)?;
            self.file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))?;
            // Only root may give files away; for others the owner is the same already.
            let _ = std::os::unix::fs::fchown(&self.file, Some(old.uid()), Some(old.gid()));
        } else {
            (self.file, self.size) = open(&self.path, self.rotation.mode)?;
        }
        self.start_mill();
        Ok(())
    }

    /// Waits until old files are compressed and surplus ones removed.
    pub fn settle(&mut self) {
        if let Some(mill) = self.mill.take() {
            let _ = mill.join();
        }
    }

    fn free_backup_name(&self) -> PathBuf {
        let mut at = Timestamp::now();
        loop {
            let name = backup_name(&self.path, at);
            let compressed = compressed(&name);
            if fs::symlink_metadata(&name).is_err() && fs::symlink_metadata(compressed).is_err() {
                return name;
            }
            at += jiff::SignedDuration::from_millis(1);
        }
    }

    fn start_mill(&mut self) {
        self.settle();
        let (path, keep) = (self.path.clone(), self.rotation.max_backups);
        let mill = std::thread::Builder::new().name("log-mill".into()).spawn(move || {
            // What cannot be compressed or removed now is tried again at the next rotation.
            let _ = mill(&path, keep);
        });
        self.mill = mill.ok();
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        if self.size > 0 && self.size.saturating_add(length) > self.rotation.max_bytes {
            self.rotate()?;
        }
        let written = self.file.write(bytes)?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        self.settle();
    }
}

fn open(path: &Path, mode: u32) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().append(true).create(true).mode(mode).open(path)?;
    let size = file.metadata()?.len();
    Ok((file, size))
}

/// Compresses what is not compressed and removes the oldest.
fn mill(path: &Path, keep: usize) -> io::Result<()> {
    let mut backups = backups(path)?;
    backups.sort();
    backups.dedup();
    if keep > 0 && backups.len() > keep {
        for old in backups.drain(..backups.len() - keep) {
            for file in [compressed(&old), old] {
                files::remove_file(&file).map_err(|e| e.source)?;
            }
        }
    }
    for backup in backups {
        if backup.exists() {
            compress(&backup)?;
        }
    }
    Ok(())
}

/// The backups of a log by their uncompressed name, whether compressed or not. The names order
/// themselves by time.
fn backups(path: &Path) -> io::Result<Vec<PathBuf>> {
    let (stem, extension) = split(path);
    let mut found = Vec::new();
    for entry in fs::read_dir(files::parent(path))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let time = plain
            .strip_prefix(&stem)
            .and_then(|rest| rest.strip_prefix('-'))
            .and_then(|rest| rest.strip_suffix(&extension));
        if time.is_some_and(is_backup_time) {
            found.push(path.with_file_name(plain));
        }
    }
    Ok(found)
}

fn compress(backup: &Path) -> io::Result<()> {
    let mut from = File::open(backup)?;
    let meta = from.metadata()?;
    let target = compressed(backup);
    let into = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(meta.mode() & 0o7777)
        .open(&target)?;
    into.set_permissions(Permissions::from_mode(meta.mode() & 0o7777))?;
    let _ = std::os::unix::fs::fchown(&into, Some(meta.uid()), Some(meta.gid()));
    let mut encoder = GzEncoder::new(into, Compression::default());
    io::copy(&mut from, &mut encoder)?;
    encoder.finish()?.sync_all()?;
    fs::remove_file(backup)
}

fn compressed(backup: &Path) -> PathBuf {
    let mut name = backup.as_os_str().to_owned();
    name.push(".gz");
    name.into()
}

const TIME: &str = "%Y-%m-%dT%H-%M-%S%.3f";

fn backup_name(path: &Path, at: Timestamp) -> PathBuf {
    let (stem, extension) = split(path);
    let time = at.to_zoned_datetime(TimeZone::UTC).strftime(TIME).to_string();
    path.with_file_name(format!("{stem}-{time}{extension}"))
}

/// Whether this is the time part of a backup's name: other files that begin alike are left alone.
fn is_backup_time(text: &str) -> bool {
    text.len() == "2024-05-06T07-08-09.123".len() && jiff::civil::DateTime::strptime(TIME, text).is_ok()
}

/// `machine-0` and `.log`.
fn split(path: &Path) -> (String, String) {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let extension = path.extension().map(|s| format!(".{}", s.to_string_lossy())).unwrap_or_default();
    (stem, extension)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    fn small(max_backups: usize) -> Rotation {
        Rotation { max_bytes: 10, max_backups, mode: 0o600 }
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_full_file_becomes_a_compressed_backup() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("machine-0.log");
        let mut log = LogFile::open(&path, small(2)).unwrap();
        log.write_all(b"0123456\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        log.write_all(b"next\n").unwrap();
        log.settle();
        assert_eq!(fs::read(&path).unwrap(), b"next\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
        let names = names(dir.path());
        assert_eq!(names.len(), 2, "{names:?}");
        let backup = names.iter().find(|name| name.ends_with(".log.gz")).unwrap();
        let time = backup.strip_prefix("machine-0-").unwrap().strip_suffix(".log.gz").unwrap();
        assert!(is_backup_time(time), "{time}");
        let mut text = String::new();
        GzDecoder::new(File::open(dir.path().join(backup)).unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "0123456\n");
        assert_eq!(fs::metadata(dir.path().join(backup)).unwrap().mode() & 0o777, 0o640);
    }

    #[test]
    fn only_the_newest_backups_stay_and_zero_keeps_all() {
        for (keep, left) in [(2, 2), (0, 5)] {
            let dir = tempfile::tempdir().unwrap();
            let mut log = LogFile::open(dir.path().join("a.log"), small(keep)).unwrap();
            for i in 0..6 {
                log.write_all(format!("line {i:03}\n").as_bytes()).unwrap();
            }
            log.settle();
            let backups = names(dir.path()).into_iter().filter(|name| name.ends_with(".gz")).count();
            assert_eq!(backups, left);
        }
    }

    #[test]
    fn what_a_killed_process_left_is_compressed_and_strangers_stay() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join("a-2024-05-06T07-08-09.123.log");
        fs::write(&left, "left").unwrap();
        for stranger in ["a-b.log", "a-2024.log", "b-2024-05-06T07-08-09.123.log"] {
            fs::write(dir.path().join(stranger), "stranger").unwrap();
        }
        LogFile::open(dir.path().join("a.log"), small(1)).unwrap().settle();
        assert!(!left.exists() && compressed(&left).exists());
        assert_eq!(names(dir.path()).len(), 5);
    }

    #[test]
    fn an_existing_file_is_continued_and_one_large_write_is_not_split() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        fs::write(&path, "old\n").unwrap();
        let mut log = LogFile::open(&path, small(1)).unwrap();
        log.write_all(b"new\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old\nnew\n");
        log.write_all(&[b'x'; 100]).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 100);
    }

    #[test]
    fn a_file_that_someone_removed_is_begun_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        let mut log = LogFile::open(&path, small(1)).unwrap();
        log.write_all(b"01234567").unwrap();
        fs::remove_file(&path).unwrap();
        log.write_all(b"abcdefgh").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abcdefgh");
    }

    #[test]
    fn sizes_come_from_megabytes() {
        assert_eq!(Rotation::of_agent(0, 2).max_bytes, 100 << 20);
        assert_eq!(Rotation::of_agent(5, 0).max_bytes, 5 << 20);
    }
}
