//! The last revisions in memory, for those who follow closely.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use tokio::sync::watch;

use crate::{Changes, Revision};

/// How many revisions are kept, and how many bytes of their values. Who is further behind reads the file.
const REVISIONS: usize = 2048;
const BYTES: usize = 4 * 1024 * 1024;

pub(super) struct Recent {
    kept: Mutex<Kept>,
    head: watch::Receiver<Revision>,
}

struct Kept {
    /// All revisions after this one are in `revisions`.
    since: Revision,
    revisions: VecDeque<Changes>,
    bytes: usize,
}

/// The writer's end. When it goes, followers are told.
pub(super) struct Publisher {
    recent: Arc<Recent>,
    head: watch::Sender<Revision>,
}

/// What comes after a revision.
pub(super) enum Next {
    Changes(Changes),
    /// Nothing yet.
    Nothing,
    /// It is too long ago to be kept here.
    Gone,
}

impl Publisher {
    pub(super) fn new(head: Revision) -> Publisher {
        let kept = Kept { since: head, revisions: VecDeque::new(), bytes: 0 };
        let (sender, receiver) = watch::channel(head);
        let recent = Arc::new(Recent { kept: Mutex::new(kept), head: receiver });
        Publisher { recent, head: sender }
    }

    pub(super) fn recent(&self) -> &Arc<Recent> {
        &self.recent
    }

    /// Adds revisions that are on the disk, in order and without gaps.
    pub(super) fn publish(&self, revisions: Vec<Changes>) {
        let Some(head) = revisions.last().map(|it| it.revision) else { return };
        {
            let mut kept = self.recent.kept();
            for changes in revisions {
                kept.bytes += size(&changes);
                kept.revisions.push_back(changes);
            }
            while (kept.revisions.len() > REVISIONS || kept.bytes > BYTES)
                && let Some(oldest) = kept.revisions.pop_front()
            {
                kept.bytes -= size(&oldest);
                kept.since = oldest.revision;
            }
        }
        self.head.send_replace(head);
    }
}

impl Recent {
    pub(super) fn head(&self) -> Revision {
        *self.head.borrow()
    }

    /// Tells of each new revision.
    pub(super) fn subscribe(&self) -> watch::Receiver<Revision> {
        self.head.clone()
    }

    pub(super) fn after(&self, seen: Revision) -> Next {
        let kept = self.kept();
        if seen < kept.since {
            return Next::Gone;
        }
        // There are no gaps, so the place can be counted.
        match kept.revisions.get((seen.0 - kept.since.0) as usize) {
            Some(changes) => Next::Changes(changes.clone()),
            None => Next::Nothing,
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(changes: &Changes) -> usize {
    changes.changes.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Bytes::len)).sum()
}
