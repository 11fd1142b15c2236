use std::sync::Arc;

use juju_store::{Error, Guard, Result, Revision, Store, TxnId};

use crate::support::{commit, delete, put};

const ABSENT: Revision = Revision::ZERO;

fn key(key: &str, at: Revision) -> Guard {
    Guard::Key(key.to_owned(), at)
}

fn prefix(prefix: &str, at: Revision) -> Guard {
    Guard::Prefix(prefix.to_owned(), at)
}

async fn attempt(store: &dyn Store, guards: Vec<Guard>, key: &str) -> Result<Revision> {
    store.commit(guards, vec![put(key, "x")], TxnId::new()).await
}

#[track_caller]
fn conflict(outcome: Result<Revision>) -> Revision {
    match outcome {
        Err(Error::Conflict { wait_for }) => wait_for,
        other => panic!("not a conflict: {other:?}"),
    }
}

pub async fn keys_are_guarded(store: Arc<dyn Store>) {
    let store = &*store;
    let first = attempt(store, vec![key("k/a", ABSENT)], "k/a").await.expect("it is absent");
    conflict(attempt(store, vec![key("k/a", ABSENT)], "k/a").await);
    let second = attempt(store, vec![key("k/a", first)], "k/a").await.expect("it is unchanged");
    conflict(attempt(store, vec![key("k/a", first)], "k/a").await);

    commit(store, vec![delete("k/a")]).await;
    conflict(attempt(store, vec![key("k/a", second)], "k/a").await);
    attempt(store, vec![key("k/a", ABSENT)], "k/b").await.expect("deleted is absent");
    let again = attempt(store, vec![key("k/a", ABSENT)], "k/a").await.expect("deleted is absent");
    conflict(attempt(store, vec![key("k/a", second)], "k/c").await);

    // One broken guard among many is enough, and nothing of the commit is done.
    let guards = vec![key("k/a", again), key("k/b", ABSENT), key("k/none", ABSENT)];
    conflict(attempt(store, guards, "k/c").await);
    assert!(store.get(&["k/c"], None).await.expect("get").entries.is_empty());
    // A key that was never there has no revision.
    conflict(attempt(store, vec![key("k/never", first)], "k/c").await);
}

pub async fn prefixes_are_guarded(store: Arc<dyn Store>) {
    let store = &*store;
    let start = commit(store, vec![put("p/a/1", "x"), put("p/b/1", "x"), put("p/ab", "x")]).await;
    let guarded = |at| vec![prefix("p/a/", at)];
    let at = attempt(store, guarded(start), "p/b/2").await.expect("nothing changed under it");
    let at = attempt(store, guarded(at), "p/ab").await.expect("what only begins alike is not under it");
    attempt(store, guarded(start), "p/a").await.expect("nor is what is named like it");

    // Another write, a new key and one deep below break it.
    for touched in ["p/a/1", "p/a/2", "p/a/x/y/z"] {
        let before = store.get(&[], None).await.expect("now").at;
        let changed = commit(store, vec![put(touched, "y")]).await;
        assert_eq!(conflict(attempt(store, guarded(before), "p/c").await), changed, "{touched}");
        attempt(store, guarded(changed), "p/c").await.expect("nothing since");
    }
    // Its own write under the prefix does not break a guard.
    let now = store.get(&[], None).await.expect("now").at;
    let own = attempt(store, guarded(now), "p/a/own").await.expect("its own write");
    conflict(attempt(store, guarded(at), "p/c").await);
    let all = attempt(store, vec![prefix("", own)], "p/c").await.expect("nothing at all since");
    conflict(attempt(store, vec![prefix("", own)], "p/c").await);
    // An empty set is guarded as well.
    attempt(store, vec![prefix("p/none/", start)], "p/none/1").await.expect("still empty");
    conflict(attempt(store, vec![prefix("p/none/", all)], "p/none/2").await);
    // A guard far in the past.
    for n in 0..600 {
        commit(store, vec![put("q/x", format!("{n}"))]).await;
    }
    attempt(store, vec![prefix("p/b/", all), prefix("p/none/x/", start)], "p/b/9")
        .await
        .expect("long unchanged");
    conflict(attempt(store, vec![prefix("p/b/", all)], "p/b/9").await);
}

pub async fn deletes_break_prefix_guards(store: Arc<dyn Store>) {
    let store = &*store;
    for (n, deep) in ["d/a/1", "d/a/x/1", "d/a/x/y/1"].into_iter().enumerate() {
        commit(store, vec![put(deep, "x"), put("d/b/1", "x")]).await;
        let before = store.get(&[], None).await.expect("now").at;
        let deleted = commit(store, vec![delete(deep)]).await;
        assert_eq!(conflict(attempt(store, vec![prefix("d/a/", before)], "d/c").await), deleted);
        conflict(attempt(store, vec![prefix("d/", before)], "d/c").await);
        conflict(attempt(store, vec![prefix("", before)], "d/c").await);
        attempt(store, vec![prefix("d/b/", before)], &format!("e/{n}")).await.expect("nothing there");
        attempt(store, vec![prefix("d/a/", deleted)], &format!("e/{n}")).await.expect("nothing since");
        if deep == "d/a/1" {
            attempt(store, vec![prefix("d/a/x/", before)], "e/x").await.expect("a neighbour's delete");
        }
    }
    // Nor does coming back hide it.
    commit(store, vec![put("d/a/1", "x")]).await;
    let before = store.get(&[], None).await.expect("now").at;
    commit(store, vec![delete("d/a/1")]).await;
    commit(store, vec![put("d/a/1", "x")]).await;
    conflict(attempt(store, vec![prefix("d/a/", before)], "d/c").await);
}

pub async fn checks_without_writes(store: Arc<dyn Store>) {
    let first = commit(&*store, vec![put("c/a", "x")]).await;
    let check = async |guards| store.commit(guards, vec![], TxnId::new()).await;
    assert_eq!(check(vec![key("c/a", first), prefix("c/", first)]).await.expect("it holds"), first);
    assert_eq!(store.get(&[], None).await.expect("now").at, first, "a check makes no revision");
    let second = commit(&*store, vec![put("c/a", "y")]).await;
    assert_eq!(conflict(check(vec![key("c/a", first)]).await), second);
    assert_eq!(conflict(check(vec![prefix("c/", first)]).await), second);
    assert_eq!(check(vec![]).await.expect("nothing to check"), second);
}

pub async fn conflicts_name_the_revision(store: Arc<dyn Store>) {
    let start = commit(&*store, vec![put("w/a", "x"), put("w/b", "x"), put("w/d/1", "x")]).await;
    let a = commit(&*store, vec![put("w/a", "y")]).await;
    let b = commit(&*store, vec![put("w/b", "y")]).await;
    let d = commit(&*store, vec![delete("w/d/1")]).await;
    commit(&*store, vec![put("other", "z")]).await;
    let named = async |guards| conflict(attempt(&*store, guards, "w/c").await);
    assert_eq!(named(vec![key("w/a", start)]).await, a);
    assert_eq!(named(vec![key("w/a", start), key("w/b", start)]).await, b, "the last of several");
    assert_eq!(named(vec![prefix("w/", start), key("w/a", start)]).await, d);
    // Where the exact revision is not known, a later one is named, but never one that is still to come.
    let gone = named(vec![key("w/d/1", start)]).await;
    assert!(gone >= d && gone <= store.get(&[], None).await.expect("now").at, "{gone}");
}

pub async fn a_commit_is_done_once(store: Arc<dyn Store>) {
    let name = TxnId::new();
    let first = store.commit(vec![key("o/a", ABSENT)], vec![put("o/a", "1")], name).await.expect("commit");
    let second = commit(&*store, vec![put("o/a", "2")]).await;
    // The guards no longer hold, but it was done: it answers what it answered.
    let again = store.commit(vec![key("o/a", ABSENT)], vec![put("o/a", "1")], name).await;
    assert_eq!(again.expect("the same answer"), first);
    assert_eq!(store.get(&["o/a"], None).await.expect("get").entries[0].value, "2");
    assert_eq!(store.get(&[], None).await.expect("now").at, second);
    assert_eq!(store.committed(name).await.expect("known"), Some(first));
}

pub async fn what_is_settled_stays_settled(store: Arc<dyn Store>) {
    let name = TxnId::new();
    assert_eq!(store.committed(name).await.expect("unknown"), None);
    // It arrives late, and must not be done any more.
    conflict(store.commit(vec![], vec![put("s/a", "late")], name).await);
    assert_eq!(store.committed(name).await.expect("still"), None);
    assert!(store.get(&["s/a"], None).await.expect("get").entries.is_empty());
    // A refused one may be tried again under its name, until it is settled.
    let name = TxnId::new();
    let first = commit(&*store, vec![put("s/b", "1")]).await;
    conflict(store.commit(vec![key("s/b", ABSENT)], vec![put("s/b", "2")], name).await);
    let done = store.commit(vec![key("s/b", first)], vec![put("s/b", "2")], name).await.expect("commit");
    assert_eq!(store.committed(name).await.expect("known"), Some(done));
}

pub async fn of_two_rivals_one_wins(store: Arc<dyn Store>) {
    for round in 0..20 {
        let claim = format!("rivals/{round}");
        let rivals = (0..8).map(|n| {
            let guards = vec![key(&claim, ABSENT)];
            store.commit(guards, vec![put(&claim, format!("{n}"))], TxnId::new())
        });
        let outcomes = futures_util::future::join_all(rivals).await;
        let winners: Vec<_> = outcomes.iter().filter_map(|it| it.as_ref().ok()).collect();
        assert_eq!(winners.len(), 1, "{outcomes:?}");
        let entry = &store.get(&[&claim], None).await.expect("get").entries[0];
        assert_eq!(entry.modified, *winners[0]);
        for outcome in outcomes.iter().filter(|it| it.is_err()) {
            assert!(matches!(outcome, Err(Error::Conflict { wait_for }) if *wait_for == entry.modified));
        }
    }
}
