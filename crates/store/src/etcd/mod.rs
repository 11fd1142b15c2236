//! The store on an etcd cluster: for several controllers, that go on while a majority of members lives.
//!
//! Below its namespace the cluster's keys are divided:
//!
//! | key | holds |
//! |---|---|
//! | `k/<key>` | a value |
//! | `t/<directory>` | a tombstone: something directly in this directory was deleted at this key's revision |
//! | `x/<name>` | a transaction's name: that it was committed, or that it must never be |
//! | `floor` | the revision that was compacted, as eight bytes whose order is the order of revisions |
//!
//! Tombstones are needed since etcd compares ranges by the keys that exist, so a prefix guard would miss deletes.
//! One for a directory is as good as one for each key, because prefixes end in `/`, and it is cheaper.
//!
//! Names make commits safe to repeat: each commit requires that its name is not taken and takes it. So a commit
//! whose answer was lost is simply sent again, and asking for its outcome takes the name if nobody has.
//!
//! The store owns the cluster: it follows every key, to see each revision.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::stream::BoxStream;

use crate::{Changes, Guard, Page, Result, Revision, Snapshot, Store, TxnId, Write, layer::Layer};

mod client;
mod commit;
mod compact;
mod fault;
mod follow;
mod keys;
mod read;
use client::Client;
use keys::Keys;

/// Where the cluster is and how to reach it.
#[derive(Clone, Debug)]
pub struct EtcdOptions {
    /// URLs of the members: `https://` with `tls`, else `http://`.
    pub endpoints: Vec<String>,
    pub tls: Option<EtcdTls>,
    /// What all keys begin with; it ends in `/`.
    pub namespace: String,
    /// How long to wait for one answer before asking again. A leader that dies takes what it was working on with
    /// it, and nobody says so; since every request can be repeated, it need not be long.
    pub request_timeout: Duration,
    /// How long to keep trying before the cluster counts as unavailable. An election takes one or two seconds.
    pub patience: Duration,
}

/// PEM texts for mutual TLS.
#[derive(Clone)]
pub struct EtcdTls {
    /// Who signed the members' certificates.
    pub ca: String,
    /// Our certificate.
    pub certificate: String,
    pub key: String,
    /// The name that the members' certificates are for, when it is not the one in the endpoint.
    pub server_name: Option<String>,
}

impl std::fmt::Debug for EtcdTls {
    /// Leaves out the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EtcdTls").field("server_name", &self.server_name).finish_non_exhaustive()
    }
}

impl EtcdOptions {
    pub fn new(endpoints: impl IntoIterator<Item = impl Into<String>>) -> EtcdOptions {
        EtcdOptions {
            endpoints: endpoints.into_iter().map(Into::into).collect(),
            tls: None,
            namespace: "juju/".to_owned(),
            request_timeout: Duration::from_secs(2),
            patience: Duration::from_secs(15),
        }
    }
}

/// A connection to the cluster.
pub struct Etcd {
    client: Arc<Client>,
    keys: Keys,
}

impl Etcd {
    /// Connects, and makes sure that the cluster answers.
    pub async fn connect(options: EtcdOptions) -> Result<Arc<dyn Store>> {
        let keys = Keys::under(&options.namespace)?;
        let raw = Etcd { client: Arc::new(Client::connect(&options).await?), keys };
        raw.prepare().await?;
        Ok(Arc::new(Layer::over(raw)))
    }
}

#[async_trait]
impl Store for Etcd {
    async fn get(&self, keys: &[&str], at: Option<Revision>) -> Result<Snapshot> {
        self.read_keys(keys, at).await
    }

    async fn list(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        at: Option<Revision>,
    ) -> Result<Page> {
        self.read_page(prefix, after, limit, at).await
    }

    async fn commit(&self, guards: Vec<Guard>, writes: Vec<Write>, txn: TxnId) -> Result<Revision> {
        self.try_commit(&guards, writes, txn).await
    }

    async fn follow(&self, from: Revision) -> Result<BoxStream<'static, Result<Changes>>> {
        self.follow_from(from).await
    }

    async fn compact(&self, before: Revision) -> Result<()> {
        self.compact_before(before).await
    }

    async fn committed(&self, txn: TxnId) -> Result<Option<Revision>> {
        self.settle(txn).await
    }
}
