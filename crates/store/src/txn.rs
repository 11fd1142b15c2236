//! The reads and buffered writes of one attempt at a transaction.

use std::{
    any::Any,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

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
///
/// It is a handle, and all its methods take `&self`: a body gets it by value, since a future that borrowed it
/// could not be shown to be `Send` by today's compiler.
pub struct Txn(Arc<Attempt>);

struct Attempt {
    reads: Reads,
    recorded: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    keys: BTreeMap<String, Revision>,
    prefixes: BTreeMap<String, Revision>,
    writes: BTreeMap<String, Option<Bytes>>,
}

/// Where reads come from.
enum Reads {
    View(Image),
    Store { store: Arc<dyn Store>, at: Revision },
}

/// A document as it stands in the store, before the transaction's writes.
enum Stored {
    Doc(Arc<crate::Doc>),
    Bytes(Bytes, Revision),
}

impl Txn {
    /// The document at `key`, if it exists.
    pub async fn get<D: DeserializeOwned>(&self, key: &str) -> Result<Option<D>> {
        let value = self.get_raw(key).await?;
        value.map(|it| decode(key, &it)).transpose()
    }

    /// As [`get`](Txn::get), sharing what the view has decoded already.
    pub async fn get_doc<D: DeserializeOwned + Any + Send + Sync>(
        &self,
        key: &str,
    ) -> Result<Option<Arc<D>>> {
        if let Some(written) = self.written(key) {
            return written.map(|it| decode(key, &it).map(Arc::new)).transpose();
        }
        match self.read(key).await? {
            Some(Stored::Doc(doc)) => doc.decode().map(Some),
            Some(Stored::Bytes(value, _)) => decode(key, &value).map(|it| Some(Arc::new(it))),
            None => Ok(None),
        }
    }

    /// The value at `key` as it is stored.
    pub async fn get_raw(&self, key: &str) -> Result<Option<Bytes>> {
        if let Some(written) = self.written(key) {
            return Ok(written);
        }
        Ok(self.read(key).await?.map(Stored::into_value))
    }

    pub async fn exists(&self, key: &str) -> Result<bool> {
        match self.written(key) {
            Some(written) => Ok(written.is_some()),
            None => Ok(self.read(key).await?.is_some()),
        }
    }

    /// The documents under `prefix`, which ends in `/`, with their keys, in byte order.
    pub async fn list<D: DeserializeOwned>(&self, prefix: &str) -> Result<Vec<(String, D)>> {
        let entries = self.list_raw(prefix).await?;
        entries.into_iter().map(|(key, value)| decode(&key, &value).map(|it| (key, it))).collect()
    }

    /// As [`list`](Txn::list), sharing what the view has decoded already.
    pub async fn list_docs<D: DeserializeOwned + Any + Send + Sync>(
        &self,
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
    pub async fn list_raw(&self, prefix: &str) -> Result<Vec<(String, Bytes)>> {
        let entries = self.merged(prefix).await?;
        Ok(entries.into_iter().map(|(key, stored)| (key, stored.into_value())).collect())
    }

    /// The keys under `prefix`.
    pub async fn list_keys(&self, prefix: &str) -> Result<Vec<String>> {
        Ok(self.merged(prefix).await?.into_keys().collect())
    }

    /// Writes the document. What is equal to what stands there already is not written again.
    pub fn put(&self, key: impl Into<String>, document: &impl Serialize) -> Result<()> {
        let key = key.into();
        match serde_json::to_vec(document) {
            Ok(value) => self.put_raw(key, value),
            Err(source) => return Err(Error::Encode { key, source }),
        }
        Ok(())
    }

    /// Writes the value as it is.
    pub fn put_raw(&self, key: impl Into<String>, value: impl Into<Bytes>) {
        self.recorded().writes.insert(key.into(), Some(value.into()));
    }

    /// Deletes the document, if it exists.
    pub fn delete(&self, key: impl Into<String>) {
        self.recorded().writes.insert(key.into(), None);
    }

    pub(crate) fn on_view(image: Image) -> Txn {
        Txn::new(Reads::View(image))
    }

    pub(crate) fn on_store(store: Arc<dyn Store>, at: Revision) -> Txn {
        Txn::new(Reads::Store { store, at })
    }

    fn new(reads: Reads) -> Txn {
        Txn(Arc::new(Attempt { reads, recorded: Mutex::default() }))
    }

    /// Another handle on the same attempt.
    pub(crate) fn handle(&self) -> Txn {
        Txn(Arc::clone(&self.0))
    }

    /// The revision that its reads see.
    pub fn revision(&self) -> Revision {
        match &self.0.reads {
            Reads::View(image) => image.revision(),
            Reads::Store { at, .. } => *at,
        }
    }

    /// What to commit, and whether the body wrote at all: writes that change nothing are turned into guards, so
    /// that those who watch hear only of changes.
    pub(crate) fn finish(self) -> Result<Finished> {
        let Recorded { mut keys, prefixes, writes: recorded } = std::mem::take(&mut *self.recorded());
        let wrote = !recorded.is_empty();
        let mut writes = Vec::new();
        for (key, value) in recorded {
            check_key(&key)?;
            if let Reads::View(image) = &self.0.reads {
                let doc = image.get(&key);
                if doc.as_ref().map(|it| it.value()) == value.as_ref() {
                    keys.insert(key, doc.map_or(Revision::ZERO, |it| it.modified()));
                    continue;
                }
            }
            writes.push(match value {
                Some(value) => Write::Put(key, value),
                None => Write::Delete(key),
            });
        }
        Ok(Finished { guards: guards(keys, prefixes), writes, wrote })
    }

    async fn read(&self, key: &str) -> Result<Option<Stored>> {
        check_key(key)?;
        let stored = match &self.0.reads {
            Reads::View(image) => image.get(key).map(Stored::Doc),
            Reads::Store { store, at } => {
                let found = store.get(&[key], Some(*at)).await?.entries.into_iter().next();
                found.map(|it| Stored::Bytes(it.value, it.modified))
            }
        };
        let modified = stored.as_ref().map_or(Revision::ZERO, Stored::modified);
        self.recorded().keys.insert(key.to_owned(), modified);
        Ok(stored)
    }

    /// What is stored under `prefix`, with the transaction's writes on top.
    async fn merged(&self, prefix: &str) -> Result<BTreeMap<String, Stored>> {
        check_prefix(prefix)?;
        let mut entries = BTreeMap::new();
        match &self.0.reads {
            Reads::View(image) => {
                entries
                    .extend(image.list(prefix).map(|it| (it.key().to_owned(), Stored::Doc(Arc::clone(it)))));
            }
            Reads::Store { store, at } => {
                let mut after = None;
                loop {
                    let page = store.list(prefix, after.as_deref(), PAGE, Some(*at)).await?;
                    after = page.entries.last().map(|it| it.key.clone());
                    let stored =
                        page.entries.into_iter().map(|it| (it.key, Stored::Bytes(it.value, it.modified)));
                    entries.extend(stored);
                    if !page.more {
                        break;
                    }
                }
            }
        };
        let mut recorded = self.recorded();
        recorded.prefixes.insert(prefix.to_owned(), self.revision());
        let own = recorded.writes.range(prefix.to_owned()..).take_while(|(it, _)| it.starts_with(prefix));
        for (key, written) in own {
            match written {
                Some(value) => entries.insert(key.clone(), Stored::Bytes(value.clone(), Revision::ZERO)),
                None => entries.remove(key),
            };
        }
        Ok(entries)
    }

    /// What the transaction itself wrote there, if it did: a value, or nothing.
    fn written(&self, key: &str) -> Option<Option<Bytes>> {
        self.recorded().writes.get(key).cloned()
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.0.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guarded prefix stands for every key and prefix under it: all were read at the same revision.
fn guards(keys: BTreeMap<String, Revision>, prefixes: BTreeMap<String, Revision>) -> Vec<Guard> {
    let covered = |name: &str| prefixes.keys().any(|it| it != name && name.starts_with(it.as_str()));
    let wide = prefixes.iter().filter(|(prefix, _)| !covered(prefix));
    let mut guards: Vec<Guard> = wide.map(|(prefix, at)| Guard::Prefix(prefix.clone(), *at)).collect();
    guards.extend(keys.into_iter().filter(|(key, _)| !covered(key)).map(|(key, at)| Guard::Key(key, at)));
    guards
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
