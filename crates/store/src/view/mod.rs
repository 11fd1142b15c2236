//! The whole store in memory, kept current by one stream.
//!
//! A [`View`] is what a controller reads from and what its watchers wait on; neither touches the store. It hands
//! out [`Image`]s: the whole store at one revision, which a reader keeps as long as it needs. The stream's task
//! applies what arrives to a copy-on-write map, publishes the next image, and then tells who waits: watchers,
//! found by the changed keys and the prefixes above them, and those who wait for a revision.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::BoxStream;
use tokio::task::JoinSet;

use crate::{Changes, Error, Result, Revision, Store};

mod image;
pub use image::Image;
mod doc;
pub use doc::Doc;
pub(crate) use doc::decode;
mod interest;
pub use interest::Interest;
mod watch;
pub use watch::{Changed, Watch};

mod map;
mod shared;
#[cfg(test)]
mod tests;
mod watchers;
use image::{Builder, State};
use shared::Shared;

/// How many entries are loaded at once.
const PAGE: usize = 2000;
/// How often loading begins anew because the store was compacted meanwhile.
const ATTEMPTS: usize = 5;

/// An image of the whole store that follows it. Clones share it; the last one to go ends its task.
///
/// It is never ahead of the store and, as a rule, milliseconds behind. Who must see his own write waits for its
/// revision ([`wait`](View::wait); [`transact`](crate::transact) does); who must see everything that was
/// committed until now, by whomever, calls [`catch_up`](View::catch_up).
#[derive(Clone)]
pub struct View {
    shared: Arc<Shared>,
    handle: Arc<Handle>,
}

struct Handle {
    store: Arc<dyn Store>,
    shared: Arc<Shared>,
    task: Mutex<JoinSet<()>>,
}

impl View {
    /// Loads the store and begins to follow it.
    pub async fn open(store: Arc<dyn Store>) -> Result<View> {
        let (state, stream) = load(&*store).await?;
        let shared = Arc::new(Shared::new(state.clone()));
        let mut task = JoinSet::new();
        task.spawn(shared::feed(Arc::clone(&shared), Builder::new(state), stream));
        let handle = Handle { store, shared: Arc::clone(&shared), task: Mutex::new(task) };
        Ok(View { shared, handle: Arc::new(handle) })
    }

    /// The store as the view last saw it.
    pub fn image(&self) -> Image {
        self.shared.image()
    }

    pub fn revision(&self) -> Revision {
        self.image().revision()
    }

    /// The document at `key`, if it exists. Who reads more than one thing takes an [`image`](View::image).
    pub fn get(&self, key: &str) -> Option<Arc<Doc>> {
        self.image().get(key)
    }

    /// The documents under `prefix`, in byte order.
    pub fn list(&self, prefix: &str) -> Vec<Arc<Doc>> {
        self.image().list(prefix).cloned().collect()
    }

    /// The store that it shows.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.handle.store
    }

    /// Returns once the view has reached the revision; fails when it is closed before.
    pub async fn wait(&self, revision: Revision) -> Result<()> {
        self.shared.wait(revision).await
    }

    /// Returns once the view shows everything that was committed before the call, by anyone.
    pub async fn catch_up(&self) -> Result<Revision> {
        let now = self.store().get(&[], None).await?.at;
        self.wait(now).await?;
        Ok(now)
    }

    /// Watches for changes from now on. The image is what they follow upon: what it shows is not told again.
    pub fn watch(&self, interest: Interest) -> Result<(Image, Watch)> {
        interest.check()?;
        self.shared.check_open()?;
        let mut waiting = self.shared.waiting();
        let image = self.image();
        let watcher = waiting.watchers.add(&interest, Vec::new(), image.revision());
        drop(waiting);
        Ok((image, Watch::new(Arc::clone(&self.shared), watcher, interest)))
    }

    /// Watches for what changed after `since`. `Compacted` when the view no longer knows what was removed since.
    pub fn watch_since(&self, interest: Interest, since: Revision) -> Result<Watch> {
        interest.check()?;
        self.shared.check_open()?;
        let mut waiting = self.shared.waiting();
        let image = self.image();
        let changed = image.changed(&interest, since)?;
        let watcher = waiting.watchers.add(&interest, changed, image.revision());
        drop(waiting);
        Ok(Watch::new(Arc::clone(&self.shared), watcher, interest))
    }

    /// Waits until something of interest has changed after `since`, once.
    pub async fn changed(&self, interest: Interest, since: Revision) -> Result<Changed> {
        self.watch_since(interest, since)?.next().await
    }

    /// Returns, with the reason, once the view no longer follows its store. It then shows what it saw last, and
    /// every wait fails.
    pub async fn closed(&self) -> Arc<str> {
        self.shared.closed().await
    }

    pub fn is_closed(&self) -> bool {
        self.check_open().is_err()
    }

    /// Closes the view and waits until its task has ended.
    pub async fn close(&self) {
        self.shared.close("the view was closed");
        let mut task = std::mem::take(&mut *self.handle.task.lock().unwrap_or_else(PoisonError::into_inner));
        task.shutdown().await;
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        self.shared.check_open()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.close("the view was dropped");
    }
}

async fn load(store: &dyn Store) -> Result<(State, BoxStream<'static, Result<Changes>>)> {
    let mut attempt = 1;
    loop {
        match try_load(store).await {
            Err(Error::Compacted(at)) if attempt < ATTEMPTS => {
                tracing::debug!(%at, "the store was compacted while it was loaded");
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

async fn try_load(store: &dyn Store) -> Result<(State, BoxStream<'static, Result<Changes>>)> {
    let at = store.get(&[], None).await?.at;
    let stream = store.follow(at).await?;
    let mut state = State::loading(at);
    let mut after = None;
    loop {
        let page = store.list("", after.as_deref(), PAGE, Some(at)).await?;
        after = page.entries.last().map(|it| it.key.clone());
        for entry in page.entries {
            state.load(&entry.key, entry.value, entry.modified);
        }
        if !page.more {
            tracing::debug!(revision = %at, documents = state.len(), "loaded the store");
            return Ok((state, stream));
        }
    }
}
