use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use juju_store::{Error, Guard, Revision, Store, TxnId, Write, limits};

use crate::support::{commit, delete, put, soon};

/// Bytes that are not all alike.
fn bytes(size: usize, seed: u8) -> Bytes {
    (0..size).map(|n| (n / 251) as u8 ^ (n as u8).wrapping_mul(31) ^ seed).collect::<Vec<u8>>().into()
}

pub async fn limits_are_the_same_everywhere(store: Arc<dyn Store>) {
    let before = store.get(&[], None).await.expect("now").at;
    let refused = async |guards, writes, text: &str| {
        let outcome = store.commit(guards, writes, TxnId::new()).await;
        match outcome {
            Err(Error::TooLarge(what)) => assert!(what.contains(text), "{what}"),
            other => panic!("{text}: {other:?}"),
        }
    };
    let puts = (0..limits::OPERATIONS).map(|n| put(&format!("n/{n}"), "x")).collect();
    refused(vec![], puts, "writes (limit 128)").await;
    let guards = (0..limits::OPERATIONS).map(|n| Guard::Key(format!("n/{n}"), Revision::ZERO)).collect();
    refused(guards, vec![put("n", "x")], "guards (limit 128)").await;
    let large = (0..6).map(|n| put(&format!("n/{n}"), bytes(limits::INLINE_BYTES, 0))).collect();
    refused(vec![], large, "bytes (limit 1572864)").await;
    let huge = vec![put("n", vec![0; limits::VALUE_BYTES + 1])];
    refused(vec![], huge, "the value of \"n\"").await;
    refused(vec![], vec![put(&"n".repeat(limits::KEY_BYTES + 1), "x")], "a key").await;
    assert_eq!(store.get(&[], None).await.expect("now").at, before, "nothing was written");
}

pub async fn the_largest_transactions_fit(store: Arc<dyn Store>) {
    let key = |n: usize| format!("f/{n:03}/{}", "k".repeat(limits::KEY_BYTES - 6));
    let writes: Vec<Write> = (0..127).map(|n| put(&key(n), "x")).collect();
    let guards: Vec<Guard> = (0..127).map(|n| Guard::Key(key(n), Revision::ZERO)).collect();
    let at = store.commit(guards, writes, TxnId::new()).await.expect("127 guards and puts with long keys");
    assert_eq!(store.list("f/", None, 1000, None).await.expect("list").entries.len(), 127);
    let guards = (0..63).map(|n| Guard::Prefix(format!("f/{n:03}/"), at)).collect();
    let deletes = (0..63).map(|n| delete(&key(n))).collect();
    store
        .commit(guards, deletes, TxnId::new())
        .await
        .expect("63 prefixes, and deletes in as many directories");
    commit(&*store, (0..126).map(|n| delete(&format!("g/{n}"))).collect()).await;
    // Just under the limit of bytes.
    let value = bytes((limits::TRANSACTION_BYTES - 1000) / 6, 1);
    commit(&*store, (0..6).map(|n| put(&format!("g/{n}"), value.clone())).collect()).await;
    // Values in parts do not count.
    let value = bytes(limits::INLINE_BYTES + 1, 2);
    commit(&*store, (0..8).map(|n| put(&format!("g/{n}"), value.clone())).collect()).await;
}

pub async fn large_values_are_whole(store: Arc<dyn Store>) {
    let start = store.get(&[], None).await.expect("now").at;
    let inline = limits::INLINE_BYTES;
    let sizes = [inline - 1, inline, inline + 1, 2 * inline, 2 * inline + 1, 5_000_000];
    let mut expected = Vec::new();
    for (n, size) in sizes.into_iter().enumerate() {
        let value = bytes(size, n as u8);
        let small = format!("{n}");
        let at = commit(&*store, vec![put(&format!("b/{n}"), value.clone()), put("b/small", small)]).await;
        expected.push((format!("b/{n}"), value, at));
    }
    for (key, value, at) in &expected {
        let entry = &store.get(&[key], None).await.expect("get").entries[0];
        assert!(entry.value == value, "{key} came back different");
        assert_eq!(entry.modified, *at);
    }
    let mut listed = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = store.list("b/", after.as_deref(), 100, None).await.expect("list");
        listed.extend(page.entries.into_iter().filter(|it| it.key != "b/small"));
        if !page.more {
            break;
        }
        after = listed.last().map(|it| it.key.clone());
    }
    let listed: Vec<_> = listed.into_iter().map(|it| (it.key, it.value, it.modified)).collect();
    assert!(listed == expected, "the list differs");
    // Nothing but the caller's keys is to be seen, and each commit is one revision with all of it.
    let mut stream = store.follow(start).await.expect("follow");
    for (key, value, at) in &expected {
        let changes = loop {
            let changes = soon("a large value", stream.next()).await.expect("more").expect("changes");
            if !changes.changes.is_empty() {
                break changes;
            }
        };
        assert_eq!(changes.revision, *at);
        assert_eq!(changes.changes.len(), 2);
        assert!(changes.changes[0] == (key.clone(), Some(value.clone())), "{key} differs in the stream");
    }
    assert_eq!(store.list("", None, 1000, None).await.expect("all").entries.len(), 7);
    // Guards see large values as any other.
    let (key, _, at) = &expected[5];
    let guards = vec![Guard::Key(key.clone(), *at)];
    store.commit(guards.clone(), vec![put(key, bytes(600_000, 9))], TxnId::new()).await.expect("unchanged");
    let late = store.commit(guards, vec![put(key, bytes(600_000, 8))], TxnId::new()).await;
    assert!(matches!(late, Err(Error::Conflict { .. })), "{late:?}");
    assert!(store.get(&[key], None).await.expect("get").entries[0].value == bytes(600_000, 9));
    assert!(store.get(&[key], Some(*at)).await.expect("get").entries[0].value == expected[5].1, "as of then");
}

pub async fn large_values_survive_compaction(store: Arc<dyn Store>) {
    let size = limits::INLINE_BYTES * 2;
    let first = commit(&*store, vec![put("s/kept", bytes(size, 1)), put("s/changed", bytes(size, 2))]).await;
    commit(&*store, vec![put("s/gone", bytes(size, 3))]).await;
    commit(&*store, vec![put("s/changed", bytes(size, 4)), delete("s/gone")]).await;
    let at = commit(&*store, vec![put("s/late", bytes(size, 5))]).await;
    let later = commit(&*store, vec![put("s/changed", bytes(size, 6))]).await;
    for _ in 0..2 {
        store.compact(at).await.expect("compact");
        let found = store.get(&["s/kept", "s/changed", "s/gone", "s/late"], None).await.expect("get");
        let expected = [("s/kept", 1, first), ("s/changed", 6, later), ("s/late", 5, at)];
        assert_eq!(found.entries.len(), expected.len());
        for (entry, (key, seed, modified)) in found.entries.iter().zip(expected) {
            assert_eq!((entry.key.as_str(), entry.modified), (key, modified));
            assert!(entry.value == bytes(size, seed), "{key}");
        }
        let then = &store.get(&["s/changed"], Some(at)).await.expect("the floor can be read").entries[0];
        assert!(then.value == bytes(size, 4));
    }
    let outcome = store.get(&["s/changed"], Some(first)).await;
    assert!(matches!(outcome, Err(Error::Compacted(_))), "{outcome:?}");
}
