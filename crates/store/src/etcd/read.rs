//! Reading keys and pages, all linearizable.

use bytes::Bytes;
use etcd_client::{GetOptions, KeyValue, Txn, TxnOp, TxnOpResponse};

use super::{
    Etcd,
    client::{header_revision, revision},
    fault::{Fault, is_compacted},
    keys::parse_floor,
};
use crate::{Entry, Error, Page, Result, Revision, Snapshot, limits::PAGE_BYTES};

/// How many keys are read in one request.
const KEYS: usize = 100;
/// How many entries of a page are asked for at once.
const ENTRIES: usize = 256;

impl Etcd {
    pub(super) async fn read_keys(&self, keys: &[&str], at: Option<Revision>) -> Result<Snapshot> {
        if at == Some(Revision::ZERO) {
            return self.before_everything().await.map(|at| Snapshot { at, entries: Vec::new() });
        }
        if keys.is_empty() {
            let at = match at {
                Some(at) => at,
                None => self.floor().await?.now,
            };
            return Ok(Snapshot { at, entries: Vec::new() });
        }
        let mut snapshot = Snapshot { at: at.unwrap_or_default(), entries: Vec::with_capacity(keys.len()) };
        let mut pinned = at;
        for keys in keys.chunks(KEYS) {
            let keys: Vec<String> = keys.iter().map(|key| self.keys.data(key)).collect();
            let found = self.read_some(keys, pinned).await?;
            snapshot.at = *pinned.get_or_insert(found.at);
            snapshot.entries.extend(found.entries);
        }
        Ok(snapshot)
    }

    async fn read_some(&self, keys: Vec<String>, at: Option<Revision>) -> Result<Snapshot> {
        let options = || at.map_or(GetOptions::new(), |at| GetOptions::new().with_revision(at.0 as i64));
        if let [key] = &keys[..] {
            let call = |mut kv: etcd_client::KvClient| {
                let (key, options) = (key.clone(), options());
                async move { compacted_is_an_answer(kv.get(key, Some(options)).await) }
            };
            let mut found = self.client.call(call).await.map_err(Fault::harmless)?.ok_or_else(|| gone(at))?;
            let now = header_revision(found.header())?;
            return Ok(Snapshot { at: at.unwrap_or(now), entries: self.entries(found.take_kvs())? });
        }
        let gets: Vec<TxnOp> = keys.into_iter().map(|key| TxnOp::get(key, Some(options()))).collect();
        let call = |mut kv: etcd_client::KvClient| {
            let txn = Txn::new().and_then(gets.clone());
            async move { compacted_is_an_answer(kv.txn(txn).await) }
        };
        let found = self.client.call(call).await.map_err(Fault::harmless)?.ok_or_else(|| gone(at))?;
        let now = header_revision(found.header())?;
        let mut entries = Vec::new();
        for response in found.op_responses() {
            if let TxnOpResponse::Get(mut found) = response {
                entries.extend(self.entries(found.take_kvs())?);
            }
        }
        Ok(Snapshot { at: at.unwrap_or(now), entries })
    }

    pub(super) async fn read_page(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        at: Option<Revision>,
    ) -> Result<Page> {
        let mut page = Page { at: at.unwrap_or_default(), entries: Vec::new(), more: false };
        if at == Some(Revision::ZERO) {
            page.at = self.before_everything().await?;
            return Ok(page);
        }
        let mut pinned = at;
        let mut size = 0;
        let mut last = after.map(|it| self.keys.data(it));
        while page.entries.len() < limit && size < PAGE_BYTES {
            let mut range = self.keys.data_under(prefix);
            if let Some(last) = &last {
                range = range.after(last);
            }
            let count = ENTRIES.min(limit - page.entries.len());
            let mut options = GetOptions::new().with_range(range.end).with_limit(count as i64);
            if let Some(at) = pinned {
                options = options.with_revision(at.0 as i64);
            }
            let call = |mut kv: etcd_client::KvClient| {
                let (start, options) = (range.start.clone(), options.clone());
                async move { compacted_is_an_answer(kv.get(start, Some(options)).await) }
            };
            let found = self.client.call(call).await.map_err(Fault::harmless)?;
            let mut found = found.ok_or_else(|| gone(pinned))?;
            page.at = *pinned.get_or_insert(header_revision(found.header())?);
            page.more = found.more();
            let entries = self.entries(found.take_kvs())?;
            size += entries.iter().map(|it| it.value.len()).sum::<usize>();
            last = entries.last().map(|it| self.keys.data(&it.key)).or(last);
            page.entries.extend(entries);
            if !page.more {
                break;
            }
        }
        Ok(page)
    }

    fn entries(&self, found: Vec<KeyValue>) -> Result<Vec<Entry>> {
        let mut entries = Vec::with_capacity(found.len());
        for kv in found {
            if let Some(key) = self.keys.data_key(kv.key())? {
                let modified = revision(kv.mod_revision());
                let value = Bytes::from(kv.into_key_value().1);
                entries.push(Entry { key, value, modified });
            }
        }
        Ok(entries)
    }

    /// To etcd revision zero means now. To us nothing was there, as long as it is remembered.
    async fn before_everything(&self) -> Result<Revision> {
        match self.floor().await?.revision {
            Revision::ZERO => Ok(Revision::ZERO),
            _ => Err(Error::Compacted(Revision::ZERO)),
        }
    }

    pub(super) async fn floor(&self) -> Result<Floor> {
        let key = self.keys.floor();
        let call = |mut kv: etcd_client::KvClient| {
            let key = key.clone();
            async move { kv.get(key, None).await }
        };
        let found = self.client.call(call).await.map_err(Fault::harmless)?;
        let now = header_revision(found.header())?;
        match found.kvs().first() {
            Some(kv) => Ok(Floor { revision: parse_floor(kv.value())?, written: kv.mod_revision(), now }),
            None => Ok(Floor { revision: Revision::ZERO, written: 0, now }),
        }
    }
}

pub(super) struct Floor {
    pub(super) revision: Revision,
    /// When, in etcd's revisions; zero if never.
    pub(super) written: i64,
    /// The cluster's newest revision.
    pub(super) now: Revision,
}

/// That a revision was compacted is not worth another try.
fn compacted_is_an_answer<T>(found: Result<T, etcd_client::Error>) -> Result<Option<T>, etcd_client::Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(err) if is_compacted(&err) => Ok(None),
        Err(err) => Err(err),
    }
}

fn gone(at: Option<Revision>) -> Error {
    Error::Compacted(at.unwrap_or_default())
}
