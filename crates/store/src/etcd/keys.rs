//! The cluster's keys, and the way back from them.

use crate::{
    Error, Result, Revision, TxnId,
    limits::{check_prefix, prefix_end},
};

#[derive(Clone, Debug)]
pub(super) struct Keys {
    namespace: String,
}

/// A range of the cluster's keys, its end excluded.
pub(super) struct Range {
    pub(super) start: String,
    pub(super) end: String,
}

impl Keys {
    pub(super) fn under(namespace: &str) -> Result<Keys> {
        check_prefix(namespace)?;
        Ok(Keys { namespace: namespace.to_owned() })
    }

    pub(super) fn data(&self, key: &str) -> String {
        format!("{}k/{key}", self.namespace)
    }

    pub(super) fn tombstone(&self, directory: &str) -> String {
        format!("{}t/{directory}", self.namespace)
    }

    pub(super) fn name(&self, txn: TxnId) -> String {
        format!("{}x/{txn}", self.namespace)
    }

    pub(super) fn floor(&self) -> String {
        format!("{}floor", self.namespace)
    }

    pub(super) fn data_under(&self, prefix: &str) -> Range {
        Range::under(self.data(prefix))
    }

    pub(super) fn tombstones_under(&self, prefix: &str) -> Range {
        Range::under(self.tombstone(prefix))
    }

    pub(super) fn names(&self) -> Range {
        Range::under(format!("{}x/", self.namespace))
    }

    /// The store's key behind one of the cluster's, if that is a value's.
    pub(super) fn data_key(&self, key: &[u8]) -> Result<Option<String>> {
        let Some(key) = key.strip_prefix(self.namespace.as_bytes()).and_then(|it| it.strip_prefix(b"k/"))
        else {
            return Ok(None);
        };
        let key = std::str::from_utf8(key).map_err(|_| Error::Damaged(format!("the key {key:?}")))?;
        Ok(Some(key.to_owned()))
    }
}

impl Range {
    /// `prefix` ends in `/`: at the least, the namespace's own.
    fn under(prefix: String) -> Range {
        let end = prefix_end(&prefix).unwrap_or_default();
        Range { start: prefix, end }
    }

    /// What comes after a key, which may be before the range.
    pub(super) fn after(mut self, key: &str) -> Range {
        let next = format!("{key}\0");
        if next > self.start {
            self.start = next;
        }
        self
    }
}

pub(super) fn floor_value(revision: Revision) -> Vec<u8> {
    revision.0.to_be_bytes().to_vec()
}

pub(super) fn parse_floor(value: &[u8]) -> Result<Revision> {
    let bytes = value.try_into().map_err(|_| Error::Damaged("the compaction floor in etcd".to_owned()))?;
    Ok(Revision(u64::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let keys = Keys::under("ns/").expect("a namespace");
        assert_eq!(keys.data("a/b"), "ns/k/a/b");
        assert_eq!(keys.data_key(b"ns/k/a/b").expect("text"), Some("a/b".to_owned()));
        for other in ["ns/t/a/", "ns/x/1", "ns/floor", "other/k/a"] {
            assert_eq!(keys.data_key(other.as_bytes()).expect("text"), None, "{other}");
        }
        assert!(keys.data_key(b"ns/k/\xff").is_err());
        assert!(Keys::under("ns").is_err());
    }

    #[test]
    fn ranges() {
        let keys = Keys::under("").expect("no namespace");
        let range = keys.data_under("a/");
        assert_eq!((range.start.as_str(), range.end.as_str()), ("k/a/", "k/a0"));
        let range = range.after("k/a/b");
        assert_eq!((range.start.as_str(), range.end.as_str()), ("k/a/b\0", "k/a0"));
        assert_eq!(keys.data_under("a/").after("k/0").start, "k/a/");
        let all = keys.data_under("");
        assert_eq!((all.start.as_str(), all.end.as_str()), ("k/", "k0"));
    }

    #[test]
    fn floors_sort_as_revisions_do() {
        let values: Vec<_> = [0, 1, 255, 256, 1 << 40].map(|it| floor_value(Revision(it))).into();
        assert!(values.is_sorted());
        assert_eq!(parse_floor(&values[3]).expect("a floor"), Revision(256));
        assert!(parse_floor(b"x").is_err());
    }
}
