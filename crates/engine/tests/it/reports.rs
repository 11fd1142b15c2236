//! What can be seen of a running engine.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use juju_engine::{Engine, Exit, Manifold, Scope};
use serde_json::json;

use crate::common::{A, B, C, Fatal, Log, config, pass, run, stay};

#[tokio::test(start_paused = true)]
async fn every_state_has_its_word_and_its_reason() {
    let log = Log::default();
    let seen = log.clone();
    let failing = |(), _: Scope<u32>| async { anyhow::bail!("no route to host") };
    let lingering = |(_,): (u32,), scope: Scope<u32>| async move {
        scope.cancelled().await;
        pass(1_000_000).await;
        Ok(())
    };
    let d = juju_engine::Key::<u32>::new("d");
    let brief = |(), scope: Scope<u32>| async move {
        scope.publish(1);
        pass(500).await;
        Ok(())
    };
    let engine = run(vec![
        Manifold::new(A, (), failing, Exit::of),
        Manifold::new(B, (A,), move |(a,), scope| stay(seen.clone(), scope, a), Exit::of),
        Manifold::new(C, (d,), lingering, Exit::of),
        Manifold::new(d, (), brief, Exit::of),
    ]);
    assert_eq!(engine.handle.report().state, "stopped", "it has not been polled yet");
    assert_eq!(engine.handle.report().manifolds.len(), 4);
    pass(1000).await;
    let report = engine.handle.report();
    assert_eq!(report.state, "started");
    assert_eq!(report.error, None);
    let mut json = report.to_json();
    let failed = json["manifolds"]["a"].as_object_mut().unwrap();
    let times = [failed.remove("started").unwrap(), failed.remove("next-start").unwrap()];
    for time in times {
        let text = time.as_str().unwrap();
        assert!(text.len() == 19 && text.as_bytes()[10] == b' ', "{text}");
    }
    assert_eq!(
        json["manifolds"]["a"],
        json!({ "error": "no route to host", "inputs": [], "start-count": 1, "state": "stopped" })
    );
    assert_eq!(
        json["manifolds"]["b"],
        json!({
            "error": "\"a\" not running: dependency not available",
            "inputs": ["a"],
            "state": "stopped",
            "waiting-for": ["a"],
        })
    );
    assert_eq!(json["manifolds"]["c"]["state"], "stopping");
    assert_eq!(json["manifolds"]["d"]["state"], "stopped");
    let outcome = engine.stop().await;
    assert_eq!(outcome.late, ["c"]);
}

#[tokio::test(start_paused = true)]
async fn a_workers_own_report_is_made_when_somebody_asks_and_ends_with_it() {
    let asked = Arc::new(AtomicU32::new(0));
    let seen = asked.clone();
    let start = move |(), scope: Scope<u32>| {
        let seen = seen.clone();
        scope.set_report(json!("starting"));
        async move {
            pass(10).await;
            scope.set_report(move || json!({ "asked": seen.fetch_add(1, Ordering::Relaxed) + 1 }));
            pass(90).await;
            Ok(())
        }
    };
    let engine = run(vec![Manifold::new(A, (), start, Exit::of)]);
    pass(1).await;
    let own = || engine.handle.report().manifolds["a"].report.clone();
    assert_eq!(own(), Some(json!("starting")));
    pass(50).await;
    assert_eq!(own(), Some(json!({ "asked": 1 })));
    assert_eq!(own(), Some(json!({ "asked": 2 })));
    pass(50).await;
    assert_eq!(own(), None);
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_engine_reads_stopped() {
    let engine = Engine::<Fatal>::new(config(), vec![Manifold::value(A, 1)]).unwrap();
    let handle = engine.handle();
    let running = async { handle.wait_for(|it| it.manifolds["a"].state == "started").await };
    tokio::select! {
        _ = engine.run(tokio_util::sync::CancellationToken::new()) => unreachable!("nobody stops it"),
        report = running => assert_eq!(report.unwrap().state, "started"),
    }
    let report = handle.report();
    assert_eq!((report.state, report.manifolds["a"].state), ("stopped", "stopped"));
}
