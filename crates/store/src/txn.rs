//! The reads and buffered writes of one attempt at a transaction.

use std::{any::Any, collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Error, Guard, Image, Result, Revision, Store, Write,
    limits::{check_key, check_prefix},
    view::decode,
};

/// How many entries are asked for at once where there is no view.
const PAGE: usize = 1000;

/// What a transaction's body works with: see [`transact`](crate::transact).
///
/// All reads see one revision of the store, with the transaction's own writes on top. Every read becomes a guard
/// of the commit: of a key, that it was not changed; of a list, that nothing was written or deleted under the
/// prefix.
pub struct Txn {
    reads: Reads,
    keys: BTreeMap<String, Revision>,
    prefixes: BTreeMap<String, Revision>,
    writes: BTreeMap<String, Option<Bytes>>,
}

/// Where reads come from.
enum Reads {
    View(Image),
    Store { store: Arc<dyn Store>, at: Option<Revision> },
}

/// A document as it stands in the store, before the transaction's writes.
enum Stored {
    Doc(Arc<crate::Doc>),
    Bytes(Bytes, Revision),
}

impl Txn {
    /// The document at `key`, if it exists.
    pub async fn get<D: DeserializeOwned>(&mut self, key: &str) -> Result<Option<D>> {
        let value = self.get_raw(key).await?;
        value.map(|it| decode(key, &it)).transpose()
    }

    /// As [`get`](Txn::get), sharing what the view has decoded already.
    pub async fn get_doc<D: DeserializeOwned + Any + Send + Sync>(
        &mut self,
        key: &str,
    ) -> Result<Option<Arc<D>>> {
        if let Some(written) = self.writes.get(key) {
            return written.as_ref().map(|it| decode(key, it).map(Arc::new)).transpose();
        }
        match self.read(key).await? {
            Some(Stored::Doc(doc)) => doc.decode().map(Some),
            Some(Stored::Bytes(value, _)) => decode(key, &value).map(|it| Some(Arc::new(it))),
            None => Ok(None),
        }
    }

    /// The value at `key` as it is stored.
    pub async fn get_raw(&mut self, key: &str) -> Result<Option<Bytes>> {
        if let Some(written) = self.writes.get(key) {
            return Ok(written.clone());
        }
        Ok(self.read(key).await?.map(Stored::into_value))
    }

    pub async fn exists(&mut self, key: &str) -> Result<bool> {
        match self.writes.get(key) {
            Some(written) => Ok(written.is_some()),
            None => Ok(self.read(key).await?.is_some()),
        }
    }

    /// The documents under `prefix`, which ends in `/`, with their keys, in byte order.
    pub async fn list<D: DeserializeOwned>(&mut self, prefix: &str) -> Result<Vec<(String, D)>> {
        let entries = self.list_raw(prefix).await?;
        entries.into_iter().map(|(key, value)| decode(&key, &value).map(|it| (key, it))).collect()
    }

    /// As [`list`](Txn::list), sharing what the view has decoded already.
    pub async fn list_docs<D: DeserializeOwned + Any + Send + Sync>(
        &mut self,
        prefix: &str,
    ) -> Result<Vec<(String, Arc<D>)>> {
        let entries = self.merged(prefix).await?;
        let decoded = entries.into_iter().map(|(key, stored)| {
            let doc = match stored {
                Stored::Doc(doc) => doc.decode()?,
                Stored::Bytes(value, _) => Arc::new(decode(&key, &value)?),
            };
            Ok((key, doc))
        });
        decoded.collect()
    }

    /// The values under `prefix` as they are stored.
    pub async fn list_raw(&mut self, prefix: &str) -> Result<Vec<(String, Bytes)>> {
        let entries = self.merged(prefix).await?;
        Ok(entries.into_iter().map(|(key, stored)| (key, stored.into_value())).collect())
    }

    /// The keys under `prefix`.
    pub async fn list_keys(&mut self, prefix: &str) -> Result<Vec<String>> {
        Ok(self.merged(prefix).await?.into_keys().collect())
    }

    /// Writes the document. What is equal to what stands there already is not written again.
    pub fn put(&mut self, key: impl Into<String>, document: &impl Serialize) -> Result<()> {
        let key = key.into();
        match serde_json::to_vec(document) {
            Ok(value) => self.put_raw(key, value),
            Err(source) => return Err(Error::Encode { key, source }),
        }
        Ok(())
    }

    /// Writes the value as it is.
    pub fn put_raw(&mut self, key: impl Into<String>, value: impl Into<Bytes>) {
        self.writes.insert(key.into(), Some(value.into()));
    }

    /// Deletes the document, if it exists.
    pub fn delete(&mut self, key: impl Into<String>) {
        self.writes.insert(key.into(), None);
    }

    pub(crate) fn on_view(image: Image) -> Txn {
        Txn::new(Reads::View(image))
    }

    pub(crate) fn on_store(store: Arc<dyn Store>) -> Txn {
        Txn::new(Reads::Store { store, at: None })
    }

    fn new(reads: Reads) -> Txn {
        Txn { reads, keys: BTreeMap::new(), prefixes: BTreeMap::new(), writes: BTreeMap::new() }
    }

    /// The revision that its reads see, if there was one.
    pub(crate) fn revision(&self) -> Option<Revision> {
        match &self.reads {
            Reads::View(image) => Some(image.revision()),
            Reads::Store { at, .. } => *at,
        }
    }

    /// What to commit, and whether the body wrote at all: writes that change nothing are turned into guards, so
    /// that those who watch hear only of changes.
    pub(crate) fn finish(mut self) -> Result<Finished> {
        let wrote = !self.writes.is_empty();
        let mut writes = Vec::new();
        for (key, value) in std::mem::take(&mut self.writes) {
            check_key(&key)?;
            if let Reads::View(image) = &self.reads {
                let doc = image.get(&key);
                if doc.as_ref().map(|it| it.value()) == value.as_ref() {
                    self.keys.insert(key, doc.map_or(Revision::ZERO, |it| it.modified()));
                    continue;
                }
            }
            writes.push(match value {
                Some(value) => Write::Put(key, value),
                None => Write::Delete(key),
            });
        }
        Ok(Finished { guards: self.guards(), writes, wrote })
    }

    /// A guarded prefix stands for every key under it that was read at the same revision.
    fn guards(self) -> Vec<Guard> {
        let Txn { keys, prefixes, .. } = self;
        let outer = |prefix: &str| prefixes.keys().any(|it| it != prefix && prefix.starts_with(it.as_str()));
        let mut guards: Vec<Guard> = prefixes
            .iter()
            .filter(|(prefix, _)| !outer(prefix))
            .map(|(prefix, at)| Guard::Prefix(prefix.clone(), *at))
            .collect();
        let covered = |key: &str| prefixes.keys().any(|it| key.starts_with(it.as_str()));
        guards.extend(keys.into_iter().filter(|(key, _)| !covered(key)).map(|(key, at)| Guard::Key(key, at)));
        guards
    }

    async fn read(&mut self, key: &str) -> Result<Option<Stored>> {
        check_key(key)?;
        let stored = match &mut self.reads {
            Reads::View(image) => image.get(key).map(Stored::Doc),
            Reads::Store { store, at } => {
                let snapshot = store.get(&[key], *at).await?;
                *at = Some(snapshot.at);
                snapshot.entries.into_iter().next().map(|it| Stored::Bytes(it.value, it.modified))
            }
        };
        let modified = stored.as_ref().map_or(Revision::ZERO, Stored::modified);
        self.keys.insert(key.to_owned(), modified);
        Ok(stored)
    }

    /// What is stored under `prefix`, with the transaction's writes on top.
    async fn merged(&mut self, prefix: &str) -> Result<BTreeMap<String, Stored>> {
        check_prefix(prefix)?;
        let mut entries = BTreeMap::new();
        let revision = match &mut self.reads {
            Reads::View(image) => {
                entries
                    .extend(image.list(prefix).map(|it| (it.key().to_owned(), Stored::Doc(Arc::clone(it)))));
                image.revision()
            }
            Reads::Store { store, at } => {
                let mut after = None;
                loop {
                    let page = store.list(prefix, after.as_deref(), PAGE, *at).await?;
                    *at = Some(page.at);
                    after = page.entries.last().map(|it| it.key.clone());
                    let stored =
                        page.entries.into_iter().map(|it| (it.key, Stored::Bytes(it.value, it.modified)));
                    entries.extend(stored);
                    if !page.more {
                        break page.at;
                    }
                }
            }
        };
        self.prefixes.insert(prefix.to_owned(), revision);
        for (key, written) in
            self.writes.range(prefix.to_owned()..).take_while(|(it, _)| it.starts_with(prefix))
        {
            match written {
                Some(value) => entries.insert(key.clone(), Stored::Bytes(value.clone(), Revision::ZERO)),
                None => entries.remove(key),
            };
        }
        Ok(entries)
    }
}

pub(crate) struct Finished {
    pub(crate) guards: Vec<Guard>,
    pub(crate) writes: Vec<Write>,
    pub(crate) wrote: bool,
}

impl Stored {
    fn into_value(self) -> Bytes {
        match self {
            Stored::Doc(doc) => doc.value().clone(),
            Stored::Bytes(value, _) => value,
        }
    }

    fn modified(&self) -> Revision {
        match self {
            Stored::Doc(doc) => doc.modified(),
            Stored::Bytes(_, modified) => *modified,
        }
    }
}
