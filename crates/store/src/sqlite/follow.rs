//! Following: from the file while far behind, from memory once close.

use std::{collections::VecDeque, sync::Arc};

use futures_util::{StreamExt, stream, stream::BoxStream};
use tokio::sync::watch;

use super::{
    read::Readers,
    recent::{Next, Recent},
};
use crate::{Changes, Error, Result, Revision};

struct Follower {
    readers: Arc<Readers>,
    recent: Arc<Recent>,
    head: watch::Receiver<Revision>,
    seen: Revision,
    /// Read from the file, not handed on yet.
    read: VecDeque<Changes>,
}

pub(super) async fn follow(
    readers: Arc<Readers>,
    recent: Arc<Recent>,
    from: Revision,
) -> Result<BoxStream<'static, Result<Changes>>> {
    let head = recent.subscribe();
    let mut follower = Follower { readers, recent, head, seen: from, read: VecDeque::new() };
    // Asked of the file in any case: it knows whether the revision was compacted.
    follower.read().await?;
    let next = |mut follower: Follower| async move {
        let changes = follower.next().await?;
        Ok(Some((changes, follower)))
    };
    Ok(stream::try_unfold(follower, next).boxed())
}

impl Follower {
    async fn next(&mut self) -> Result<Changes> {
        loop {
            if let Some(changes) = self.read.pop_front() {
                self.seen = changes.revision;
                return Ok(changes);
            }
            self.head.mark_unchanged();
            match self.recent.after(self.seen) {
                Next::Changes(changes) => {
                    self.seen = changes.revision;
                    return Ok(changes);
                }
                Next::Gone => self.read().await?,
                Next::Nothing => {
                    let closed = |_| Error::Unavailable(anyhow::anyhow!("the store was closed"));
                    self.head.changed().await.map_err(closed)?;
                }
            }
        }
    }

    async fn read(&mut self) -> Result<()> {
        let seen = self.seen;
        self.read = self.readers.run(move |snapshot| snapshot.after(seen)).await?.into();
        Ok(())
    }
}
