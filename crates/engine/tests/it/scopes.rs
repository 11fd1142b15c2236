//! Workers and their children.

use anyhow::bail;
use juju_engine::{Exit, Manifold, Scope, alone};
use tokio_util::sync::CancellationToken;

use crate::common::{A, Log, pass, run};

/// A child that says when it ends, a second after it has to.
fn slow_child(log: &Log, scope: &Scope<u32>) {
    let (log, token) = (log.clone(), scope.token());
    scope.spawn(async move {
        let _end = log.at_end("child");
        token.cancelled().await;
        pass(1000).await;
        Ok(())
    });
}

#[tokio::test(start_paused = true)]
async fn a_worker_has_stopped_when_its_children_have() {
    type Ending = fn() -> anyhow::Result<()>;
    let table: [(&str, Ending, Option<&str>); 3] = [
        ("ok", || Ok(()), None),
        ("error", || bail!("broken"), Some("broken")),
        ("panic", || panic!("on purpose"), Some("panic resulted in: on purpose")),
    ];
    for (case, ending, error) in table {
        let log = Log::default();
        let seen = log.clone();
        let worker = alone("a", move |scope: Scope<u32>| async move {
            let _end = seen.at_end("worker");
            slow_child(&seen, &scope);
            pass(10).await;
            ending()
        });
        let result = worker.run(CancellationToken::new()).await;
        assert_eq!(result.err().map(|it| it.to_string()).as_deref(), error, "{case}");
        assert_eq!(log.take(), ["worker", "child"], "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_or_a_panic_of_a_child_ends_the_worker_with_it() {
    for (fails, error) in [(true, "broken"), (false, "panic resulted in: on purpose")] {
        let worker = alone("a", move |scope: Scope<u32>| async move {
            scope.spawn(async { Ok(()) });
            scope.spawn(async move {
                pass(10).await;
                if fails {
                    bail!("broken")
                }
                panic!("on purpose")
            });
            scope.cancelled().await;
            bail!("a later error does not hide the first")
        });
        let result = worker.run(CancellationToken::new()).await;
        assert_eq!(result.expect_err("it failed").to_string(), error);
    }
}

#[tokio::test(start_paused = true)]
async fn children_have_children_and_none_after_the_end() {
    let log = Log::default();
    let seen = log.clone();
    let worker = alone("a", move |scope: Scope<u32>| async move {
        let inner = scope.clone();
        let also = seen.clone();
        scope.spawn(async move {
            let grandchild = also.at_end("grandchild");
            let token = inner.token();
            inner.spawn(async move {
                let _end = grandchild;
                token.cancelled().await;
                Ok(())
            });
            inner.cancelled().await;
            // The worker has gone, and with it the right to begin anything.
            pass(1).await;
            let late = also.at_end("late, dropped");
            inner.spawn(async move {
                let _end = late;
                pass(1000).await;
                also.add("late, finished");
                Ok(())
            });
            Ok(())
        });
        pass(10).await;
        Ok(())
    });
    worker.run(CancellationToken::new()).await.unwrap();
    assert_eq!(log.take(), ["grandchild", "late, dropped"]);
}

#[tokio::test(start_paused = true)]
async fn some_children_may_be_dropped_wherever_they_wait() {
    let log = Log::default();
    let seen = log.clone();
    let worker = alone("a", move |scope: Scope<u32>| async move {
        let end = seen.at_end("dropped");
        scope.spawn_until_cancelled(async move {
            let _end = end;
            std::future::pending().await
        });
        pass(10).await;
        Ok(())
    });
    worker.run(CancellationToken::new()).await.unwrap();
    assert_eq!(log.take(), ["dropped"]);
}

#[tokio::test(start_paused = true)]
async fn a_child_may_publish_and_the_end_takes_it_back() {
    let cancel = CancellationToken::new();
    let worker = alone("a", |scope: Scope<u32>| async move {
        scope.set_report(serde_json::json!({ "units": 3 }));
        let publisher = scope.clone();
        scope.spawn(async move {
            publisher.publish(5);
            Ok(())
        });
        scope.cancelled().await;
        scope.withdraw();
        Ok(())
    });
    let (mut published, report) = (worker.published(), worker.report());
    assert_eq!(report(), None);
    let task = tokio::spawn(worker.run(cancel.clone()));
    assert_eq!(published.wait_for(Option::is_some).await.unwrap().as_deref(), Some(&5));
    assert_eq!(report(), Some(serde_json::json!({ "units": 3 })));
    cancel.cancel();
    task.await.unwrap().unwrap();
    assert_eq!(*published.borrow(), None);
}

#[tokio::test(start_paused = true)]
async fn a_scope_outlives_its_run_without_effect() {
    let (keep, mut kept) = tokio::sync::mpsc::unbounded_channel::<Scope<u32>>();
    let start = move |(), scope: Scope<u32>| {
        let _ = keep.send(scope.clone());
        async move {
            scope.cancelled().await;
            Ok(())
        }
    };
    let log = Log::default();
    let seen = log.clone();
    let flap = Manifold::new(
        juju_engine::Key::<u32>::new("b"),
        (A,),
        move |(a,), scope| crate::common::stay(seen.clone(), scope, a),
        Exit::of,
    );
    // The first run fails by a child, the second is healthy.
    let engine = run(vec![Manifold::new(A, (), start, Exit::of), flap]);
    let first = kept.recv().await.unwrap();
    first.spawn(async { bail!("broken") });
    let second = kept.recv().await.unwrap();
    first.publish(1);
    pass(10).await;
    assert_eq!(log.take(), [] as [&str; 0], "published by a run that is gone");
    second.publish(2);
    pass(10).await;
    first.withdraw();
    pass(10).await;
    assert_eq!(log.take(), ["b up 2"]);
    let _ = engine.stop().await;
}
