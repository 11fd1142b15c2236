//! Large values under the bonnet: where their parts are, and when they go.

use bytes::Bytes;

use super::*;
use crate::memory::Memory;

const LARGE: usize = limits::INLINE_BYTES * 2 + 1;

fn put(key: &str, size: usize) -> Write {
    Write::Put(key.to_owned(), Bytes::from(vec![b'x'; size]))
}

async fn commit(store: &Layer<Memory>, writes: Vec<Write>) -> Revision {
    store.commit(vec![], writes, TxnId::new()).await.expect("an unguarded commit")
}

/// How many keys the bare map has under a prefix.
async fn count(store: &Layer<Memory>, prefix: &str) -> usize {
    let mut count = 0;
    let mut after: Option<String> = None;
    loop {
        let page = store.raw.list(prefix, after.as_deref(), 1000, None).await.expect("list");
        count += page.entries.len();
        after = page.entries.last().map(|it| it.key.clone());
        if !page.more {
            return count;
        }
    }
}

async fn compact_all(store: &Layer<Memory>) {
    let now = store.get(&[], None).await.expect("now").at;
    store.compact(now).await.expect("compact");
}

#[tokio::test]
async fn parts_go_when_nothing_names_them() {
    let store = Layer::over(Memory::bare());
    commit(&store, vec![put("kept", LARGE), put("replaced", LARGE), put("deleted", LARGE)]).await;
    assert_eq!((count(&store, "p/").await, count(&store, "h/").await), (9, 3));
    commit(&store, vec![put("replaced", 1), Write::Delete("deleted".to_owned())]).await;
    assert_eq!(count(&store, "p/").await, 9, "older revisions can still be read");
    compact_all(&store).await;
    assert_eq!((count(&store, "p/").await, count(&store, "h/").await), (3, 1));
    assert_eq!(store.get(&["kept"], None).await.expect("get").entries[0].value.len(), LARGE);
}

#[tokio::test]
async fn parts_stay_while_a_readable_revision_names_them() {
    let store = Layer::over(Memory::bare());
    let named = commit(&store, vec![put("a", LARGE)]).await;
    commit(&store, vec![put("a", LARGE)]).await;
    store.compact(named).await.expect("compact");
    assert_eq!(count(&store, "h/").await, 2);
    assert_eq!(store.get(&["a"], Some(named)).await.expect("get").entries[0].value.len(), LARGE);
    compact_all(&store).await;
    assert_eq!(count(&store, "h/").await, 1);
}

#[tokio::test]
async fn parts_whose_commit_never_came_go() {
    let store = Layer::over(Memory::bare());
    let conflicting = vec![Guard::Key("a".to_owned(), Revision(99))];
    let outcome = store.commit(conflicting, vec![put("a", LARGE)], TxnId::new()).await;
    assert!(matches!(outcome, Err(Error::Conflict { .. })), "{outcome:?}");
    assert_eq!(count(&store, "p/").await, 3);
    compact_all(&store).await;
    assert_eq!((count(&store, "p/").await, count(&store, "h/").await), (0, 0));
}

/// A commit that comes so late that its parts were condemned meanwhile does not name what is gone.
#[tokio::test]
async fn a_condemned_value_cannot_be_named() {
    let store = Layer::over(Memory::bare());
    let stored = parts::store(&*store.raw, Bytes::from(vec![0; LARGE])).await.expect("stored");
    compact_all(&store).await;
    let guards = vec![Guard::Key(stored.name.head(), stored.head_revision)];
    let writes = vec![Write::Put("d/a".to_owned(), frame::parts(&stored.name))];
    let outcome = store.raw.commit(guards, writes, TxnId::new()).await;
    assert!(matches!(outcome, Err(Error::Conflict { .. })), "{outcome:?}");
}

/// A reaper that died after it condemned the parts, or in the middle of removing them, is finished by the next.
#[tokio::test]
async fn a_removal_cut_short_is_finished() {
    let store = Layer::over(Memory::bare());
    let stored = parts::store(&*store.raw, Bytes::from(vec![0; LARGE])).await.expect("stored");
    let dead = Write::Put(stored.name.head(), Bytes::from_static(parts::DEAD));
    let gone = Write::Delete(stored.name.part(1));
    store.raw.commit(vec![], vec![dead, gone], TxnId::new()).await.expect("commit");
    compact_all(&store).await;
    assert_eq!((count(&store, "p/").await, count(&store, "h/").await), (0, 0));
}

#[tokio::test]
async fn parts_that_are_lost_are_noticed() {
    let store = Layer::over(Memory::bare());
    commit(&store, vec![put("a", LARGE)]).await;
    let part = store.raw.list("p/", None, 1, None).await.expect("list").entries.remove(0).key;
    store.raw.commit(vec![], vec![Write::Delete(part)], TxnId::new()).await.expect("commit");
    let outcome = store.get(&["a"], None).await;
    assert!(matches!(&outcome, Err(Error::Damaged(what)) if what.contains("\"a\"")), "{outcome:?}");
}

#[tokio::test]
async fn values_at_the_limit_are_not_in_parts() {
    let store = Layer::over(Memory::bare());
    commit(&store, vec![put("a", limits::INLINE_BYTES)]).await;
    assert_eq!(count(&store, "p/").await, 0);
    commit(&store, vec![put("a", limits::INLINE_BYTES + 1)]).await;
    assert_eq!(count(&store, "p/").await, 2);
}
