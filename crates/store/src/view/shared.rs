//! What the view, its watchers and its stream's task share.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use arc_swap::ArcSwap;
use futures_util::{StreamExt, stream::BoxStream};
use tokio::sync::oneshot;

use super::{
    Image,
    image::{Builder, State},
    watchers::Watchers,
};
use crate::{Changes, Error, Result, Revision};

/// How many revisions that are there already are published as one image.
const BATCH: usize = 256;
/// Every so many waits, those are looked for that were given up.
const SWEEP: u64 = 256;

pub(super) struct Shared {
    current: ArcSwap<State>,
    waiting: Mutex<Waiting>,
    /// Why the view is closed, once it is.
    closed: tokio::sync::watch::Sender<Option<Arc<str>>>,
}

/// Those who wait. It is locked while an image is published, so that who registers knows what he has seen.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) watchers: Watchers,
    /// Each told when the view has reached its revision, or dropped when it closes.
    revisions: BTreeMap<(Revision, u64), oneshot::Sender<()>>,
    next: u64,
}

impl Shared {
    pub(super) fn new(state: State) -> Shared {
        Shared {
            current: ArcSwap::from_pointee(state),
            waiting: Mutex::default(),
            closed: tokio::sync::watch::Sender::new(None),
        }
    }

    pub(super) fn image(&self) -> Image {
        Image::new(self.current.load_full())
    }

    pub(super) fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn check_open(&self) -> Result<()> {
        match &*self.closed.borrow() {
            Some(why) => Err(Error::Unavailable(anyhow::anyhow!("{why}"))),
            None => Ok(()),
        }
    }

    pub(super) async fn wait(&self, revision: Revision) -> Result<()> {
        if self.image().revision() >= revision {
            return Ok(());
        }
        let reached = {
            let mut waiting = self.waiting();
            self.check_open()?;
            if self.image().revision() >= revision {
                return Ok(());
            }
            let (told, reached) = oneshot::channel();
            waiting.next += 1;
            let id = waiting.next;
            if id.is_multiple_of(SWEEP) {
                waiting.revisions.retain(|_, it| !it.is_closed());
            }
            waiting.revisions.insert((revision, id), told);
            reached
        };
        match reached.await {
            Ok(()) => Ok(()),
            Err(_) => self.check_open().and(Err(Error::Unavailable(anyhow::anyhow!("the view is gone")))),
        }
    }

    pub(super) async fn closed(&self) -> Arc<str> {
        let mut closed = self.closed.subscribe();
        match closed.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(why)) => Arc::clone(why),
            _ => "the view is gone".into(),
        }
    }

    pub(super) fn close(&self, why: &str) {
        self.closed.send_if_modified(|it| {
            let first = it.is_none();
            it.get_or_insert_with(|| why.into());
            first
        });
        let (wakers, revisions) = {
            let mut waiting = self.waiting();
            (waiting.watchers.wakers(), std::mem::take(&mut waiting.revisions))
        };
        wakers.into_iter().for_each(Waker::wake);
        drop(revisions);
    }

    /// Publishes the next image, then tells who waits.
    fn publish(&self, state: &State, revision: Revision, changed: &[(Revision, Arc<str>)]) {
        let mut wakers = Vec::new();
        let due = {
            let mut waiting = self.waiting();
            self.current.store(Arc::new(state.clone()));
            for (revision, key) in changed {
                waiting.watchers.tell(*revision, key, &mut wakers);
            }
            let later = waiting.revisions.split_off(&(revision.next(), 0));
            std::mem::replace(&mut waiting.revisions, later)
        };
        wakers.into_iter().for_each(Waker::wake);
        for told in due.into_values() {
            // Who no longer waits need not be told.
            let _ = told.send(());
        }
    }
}

/// Follows the store until it is lost, and then closes the view. It runs until it is aborted.
pub(super) async fn feed(
    shared: Arc<Shared>,
    mut builder: Builder,
    stream: BoxStream<'static, Result<Changes>>,
) {
    let mut batches = stream.ready_chunks(BATCH);
    let mut lost = "its stream ended".to_owned();
    'stream: while let Some(batch) = batches.next().await {
        let mut changed = Vec::new();
        let mut failed = None;
        for item in batch {
            match item {
                Ok(changes) => {
                    let revision = changes.revision;
                    builder.apply(changes, |key| changed.push((revision, key)));
                }
                Err(err) => failed = Some(err),
            }
        }
        shared.publish(&builder.state, builder.state.revision(), &changed);
        if let Some(err) = failed {
            lost = format!("{:#}", anyhow::Error::from(err));
            break 'stream;
        }
    }
    tracing::warn!(reason = lost, "the view lost its store");
    shared.close(&format!("the view lost its store: {lost}"));
}
