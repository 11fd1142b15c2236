//! Following, across the deaths of members.
//!
//! etcd's watches end with an error when the member that serves them dies or loses its leader. That is the
//! ordinary path here: the watch is opened again, on whichever member answers, from the revision after the last
//! one seen. Only what cannot be resumed ends the stream: a compacted revision, or a cluster that does not come
//! back in time.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use bytes::Bytes;
use etcd_client::{EventType, WatchOptions, WatchResponse, WatchStream};
use futures_util::{StreamExt, stream, stream::BoxStream};
use tokio::time::{Instant, sleep, timeout};

use super::{
    Etcd,
    client::{Backoff, Client, revision},
    keys::Keys,
};
use crate::{Changes, Error, Result, Revision};

/// A watch that lasted so long was a good one, even if nothing came.
const STABLE: Duration = Duration::from_secs(5);

struct Follower {
    client: Arc<Client>,
    keys: Keys,
    seen: Revision,
    watch: Option<WatchStream>,
    /// Received, not handed on yet.
    ready: VecDeque<Changes>,
    opened: Instant,
    /// Since when watches have been failing.
    lost: Option<Instant>,
    backoff: Backoff,
}

impl Etcd {
    pub(super) async fn follow_from(&self, from: Revision) -> Result<BoxStream<'static, Result<Changes>>> {
        if from < self.floor().await?.revision {
            return Err(Error::Compacted(from));
        }
        let follower = Follower {
            client: Arc::clone(&self.client),
            keys: self.keys.clone(),
            seen: from,
            watch: None,
            ready: VecDeque::new(),
            opened: Instant::now(),
            lost: None,
            backoff: Backoff::default(),
        };
        let next = |mut follower: Follower| async move {
            let changes = follower.next().await?;
            Ok(Some((changes, follower)))
        };
        Ok(stream::try_unfold(follower, next).boxed())
    }
}

impl Follower {
    async fn next(&mut self) -> Result<Changes> {
        loop {
            if let Some(changes) = self.ready.pop_front() {
                self.seen = changes.revision;
                return Ok(changes);
            }
            match &mut self.watch {
                None => self.open().await?,
                Some(watch) => match watch.message().await {
                    Ok(Some(response)) => self.receive(response)?,
                    Ok(None) => self.lose("the watch ended"),
                    Err(err) => self.lose(&err.to_string()),
                },
            }
        }
    }

    /// Opens the watch where the last one left off, or fails to.
    async fn open(&mut self) -> Result<()> {
        if self.lost.is_some() {
            sleep(self.backoff.next()).await;
        }
        // Every key of the cluster, so that no revision is missed.
        let options = WatchOptions::new().with_all_keys().with_start_revision(self.seen.next().0 as i64);
        let mut client = self.client.watch();
        let opening = async {
            let mut watch = client.watch("", Some(options)).await?;
            let created = watch.message().await?;
            Ok::<_, etcd_client::Error>(created.map(|it| (watch, it)))
        };
        let why = match timeout(self.client.request_timeout(), opening).await {
            Ok(Ok(Some((watch, created)))) => {
                self.watch = Some(watch);
                self.opened = Instant::now();
                return self.receive(created);
            }
            Ok(Ok(None)) => "the watch ended".to_owned(),
            Ok(Err(err)) => err.to_string(),
            Err(_) => format!("no answer within {:?}", self.client.request_timeout()),
        };
        let lost = *self.lost.get_or_insert_with(Instant::now);
        if lost.elapsed() > self.client.patience() {
            return Err(Error::Unavailable(anyhow::anyhow!("cannot follow etcd: {why}")));
        }
        tracing::debug!(why, "cannot open a watch, trying again");
        Ok(())
    }

    fn receive(&mut self, response: WatchResponse) -> Result<()> {
        if response.compact_revision() > 0 {
            return Err(Error::Compacted(self.seen));
        }
        if response.canceled() {
            self.lose(response.cancel_reason());
            return Ok(());
        }
        // A response never ends in the middle of a revision.
        for event in response.events() {
            let Some(kv) = event.kv() else { continue };
            let at = revision(kv.mod_revision());
            if self.ready.back().is_none_or(|it| it.revision != at) {
                self.ready.push_back(Changes { revision: at, ..Changes::default() });
            }
            if let Some(key) = self.keys.data_key(kv.key())?
                && let Some(changes) = self.ready.back_mut()
            {
                let put = event.event_type() == EventType::Put;
                changes.changes.push((key, put.then(|| Bytes::copy_from_slice(kv.value()))));
            }
        }
        if !self.ready.is_empty() {
            self.recover();
        }
        Ok(())
    }

    fn lose(&mut self, why: &str) {
        tracing::debug!(why, seen = %self.seen, "lost a watch");
        self.watch = None;
        if self.opened.elapsed() > STABLE {
            self.recover();
        }
        self.lost.get_or_insert_with(Instant::now);
    }

    fn recover(&mut self) {
        self.lost = None;
        self.backoff.reset();
    }
}
