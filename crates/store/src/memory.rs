//! The store in memory: for tests, and the measure of what the other backends must do.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt, stream, stream::BoxStream};
use tokio::sync::watch;

use crate::{
    Changes, Entry, Error, Guard, Page, Result, Revision, Snapshot, Store, TxnId, Write,
    layer::Layer,
    limits::{PAGE_BYTES, prefix_end},
};

/// A store that lives as long as it is held. Clones of the `Arc` share it.
pub struct Memory {
    state: Arc<Mutex<State>>,
    /// The newest revision, for followers to wait on. They end when this goes.
    head: watch::Sender<Revision>,
}

#[derive(Default)]
struct State {
    /// Each key's versions, oldest first; a tombstone has no value.
    versions: BTreeMap<String, Vec<(Revision, Option<Bytes>)>>,
    /// What followers may still ask for.
    log: BTreeMap<Revision, Vec<(String, Option<Bytes>)>>,
    /// Transactions by name; those that can never commit have no revision.
    names: HashMap<TxnId, (Revision, Option<Revision>)>,
    head: Revision,
    compacted: Revision,
}

impl Memory {
    #[expect(clippy::new_ret_no_self, reason = "a store is used through its trait")]
    pub fn new() -> Arc<dyn Store> {
        Arc::new(Layer::over(Memory::bare()))
    }

    /// The bare map, without what [`Layer`] adds.
    pub(crate) fn bare() -> Memory {
        Memory { state: Arc::default(), head: watch::Sender::new(Revision::ZERO) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Nothing that is done while it is held can panic half-way.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn readable(&self, at: Option<Revision>) -> Result<Revision> {
        match at.unwrap_or(self.head) {
            at if at < self.compacted => Err(Error::Compacted(at)),
            at if at > self.head => Err(Error::Invalid(format!("revision {at} is still to come"))),
            at => Ok(at),
        }
    }

    fn entry(&self, key: &str, at: Revision) -> Option<Entry> {
        let (modified, value) = self.versions.get(key)?.iter().rev().find(|(revision, _)| *revision <= at)?;
        Some(Entry { key: key.to_owned(), value: value.clone()?, modified: *modified })
    }

    /// The revision that breaks the guard, if one does.
    fn broken(&self, guard: &Guard) -> Result<Option<Revision>> {
        match guard {
            Guard::Key(key, expected) => {
                let last = self.versions.get(key).and_then(|it| it.last());
                let modified = last.map_or(Revision::ZERO, |(revision, _)| *revision);
                let live = last.is_some_and(|(_, value)| value.is_some());
                let holds = if *expected == Revision::ZERO { !live } else { live && modified == *expected };
                // A key that is gone without a tombstone went before the compaction.
                Ok((!holds).then(|| modified.max(self.compacted)))
            }
            Guard::Prefix(_, after) if *after < self.compacted => Err(Error::Compacted(*after)),
            Guard::Prefix(prefix, after) => {
                let under = self.under(prefix, None);
                let newest =
                    under.filter_map(|(_, versions)| versions.last()).map(|(revision, _)| *revision).max();
                Ok(newest.filter(|it| it > after))
            }
        }
    }

    fn under(
        &self,
        prefix: &str,
        after: Option<&str>,
    ) -> impl Iterator<Item = (&String, &Vec<(Revision, Option<Bytes>)>)> {
        let start = match after {
            Some(after) if after >= prefix => Bound::Excluded(after.to_owned()),
            _ => Bound::Included(prefix.to_owned()),
        };
        let end = prefix_end(prefix);
        self.versions
            .range((start, Bound::Unbounded))
            .take_while(move |(key, _)| end.as_ref().is_none_or(|end| *key < end))
    }

    fn followable(&self, from: Revision) -> Result<()> {
        if from < self.compacted { Err(Error::Compacted(from)) } else { Ok(()) }
    }

    fn after(&self, seen: Revision) -> Result<Option<Changes>> {
        self.followable(seen)?;
        let next = self.log.range(seen.next()..).next();
        Ok(next.map(|(revision, changes)| Changes {
            revision: *revision,
            changes: changes.clone(),
            compacted: None,
        }))
    }

    fn apply(&mut self, writes: Vec<Write>) {
        let revision = self.head.next();
        let mut changes = Vec::new();
        for write in writes {
            let (key, value) = match write {
                Write::Put(key, value) => (key, Some(value)),
                Write::Delete(key) if self.entry(&key, self.head).is_none() => continue,
                Write::Delete(key) => (key, None),
            };
            changes.push((key.clone(), value.clone()));
            self.versions.entry(key).or_default().push((revision, value));
        }
        self.log.insert(revision, changes);
        self.head = revision;
    }
}

#[async_trait]
impl Store for Memory {
    async fn get(&self, keys: &[&str], at: Option<Revision>) -> Result<Snapshot> {
        let state = self.state();
        let at = state.readable(at)?;
        Ok(Snapshot { at, entries: keys.iter().filter_map(|key| state.entry(key, at)).collect() })
    }

    async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        at: Option<Revision>,
    ) -> Result<Page> {
        let state = self.state();
        let at = state.readable(at)?;
        let mut page = Page { at, entries: Vec::new(), more: false };
        let mut size = 0;
        for (key, _) in state.under(prefix, after) {
            let Some(entry) = state.entry(key, at) else { continue };
            if page.entries.len() >= limit || size >= PAGE_BYTES {
                page.more = true;
                break;
            }
            size += entry.value.len();
            page.entries.push(entry);
        }
        Ok(page)
    }

    async fn commit(&self, guards: Vec<Guard>, writes: Vec<Write>, txn: TxnId) -> Result<Revision> {
        let mut state = self.state();
        match state.names.get(&txn) {
            Some((_, Some(revision))) => return Ok(*revision),
            Some((_, None)) => return Err(Error::Conflict { wait_for: state.head }),
            None => {}
        }
        let mut wait_for = None;
        for guard in &guards {
            wait_for = wait_for.max(state.broken(guard)?);
        }
        if let Some(wait_for) = wait_for {
            return Err(Error::Conflict { wait_for });
        }
        if !writes.is_empty() {
            state.apply(writes);
            let revision = state.head;
            state.names.insert(txn, (revision, Some(revision)));
            self.head.send_replace(revision);
        }
        Ok(state.head)
    }

    async fn follow(&self, from: Revision) -> Result<BoxStream<'static, Result<Changes>>> {
        self.state().followable(from)?;
        let (state, head) = (Arc::clone(&self.state), self.head.subscribe());
        let next = |(state, mut head, seen): (Arc<Mutex<State>>, watch::Receiver<Revision>, Revision)| async move {
            loop {
                head.mark_unchanged();
                let next = lock(&state).after(seen)?;
                if let Some(changes) = next {
                    let seen = changes.revision;
                    return Ok(Some((changes, (state, head, seen))));
                }
                head.changed().await.map_err(Error::unavailable)?;
            }
        };
        Ok(stream::try_unfold((state, head, from), next).boxed())
    }

    async fn compact(&self, before: Revision) -> Result<()> {
        let mut state = self.state();
        let before = before.min(state.head);
        if before <= state.compacted {
            return Ok(());
        }
        state.compacted = before;
        state.versions.retain(|_, versions| {
            if let Some(seen) = versions.iter().rposition(|(revision, _)| *revision <= before) {
                let tombstone = versions[seen].1.is_none();
                versions.drain(..seen + usize::from(tombstone));
            }
            !versions.is_empty()
        });
        state.log = state.log.split_off(&before.next());
        state.names.retain(|_, (revision, _)| *revision > before);
        Ok(())
    }

    async fn committed(&self, txn: TxnId) -> Result<Option<Revision>> {
        let mut state = self.state();
        let head = state.head;
        Ok(state.names.entry(txn).or_insert((head, None)).1)
    }
}
