use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt, stream::BoxStream};
use juju_store::{Changes, Error, Guard, Result, Revision, Store, TxnId, Write};

use crate::support::{commit, delete, put, soon};

type Stream = BoxStream<'static, Result<Changes>>;

/// Takes revisions up to and with `last`, leaving out those that change nothing.
async fn until(stream: &mut Stream, last: Revision) -> Vec<Changes> {
    let mut seen = Vec::new();
    loop {
        let changes = soon("a revision", stream.next()).await.expect("the stream goes on").expect("changes");
        let revision = changes.revision;
        if !changes.changes.is_empty() {
            seen.push(changes);
        }
        if revision >= last {
            assert_eq!(revision, last, "no revision is left out");
            return seen;
        }
    }
}

fn changed(changes: &Changes) -> BTreeMap<&str, Option<&Bytes>> {
    changes.changes.iter().map(|(key, value)| (key.as_str(), value.as_ref())).collect()
}

pub async fn revisions_are_followed_whole_and_in_order(store: Arc<dyn Store>) {
    let before = commit(&*store, vec![put("f/before", "x"), put("f/gone", "x")]).await;
    let mut stream = store.follow(before).await.expect("follow");
    let first = commit(&*store, vec![put("f/a", "1"), put("f/b", "1"), delete("f/gone")]).await;
    let seen = until(&mut stream, first).await;
    assert_eq!(seen.len(), 1, "what was there before is not told");
    let (a, b) = (Bytes::from("1"), Bytes::from("1"));
    assert_eq!(changed(&seen[0]), BTreeMap::from([("f/a", Some(&a)), ("f/b", Some(&b)), ("f/gone", None)]));

    // Many writers at once; each transaction arrives in one piece, in the order of revisions.
    let writers = (0..10).map(|writer| {
        let store = Arc::clone(&store);
        async move {
            let mut revisions = Vec::new();
            for n in 0..20 {
                let value = format!("{writer}.{n}");
                let writes = (0..3).map(|key| put(&format!("f/{writer}/{key}"), value.clone())).collect();
                revisions.push((commit(&*store, writes).await, value));
            }
            revisions
        }
    });
    let (writers, waiting) = (futures_util::future::join_all(writers), soon("to start", stream.next()));
    let (revisions, first) = tokio::join!(writers, waiting);
    let expected: BTreeMap<Revision, String> = revisions.into_iter().flatten().collect();
    assert_eq!(expected.len(), 200, "each has a revision of its own");
    let last = *expected.keys().next_back().expect("some");
    let mut seen = vec![first.expect("more").expect("changes")];
    seen.extend(until(&mut stream, last).await);
    assert_eq!(seen.len(), 200);
    for (changes, (revision, value)) in seen.iter().zip(&expected) {
        assert_eq!(changes.revision, *revision);
        assert_eq!(changes.changes.len(), 3);
        assert!(changes.changes.iter().all(|(_, it)| it.as_deref() == Some(value.as_bytes())));
    }
}

pub async fn a_stream_is_resumed(store: Arc<dyn Store>) {
    let start = store.get(&[], None).await.expect("now").at;
    let mut revisions = Vec::new();
    for n in 0..50 {
        revisions.push(commit(&*store, vec![put("r/a", format!("{n}")), put(&format!("r/{n}"), "x")]).await);
    }
    let mut whole = store.follow(start).await.expect("follow");
    let whole = until(&mut whole, revisions[49]).await;
    assert_eq!(whole.iter().map(|it| it.revision).collect::<Vec<_>>(), revisions);
    for from in [0, 1, 24, 48] {
        let mut resumed = store.follow(revisions[from]).await.expect("follow");
        assert_eq!(until(&mut resumed, revisions[49]).await, whole[from + 1..], "from {from}");
    }
    // From the newest there is nothing until there is something.
    let mut live = store.follow(revisions[49]).await.expect("follow");
    let next = commit(&*store, vec![put("r/next", "x")]).await;
    assert_eq!(until(&mut live, next).await[0].changes, [("r/next".to_owned(), Some(Bytes::from("x")))]);
}

pub async fn followers_agree(store: Arc<dyn Store>) {
    let start = store.get(&[], None).await.expect("now").at;
    let mut early = store.follow(start).await.expect("follow");
    let mut last = start;
    for n in 0..3000_u32 {
        let writes: Vec<Write> = match n % 10 {
            9 => vec![delete(&format!("a/{}", n % 7))],
            _ => vec![put(&format!("a/{}", n % 7), format!("{n}")), put("a/last", format!("{n}"))],
        };
        if n % 100 != 0 {
            // Not all in turn, so that groups form.
            let pair = tokio::join!(
                store.commit(vec![], writes, TxnId::new()),
                store.commit(vec![], vec![put("b", format!("{n}"))], TxnId::new()),
            );
            last = last.max(pair.0.expect("commit")).max(pair.1.expect("commit"));
        } else {
            last = last.max(commit(&*store, writes).await);
        }
        if n == 300 && start != Revision::ZERO {
            // Where each commit goes through a cluster that many are enough.
            break;
        }
    }
    let mut late = store.follow(start).await.expect("follow");
    let (early, late) = tokio::join!(until(&mut early, last), until(&mut late, last));
    assert_eq!(early.len(), late.len());
    let mut image = BTreeMap::new();
    for (one, other) in early.iter().zip(&late) {
        assert_eq!(one.revision, other.revision);
        assert_eq!(changed(one), changed(other));
        for (key, value) in &one.changes {
            match value {
                Some(value) => image.insert(key.clone(), (value.clone(), one.revision)),
                None => image.remove(key),
            };
        }
    }
    // What the stream adds up to is what is there.
    let listed = store.list("", None, 1000, None).await.expect("list").entries;
    let listed: BTreeMap<_, _> = listed.into_iter().map(|it| (it.key, (it.value, it.modified))).collect();
    assert_eq!(image, listed);
}

#[track_caller]
fn compacted<T: std::fmt::Debug>(outcome: Result<T>) {
    assert!(matches!(outcome, Err(Error::Compacted(_))), "{outcome:?}");
}

pub async fn compaction_forgets(store: Arc<dyn Store>) {
    let first = commit(&*store, vec![put("c/a", "1"), put("c/b", "1"), put("c/d", "1")]).await;
    let second = commit(&*store, vec![put("c/a", "2"), delete("c/d")]).await;
    let third = commit(&*store, vec![put("c/a", "3")]).await;
    store.compact(third).await.expect("compact");
    for old in [first, second] {
        compacted(store.get(&["c/a"], Some(old)).await);
        compacted(store.list("c/", None, 10, Some(old)).await);
        let guards = vec![Guard::Prefix("c/".to_owned(), old)];
        compacted(store.commit(guards, vec![put("c/x", "")], TxnId::new()).await);
        match store.follow(old).await {
            Err(err) => compacted::<()>(Err(err)),
            Ok(mut stream) => compacted(soon("an end", stream.next()).await.expect("an error")),
        }
    }
    // A delete that is forgotten would not break a guard from before it, so the guard is refused.
    let before = commit(&*store, vec![put("g/1", "x")]).await;
    let deleted = commit(&*store, vec![delete("g/1")]).await;
    store.compact(deleted).await.expect("compact");
    for prefix in ["g/", "never/"] {
        let guards = vec![Guard::Prefix(prefix.to_owned(), before)];
        compacted(store.commit(guards, vec![put("c/x", "")], TxnId::new()).await);
    }
    let third = deleted;
    // The revision itself can still be read and followed from, and guards from it on hold.
    assert_eq!(store.get(&["c/a"], Some(third)).await.expect("get").entries[0].value, "3");
    assert_eq!(store.list("c/", None, 10, Some(third)).await.expect("list").entries.len(), 2);
    let mut stream = store.follow(third).await.expect("follow");
    let guards = vec![Guard::Prefix("c/".to_owned(), third), Guard::Key("c/b".to_owned(), first)];
    let next = store.commit(guards, vec![put("c/x", "")], TxnId::new()).await.expect("nothing changed since");
    assert_eq!(until(&mut stream, next).await.len(), 1);
}

pub async fn compaction_keeps_what_is_there(store: Arc<dyn Store>) {
    let mut modified = BTreeMap::new();
    for n in 0..100 {
        let key = format!("k/{}", n % 13);
        if n % 10 == 7 {
            commit(&*store, vec![delete(&key)]).await;
            modified.remove(&key);
        } else {
            let at = commit(&*store, vec![put(&key, format!("{n}"))]).await;
            modified.insert(key, at);
        }
        if n % 25 == 24 {
            let now = store.get(&[], None).await.expect("now").at;
            store.compact(Revision(now.0 - 5)).await.expect("compact");
            store.compact(Revision(now.0.saturating_sub(50))).await.expect("an older one changes nothing");
            let listed = store.list("k/", None, 100, None).await.expect("list").entries;
            let listed: BTreeMap<_, _> = listed.into_iter().map(|it| (it.key, it.modified)).collect();
            assert_eq!(listed, modified);
        }
    }
    // More than is there is all that is there.
    store.compact(Revision(u64::MAX >> 12)).await.expect("compact");
    assert_eq!(store.list("k/", None, 100, None).await.expect("list").entries.len(), modified.len());
    let (key, at) = modified.into_iter().next().expect("some");
    let guards = vec![Guard::Key(key.clone(), at)];
    store.commit(guards, vec![put(&key, "x")], TxnId::new()).await.expect("guards of keys have no age");
}

pub async fn compaction_is_announced(store: Arc<dyn Store>) {
    let first = commit(&*store, vec![put("n/a", "1")]).await;
    let second = commit(&*store, vec![put("n/a", "2")]).await;
    let mut stream = store.follow(first).await.expect("follow");
    until(&mut stream, second).await;
    store.compact(second).await.expect("compact");
    let next = commit(&*store, vec![put("n/a", "3")]).await;
    let mut floors = Vec::new();
    loop {
        let changes = soon("the news", stream.next()).await.expect("more").expect("changes");
        floors.extend(changes.compacted);
        if changes.revision >= next {
            break;
        }
    }
    assert_eq!(floors, [second]);
}

pub async fn deletes_are_seen_after_compaction(store: Arc<dyn Store>) {
    commit(&*store, vec![put("t/a/1", "x"), put("t/a/2", "x")]).await;
    commit(&*store, vec![delete("t/a/1")]).await;
    let now = store.get(&[], None).await.expect("now").at;
    // The tombstone of the first delete goes; the guard is from before the second, which it must see.
    store.compact(now).await.expect("compact");
    let before = store.get(&[], None).await.expect("now").at;
    let deleted = commit(&*store, vec![delete("t/a/2")]).await;
    let guards = vec![Guard::Prefix("t/a/".to_owned(), before)];
    let outcome = store.commit(guards, vec![put("t/b", "")], TxnId::new()).await;
    assert!(matches!(outcome, Err(Error::Conflict { wait_for }) if wait_for == deleted), "{outcome:?}");
    // A key that was forgotten altogether is absent, and can come back.
    store.compact(deleted).await.expect("compact");
    let guards = vec![Guard::Key("t/a/1".to_owned(), Revision::ZERO)];
    let back = store.commit(guards, vec![put("t/a/1", "x")], TxnId::new()).await.expect("absent");
    assert_eq!(store.get(&["t/a/1"], None).await.expect("get").entries[0].modified, back);
}
