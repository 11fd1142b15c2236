//! The whole store as it was at one revision.

use std::{any::Any, collections::VecDeque, sync::Arc};

use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::{Interest, doc::Doc, map::Map};
use crate::{Changes, Error, Result, Revision};

/// The whole store at one revision, in memory. A copy is a reference; it does not move while others write, so
/// all that is read from one image fits together.
#[derive(Clone)]
pub struct Image(Arc<State>);

/// What an image is made of, and what the next one is made from.
#[derive(Clone, Default)]
pub(super) struct State {
    revision: Revision,
    /// What was removed before this is no longer known.
    forgotten: Revision,
    map: Map,
}

impl Image {
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// The document at `key`, if it exists.
    pub fn get(&self, key: &str) -> Option<Arc<Doc>> {
        self.0.map.get(key).filter(|it| it.is_live()).cloned()
    }

    /// The decoded document at `key`, if it exists. See [`Doc::decode`].
    pub fn read<D: DeserializeOwned + Any + Send + Sync>(&self, key: &str) -> Result<Option<Arc<D>>> {
        self.get(key).map(|it| it.decode()).transpose()
    }

    /// The documents under `prefix`, in byte order.
    pub fn list<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Arc<Doc>> {
        debug_assert!(prefix.is_empty() || prefix.ends_with('/'), "a prefix ends in '/': {prefix:?}");
        self.0.map.under(prefix).filter(|it| it.is_live())
    }

    /// The keys under `prefix` that were removed, with the revision that did so, as far back as the view knows.
    pub fn removed<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, Revision)> {
        self.0.map.under(prefix).filter(|it| !it.is_live()).map(|it| (it.key(), it.modified()))
    }

    /// The keys of interest that were written or removed after `since`, in byte order. `Compacted` when it is so
    /// long ago that removals may have been forgotten.
    pub fn changed(&self, interest: &Interest, since: Revision) -> Result<Vec<Arc<str>>> {
        if since < self.0.forgotten {
            return Err(Error::Compacted(since));
        }
        let keys = interest.keys.iter().filter_map(|key| self.0.map.get(key));
        let under = interest.prefixes.iter().flat_map(|it| self.0.map.under(it));
        let changed = keys.chain(under).filter(|it| it.modified() > since);
        let mut changed: Vec<Arc<str>> = changed.map(|it| Arc::clone(it.shared_key())).collect();
        changed.sort_unstable();
        changed.dedup();
        Ok(changed)
    }

    pub(super) fn new(state: Arc<State>) -> Image {
        Image(state)
    }
}

impl State {
    /// An image to load into. Of removals before `at` it knows nothing.
    pub(super) fn loading(at: Revision) -> State {
        State { revision: at, forgotten: at, map: Map::default() }
    }

    pub(super) fn revision(&self) -> Revision {
        self.revision
    }

    /// How many documents and tombstones it holds.
    pub(super) fn len(&self) -> usize {
        self.map.len()
    }

    pub(super) fn load(&mut self, key: &str, value: Bytes, modified: Revision) {
        self.map.insert(Doc::new(key.into(), Some(value), modified));
    }
}

/// Applies revisions to a state, and remembers which tombstones to remove once they are forgotten.
pub(super) struct Builder {
    pub(super) state: State,
    tombstones: VecDeque<(Revision, Arc<str>)>,
}

impl Builder {
    pub(super) fn new(state: State) -> Builder {
        Builder { state, tombstones: VecDeque::new() }
    }

    /// Applies one revision, and gives each changed key to `changed`.
    pub(super) fn apply(&mut self, changes: Changes, mut changed: impl FnMut(Arc<str>)) {
        let Changes { revision, changes, compacted } = changes;
        self.state.revision = revision;
        for (key, value) in changes {
            let key: Arc<str> = match self.state.map.get(&key) {
                Some(old) => Arc::clone(old.shared_key()),
                None => key.into(),
            };
            if value.is_none() {
                self.tombstones.push_back((revision, Arc::clone(&key)));
            }
            self.state.map.insert(Doc::new(Arc::clone(&key), value, revision));
            changed(key);
        }
        if let Some(floor) = compacted {
            self.forget(floor);
        }
    }

    fn forget(&mut self, floor: Revision) {
        self.state.forgotten = self.state.forgotten.max(floor);
        while let Some((revision, _)) = self.tombstones.front()
            && *revision <= floor
            && let Some((revision, key)) = self.tombstones.pop_front()
        {
            // The key may have been written again since.
            let dead = self.state.map.get(&key).is_some_and(|it| !it.is_live() && it.modified() == revision);
            if dead {
                self.state.map.remove(&key);
            }
        }
    }
}
