//! Workers whose life is one visit.

use juju_engine::{Exit, Fortress, Key, Manifold, Scope};

use crate::common::{A, B, Log, pass, run, steady};

const FORTRESS: Key<Fortress> = Key::new("migration-fortress");

#[tokio::test(start_paused = true)]
async fn a_visitor_starts_once_inside_and_a_lockdown_waits_for_its_last_child() {
    let log = Log::default();
    let seen = log.clone();
    let fortress = Fortress::new();
    let visitor = move |(a,): (u32,), scope: Scope<u32>| {
        let log = seen.clone();
        async move {
            log.add(format!("in with {a}"));
            let (token, child) = (scope.token(), log.at_end("child out"));
            scope.spawn(async move {
                let _child = child;
                token.cancelled().await;
                pass(1000).await;
                Ok(())
            });
            pass(5000).await;
            log.add("out");
            Ok(())
        }
    };
    let engine = run(vec![
        steady(&log, A, 1),
        Manifold::value(FORTRESS, fortress.clone()),
        Manifold::new(B, (A,), visitor, Exit::of).visits(FORTRESS),
    ]);
    pass(1000).await;
    let report = engine.handle.report().manifolds["b"].clone();
    assert_eq!((report.state, report.start_count), ("starting", 0));
    assert_eq!(report.inputs.as_deref(), Some(&["a", "migration-fortress"][..]));
    assert_eq!(report.waiting_for, ["migration-fortress"]);
    assert_eq!(log.take(), ["a up 1"]);

    fortress.guard().unlock();
    pass(1).await;
    assert_eq!((log.take(), fortress.visitors()), (vec!["in with 1".to_owned()], 1));
    assert_eq!(engine.state("b"), "started");
    fortress.guard().lockdown().await;
    assert_eq!(log.take(), ["out", "child out"]);
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn one_that_waits_outside_can_be_stopped_and_started_again() {
    let log = Log::default();
    let (send, values) = tokio::sync::watch::channel(1u32);
    let fortress = Fortress::new();
    let source = move |(), scope: Scope<u32>| {
        let mut values = values.clone();
        async move {
            loop {
                scope.publish(*values.borrow_and_update());
                let Some(Ok(())) = scope.until_cancelled(values.changed()).await else { return Ok(()) };
            }
        }
    };
    let seen = log.clone();
    let engine = run(vec![
        Manifold::new(A, (), source, Exit::of),
        Manifold::value(FORTRESS, fortress.clone()),
        Manifold::new(B, (A,), move |(a,), scope| crate::common::stay(seen.clone(), scope, a), Exit::of)
            .visits(FORTRESS),
    ]);
    pass(100).await;
    send.send_replace(2);
    pass(100).await;
    assert_eq!(engine.state("b"), "starting");
    fortress.guard().unlock();
    pass(1).await;
    assert_eq!(log.take(), ["b up 2"]);
    drop(fortress.guard().lockdown());
    let outcome = engine.stop().await;
    assert!(outcome.late.is_empty());
    assert_eq!(fortress.visitors(), 0);
}
