//! Reads a model's log from its files: what is there, then what is added.
//!
//! A tail reads the file itself and only hears that there is more, so it never loses a message however slow its peer
//! is: a file that was rotated away stays open until it has been read.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead as _, BufReader, Read, Seek as _, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Weak},
};

use flate2::read::MultiGzDecoder;
use futures_util::{Stream, stream};
use juju_wire::{codec::De, params::LogMessage};
use tokio::sync::{mpsc, watch};

use super::{ModelLog, Query};

/// Messages that are read ahead of whoever sends them.
const AHEAD: usize = 256;
/// Messages of a tail that are read at once.
const CHUNK: usize = 256;

/// The messages of a query as they come.
pub(super) fn read(
    log: Arc<ModelLog>,
    query: Query,
) -> impl Stream<Item = io::Result<LogMessage>> + Unpin + Send {
    Box::pin(stream::unfold(Some(State::Begin(log, query)), step))
}

enum State {
    Begin(Arc<ModelLog>, Query),
    Backlog(mpsc::Receiver<Backlog>, Query, watch::Receiver<u64>),
    Tail(Box<Tail>, VecDeque<LogMessage>, Query, watch::Receiver<u64>),
}

/// What reading the past sends: its messages, then where the present begins.
enum Backlog {
    Message(LogMessage),
    Failed(io::Error),
    Done(Box<Tail>),
}

async fn step(state: Option<State>) -> Option<(io::Result<LogMessage>, Option<State>)> {
    let mut state = state?;
    loop {
        state = match state {
            State::Begin(log, query) => {
                let written = log.written.subscribe();
                let (send, receive) = mpsc::channel(AHEAD);
                let wanted = query.clone();
                // It ends by itself when the receiver is dropped.
                drop(tokio::task::spawn_blocking(move || past(&log, &wanted, &send)));
                State::Backlog(receive, query, written)
            }
            State::Backlog(mut receive, query, written) => match receive.recv().await? {
                Backlog::Message(message) => {
                    return Some((Ok(message), Some(State::Backlog(receive, query, written))));
                }
                Backlog::Failed(err) => return Some((Err(err), None)),
                Backlog::Done(_) if !query.tail => return None,
                Backlog::Done(tail) => State::Tail(tail, VecDeque::new(), query, written),
            },
            State::Tail(mut tail, mut ready, query, mut written) => {
                if let Some(message) = ready.pop_front() {
                    return Some((Ok(message), Some(State::Tail(tail, ready, query, written))));
                }
                // Marked as seen before looking, so that what is written meanwhile is looked for again.
                written.borrow_and_update();
                let looked = tokio::task::spawn_blocking(move || {
                    let more = tail.more(&query);
                    (tail, query, more)
                });
                let (tail, query, more) = match looked.await {
                    Ok(it) => it,
                    Err(err) => return Some((Err(io::Error::other(err)), None)),
                };
                match more {
                    Err(err) => return Some((Err(err), None)),
                    Ok(More { messages, at_end }) => {
                        if messages.is_empty() && at_end {
                            // The log is gone with its model.
                            written.changed().await.ok()?;
                        }
                        State::Tail(tail, messages.into(), query, written)
                    }
                }
            }
        };
    }
}

/// Sends the past of the log. Whatever comes after the snapshot is the tail's.
fn past(log: &Arc<ModelLog>, query: &Query, send: &mpsc::Sender<Backlog>) {
    let sent = |it| send.blocking_send(it).is_ok();
    match send_past(log, query, &sent) {
        Ok(Some(tail)) => drop(sent(Backlog::Done(Box::new(tail)))),
        // Nobody listens any more.
        Ok(None) => {}
        Err(err) => drop(sent(Backlog::Failed(err))),
    }
}

fn send_past(log: &Arc<ModelLog>, query: &Query, sent: &dyn Fn(Backlog) -> bool) -> io::Result<Option<Tail>> {
    let (mut file, length, backups) = log.snapshot()?;
    let current = |file: &mut File| -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(file.try_clone()?.take(length)))
    };
    match query.last {
        None => {
            for backup in &backups {
                if !each(open(backup)?, query, |message| sent(Backlog::Message(message)))? {
                    return Ok(None);
                }
            }
            if !each(current(&mut file)?, query, |message| sent(Backlog::Message(message)))? {
                return Ok(None);
            }
        }
        Some(last) => {
            // From the newest file back until there are enough.
            let mut kept: VecDeque<VecDeque<LogMessage>> = VecDeque::new();
            let mut missing = last;
            let mut older = backups.iter().rev();
            let mut next: Option<Box<dyn Read + Send>> = Some(current(&mut file)?);
            while let Some(source) = next {
                let mut ring = VecDeque::new();
                each(source, query, |message| {
                    if ring.len() == missing {
                        ring.pop_front();
                    }
                    ring.push_back(message);
                    true
                })?;
                missing -= ring.len();
                kept.push_front(ring);
                next = if missing > 0 { older.next().map(|it| open(it)).transpose()? } else { None };
            }
            for message in kept.into_iter().flatten() {
                if !sent(Backlog::Message(message)) {
                    return Ok(None);
                }
            }
        }
    }
    file.seek(SeekFrom::Start(length))?;
    Tail::new(log, file, backups).map(Some)
}

/// Gives each matching message of a source to `take` until that has enough; answers whether it has not.
fn each(source: impl Read, query: &Query, mut take: impl FnMut(LogMessage) -> bool) -> io::Result<bool> {
    let mut source = BufReader::new(source);
    let mut line = vec![];
    while source.read_until(b'\n', &mut line)? > 0 {
        if let Some(message) = parse(&line, query)
            && !take(message)
        {
            return Ok(false);
        }
        line.clear();
    }
    Ok(true)
}

/// A line that is none of ours, or was cut by a crash, is left out.
fn parse(line: &[u8], query: &Query) -> Option<LogMessage> {
    let De(message) = serde_json::from_slice::<De<LogMessage>>(line).ok()?;
    query.matches(&message).then_some(message)
}

/// A place in the log from which to read on.
struct Tail {
    log: Weak<ModelLog>,
    file: BufReader<Box<dyn Read + Send>>,
    /// Of the last file that is read: the one that is written to, unless it was rotated away.
    inode: u64,
    /// The beginning of a line whose end is not there yet.
    partial: Vec<u8>,
    /// Rotated files that were there when `file` was opened.
    known: Vec<PathBuf>,
    /// Files that come after `file`.
    later: VecDeque<Box<dyn Read + Send>>,
}

struct More {
    messages: Vec<LogMessage>,
    /// There was no more.
    at_end: bool,
}

impl Tail {
    fn new(log: &Arc<ModelLog>, file: File, known: Vec<PathBuf>) -> io::Result<Tail> {
        let inode = file.metadata()?.ino();
        let (log, file) = (Arc::downgrade(log), BufReader::new(Box::new(file) as _));
        Ok(Tail { log, file, inode, partial: vec![], known, later: VecDeque::new() })
    }

    fn more(&mut self, query: &Query) -> io::Result<More> {
        let mut messages = vec![];
        loop {
            while self.file.read_until(b'\n', &mut self.partial)? > 0 && self.partial.ends_with(b"\n") {
                messages.extend(parse(&self.partial, query));
                self.partial.clear();
                if messages.len() >= CHUNK {
                    return Ok(More { messages, at_end: false });
                }
            }
            if let Some(next) = self.later.pop_front() {
                self.file = BufReader::new(next);
                self.partial.clear();
            } else if !self.find_later()? {
                return Ok(More { messages, at_end: true });
            }
        }
    }

    /// At the end of what is being read: whether it was rotated away, and what comes after it then.
    fn find_later(&mut self) -> io::Result<bool> {
        let Some(log) = self.log.upgrade() else { return Ok(false) };
        let (current, _, backups) = match log.snapshot() {
            // Its model is going.
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(false),
            other => other?,
        };
        let inode = current.metadata()?.ino();
        if inode == self.inode {
            return Ok(false);
        }
        let known = |it: &&PathBuf| self.known.iter().any(|known| same_backup(known, it));
        let mut new = backups.iter().filter(|it| !known(it));
        // The first of them is the file that is being read.
        new.next();
        for backup in new {
            self.later.push_back(open(backup)?);
        }
        self.later.push_back(Box::new(current));
        // The file that is being read is read to its new end before these.
        (self.inode, self.known) = (inode, backups);
        Ok(true)
    }
}

/// The rotated files of a log, from the oldest on.
pub(super) fn backups(path: &Path) -> io::Result<Vec<PathBuf>> {
    let stem = path.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let prefix = format!("{stem}-");
    let mut found = vec![];
    let Some(dir) = path.parent() else { return Ok(found) };
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let time = name.strip_prefix(&prefix).map(|it| it.trim_end_matches(".gz"));
        // Another model's name may begin with this one's.
        if time.and_then(|it| it.strip_suffix(".log")).is_some_and(is_time) {
            found.push(dir.join(name));
        }
    }
    found.sort();
    // A file that is being compressed is there twice; the plain one is whole.
    found.dedup_by(|later, earlier| same_backup(later, earlier));
    Ok(found)
}

/// Whether two names are of one file, compressed or not.
fn same_backup(a: &Path, b: &Path) -> bool {
    let plain = |it: &Path| it.to_string_lossy().trim_end_matches(".gz").to_owned();
    plain(a) == plain(b)
}

/// `2024-05-06T07-08-09.123`
fn is_time(text: &str) -> bool {
    text.len() == 23
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 | 13 | 16 => byte == b'-',
            10 => byte == b'T',
            19 => byte == b'.',
            _ => byte.is_ascii_digit(),
        })
}

/// A backup, which may just have been compressed or removed.
fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let compressed = if path.extension().is_some_and(|it| it == "gz") {
        path.to_owned()
    } else {
        match File::open(path) {
            Ok(file) => return Ok(Box::new(file)),
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            Err(err) => return Err(err),
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".gz");
        PathBuf::from(name)
    };
    match File::open(compressed) {
        Ok(file) => Ok(Box::new(MultiGzDecoder::new(file))),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(Box::new(io::empty())),
        Err(err) => Err(err),
    }
}
