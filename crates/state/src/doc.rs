//! How a document stands in the store: its typed key, its version, and the ways to read and write it.

use std::{fmt, marker::PhantomData, sync::Arc};

use juju_store::Image;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, de::DeserializeOwned};

use crate::{Result, Tx};

/// A kind of document. Its first field is `pub v: V<n>`, where `n` is the version of its shape.
///
/// Fields may be added with `#[serde(default)]` under the same version; whatever else changes its meaning makes the
/// next version and an upgrade step that rewrites the documents of the one before.
pub trait Doc: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// What one is called where people read it.
    const KIND: &'static str;
}

/// The version of a document's shape: a number in the store, nothing in memory. A document of another version is not
/// read as this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct V<const N: u32>;

impl<const N: u32> Serialize for V<N> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(N)
    }
}

impl<'de, const N: u32> Deserialize<'de> for V<N> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let found = u32::deserialize(from)?;
        if found == N {
            return Ok(V);
        }
        Err(de::Error::custom(format_args!(
            "the document has version {found}, this program reads version {N}"
        )))
    }
}

/// Where one document stands.
pub struct Key<D> {
    path: String,
    doc: PhantomData<fn() -> D>,
}

impl<D: Doc> Key<D> {
    pub(crate) fn new(path: String) -> Key<D> {
        Key { path, doc: PhantomData }
    }

    /// The document as the transaction sees it; from now on the transaction depends upon it.
    pub(crate) async fn get(&self, tx: &Tx) -> Result<Option<Arc<D>>> {
        Ok(tx.txn.get_doc(&self.path).await?)
    }

    pub(crate) async fn exists(&self, tx: &Tx) -> Result<bool> {
        Ok(tx.txn.exists(&self.path).await?)
    }

    pub(crate) fn put(&self, tx: &Tx, doc: &D) -> Result<()> {
        Ok(tx.txn.put(self.path.as_str(), doc)?)
    }

    pub(crate) fn delete(&self, tx: &Tx) {
        tx.txn.delete(self.path.as_str());
    }

    /// The document as of the image.
    pub fn read(&self, image: &Image) -> Result<Option<Arc<D>>> {
        Ok(image.read(&self.path)?)
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

impl<D> Clone for Key<D> {
    fn clone(&self) -> Self {
        Key { path: self.path.clone(), doc: PhantomData }
    }
}

impl<D> fmt::Debug for Key<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

/// Where all documents of a kind stand, or those of one owner. It ends in `/`.
pub struct Prefix<D> {
    path: String,
    doc: PhantomData<fn() -> D>,
}

impl<D: Doc> Prefix<D> {
    pub(crate) fn new(path: String) -> Prefix<D> {
        debug_assert!(path.ends_with('/'), "{path:?}");
        Prefix { path, doc: PhantomData }
    }

    /// The documents, each with what follows the prefix in its key. The transaction then depends upon all that is,
    /// was, or might come to be under the prefix.
    pub(crate) async fn list(&self, tx: &Tx) -> Result<Vec<(String, Arc<D>)>> {
        let docs = tx.txn.list_docs(&self.path).await?;
        Ok(docs.into_iter().map(|(key, doc)| (key[self.path.len()..].to_owned(), doc)).collect())
    }

    /// What follows the prefix in each key; the transaction depends upon them as by [`list`](Prefix::list).
    pub(crate) async fn names(&self, tx: &Tx) -> Result<Vec<String>> {
        let keys = tx.txn.list_keys(&self.path).await?;
        Ok(keys.into_iter().map(|key| key[self.path.len()..].to_owned()).collect())
    }

    pub(crate) async fn is_empty(&self, tx: &Tx) -> Result<bool> {
        Ok(tx.txn.list_keys(&self.path).await?.is_empty())
    }

    /// The documents as of the image, each with what follows the prefix in its key.
    pub fn read<'a>(&'a self, image: &'a Image) -> impl Iterator<Item = Result<(&'a str, Arc<D>)>> + 'a {
        image.list(&self.path).map(|doc| Ok((&doc.key()[self.path.len()..], doc.decode::<D>()?)))
    }

    /// What follows the prefix in each key, as of the image.
    pub(crate) fn read_names<'a>(&'a self, image: &'a Image) -> impl Iterator<Item = &'a str> + 'a {
        image.list(&self.path).map(|doc| &doc.key()[self.path.len()..])
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// What follows the prefix in the key, if it stands under it.
    pub(crate) fn name_in<'k>(&self, key: &'k str) -> Option<&'k str> {
        key.strip_prefix(self.path.as_str())
    }
}

impl<D> Clone for Prefix<D> {
    fn clone(&self) -> Self {
        Prefix { path: self.path.clone(), doc: PhantomData }
    }
}

impl<D> fmt::Debug for Prefix<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Thing {
        v: V<2>,
        name: String,
    }

    #[test]
    fn documents_carry_their_version() {
        let thing = Thing { v: V, name: "x".into() };
        let text = serde_json::to_string(&thing).unwrap();
        assert_eq!(text, r#"{"v":2,"name":"x"}"#);
        assert_eq!(serde_json::from_str::<Thing>(&text).unwrap(), thing);
        let err = serde_json::from_str::<Thing>(r#"{"v":3,"name":"x"}"#).unwrap_err();
        assert!(
            err.to_string().starts_with("the document has version 3, this program reads version 2"),
            "{err}"
        );
        assert!(serde_json::from_str::<Thing>(r#"{"name":"x"}"#).is_err());
    }
}
