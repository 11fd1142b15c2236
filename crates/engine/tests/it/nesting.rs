//! Engines and runners inside workers.

use juju_engine::{Config, Engine, Exit, Key, Manifold, Runner, Scope};
use serde_json::json;

use crate::common::{A, B, Fatal, Log, config, pass, run, run_with, steady};

/// A worker that is a runner of engines, as a deployer is.
async fn deployer(log: Log, scope: Scope) -> anyhow::Result<()> {
    let (control, runner) = Runner::new(config().nested(), move |unit: &str, scope| {
        let log = log.clone();
        async move {
            let engine = Engine::<Fatal>::new(config().nested(), vec![steady(&log, A, 7)])?;
            scope.set_report(engine.handle());
            let outcome = engine.run(&scope).await;
            log.add(format!("{unit} ended"));
            outcome.fatal.map_or(Ok(()), |fatal| anyhow::bail!("{fatal}"))
        }
    });
    scope.set_report(control.clone());
    control.want(["mysql/0"]);
    runner.run(&scope).await
}

#[tokio::test(start_paused = true)]
async fn nested_engines_show_under_their_workers_and_stop_with_them() {
    let log = Log::default();
    let seen = log.clone();
    let key: Key<()> = Key::new("deployer");
    let engine = run(vec![Manifold::new(key, (), move |(), scope| deployer(seen.clone(), scope), Exit::of)]);
    pass(10).await;
    let report = engine.handle.report().to_json();
    let unit = &report["manifolds"]["deployer"]["report"]["workers"]["mysql/0"];
    assert_eq!(unit["state"], "started");
    assert_eq!(unit["report"]["state"], "started");
    assert_eq!(unit["report"]["manifolds"]["a"]["start-count"], json!(1));
    let yaml = engine.handle.report().to_yaml();
    assert!(
        yaml.contains("        mysql/0:\n          report:\n            manifolds:\n              a:\n"),
        "{yaml}"
    );
    let _ = engine.stop().await;
    assert_eq!(log.take(), ["a up 7", "a down", "mysql/0 ended"]);
}

#[tokio::test(start_paused = true)]
async fn aborting_a_worker_joins_the_engines_in_it_three_levels_down() {
    let log = Log::default();
    let seen = log.clone();
    fn level(
        depth: u32,
        log: Log,
        scope: Scope,
    ) -> futures_util::future::BoxFuture<'static, anyhow::Result<()>> {
        Box::pin(async move {
            let _end = log.at_end(&format!("level {depth}"));
            let child = log.at_end(&format!("child of {depth}"));
            scope.spawn(async move {
                let _end = child;
                std::future::pending().await
            });
            if depth == 0 {
                return std::future::pending().await;
            }
            let key: Key<()> = Key::new("level");
            let start = move |(), scope| level(depth - 1, log.clone(), scope);
            // It is as patient as the engine around it, which therefore drops it in mid-run.
            let engine = Engine::<Fatal>::new(Config::juju(), vec![Manifold::new(key, (), start, Exit::of)])?;
            let _ = engine.run(&scope).await;
            Ok(())
        })
    }
    let key: Key<()> = Key::new("level");
    let worker = Manifold::new(key, (), move |(), scope| level(3, seen.clone(), scope), Exit::of);
    let config = Config { stop_timeout: std::time::Duration::from_secs(1), ..config() };
    let engine = run_with(config, vec![worker]);
    pass(100).await;
    assert_eq!(log.take(), [] as [&str; 0]);
    let outcome = engine.stop().await;
    assert_eq!((outcome.late, outcome.stuck), (vec!["level"], vec![]));
    let mut lines = log.take();
    lines.sort();
    let all: Vec<String> =
        (0..4).map(|n| format!("child of {n}")).chain((0..4).map(|n| format!("level {n}"))).collect();
    assert_eq!(lines, all, "all ended before the engine did");
}

#[tokio::test(start_paused = true)]
async fn a_nested_engine_that_is_dropped_does_not_outlive_its_worker() {
    let log = Log::default();
    let seen = log.clone();
    let worker = juju_engine::alone("outer", move |scope: Scope| async move {
        let inner = Engine::<Fatal>::new(config(), vec![steady(&seen, A, 1)])?;
        let handle = inner.handle();
        let end = seen.at_end("inner worker dropped");
        let inner_two = Manifold::new(
            B,
            (),
            move |(), _| {
                let _end = &end;
                std::future::pending()
            },
            Exit::<Fatal>::of,
        );
        let two = Engine::new(config(), vec![inner_two])?;
        tokio::select! {
            _ = inner.run(&scope) => {}
            _ = two.run(&scope) => {}
            () = pass(10) => {}
        }
        assert_eq!(handle.report().state, "stopped");
        Ok(())
    });
    worker.run(tokio_util::sync::CancellationToken::new()).await.unwrap();
    let mut lines = log.take();
    lines.sort();
    assert_eq!(lines, ["a up 1", "inner worker dropped"]);
}
