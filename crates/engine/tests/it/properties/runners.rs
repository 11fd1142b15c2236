//! Random owners of random runners: in the end exactly those run that are wanted.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use juju_engine::{Config, Request, Runner, Scope};
use proptest::{collection::vec, prelude::*};
use tokio::time;
use tokio_util::sync::CancellationToken;

use super::{hush, settle};

const KEYS: u32 = 4;

#[derive(Clone, Debug)]
enum Order {
    Want(Vec<u32>),
    Start(u32),
    Stop(u32),
    /// Stops, and waits for the end.
    Join(u32),
}

/// How one run ends, after how long, unless it is told to before; and how long it takes to stop then.
#[derive(Clone, Copy, Debug)]
struct Act {
    after: Duration,
    fails: Fails,
    stop: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Fails {
    Error,
    Panic,
    Bounce,
    Waiting,
}

fn delay() -> impl Strategy<Value = Duration> {
    prop_oneof![Just(0u64), 1..20u64, 100..5000u64].prop_map(Duration::from_millis)
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![
        2 => vec(0..KEYS, 0..KEYS as usize).prop_map(Order::Want),
        2 => (0..KEYS).prop_map(Order::Start),
        1 => (0..KEYS).prop_map(Order::Stop),
        1 => (0..KEYS).prop_map(Order::Join),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let fails =
        prop_oneof![Just(Fails::Error), Just(Fails::Panic), Just(Fails::Bounce), Just(Fails::Waiting)];
    (delay(), fails, delay()).prop_map(|(after, fails, stop)| Act { after, fails, stop })
}

#[derive(Default)]
struct World {
    acts: BTreeMap<u32, Vec<Act>>,
    live: BTreeMap<u32, CancellationToken>,
}

struct Alive(Arc<Mutex<World>>, u32);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.lock().unwrap().live.remove(&self.1);
    }
}

async fn worker(world: Arc<Mutex<World>>, key: u32, scope: Scope) -> anyhow::Result<()> {
    let act = {
        let mut world = world.lock().unwrap();
        assert!(world.live.insert(key, scope.token()).is_none(), "{key} runs twice at once");
        world.acts.get_mut(&key).and_then(Vec::pop)
    };
    let _alive = Alive(world, key);
    let Some(act) = act else {
        scope.cancelled().await;
        return Ok(());
    };
    if scope.until_cancelled(time::sleep(act.after)).await.is_none() {
        time::sleep(act.stop).await;
        return Ok(());
    }
    match act.fails {
        Fails::Error => anyhow::bail!("as planned"),
        Fails::Panic => panic!("as planned"),
        Fails::Bounce => Err(Request::Bounce.into()),
        Fails::Waiting => Err(Request::Waiting("as planned".to_owned()).into()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn exactly_what_is_wanted_runs(
        orders in vec((delay(), order()), 0..20),
        acts in prop::collection::btree_map(0..KEYS, vec(act(), 0..5), 0..KEYS as usize),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(in_paused_time(orders, acts));
    }
}

async fn in_paused_time(orders: Vec<(Duration, Order)>, acts: BTreeMap<u32, Vec<Act>>) {
    hush();
    let world = Arc::new(Mutex::new(World { acts, ..World::default() }));
    let theirs = world.clone();
    let (control, runner) = Runner::new(Config::juju(), move |key, scope| worker(theirs.clone(), key, scope));
    let cancel = CancellationToken::new();
    let task = tokio::spawn(runner.run(cancel.clone()));

    let mut wanted = BTreeSet::new();
    for (after, order) in orders {
        time::sleep(after).await;
        match order {
            Order::Want(keys) => {
                wanted = keys.iter().copied().collect();
                control.want(keys);
            }
            Order::Start(key) => {
                wanted.insert(key);
                control.start(key);
            }
            Order::Stop(key) => {
                wanted.remove(&key);
                drop(control.stop(key));
            }
            Order::Join(key) => {
                wanted.remove(&key);
                control.stop(key).await;
                assert!(!world.lock().unwrap().live.contains_key(&key), "{key} has been stopped and runs");
            }
        }
        settle().await;
        let live = world.lock().unwrap();
        for (key, token) in &live.live {
            assert!(wanted.contains(key) || token.is_cancelled(), "{key} is not wanted and goes on");
        }
    }
    // Longer than all that may still fail.
    time::sleep(Duration::from_secs(120)).await;
    settle().await;
    let live: BTreeSet<u32> = world.lock().unwrap().live.keys().copied().collect();
    assert_eq!(live, wanted, "{}", control.report().to_yaml());
    let started = control.report().workers.values().filter(|it| it.state == "started").count();
    assert_eq!(started, wanted.len());

    cancel.cancel();
    task.await.expect("the runner does not panic").expect("nothing is fatal");
    assert!(world.lock().unwrap().live.is_empty());
}
