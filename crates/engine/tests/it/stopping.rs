//! How an engine ends: by being told, by fatal errors, in order, in time.

use std::time::Duration;

use anyhow::bail;
use juju_engine::{Engine, Exit, Key, Manifold, Scope};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::common::{A, B, C, Fatal, Log, config, pass, run, stay, steady};

#[tokio::test(start_paused = true)]
async fn dependents_stop_before_their_inputs() {
    let log = Log::default();
    // Each takes a second to stop; d is by itself.
    let slow = |key: Key<u32>, inputs: Vec<Key<u32>>| {
        let log = log.clone();
        let start = move |_: Vec<u32>, scope: Scope<u32>| {
            let log = log.clone();
            async move {
                scope.publish(0);
                scope.cancelled().await;
                pass(1000).await;
                log.add(scope.name());
                Ok(())
            }
        };
        Manifold::<Fatal>::new(key, crate::common::Many::required(inputs), start, Exit::of)
    };
    let d = Key::new("d");
    let engine = run(vec![slow(A, vec![]), slow(B, vec![A]), slow(C, vec![A, B]), slow(d, vec![])]);
    pass(100).await;
    let begin = Instant::now();
    engine.cancel.cancel();
    pass(500).await;
    let report = engine.handle.report();
    assert_eq!(report.state, "stopping");
    let states = ["a", "b", "c", "d"].map(|name| report.manifolds[name].state);
    assert_eq!(states, ["started", "started", "stopping", "stopping"]);
    let handle = engine.handle.clone();
    let outcome = engine.ended().await;
    assert!(outcome.fatal.is_none() && outcome.late.is_empty() && outcome.stuck.is_empty());
    assert_eq!(begin.elapsed(), Duration::from_secs(3));
    let mut order = log.take();
    order[..2].sort();
    assert_eq!(order, ["c", "d", "b", "a"]);
    assert_eq!(handle.report().state, "stopped");
    assert_eq!(handle.wait_for(|_| false).await, None, "nobody waits for an engine that is gone");
}

#[tokio::test(start_paused = true)]
async fn late_workers_are_named_and_aborted_and_the_rest_stops_in_order() {
    let log = Log::default();
    let seen = log.clone();
    let deaf = move |(_,): (u32,), scope: Scope<u32>| {
        let seen = seen.clone();
        async move {
            let _end = seen.at_end("b");
            let end = seen.at_end("its child");
            scope.spawn(async move {
                let _end = end;
                std::future::pending().await
            });
            std::future::pending().await
        }
    };
    let engine = run(vec![steady(&log, A, 1), Manifold::new(B, (A,), deaf, Exit::of)]);
    pass(100).await;
    let begin = Instant::now();
    let outcome = engine.stop().await;
    assert_eq!(outcome.late, ["b"]);
    assert_eq!(outcome.stuck, [] as [&str; 0]);
    assert_eq!(begin.elapsed(), config().stop_timeout);
    assert_eq!(log.take(), ["a up 1", "b", "its child", "a down"]);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_for_a_late_worker_has_little_time_left() {
    let deaf = |key: Key<u32>, inputs: Vec<Key<u32>>| {
        let start = |_: Vec<u32>, scope: Scope<u32>| async move {
            scope.publish(0);
            std::future::pending().await
        };
        Manifold::<Fatal>::new(key, crate::common::Many::required(inputs), start, Exit::of)
    };
    let engine = run(vec![deaf(A, vec![]), deaf(B, vec![A]), deaf(C, vec![B])]);
    pass(100).await;
    let begin = Instant::now();
    let outcome = engine.stop().await;
    assert_eq!(outcome.late, ["c"], "the others were not asked in time: it is not their fault");
    assert_eq!(begin.elapsed(), config().stop_timeout + config().abort_grace);
}

/// A worker that hogs its thread cannot be ended, only named. Real time: its thread is really blocked.
#[test]
fn a_worker_that_never_awaits_is_named_and_left_behind() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = std::sync::Arc::new(std::sync::Mutex::new(blocked));
    let short = Duration::from_millis(20);
    let config = juju_engine::Config { stop_timeout: short, abort_grace: short, ..config() };
    let outcome = runtime.block_on(async {
        let stuck = Manifold::new(
            A,
            (),
            move |(), _| {
                let blocked = blocked.clone();
                async move {
                    let _ = blocked.lock().unwrap().recv();
                    Ok(())
                }
            },
            Exit::of,
        );
        let engine = Engine::<Fatal>::new(config, vec![stuck]).unwrap();
        let (handle, cancel) = (engine.handle(), CancellationToken::new());
        let stop = async {
            handle.wait_for(|it| it.manifolds["a"].state == "started").await.unwrap();
            cancel.cancel();
        };
        // Not spawned: a task that is woken by one that then hogs its thread may wait in line behind it.
        tokio::join!(engine.run(cancel.clone()), stop).0
    });
    assert_eq!((outcome.late, outcome.stuck), (vec!["a"], vec!["a"]));
    drop(release);
}

fn fatal(key: Key<u32>, after: u64, err: Fatal) -> Manifold<Fatal> {
    let start = move |(), scope: Scope<u32>| async move {
        scope.until_cancelled(pass(after)).await;
        // A hundred milliseconds in any case: others fail while the engine stops already.
        pass(100).await;
        bail!("it is fatal")
    };
    Manifold::new(key, (), start, move |_| Exit::Fatal(err))
}

#[tokio::test(start_paused = true)]
async fn the_worst_fatal_error_wins_and_the_first_of_equals() {
    let table = [
        ([Fatal(1, "restart"), Fatal(3, "reboot"), Fatal(2, "upgrade")], "reboot"),
        ([Fatal(3, "reboot"), Fatal(3, "shut down"), Fatal(1, "restart")], "reboot"),
        ([Fatal(1, "restart"), Fatal(1, "restart too"), Fatal(1, "restart three")], "restart"),
        ([Fatal(1, "restart"), Fatal(2, "upgrade"), Fatal(4, "be terminated")], "be terminated"),
    ];
    for ([first, second, third], worst) in table {
        let log = Log::default();
        let bystander = steady(&log, Key::new("bystander"), 0);
        let engine = run(vec![fatal(A, 10, first), fatal(B, 20, second), fatal(C, 30, third), bystander]);
        let outcome = engine.ended().await;
        assert_eq!(outcome.fatal.map(|it| it.1), Some(worst));
        assert_eq!(log.take(), ["bystander up 0", "bystander down"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_fatal_error_counts_even_from_a_worker_that_was_told_to_stop() {
    let engine = run(vec![fatal(A, 1_000_000, Fatal(4, "be terminated"))]);
    pass(50).await;
    engine.cancel.cancel();
    let handle = engine.handle.clone();
    let report = handle.wait_for(|it| it.error.is_some()).await;
    assert_eq!(engine.ended().await.fatal.map(|it| it.0), Some(4));
    // The engine may end in the same step in which it learns of the error.
    assert!(report.is_none_or(|it| it.error.as_deref() == Some("agent should be terminated")));
}

#[tokio::test(start_paused = true)]
async fn nothing_starts_once_the_engine_stops() {
    let log = Log::default();
    let seen = log.clone();
    let failing = Manifold::new(
        B,
        (),
        move |(), _| {
            seen.add("b");
            async { bail!("no") }
        },
        Exit::of,
    );
    // While a takes its time to stop, b's back-off ends.
    let lazy = |(), scope: Scope<u32>| async move {
        scope.cancelled().await;
        pass(10_000).await;
        scope.publish(1);
        Ok(())
    };
    let seen = log.clone();
    let engine = run(vec![
        Manifold::new(A, (), lazy, Exit::of),
        failing,
        Manifold::new(C, (A,), move |(a,), scope| stay(seen.clone(), scope, a), Exit::of),
    ]);
    pass(1000).await;
    engine.cancel.cancel();
    pass(5000).await;
    assert_eq!(engine.handle.report().manifolds["b"].next_start, None);
    let _ = engine.ended().await;
    assert_eq!(log.take(), ["b"]);
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_is_cancelled_before_it_runs_ends_at_once() {
    let log = Log::default();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let engine = Engine::new(config(), vec![steady(&log, A, 1)]).unwrap();
    let outcome = engine.run(cancel).await;
    assert!(outcome.fatal.is_none());
    let lines = log.take();
    assert!(lines.is_empty() || lines == ["a up 1", "a down"], "{lines:?}");
}
