use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use juju_store::{Error, Revision, Store, Txn, View, transact};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::support::{Fate, Unreliable, commit, put};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Counter {
    count: u32,
}

async fn count(store: &dyn Store, key: &str) -> u32 {
    let entry = store.get(&[key], None).await.expect("get").entries.pop().expect("the counter");
    serde_json::from_slice::<Counter>(&entry.value).expect("a counter").count
}

async fn increment(txn: &Txn, key: &str) -> Result<u32, Error> {
    let mut counter: Counter = txn.get(key).await?.unwrap_or_default();
    tokio::task::yield_now().await;
    counter.count += 1;
    txn.put(key, &counter)?;
    Ok(counter.count)
}

pub async fn no_update_is_lost(store: Arc<dyn Store>) {
    let views = [View::open(Arc::clone(&store)).await, View::open(Arc::clone(&store)).await];
    let views = views.map(|it| it.expect("a view"));
    let mut tasks = JoinSet::new();
    for n in 0..8 {
        let view = views[n % 2].clone();
        tasks.spawn(async move {
            let mut last = Revision::ZERO;
            for _ in 0..10 {
                let ((), at) = transact(&view, async |txn| {
                    increment(&txn, "count/shared").await?;
                    increment(&txn, &format!("count/{n}")).await?;
                    Ok::<_, Error>(())
                })
                .await
                .expect("an increment");
                assert!(at > last && view.revision() >= at, "the view has reached what was answered");
                last = at;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("no panic");
    }
    assert_eq!(count(&*store, "count/shared").await, 80);
    for n in 0..8 {
        assert_eq!(count(&*store, &format!("count/{n}")).await, 10);
    }
}

pub async fn lists_are_guarded(store: Arc<dyn Store>) {
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    commit(&*store, vec![put("unit/a/0", "1"), put("unit/a/1", "1"), put("unit/ab/0", "1")]).await;
    view.catch_up().await.expect("catch up");
    for disturb in ["put", "delete", "change", "elsewhere"] {
        let runs = AtomicUsize::new(0);
        let (units, _) = transact(&view, async |txn| {
            let units = txn.list_keys("unit/a/").await?.len();
            if runs.fetch_add(1, Relaxed) == 0 {
                let write = match disturb {
                    "put" => put("unit/a/2", "1"),
                    "delete" => juju_store::Write::Delete("unit/a/2".to_owned()),
                    "change" => put("unit/a/1", "2"),
                    _ => put("unit/ab/1", "1"),
                };
                commit(&*store, vec![write]).await;
            }
            txn.put("count", &format!("{units} {disturb}"))?;
            Ok::<_, Error>(units)
        })
        .await
        .expect("a count");
        let expected = match disturb {
            "put" => (2, 3),
            "delete" | "change" => (2, 2),
            _ => (1, 2),
        };
        assert_eq!((runs.into_inner(), units), expected, "{disturb}");
    }
}

/// Each of two goes off duty only while the other is on. Guards on what was read, not only on what was written,
/// keep one of them there.
pub async fn no_write_skew(store: Arc<dyn Store>) {
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    for round in 0..10 {
        let duty = |who: usize| format!("duty/{round}/{who}");
        commit(&*store, vec![put(&duty(0), "true"), put(&duty(1), "true")]).await;
        view.catch_up().await.expect("catch up");
        let leave = |who: usize| {
            let view = view.clone();
            async move {
                let (left, _) = transact(&view, async |txn| {
                    let on_duty = match who {
                        0 => txn
                            .list::<bool>(&format!("duty/{round}/"))
                            .await?
                            .iter()
                            .filter(|it| it.1)
                            .count(),
                        _ => {
                            let other: Option<bool> = txn.get(&duty(0)).await?;
                            1 + usize::from(other == Some(true))
                        }
                    };
                    tokio::task::yield_now().await;
                    if on_duty > 1 {
                        txn.put(duty(who), &false)?;
                    }
                    Ok::<_, Error>(on_duty > 1)
                })
                .await
                .expect("a decision");
                left
            }
        };
        let (one, other) = tokio::join!(leave(0), leave(1));
        assert!(one ^ other, "round {round}: {one} {other}");
    }
}

pub async fn a_body_sees_its_own_writes(store: Arc<dyn Store>) {
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    commit(&*store, vec![put("o/a", "1"), put("o/b", "2"), put("o/c", "3")]).await;
    view.catch_up().await.expect("catch up");
    let ((), at) = transact(&view, async |txn| {
        txn.put("o/b", &20)?;
        txn.delete("o/a");
        txn.put("o/d", &4)?;
        txn.put("other", &5)?;
        let listed: Vec<(String, u32)> = txn.list("o/").await?;
        assert_eq!(listed, [("o/b".to_owned(), 20), ("o/c".to_owned(), 3), ("o/d".to_owned(), 4)]);
        assert_eq!(txn.get::<u32>("o/a").await?, None);
        assert_eq!(txn.get::<u32>("o/b").await?, Some(20));
        assert_eq!(txn.get_doc::<u32>("o/d").await?.as_deref(), Some(&4));
        assert_eq!(txn.get_doc::<u32>("o/c").await?.as_deref(), Some(&3));
        assert!(!txn.exists("o/a").await? && txn.exists("o/d").await? && txn.exists("o/c").await?);
        txn.put("o/a", &10)?;
        txn.delete("o/d");
        assert_eq!(txn.list_keys("o/").await?, ["o/a", "o/b", "o/c"]);
        let shared = txn.list_docs::<u32>("o/").await?;
        assert_eq!(shared.iter().map(|it| *it.1).collect::<Vec<_>>(), [10, 20, 3]);
        Ok::<_, Error>(())
    })
    .await
    .expect("a transaction");
    let entries = store.list("", None, 10, None).await.expect("list").entries;
    let entries: Vec<_> =
        entries.iter().map(|it| (it.key.as_str(), &it.value[..], it.modified == at)).collect();
    let expected: [(&str, &[u8], bool); 4] =
        [("o/a", b"10", true), ("o/b", b"20", true), ("o/c", b"3", false), ("other", b"5", true)];
    assert_eq!(entries, expected);
}

/// However answers and requests get lost, each increment that was answered is there once, and what was not
/// answered is there at most once.
pub async fn uncertain_commits_are_done_once(store: Arc<dyn Store>) {
    use Fate::*;
    let fates = [Answered, AnswerLost, RequestLost, Late, Answered, Late, AnswerLost];
    let turn = AtomicUsize::new(0);
    let fate = move || fates[turn.fetch_add(1, Relaxed) % fates.len()];
    let unreliable = Unreliable::over(Arc::clone(&store), fate);
    let view = View::open(unreliable).await.expect("a view");
    let mut tasks = JoinSet::new();
    for n in 0..4 {
        let view = view.clone();
        tasks.spawn(async move {
            for step in 0..15_u32 {
                let increments = transact(&view, async |txn| {
                    // Blind, so that no guard but the name's own keeps a late copy out.
                    txn.put(format!("blind/{n}"), &step)?;
                    increment(&txn, "count").await
                });
                increments.await.expect("an increment");
                let blind =
                    view.get(&format!("blind/{n}")).expect("written").decode::<u32>().expect("a number");
                assert_eq!(*blind, step, "a late copy was done");
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("no panic");
    }
    assert_eq!(count(&*store, "count").await, 60);
}

pub async fn without_a_view(store: Arc<dyn Store>) {
    for n in 0..3 {
        let (seen, at) = transact(&store, async |txn| {
            let mut listed = txn.list_keys("w/").await?;
            listed.push(format!("{}", txn.exists("w/0").await?));
            txn.put(format!("w/{n}"), &n)?;
            Ok::<_, Error>(listed)
        })
        .await
        .expect("a transaction");
        assert_eq!(seen.len(), n + 1);
        assert_eq!(seen.last().map(String::as_str), Some(if n == 0 { "false" } else { "true" }));
        assert_eq!(store.get(&[&format!("w/{n}")], None).await.expect("get").entries[0].modified, at);
    }
    // What it reads is one revision, also when others write in between.
    let runs = AtomicUsize::new(0);
    let (sum, _) = transact(&store, async |txn| {
        let one: u32 = txn.get("w/0").await?.unwrap_or_default();
        if runs.fetch_add(1, Relaxed) == 0 {
            commit(&*store, vec![put("w/0", "10"), put("w/1", "11")]).await;
        }
        let other: u32 = txn.get("w/1").await?.unwrap_or_default();
        assert!([1, 21].contains(&(one + other)), "torn: {one} {other}");
        txn.put("w/sum", &(one + other))?;
        Ok::<_, Error>(one + other)
    })
    .await
    .expect("a transaction");
    assert_eq!((runs.into_inner(), sum), (2, 21));
}
