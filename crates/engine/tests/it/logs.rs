//! What the log says, at which level, and of whom.

use std::{cell::RefCell, sync::Once};

use juju_engine::{Engine, Exit, Manifold, Runner, Scope, TransientExt};
use tokio_util::sync::CancellationToken;

use crate::common::{A, B, Fatal, Log, config, pass, run};

thread_local! {
    static LOG: RefCell<Option<Log>> = const { RefCell::new(None) };
}

/// Writes what is logged on a thread to that thread's log, if it has one: these tests have one thread each.
struct Lines;

impl std::io::Write for Lines {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow(|log| {
            if let Some(log) = log {
                log.add(String::from_utf8_lossy(line).trim());
            }
        });
        Ok(line.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn capture() -> Log {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing_subscriber::fmt()
            .without_time()
            .with_target(false)
            .with_ansi(false)
            .with_max_level(tracing::Level::INFO)
            .with_writer(|| Lines)
            .init();
    });
    let log = Log::default();
    LOG.set(Some(log.clone()));
    log
}

#[tokio::test(start_paused = true)]
async fn transient_failures_whisper_and_others_shout() {
    let log = capture();
    let refused = |(), _: Scope<u32>| async {
        pass(1).await;
        Err(anyhow::anyhow!("connection refused")).transient()
    };
    let broken = |(), _: Scope<u32>| async {
        pass(2).await;
        anyhow::bail!("no such table")
    };
    let engine = run(vec![Manifold::new(A, (), refused, Exit::of), Manifold::new(B, (), broken, Exit::of)]);
    pass(10).await;
    let expected = [
        "INFO \"a\" manifold worker returned unexpected error: try again: connection refused worker=\"a\" restart=3s",
        "ERROR \"b\" manifold worker returned unexpected error: no such table worker=\"b\" restart=3s",
    ];
    assert_eq!(log.take(), expected);
    let _ = engine.stop().await;
    assert_eq!(log.take(), [] as [&str; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_workers_and_their_children_log_carries_their_names() {
    let log = capture();
    let (control, runner) = Runner::new(config(), |unit: &str, scope: Scope| async move {
        assert_eq!(scope.name(), unit);
        let uniter = |(), scope: Scope<u32>| async move {
            tracing::info!("the worker");
            scope.spawn(async {
                tracing::info!("its child");
                Ok(())
            });
            scope.cancelled().await;
            Ok(())
        };
        let engine = Engine::<Fatal>::new(config(), vec![Manifold::new(A, (), uniter, Exit::of)])?;
        let _ = engine.run(&scope).await;
        Ok(())
    });
    control.want(["mysql/0"]);
    let cancel = CancellationToken::new();
    let stop = async {
        pass(10).await;
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(runner.run(cancel.clone()), stop);
    result.unwrap();
    let expected = [
        "INFO worker{worker=\"mysql/0\"}:worker{worker=\"a\"}: the worker",
        "INFO worker{worker=\"mysql/0\"}:worker{worker=\"a\"}: its child",
    ];
    assert_eq!(log.take(), expected);
}

#[tokio::test(start_paused = true)]
async fn slow_and_late_workers_are_named() {
    let log = capture();
    let lingering = |(), scope: Scope<u32>| async move {
        scope.spawn(std::future::pending());
        pass(100).await;
        Ok(())
    };
    let engine = run(vec![Manifold::new(A, (), lingering, Exit::of)]);
    pass(1000).await;
    assert_eq!(engine.state("a"), "stopping", "it is done, its child is not");
    pass(100_000).await;
    assert_eq!(log.take(), ["WARN worker has been stopping for 30s worker=\"a\""], "once");
    let outcome = engine.stop().await;
    assert_eq!(outcome.late, ["a"]);
    assert_eq!(log.take(), ["ERROR workers have not stopped in time and are aborted workers=[\"a\"]"]);
}
