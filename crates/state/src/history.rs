//! What statuses were: append-only files outside the store, one a model, bounded and lost without harm.
//!
//! A line is one status as it was set. A file that has grown to its limit becomes the old one, and the old one before
//! it goes; so the history of a model takes at most twice the limit. A line that cannot be read is passed over: the
//! process may have been killed while it was written.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;
use juju_core::StatusInfo;
use serde::{Deserialize, Serialize};

/// The histories of all models. Clones share it.
#[derive(Clone, Default)]
pub struct History(Option<Arc<Inner>>);

struct Inner {
    dir: PathBuf,
    limit: u64,
    files: Mutex<HashMap<String, Open>>,
}

struct Open {
    file: File,
    size: u64,
}

/// One status as it was set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The thing, such as `unit/db/0`: the name under which its status stands in the store.
    pub of: String,
    pub info: StatusInfo,
}

/// Which part of a history is asked for; Juju takes exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    Newest(usize),
    Since(Timestamp),
}

impl History {
    /// Keeps no history.
    pub fn none() -> History {
        History(None)
    }

    /// Keeps it in files below `dir`, each of at most `limit` bytes.
    pub fn open(dir: impl Into<PathBuf>, limit: u64) -> io::Result<History> {
        let dir = dir.into();
        fs::create_dir_all(&dir)?;
        Ok(History(Some(Arc::new(Inner { dir, limit, files: Mutex::default() }))))
    }

    /// Appends. A failure is logged and nothing else: a status that is set counts, its history does not.
    pub fn record(&self, model: &str, entries: &[Entry]) {
        let Some(inner) = &self.0 else { return };
        if entries.is_empty() {
            return;
        }
        if let Err(err) = inner.append(model, entries) {
            inner.files().remove(model);
            tracing::warn!(model, error = %err, "cannot write the status history");
        }
    }

    /// What was recorded of these things, newest first. Entries that say the same one after the other are one, with
    /// the time of the newest; those whose message is in `exclude` are left out.
    pub async fn query(
        &self,
        model: &str,
        of: Vec<String>,
        range: Range,
        exclude: Vec<String>,
    ) -> Vec<Entry> {
        let Some(inner) = self.0.clone() else { return Vec::new() };
        let model = model.to_owned();
        let read = tokio::task::spawn_blocking(move || {
            let entries = inner.read(&model, |it| of.contains(&it.of) && !exclude.contains(&it.info.message));
            select(entries, range)
        });
        read.await.unwrap_or_default()
    }

    /// Forgets the model.
    pub fn remove(&self, model: &str) {
        let Some(inner) = &self.0 else { return };
        inner.files().remove(model);
        for path in [inner.path(model), inner.old_path(model)] {
            match fs::remove_file(&path) {
                Err(err) if err.kind() != io::ErrorKind::NotFound => {
                    tracing::warn!(path = %path.display(), error = %err, "cannot remove a status history");
                }
                _ => {}
            }
        }
    }
}

impl Inner {
    fn append(&self, model: &str, entries: &[Entry]) -> io::Result<()> {
        let mut lines = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut lines, entry)?;
            lines.push(b'\n');
        }
        let mut files = self.files();
        let full = files.get(model).is_some_and(|it| it.size + lines.len() as u64 > self.limit);
        if full {
            files.remove(model);
            fs::rename(self.path(model), self.old_path(model))?;
        }
        if !files.contains_key(model) {
            let file = open_private(&self.path(model))?;
            let size = file.metadata()?.len();
            if size > 0 {
                // What a killed process left of its last line must not spoil the next one.
                lines.insert(0, b'\n');
            }
            files.insert(model.to_owned(), Open { file, size });
        }
        if let Some(open) = files.get_mut(model) {
            open.file.write_all(&lines)?;
            open.size += lines.len() as u64;
        }
        Ok(())
    }

    /// The entries in the order in which they were recorded.
    fn read(&self, model: &str, wanted: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        let mut entries = Vec::new();
        for path in [self.old_path(model), self.path(model)] {
            let Ok(file) = File::open(&path) else { continue };
            for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
                entries.extend(serde_json::from_slice(&line).ok().filter(&wanted));
            }
        }
        entries
    }

    fn path(&self, model: &str) -> PathBuf {
        self.dir.join(format!("{model}.jsonl"))
    }

    fn old_path(&self, model: &str) -> PathBuf {
        self.dir.join(format!("{model}.1.jsonl"))
    }

    fn files(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Status messages may hold what a charm should not have said, so that the files are the owner's alone.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// `entries` are in the order of recording.
fn select(entries: Vec<Entry>, range: Range) -> Vec<Entry> {
    let mut merged: Vec<Entry> = Vec::new();
    // The last entry of each thing, to merge those that repeat it though others came in between.
    let mut last: HashMap<String, usize> = HashMap::new();
    for entry in entries {
        if let Some(at) = last.get(&entry.of)
            && merged[*at].info.same_as(&entry.info)
        {
            merged[*at].info.since = entry.info.since;
            continue;
        }
        last.insert(entry.of.clone(), merged.len());
        merged.push(entry);
    }
    // A stable sort: what has the same time stays in the order in which it was recorded.
    merged.sort_by_key(|it| it.info.since);
    merged.reverse();
    match range {
        Range::Newest(count) => merged.truncate(count),
        Range::Since(time) => merged.retain(|it| it.info.since >= Some(time)),
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn entry(of: &str, status: &str, second: i64) -> Entry {
        Entry { of: of.into(), info: StatusInfo::new(status.parse().unwrap(), "", at(second)) }
    }

    fn texts(entries: &[Entry]) -> Vec<String> {
        let text =
            |it: &Entry| format!("{} {} {}", it.of, it.info.status, it.info.since.unwrap().as_second());
        entries.iter().map(text).collect()
    }

    #[tokio::test]
    async fn answers_newest_first_and_merges_repetitions() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::open(dir.path().join("history"), 1 << 20).unwrap();
        history.record("m", &[entry("unit/a/0", "active", 1), entry("agent/a/0", "idle", 2)]);
        history.record("m", &[entry("unit/a/0", "active", 3), entry("unit/b/0", "active", 4)]);
        history.record("n", &[entry("unit/a/0", "blocked", 5)]);
        history.record("m", &[entry("unit/a/0", "waiting", 6)]);
        let ask = async |of: &[&str], range| {
            let of = of.iter().map(|it| (*it).to_owned()).collect();
            texts(&history.query("m", of, range, vec![]).await)
        };
        assert_eq!(ask(&["unit/a/0"], Range::Newest(9)).await, ["unit/a/0 waiting 6", "unit/a/0 active 3"]);
        assert_eq!(
            ask(&["unit/a/0", "agent/a/0"], Range::Newest(9)).await,
            ["unit/a/0 waiting 6", "unit/a/0 active 3", "agent/a/0 idle 2"],
        );
        assert_eq!(ask(&["unit/a/0"], Range::Newest(1)).await, ["unit/a/0 waiting 6"]);
        assert_eq!(ask(&["unit/a/0"], Range::Since(at(6))).await, ["unit/a/0 waiting 6"]);
        history.remove("m");
        assert!(ask(&["unit/a/0"], Range::Newest(9)).await.is_empty());
    }

    #[tokio::test]
    async fn is_bounded_and_survives_a_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let history = History::open(dir.path(), 1000).unwrap();
        for second in 0..200 {
            history.record(
                "m",
                &[entry("unit/a/0", if second % 2 == 0 { "active" } else { "waiting" }, second)],
            );
        }
        let size: u64 =
            fs::read_dir(dir.path()).unwrap().map(|it| it.unwrap().metadata().unwrap().len()).sum();
        assert!(size <= 2000, "{size}");
        let newest = history.query("m", vec!["unit/a/0".into()], Range::Newest(2), vec![]).await;
        assert_eq!(texts(&newest), ["unit/a/0 waiting 199", "unit/a/0 active 198"]);

        let path = dir.path().join("m.jsonl");
        fs::write(&path, b"{\"of\":\"unit/a/0\",\"s\":\"act").unwrap();
        let history = History::open(dir.path(), 1000).unwrap();
        assert!(!history.query("m", vec!["unit/a/0".into()], Range::Newest(2), vec![]).await.is_empty());
    }
}
