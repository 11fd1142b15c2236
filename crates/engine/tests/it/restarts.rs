//! When workers start, and when they start again.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use anyhow::bail;
use juju_engine::{Exit, Key, Manifold, Request, Scope};
use tokio::{sync::watch, time::Instant};

use crate::common::{A, B, C, Fatal, Log, pass, run, stay, steady};

/// Publishes whatever the other end sends.
fn relay(key: Key<u32>, values: watch::Receiver<Option<u32>>) -> Manifold<Fatal> {
    Manifold::new(
        key,
        (),
        move |(), scope| {
            let mut values = values.clone();
            async move {
                loop {
                    match *values.borrow_and_update() {
                        Some(value) => scope.publish(value),
                        None => scope.withdraw(),
                    }
                    match scope.until_cancelled(values.changed()).await {
                        Some(changed) => changed?,
                        None => return Ok(()),
                    }
                }
            }
        },
        Exit::of,
    )
}

#[tokio::test(start_paused = true)]
async fn a_worker_starts_as_soon_as_its_inputs_are_there() {
    let log = Log::default();
    let seen = log.clone();
    let middle = Manifold::new(B, (A,), move |(a,), scope| stay(seen.clone(), scope, a + 1), Exit::of);
    let seen = log.clone();
    let last = Manifold::new(
        C,
        (B, A.optional()),
        move |(b, a), scope| {
            seen.add(format!("given {b} {a:?}"));
            stay(seen.clone(), scope, 0)
        },
        Exit::of,
    );
    let begin = Instant::now();
    let engine = run(vec![last, middle, steady(&log, A, 1)]);
    engine.handle.wait_for(|it| it.manifolds["c"].state == "started").await.unwrap();
    assert!(begin.elapsed().is_zero(), "a chain comes up without a delay");
    assert_eq!(log.take(), ["a up 1", "b up 2", "given 2 Some(1)", "c up 0"]);
    let _ = engine.stop().await;
    assert_eq!(log.take(), ["c down", "b down", "a down"]);
}

#[tokio::test(start_paused = true)]
async fn a_changed_input_restarts_dependents_and_theirs() {
    let log = Log::default();
    let (send, values) = watch::channel(Some(1));
    let (seen, also) = (log.clone(), log.clone());
    let engine = run(vec![
        relay(A, values),
        Manifold::new(B, (A,), move |(a,), scope| stay(seen.clone(), scope, a * 10), Exit::of),
        Manifold::new(C, (B,), move |(b,), scope| stay(also.clone(), scope, b * 10), Exit::of),
    ]);
    pass(1).await;
    assert_eq!(log.take(), ["b up 10", "c up 100"]);
    send.send_replace(Some(2));
    pass(9).await;
    let mut down = log.take();
    down.sort();
    assert_eq!(down, ["b down", "c down"], "both are told at once");
    pass(3).await;
    assert_eq!(log.take(), ["b up 20", "c up 200"]);
    let report = engine.handle.report();
    assert_eq!([&report.manifolds["a"], &report.manifolds["c"]].map(|it| it.start_count), [1, 2]);

    send.send_replace(None);
    pass(1000).await;
    assert_eq!(log.take().len(), 2, "a withdrawn input stops them");
    assert_eq!(engine.handle.report().manifolds["b"].waiting_for, ["a"]);
    assert_eq!(engine.handle.report().manifolds["c"].waiting_for, ["b"]);
    send.send_replace(Some(3));
    pass(1).await;
    assert_eq!(log.take(), ["b up 30", "c up 300"], "and need not wait when it comes back");
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn several_changes_in_a_row_make_one_restart() {
    let log = Log::default();
    let (send, values) = watch::channel(Some(1));
    let seen = log.clone();
    let engine = run(vec![
        relay(A, values),
        Manifold::new(B, (A,), move |(a,), scope| stay(seen.clone(), scope, a), Exit::of),
    ]);
    pass(1).await;
    for value in 2..=6 {
        send.send_replace(Some(value));
        pass(1).await;
    }
    pass(20).await;
    assert_eq!(log.take(), ["b up 1", "b down", "b up 6"]);
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_optional_input_restarts_its_user_when_it_comes_and_goes() {
    let log = Log::default();
    let (send, values) = watch::channel(None);
    let seen = log.clone();
    let user = move |(a,): (Option<u32>,), scope: Scope<u32>| {
        seen.add(format!("given {a:?}"));
        stay(seen.clone(), scope, 0)
    };
    let engine = run(vec![relay(A, values), Manifold::new(B, (A.optional(),), user, Exit::of)]);
    pass(100).await;
    assert_eq!(log.take(), ["given None", "b up 0"]);
    send.send_replace(Some(7));
    pass(100).await;
    assert_eq!(log.take(), ["b down", "given Some(7)", "b up 0"]);
    send.send_replace(None);
    pass(100).await;
    assert_eq!(log.take(), ["b down", "given None", "b up 0"]);
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn failures_are_retried_with_a_growing_delay_and_health_forgives() {
    let log = Log::default();
    let (seen, begin) = (log.clone(), Instant::now());
    let starts = Arc::new(AtomicU32::new(0));
    let worker = Manifold::new(
        A,
        (),
        move |(), _| {
            let (seen, number) = (seen.clone(), starts.fetch_add(1, Ordering::Relaxed));
            async move {
                seen.add(begin.elapsed().as_millis().to_string());
                match number {
                    3 => pass(60_000).await,
                    4 => panic!("on purpose"),
                    _ => {}
                }
                bail!("no")
            }
        },
        Exit::of,
    );
    let engine = run(vec![worker]);
    // 3 s, 3.6 s, 4.32 s; then a minute of health and 3 s, and 3.6 s after the panic.
    pass(78_000).await;
    assert_eq!(log.take(), ["0", "3000", "6600", "10920", "73920", "77520"]);
    let report = engine.handle.report().manifolds["a"].clone();
    assert_eq!((report.state, report.error.as_deref(), report.start_count), ("stopped", Some("no"), 6));
    assert!(report.next_start.is_some());
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_before_the_first_await_is_a_failure_like_any_other() {
    let starts = Arc::new(AtomicU32::new(0));
    let worker = Manifold::new(
        A,
        (),
        move |(), scope: Scope<u32>| {
            if starts.fetch_add(1, Ordering::Relaxed) == 0 {
                panic!("while its future is made");
            }
            async move {
                scope.cancelled().await;
                Ok(())
            }
        },
        Exit::of,
    );
    let engine = run(vec![worker]);
    pass(1).await;
    let error = engine.handle.report().manifolds["a"].error.clone();
    assert_eq!(error.as_deref(), Some("panic resulted in: while its future is made"));
    pass(3000).await;
    assert_eq!(engine.state("a"), "started");
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_filter_is_a_failure_too() {
    let worker = Manifold::new(A, (), |(), _| async { Ok(()) }, |_| panic!("on purpose"));
    let engine = run(vec![worker]);
    pass(3001).await;
    let report = engine.handle.report().manifolds["a"].clone();
    assert_eq!((report.state, report.start_count), ("stopped", 2));
    assert!(report.next_start.is_some());
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn each_exit_does_what_it_says() {
    let log = Log::default();
    let (send, values) = watch::channel(Some(1));
    let worker = |name: &'static str, result: fn() -> anyhow::Result<()>| {
        let log = log.clone();
        let start = move |(_,): (u32,), _: Scope| {
            log.add(name);
            async move { result() }
        };
        Manifold::new(Key::<()>::new(name), (A,), start, Exit::of)
    };
    let engine = run(vec![
        relay(A, values),
        worker("done", || Ok(())),
        worker("waiting", || Err(Request::Waiting("no disk".to_owned()).into())),
        worker("uninstall", || Err(Request::Uninstall.into())),
        worker("bounce", || Err(Request::Bounce.into())),
        Manifold::new(C, (Key::<()>::new("uninstall"),), |_, _| async { bail!("never started") }, Exit::of),
    ]);
    pass(5000).await;
    for (name, starts) in [("done", 1), ("waiting", 1), ("uninstall", 1)] {
        assert_eq!(log.count(name), starts, "{name}");
    }
    // 10 ms, then 20 % more each time: some thirty starts in five seconds.
    let bounced = log.count("bounce");
    assert!((20..35).contains(&bounced), "{bounced}");
    let report = engine.handle.report();
    assert_eq!(report.manifolds["done"].state, "stopped");
    assert_eq!(report.manifolds["done"].error, None);
    assert_eq!(report.manifolds["waiting"].error.as_deref(), Some("no disk"));
    assert_eq!(report.manifolds["waiting"].next_start, None);
    assert!(!report.manifolds.contains_key("uninstall"), "it vanishes");
    let orphan = &report.manifolds["c"];
    assert_eq!((orphan.start_count, &orphan.waiting_for), (0, &vec!["uninstall"]));

    log.take();
    send.send_replace(Some(2));
    pass(1000).await;
    for (name, starts) in [("done", 1), ("waiting", 1), ("uninstall", 0)] {
        assert_eq!(log.count(name), starts, "{name} after its input has changed");
    }
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_told_to_stop_starts_again_whatever_it_returned() {
    let results: [fn() -> anyhow::Result<()>; 5] = [
        || Ok(()),
        || bail!("connection is shut down"),
        || Err(Request::Uninstall.into()),
        || Err(Request::Waiting("no".to_owned()).into()),
        || panic!("on purpose"),
    ];
    for (number, result) in results.into_iter().enumerate() {
        let (send, values) = watch::channel(Some(1));
        // It would take ten seconds, and is bounced in mid-run.
        let start = move |(_,): (u32,), scope: Scope<u32>| async move {
            match scope.until_cancelled(pass(10_000)).await {
                Some(()) => Ok(()),
                None => result(),
            }
        };
        let engine = run(vec![relay(A, values), Manifold::new(B, (A,), start, Exit::of)]);
        pass(5000).await;
        send.send_replace(Some(2));
        pass(11).await;
        let report = engine.handle.report().manifolds["b"].clone();
        assert_eq!((report.state, report.start_count), ("started", 2), "case {number}");
        let _ = engine.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_input_cuts_a_back_off_short() {
    let (send, values) = watch::channel(Some(1));
    let log = Log::default();
    let seen = log.clone();
    let start = move |(a,): (u32,), scope: Scope<u32>| {
        let seen = seen.clone();
        async move { if a == 1 { bail!("not with this") } else { stay(seen, scope, a).await } }
    };
    let engine = run(vec![relay(A, values), Manifold::new(B, (A,), start, Exit::of)]);
    pass(1000).await;
    assert_eq!(engine.state("b"), "stopped");
    send.send_replace(Some(2));
    pass(11).await;
    assert_eq!(log.take(), ["b up 2"]);
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_worker_published_ends_with_it() {
    let log = Log::default();
    let seen = log.clone();
    let brief = |_: (), scope: Scope<u32>| async move {
        scope.publish(1);
        pass(100).await;
        Ok(())
    };
    let engine = run(vec![
        Manifold::new(A, (), brief, Exit::of),
        Manifold::new(B, (A,), move |(a,), scope| stay(seen.clone(), scope, a), Exit::of),
    ]);
    pass(5000).await;
    assert_eq!(log.take(), ["b up 1", "b down"]);
    assert_eq!(engine.handle.report().manifolds["b"].waiting_for, ["a"]);
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_worker_publishes_while_it_stops_is_not_offered() {
    let log = Log::default();
    let (send, values) = watch::channel(Some(1));
    let middle = |(a,): (u32,), scope: Scope<u32>| async move {
        scope.publish(a);
        scope.cancelled().await;
        scope.publish(1000);
        pass(1000).await;
        Ok(())
    };
    let seen = log.clone();
    let engine = run(vec![
        relay(A, values),
        Manifold::new(B, (A,), middle, Exit::of),
        Manifold::new(C, (B,), move |(b,), scope| stay(seen.clone(), scope, b), Exit::of),
    ]);
    pass(1).await;
    send.send_replace(Some(2));
    pass(2000).await;
    assert_eq!(log.take(), ["c up 1", "c down", "c up 2"]);
    let _ = engine.stop().await;
}
