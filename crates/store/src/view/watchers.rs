//! Who waits for what: found from a changed key by a handful of look-ups, however many wait.
//!
//! A watcher is listed under each key and each prefix of its interest. A prefix ends in `/`, so those that a
//! changed key stands under are found by cutting it at each `/`.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use super::Interest;
use crate::Revision;

/// All watchers of a view.
#[derive(Default)]
pub(super) struct Watchers {
    all: HashMap<u64, Arc<Watcher>>,
    by_key: HashMap<Arc<str>, Listeners>,
    by_prefix: HashMap<Arc<str>, Listeners>,
    next_id: u64,
}

/// One watcher: what it has still to be told.
pub(super) struct Watcher {
    id: u64,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    revision: Revision,
    /// What changed since it was last told: a key once, however often it changed.
    keys: BTreeSet<Arc<str>>,
    waker: Option<Waker>,
}

impl Watchers {
    pub(super) fn add(&mut self, interest: &Interest, pending: Vec<Arc<str>>, at: Revision) -> Arc<Watcher> {
        self.next_id += 1;
        let keys = pending.into_iter().collect();
        let pending = Mutex::new(Pending { revision: at, keys, waker: None });
        let watcher = Arc::new(Watcher { id: self.next_id, pending });
        self.all.insert(watcher.id, Arc::clone(&watcher));
        self.extend(&watcher, interest);
        watcher
    }

    pub(super) fn extend(&mut self, watcher: &Arc<Watcher>, interest: &Interest) {
        for (map, names) in [(&mut self.by_key, &interest.keys), (&mut self.by_prefix, &interest.prefixes)] {
            for name in names {
                match map.get_mut(name.as_str()) {
                    Some(listeners) => listeners.insert(watcher),
                    None => {
                        map.insert(name.as_str().into(), Listeners::Few(vec![Arc::clone(watcher)]));
                    }
                }
            }
        }
    }

    /// The watcher goes; `interest` is all it had.
    pub(super) fn remove(&mut self, watcher: &Watcher, interest: &Interest) {
        self.shrink(watcher, interest);
        self.all.remove(&watcher.id);
    }

    pub(super) fn shrink(&mut self, watcher: &Watcher, interest: &Interest) {
        for (map, names) in [(&mut self.by_key, &interest.keys), (&mut self.by_prefix, &interest.prefixes)] {
            for name in names {
                if let Some(listeners) = map.get_mut(name.as_str())
                    && listeners.remove(watcher.id)
                {
                    map.remove(name.as_str());
                }
            }
        }
    }

    /// Tells those who wait for this key. Whoever is to be woken is handed to the caller, to do so once it has let
    /// go of its locks.
    pub(super) fn tell(&self, revision: Revision, key: &Arc<str>, wakers: &mut Vec<Waker>) {
        if let Some(listeners) = self.by_key.get(key) {
            listeners.each(|it| wakers.extend(it.tell(revision, key)));
        }
        let above = key.match_indices('/').map(|(at, _)| &key[..=at]);
        for prefix in std::iter::once("").chain(above) {
            if let Some(listeners) = self.by_prefix.get(prefix) {
                listeners.each(|it| wakers.extend(it.tell(revision, key)));
            }
        }
    }

    /// All that wait, to be woken and find that the view is closed.
    pub(super) fn wakers(&self) -> Vec<Waker> {
        self.all.values().filter_map(|it| it.pending().waker.take()).collect()
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.by_key.is_empty() && self.by_prefix.is_empty()
    }
}

impl Watcher {
    /// What changed since the last time, or nothing yet.
    pub(super) fn poll(&self, waker: &Waker) -> Poll<(Revision, BTreeSet<Arc<str>>)> {
        let mut pending = self.pending();
        if pending.keys.is_empty() {
            pending.waker = Some(waker.clone());
            return Poll::Pending;
        }
        Poll::Ready((pending.revision, std::mem::take(&mut pending.keys)))
    }

    /// Adds what had changed before the watcher's interest was widened.
    pub(super) fn tell_all(&self, revision: Revision, keys: Vec<Arc<str>>) {
        let mut pending = self.pending();
        pending.revision = pending.revision.max(revision);
        pending.keys.extend(keys);
    }

    fn tell(&self, revision: Revision, key: &Arc<str>) -> Option<Waker> {
        let mut pending = self.pending();
        pending.revision = revision;
        pending.keys.insert(Arc::clone(key));
        pending.waker.take()
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Those who wait for one key or prefix. Mostly one or two; thousands where every agent watches the same.
enum Listeners {
    Few(Vec<Arc<Watcher>>),
    Many(HashMap<u64, Arc<Watcher>>),
}

impl Listeners {
    const FEW: usize = 32;

    fn insert(&mut self, watcher: &Arc<Watcher>) {
        match self {
            Listeners::Few(list) if list.iter().any(|it| it.id == watcher.id) => {}
            Listeners::Few(list) if list.len() < Self::FEW => list.push(Arc::clone(watcher)),
            Listeners::Few(list) => {
                let all = list.drain(..).chain([Arc::clone(watcher)]);
                *self = Listeners::Many(all.map(|it| (it.id, it)).collect());
            }
            Listeners::Many(map) => {
                map.insert(watcher.id, Arc::clone(watcher));
            }
        }
    }

    /// Whether none is left.
    fn remove(&mut self, id: u64) -> bool {
        match self {
            Listeners::Few(list) => {
                if let Some(at) = list.iter().position(|it| it.id == id) {
                    list.swap_remove(at);
                }
                list.is_empty()
            }
            Listeners::Many(map) => {
                map.remove(&id);
                map.is_empty()
            }
        }
    }

    fn each(&self, mut visit: impl FnMut(&Watcher)) {
        match self {
            Listeners::Few(list) => list.iter().for_each(|it| visit(it)),
            Listeners::Many(map) => map.values().for_each(|it| visit(it)),
        }
    }
}
