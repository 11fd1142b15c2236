//! Transactions where everything is in memory: what is committed, what is guarded, and when they give up.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use juju_store::{Error, Memory, Revision, Store, View, limits, transact};
use support::{Fate, Unreliable, commit, put};
use tokio::time::Instant;

mod support;

async fn open() -> (Arc<dyn Store>, View) {
    let store = Memory::new();
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    (store, view)
}

async fn now(store: &Arc<dyn Store>) -> Revision {
    store.get(&[], None).await.expect("now").at
}

#[tokio::test(start_paused = true)]
async fn who_only_reads_commits_nothing() {
    let (store, view) = open().await;
    let at = commit(&*store, vec![put("a", "1")]).await;
    view.wait(at).await.expect("open");
    let (value, seen) = transact(&view, async |txn| txn.get::<u32>("a").await).await.expect("a read");
    assert_eq!((value, seen), (Some(1), at));
    assert_eq!(now(&store).await, at);
}

#[tokio::test(start_paused = true)]
async fn what_changes_nothing_is_not_written() {
    let (store, view) = open().await;
    let at = commit(&*store, vec![put("a", "1"), put("b", "2")]).await;
    view.wait(at).await.expect("open");
    let write = async |b: u32| {
        transact(&view, async |txn| {
            txn.put("a", &1)?;
            txn.put("b", &b)?;
            txn.delete("never");
            Ok::<_, Error>(())
        })
        .await
        .expect("a transaction")
        .1
    };
    assert_eq!(write(2).await, at, "nothing to write is checked, and makes no revision");
    let changed = write(3).await;
    assert_eq!(changed, Revision(at.0 + 1));
    let entries = store.get(&["a", "b"], None).await.expect("get").entries;
    assert_eq!((entries[0].modified, entries[1].modified), (at, changed));
}

/// A write that would change nothing is dropped only if that is still so when it is committed.
#[tokio::test(start_paused = true)]
async fn what_seemed_to_change_nothing_is_checked() {
    let (store, view) = open().await;
    let at = commit(&*store, vec![put("a", "1")]).await;
    view.wait(at).await.expect("open");
    let runs = AtomicUsize::new(0);
    transact(&view, async |txn| {
        if runs.fetch_add(1, Relaxed) == 0 {
            commit(&*store, vec![put("a", "2")]).await;
        }
        txn.put("a", &1)
    })
    .await
    .expect("a transaction");
    assert_eq!(store.get(&["a"], None).await.expect("get").entries[0].value, "1");
    assert_eq!(runs.into_inner(), 2);
}

#[tokio::test(start_paused = true)]
async fn blind_writes_meet_no_conflict() {
    let (store, view) = open().await;
    let runs = AtomicUsize::new(0);
    transact(&view, async |txn| {
        runs.fetch_add(1, Relaxed);
        commit(&*store, vec![put("a", "1")]).await;
        txn.put("a", &2)
    })
    .await
    .expect("a transaction");
    assert_eq!(runs.into_inner(), 1);
    assert_eq!(store.get(&["a"], None).await.expect("get").entries[0].value, "2");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_body_writes_nothing() {
    #[derive(Debug, thiserror::Error)]
    enum Mine {
        #[error("no")]
        No,
        #[error(transparent)]
        Store(#[from] Error),
    }
    let (store, view) = open().await;
    let before = now(&store).await;
    let outcome = transact(&view, async |txn| {
        txn.put("a", &1)?;
        Err::<(), _>(Mine::No)
    })
    .await;
    assert!(matches!(outcome, Err(Mine::No)));
    let outcome = transact(&view, async |txn| {
        txn.put("bad/", &1)?;
        Ok::<_, Mine>(())
    })
    .await;
    assert!(matches!(outcome, Err(Mine::Store(Error::Invalid(_)))));
    assert_eq!(now(&store).await, before);
}

#[tokio::test(start_paused = true)]
async fn endless_conflicts_are_given_up() {
    let (store, view) = open().await;
    let runs = AtomicUsize::new(0);
    let begun = Instant::now();
    let outcome = transact(&view, async |txn| {
        let _: Option<u32> = txn.get("a").await?;
        let run = runs.fetch_add(1, Relaxed);
        commit(&*store, vec![put("a", format!("{run}"))]).await;
        txn.put("b", &run)
    })
    .await;
    let Err(Error::Contention { attempts }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(attempts as usize, runs.into_inner());
    let spent = begun.elapsed();
    assert!(spent > Duration::from_millis(200) && spent < Duration::from_secs(10), "{spent:?}");
}

/// A body reads many keys under one listed prefix; the list guards them all.
#[tokio::test(start_paused = true)]
async fn a_list_guards_what_is_under_it() {
    let (store, view) = open().await;
    let mut last = Revision(0);
    for first in (0..300).step_by(100) {
        last = commit(&*store, (first..first + 100).map(|n| put(&format!("u/{n}"), "1")).collect()).await;
    }
    view.wait(last).await.expect("open");
    let (sum, _) = transact(&view, async |txn| {
        let mut sum = 0;
        for key in txn.list_keys("u/").await? {
            sum += txn.get::<u32>(&key).await?.unwrap_or_default();
        }
        txn.list_keys("u/x/").await?;
        txn.put("sum", &sum)?;
        Ok::<_, Error>(sum)
    })
    .await
    .expect("it fits");
    assert_eq!(sum, 300);

    let outcome = transact(&view, async |txn| {
        for n in 0..300 {
            txn.get::<u32>(&format!("u/{n}")).await?;
        }
        txn.put("sum", &0)
    })
    .await;
    assert!(matches!(&outcome, Err(Error::TooLarge(what)) if what.contains("guards")), "{outcome:?}");
    let outcome =
        transact(&view, async |txn| (0..limits::OPERATIONS).try_for_each(|n| txn.put(format!("v/{n}"), &n)))
            .await;
    assert!(matches!(&outcome, Err(Error::TooLarge(what)) if what.contains("writes")), "{outcome:?}");
}

/// Every fate of a commit, one at a time.
#[tokio::test(start_paused = true)]
async fn lost_answers_are_asked_for() {
    for (fate, expected_runs) in
        [(Fate::Answered, 1), (Fate::AnswerLost, 1), (Fate::RequestLost, 2), (Fate::Late, 2)]
    {
        let store = Memory::new();
        let turn = AtomicUsize::new(0);
        let first = move || if turn.fetch_add(1, Relaxed) == 0 { fate } else { Fate::Answered };
        let view = View::open(Unreliable::over(Arc::clone(&store), first)).await.expect("a view");
        let runs = AtomicUsize::new(0);
        let ((), at) = transact(&view, async |txn| {
            let run = runs.fetch_add(1, Relaxed);
            txn.put("a", &run)
        })
        .await
        .expect("a transaction");
        assert_eq!(runs.into_inner(), expected_runs, "{fate:?}");
        let entry = store.get(&["a"], None).await.expect("get").entries.remove(0);
        assert_eq!((entry.modified, now(&store).await), (at, at), "{fate:?}: it is done once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_closed_view_commits_nothing() {
    let (store, view) = open().await;
    view.close().await;
    let outcome = transact(&view, async |txn| txn.put("a", &1)).await;
    assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
    assert!(store.get(&["a"], None).await.expect("get").entries.is_empty());
}

/// A handler runs in a task of its own and borrows its arguments; so the future has to be `Send`.
#[tokio::test(start_paused = true)]
async fn it_runs_in_spawned_tasks() {
    struct Handler {
        view: View,
    }
    impl Handler {
        async fn add(&self, key: &str, names: &[String]) -> Result<usize, Error> {
            let (count, _) = transact(&self.view, async |txn| {
                let mut all: Vec<String> = txn.get(key).await?.unwrap_or_default();
                all.extend(names.iter().cloned());
                txn.put(key, &all)?;
                Ok::<_, Error>(all.len())
            })
            .await?;
            Ok(count)
        }
    }
    let (_, view) = open().await;
    let handler = Arc::new(Handler { view });
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..4 {
        let handler = Arc::clone(&handler);
        tasks.spawn(async move { handler.add("names", &[format!("{n}")]).await });
    }
    let counts: Vec<usize> = tasks.join_all().await.into_iter().map(|it| it.expect("added")).collect();
    assert_eq!(counts.iter().max(), Some(&4));
    assert_eq!(handler.view.get("names").expect("there").decode::<Vec<String>>().expect("names").len(), 4);
}

/// A body that counts its runs moves what it needs into each of them.
#[tokio::test(start_paused = true)]
async fn a_body_may_keep_count() {
    let (store, view) = open().await;
    let runs = Cell::new(0);
    transact(&view, |txn| {
        runs.set(runs.get() + 1);
        let (run, store) = (runs.get(), Arc::clone(&store));
        async move {
            txn.get_raw("a").await?;
            if run < 3 {
                commit(&*store, vec![put("a", format!("{run}"))]).await;
            }
            txn.put("b", &run)
        }
    })
    .await
    .expect("a transaction");
    assert_eq!(runs.get(), 3);
}
