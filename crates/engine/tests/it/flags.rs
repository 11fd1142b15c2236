//! Flags and gates.

use juju_engine::{Exit, Flag, Gate, Key, Manifold, flag};
use tokio::sync::watch;

use crate::common::{A, Fatal, Log, pass, run, steady};

const UPGRADED: Key<Flag> = Key::new("upgrade-steps-flag");
const CONTROLLER: Key<Flag> = Key::new("is-controller-flag");

fn gated(gate: &Gate) -> Manifold<Fatal> {
    let gate = gate.clone();
    Manifold::new(UPGRADED, (), move |(), scope| flag::gate(scope, gate.clone()), Exit::of)
}

#[tokio::test(start_paused = true)]
async fn a_manifold_runs_only_while_all_its_flags_are_true() {
    let log = Log::default();
    let gate = Gate::new();
    let (send, truths) = watch::channel(true);
    let engine = run(vec![
        gated(&gate),
        Manifold::new(CONTROLLER, (), move |(), scope| flag::follow(scope, truths.clone()), Exit::of),
        steady(&log, A, 1).when(UPGRADED).when(CONTROLLER),
    ]);
    pass(100).await;
    let report = engine.handle.report();
    let waiting = &report.manifolds["a"];
    assert_eq!(waiting.state, "stopped");
    assert_eq!(waiting.inputs.as_deref(), Some(&["upgrade-steps-flag", "is-controller-flag"][..]));
    assert_eq!(waiting.waiting_for, ["upgrade-steps-flag"]);
    assert_eq!(waiting.error.as_deref(), Some("\"upgrade-steps-flag\" not set: dependency not available"));
    assert_eq!(report.manifolds["upgrade-steps-flag"].report, Some(serde_json::json!({ "value": false })));

    gate.unlock();
    pass(1).await;
    assert_eq!(log.take(), ["a up 1"]);
    send.send_replace(true);
    pass(100).await;
    assert_eq!(log.take(), [] as [&str; 0], "the same truth again changes nothing");
    send.send_replace(false);
    pass(100).await;
    assert_eq!(log.take(), ["a down"]);
    send.send_replace(true);
    pass(100).await;
    assert_eq!(log.take(), ["a up 1"]);
    let report = engine.handle.report();
    assert_eq!(report.manifolds["is-controller-flag"].start_count, 1, "the flag itself never restarted");
    assert_eq!(report.manifolds["is-controller-flag"].report, Some(serde_json::json!({ "value": true })));
    let _ = engine.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_fixed_flag_follows_its_inputs() {
    for (value, up) in [(0, false), (1, true)] {
        let log = Log::default();
        let engine = run(vec![
            Manifold::value(A, value),
            Manifold::new(CONTROLLER, A, |a, scope| flag::fixed(scope, a == 1), Exit::of),
            steady(&log, Key::new("b"), 2).when(CONTROLLER),
        ]);
        pass(100).await;
        assert_eq!(engine.state("b") == "started", up);
        assert_eq!(engine.state("is-controller-flag"), "started");
        let _ = engine.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_flag_whose_source_is_gone_is_an_error() {
    let (send, truths) = watch::channel(true);
    let engine = run(vec![Manifold::new(
        CONTROLLER,
        (),
        move |(), scope| flag::follow(scope, truths.clone()),
        Exit::of,
    )]);
    pass(1).await;
    drop(send);
    pass(1).await;
    let report = engine.handle.report().manifolds["is-controller-flag"].clone();
    assert_eq!(report.state, "stopped");
    assert_eq!(report.error.as_deref(), Some("the flag's source is gone: channel closed"));
    let _ = engine.stop().await;
}
