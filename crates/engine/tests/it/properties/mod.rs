//! Random graphs of workers that fail at random, and what holds of them all the same.
//!
//! - No worker runs with other inputs than those that are published, nor while one of its flags is false.
//! - A worker never runs twice at once.
//! - Once failures stop, everything that can run runs; and whatever rests has seen its inputs as they are.
//! - When the engine stops, a worker is told only after everybody who depends on it has ended.
//! - No task outlives its engine.

mod plan;
mod runners;
mod world;

use std::{sync::Arc, time::Duration};

use juju_engine::{Config, Engine};
use plan::{Plan, plans};
use proptest::prelude::*;
use tokio::time::{self, Instant};
use tokio_util::sync::CancellationToken;
use world::World;

/// How long workers may fail. All that is planned has been tried by then, or never will be.
const TURBULENCE: Duration = Duration::from_secs(45);
/// More than the longest back-off of a worker, for each in the longest chain.
const CALM: Duration = Duration::from_secs(150 * plan::MOST as u64);

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_keep_their_promises(plan in plans()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(in_paused_time(plan));
    }
}

async fn in_paused_time(plan: Plan) {
    hush();
    let world = World::new(plan);
    let engine = Engine::new(Config::juju(), world.manifolds()).expect("edges lead backwards only");
    let handle = engine.handle();
    let cancel = CancellationToken::new();
    let task = tokio::spawn(engine.run(cancel.clone()));
    let outside = tokio::spawn(world.clone().stir());

    let begin = Instant::now();
    while begin.elapsed() < TURBULENCE {
        time::sleep(Duration::from_millis(61)).await;
        settle().await;
        world.check_running();
    }
    outside.await.unwrap();
    world.calm();
    time::sleep(CALM).await;
    settle().await;
    world.check_running();
    if let Err(why) = world.check_settled() {
        panic!("{why}\n{}", handle.report().to_yaml());
    }

    world.stopping();
    cancel.cancel();
    let outcome = task.await.expect("the engine does not panic");
    world.check_ended();
    assert!(outcome.late.is_empty() && outcome.stuck.is_empty(), "{outcome:?}");
}

/// Lets everything happen that is due at this moment: on one thread everybody has a turn between two of ours,
/// and no event takes more than this many turns to go round the whole graph.
async fn settle() {
    for _ in 0..8 * plan::MOST {
        tokio::task::yield_now().await;
    }
}

/// The same on two threads in real time, a thousand times as fast: here it is races that are looked for.
#[test]
fn random_graphs_settle_on_threads_too() {
    hush();
    let config = Config {
        error_delay: Duration::from_millis(3),
        bounce_delay: Duration::from_millis(1),
        max_delay: Duration::from_millis(20),
        ..Config::juju()
    };
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: 24, ..Default::default() });
    let result = runner.run(&plans(), |plan| {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
        let config = config.clone();
        runtime.block_on(async {
            let world = World::new(plan.hurried());
            let engine = Engine::new(config, world.manifolds()).expect("edges lead backwards only");
            let handle = engine.handle();
            let cancel = CancellationToken::new();
            let task = tokio::spawn(engine.run(cancel.clone()));
            Arc::clone(&world).stir().await;
            world.calm();
            let deadline = Instant::now() + Duration::from_secs(30);
            while let Err(why) = world.check_settled() {
                assert!(Instant::now() < deadline, "{why}\n{}", handle.report().to_yaml());
                time::sleep(Duration::from_millis(2)).await;
            }
            cancel.cancel();
            let outcome = task.await.expect("the engine does not panic");
            world.check_ended();
            assert!(outcome.late.is_empty() && outcome.stuck.is_empty(), "{outcome:?}");
        });
        Ok(())
    });
    result.unwrap();
}

/// Panics that are part of a plan are not worth a backtrace each.
fn hush() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let planned = info.payload().downcast_ref::<&str>().is_some_and(|it| it.ends_with("planned"));
            if !planned {
                loud(info);
            }
        }));
    });
}
