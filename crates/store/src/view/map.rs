//! A sorted map whose copies are cheap: the view changes one while readers keep the one they have.
//!
//! It is two levels deep, a list of chunks of some hundred documents each, all behind `Arc`s. A copy is one
//! reference; the first change after it copies the list of chunks (a pointer for each) and the one chunk it
//! touches. That suits what a view does: few changes, in batches, against very many reads, most of them scans
//! over neighbours, which here are neighbours in memory as well. A lock around a `BTreeMap` would make readers
//! and the stream wait for each other, and could not hand out a consistent image of the whole.

use std::sync::Arc;

use super::doc::Doc;

/// A chunk is split in halves when it grows past this.
const CHUNK: usize = 256;

type Chunk = Arc<Vec<Arc<Doc>>>;

/// Documents by their keys. No chunk is empty.
#[derive(Clone, Default)]
pub(super) struct Map {
    chunks: Arc<Vec<Chunk>>,
    len: usize,
}

impl Map {
    pub(super) fn get(&self, key: &str) -> Option<&Arc<Doc>> {
        let chunk = self.chunks.get(self.chunk_of(key))?;
        let at = chunk.binary_search_by(|it| it.key().cmp(key)).ok()?;
        Some(&chunk[at])
    }

    /// The documents whose keys begin with `prefix`.
    pub(super) fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Arc<Doc>> {
        let first = self.chunk_of(prefix);
        let skipped = self.chunks.get(first).map_or(0, |it| it.partition_point(|doc| doc.key() < prefix));
        let chunks = self.chunks.get(first..).unwrap_or_default();
        chunks
            .iter()
            .flat_map(|it| it.iter())
            .skip(skipped)
            .take_while(move |it| it.key().starts_with(prefix))
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn insert(&mut self, doc: Doc) {
        let n = self.chunk_of(doc.key());
        let chunks = Arc::make_mut(&mut self.chunks);
        let Some(chunk) = chunks.get_mut(n) else {
            chunks.push(Arc::new(vec![Arc::new(doc)]));
            self.len += 1;
            return;
        };
        let chunk = Arc::make_mut(chunk);
        match chunk.binary_search_by(|it| it.key().cmp(doc.key())) {
            Ok(at) => chunk[at] = Arc::new(doc),
            Err(at) => {
                chunk.insert(at, Arc::new(doc));
                self.len += 1;
            }
        }
        if chunk.len() > CHUNK {
            // Who fills the map in order keeps full chunks.
            let at_end = chunk.len() - 1;
            let half = if n + 1 == chunks.len() { at_end } else { CHUNK / 2 };
            let upper = Arc::make_mut(&mut chunks[n]).split_off(half);
            chunks.insert(n + 1, Arc::new(upper));
        }
    }

    pub(super) fn remove(&mut self, key: &str) {
        let n = self.chunk_of(key);
        let Some(chunk) = self.chunks.get(n) else { return };
        let Ok(at) = chunk.binary_search_by(|it| it.key().cmp(key)) else { return };
        let chunks = Arc::make_mut(&mut self.chunks);
        Arc::make_mut(&mut chunks[n]).remove(at);
        self.len -= 1;
        let next = n + 1;
        if chunks[n].is_empty() {
            chunks.remove(n);
        } else if next < chunks.len() && chunks[n].len() + chunks[next].len() < CHUNK / 2 {
            let upper = chunks.remove(next);
            Arc::make_mut(&mut chunks[n]).extend(upper.iter().cloned());
        }
    }

    /// The chunk that holds `key` if any does: the last that begins at or before it, else the first.
    fn chunk_of(&self, key: &str) -> usize {
        self.chunks.partition_point(|it| it[0].key() <= key).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;
    use crate::Revision;

    fn doc(key: &str, n: u64) -> Doc {
        Doc::new(key.into(), Some(Bytes::new()), Revision(n))
    }

    fn contents(map: &Map, prefix: &str) -> Vec<(String, Revision)> {
        map.under(prefix).map(|it| (it.key().to_owned(), it.modified())).collect()
    }

    #[derive(Clone, Debug)]
    enum Op {
        Insert(u16),
        Remove(u16),
        RemoveMany(u16),
    }

    fn op() -> impl Strategy<Value = Op> {
        let key = 0..4000u16;
        prop_oneof![
            6 => key.clone().prop_map(Op::Insert),
            2 => key.clone().prop_map(Op::Remove),
            1 => key.prop_map(Op::RemoveMany),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Against the standard map, with a copy taken half-way that must not move.
        #[test]
        fn is_a_sorted_map(ops in prop::collection::vec(op(), 0..1500)) {
            let mut map = Map::default();
            let mut model = BTreeMap::new();
            let mut copy = (map.clone(), model.clone());
            for (n, op) in ops.iter().enumerate() {
                let n = n as u64;
                let key = |k: u16| format!("{}/{k:04}", k % 7);
                match op {
                    Op::Insert(k) => {
                        for k in [*k, k / 2, k / 3] {
                            map.insert(doc(&key(k), n));
                            model.insert(key(k), Revision(n));
                        }
                    }
                    Op::Remove(k) => {
                        map.remove(&key(*k));
                        model.remove(&key(*k));
                    }
                    Op::RemoveMany(k) => {
                        for k in (*k..4000).step_by(7).take(200) {
                            map.remove(&key(k));
                            model.remove(&key(k));
                        }
                    }
                }
                if n as usize == ops.len() / 2 {
                    copy = (map.clone(), model.clone());
                }
            }
            for (map, model) in [(map, model), copy] {
                prop_assert_eq!(map.len(), model.len());
                prop_assert!(map.chunks.iter().all(|it| !it.is_empty() && it.len() <= CHUNK));
                for prefix in ["", "0/", "3/", "6/", "9/"] {
                    let expected: Vec<_> =
                        model.iter().filter(|(k, _)| k.starts_with(prefix)).map(|(k, v)| (k.clone(), *v)).collect();
                    prop_assert_eq!(contents(&map, prefix), expected);
                }
                for k in (0..4000).step_by(13) {
                    let key = format!("{}/{k:04}", k % 7);
                    prop_assert_eq!(map.get(&key).map(|it| it.modified()), model.get(&key).copied());
                }
            }
        }
    }

    #[test]
    fn filled_in_order_it_is_dense() {
        let mut map = Map::default();
        for n in 0..10_000 {
            map.insert(doc(&format!("{n:05}"), n));
        }
        assert!(map.chunks.len() <= 10_000 / CHUNK + 1, "{} chunks", map.chunks.len());
    }
}
