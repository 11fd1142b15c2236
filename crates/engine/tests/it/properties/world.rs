//! The workers of a random graph, and what they see of each other.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use anyhow::bail;
use juju_engine::{Exit, Flag, Fortress, Input, Inputs, Key, Manifold, Need, Outputs, Request, Scope, flag};
use tokio::{sync::watch, time};
use tokio_util::sync::CancellationToken;

use super::plan::{self, Act, End, FLAGS, Last, MOST, Plan, Stir};
use crate::common::Fatal;

const KEYS: [Key<u32>; MOST] = [
    Key::new("w0"),
    Key::new("w1"),
    Key::new("w2"),
    Key::new("w3"),
    Key::new("w4"),
    Key::new("w5"),
    Key::new("w6"),
    Key::new("w7"),
];
const FLAG_KEYS: [Key<Flag>; FLAGS] = [Key::new("flag0"), Key::new("flag1")];
const FORTRESS: Key<Fortress> = Key::new("fortress");

pub(crate) struct World {
    plan: Plan,
    flags: [watch::Sender<bool>; FLAGS],
    fortress: Fortress,
    calm: AtomicBool,
    counter: AtomicU32,
    /// Bodies and children that have not been dropped.
    tasks: AtomicUsize,
    /// How many runs each worker has had.
    started: [AtomicUsize; MOST],
    live: Mutex<BTreeMap<usize, Live>>,
    /// What each worker was given in the last run that ended because it wanted to.
    rested: Mutex<BTreeMap<usize, Vec<Option<u32>>>>,
    /// While the engine stops: those that had been told before.
    told_before: Mutex<Option<Vec<usize>>>,
}

/// A run that has started and not ended.
struct Live {
    given: Vec<Option<u32>>,
    published: Option<u32>,
    token: CancellationToken,
}

impl World {
    pub(crate) fn new(plan: Plan) -> Arc<Self> {
        let fortress = Fortress::new();
        fortress.guard().unlock();
        Arc::new(World {
            plan,
            flags: std::array::from_fn(|_| watch::Sender::new(true)),
            fortress,
            calm: AtomicBool::new(false),
            counter: AtomicU32::new(0),
            tasks: AtomicUsize::new(0),
            started: std::array::from_fn(|_| AtomicUsize::new(0)),
            live: Mutex::default(),
            rested: Mutex::default(),
            told_before: Mutex::default(),
        })
    }

    pub(crate) fn manifolds(self: &Arc<Self>) -> Vec<Manifold<Fatal>> {
        let mut manifolds = vec![Manifold::value(FORTRESS, self.fortress.clone())];
        for (number, key) in FLAG_KEYS.into_iter().enumerate() {
            let world = self.clone();
            let start = move |(), scope| flag::follow(scope, world.flags[number].subscribe());
            manifolds.push(Manifold::new(key, (), start, Exit::of));
        }
        for (number, worker) in self.plan.workers.iter().enumerate() {
            let world = self.clone();
            let needs =
                worker.inputs.iter().enumerate().filter_map(|(input, need)| Some((KEYS[input], (*need)?)));
            let start = move |given, scope| world.clone().run(number, given, scope);
            let mut manifold = Manifold::new(KEYS[number], Needs(needs.collect()), start, Exit::of);
            for (flag, _) in worker.flags.iter().enumerate().filter(|it| *it.1) {
                manifold = manifold.when(FLAG_KEYS[flag]);
            }
            manifolds.push(if worker.visits { manifold.visits(FORTRESS) } else { manifold });
        }
        manifolds
    }

    /// Changes the world outside, as planned.
    pub(crate) async fn stir(self: Arc<Self>) {
        for (after, stir) in &self.plan.stirs {
            time::sleep(*after).await;
            match *stir {
                Stir::Flip(flag) => self.flags[flag].send_modify(|it| *it = !*it),
                Stir::Lock => drop(self.fortress.guard().lockdown()),
                Stir::Unlock => self.fortress.guard().unlock(),
            }
        }
    }

    /// From now on nobody fails, and nothing changes outside.
    pub(crate) fn calm(&self) {
        self.calm.store(true, SeqCst);
        for flag in &self.flags {
            flag.send_replace(true);
        }
        self.fortress.guard().unlock();
    }

    // Workers.

    async fn run(
        self: Arc<Self>,
        me: usize,
        given: Vec<Option<u32>>,
        scope: Scope<u32>,
    ) -> anyhow::Result<()> {
        let alive = self.enter(me, given, &scope);
        let number = self.started[me].fetch_add(1, SeqCst);
        let act = self.plan.workers[me].runs.get(number).filter(|_| !self.calm.load(SeqCst));
        let result = match act {
            Some(act) => self.act(me, act, &scope).await,
            None => self.last(me, &scope).await,
        };
        drop(alive);
        result
    }

    async fn act(self: &Arc<Self>, me: usize, act: &Act, scope: &Scope<u32>) -> anyhow::Result<()> {
        if act.child {
            let (task, token, stop) = (self.task(), scope.token(), act.stop);
            scope.spawn(async move {
                let _task = task;
                token.cancelled().await;
                time::sleep(stop).await;
                Ok(())
            });
        }
        let plan = async {
            if let Some(after) = act.publish {
                time::sleep(after).await;
                self.publish(me, scope);
            }
            time::sleep(act.run).await;
        };
        if scope.until_cancelled(plan).await.is_none() {
            return self.stop(me, act.stop).await;
        }
        // Once it is calm nobody ends badly any more.
        let end = if self.calm.load(SeqCst) { End::PublishAgain } else { act.end };
        match end {
            End::Fail => bail!("as planned"),
            End::Panic => panic!("as planned"),
            End::ChildFails | End::ChildPanics => {
                let (task, panics) = (self.task(), matches!(end, End::ChildPanics));
                scope.spawn(async move {
                    let _task = task;
                    if panics {
                        panic!("as planned");
                    }
                    bail!("as planned")
                });
            }
            End::Done => return self.rest(me, scope, Ok(())),
            End::Waiting => {
                return self.rest(me, scope, Err(Request::Waiting("as planned".to_owned()).into()));
            }
            End::Bounce => bail!(Request::Bounce),
            End::PublishAgain => self.publish(me, scope),
            End::Withdraw => self.withdraw(me, scope),
            End::Replace => {
                self.withdraw(me, scope);
                self.publish(me, scope);
            }
            End::PublishAndFail => {
                self.publish(me, scope);
                bail!("as planned");
            }
        }
        if matches!(end, End::Withdraw) {
            // It must not stay like that for ever.
            if scope.until_cancelled(time::sleep(act.run)).await.is_some() {
                self.publish(me, scope);
            }
        }
        scope.cancelled().await;
        self.stop(me, act.stop).await
    }

    async fn last(&self, me: usize, scope: &Scope<u32>) -> anyhow::Result<()> {
        if let Last::Once(time) = self.plan.workers[me].last {
            if scope.until_cancelled(time::sleep(time)).await.is_some() {
                return self.rest(me, scope, Ok(()));
            }
            return Ok(());
        }
        self.publish(me, scope);
        scope.cancelled().await;
        self.stop(me, Duration::ZERO).await
    }

    async fn stop(&self, me: usize, time: Duration) -> anyhow::Result<()> {
        self.check_order(me);
        time::sleep(time).await;
        Ok(())
    }

    /// Ends well, unless it was told to stop in the same moment: then it is to run again.
    fn rest(&self, me: usize, scope: &Scope<u32>, result: anyhow::Result<()>) -> anyhow::Result<()> {
        let given = self.live.lock().unwrap()[&me].given.clone();
        if !scope.is_cancelled() {
            self.rested.lock().unwrap().insert(me, given);
        }
        result
    }

    fn enter(self: &Arc<Self>, me: usize, given: Vec<Option<u32>>, scope: &Scope<u32>) -> Alive {
        let live = Live { given, published: None, token: scope.token() };
        let twin = self.live.lock().unwrap().insert(me, live);
        assert!(twin.is_none(), "worker {me} runs twice at once");
        self.rested.lock().unwrap().remove(&me);
        Alive { me, world: self.clone(), _task: self.task() }
    }

    fn task(self: &Arc<Self>) -> Task {
        self.tasks.fetch_add(1, SeqCst);
        Task(self.clone())
    }

    fn publish(&self, me: usize, scope: &Scope<u32>) {
        let value = self.counter.fetch_add(1, SeqCst);
        self.live.lock().unwrap().get_mut(&me).unwrap().published = Some(value);
        scope.publish(value);
    }

    fn withdraw(&self, me: usize, scope: &Scope<u32>) {
        self.live.lock().unwrap().get_mut(&me).unwrap().published = None;
        scope.withdraw();
    }

    // Promises.

    /// Whoever runs has what is published, and may run.
    pub(crate) fn check_running(&self) {
        let live = self.live.lock().unwrap();
        for (me, run) in live.iter().filter(|(_, run)| !run.token.is_cancelled()) {
            for ((input, need), given) in self.needs(*me).zip(&run.given) {
                let now = published(live.get(&input));
                assert_eq!(*given, now, "{me} runs with an old value of {input}");
                assert!(need == plan::Need::Optional || now.is_some(), "{me} runs without {input}");
            }
            assert!(self.flags_are_true(*me), "{me} runs while a flag of it is false");
        }
    }

    /// Whoever can run runs, or rests by its own will and knows its inputs as they are.
    pub(crate) fn check_settled(&self) -> Result<(), String> {
        let live = self.live.lock().unwrap();
        let rested = self.rested.lock().unwrap();
        for me in 0..self.plan.workers.len() {
            let now: Vec<_> =
                self.needs(me).map(|(input, need)| (need, published(live.get(&input)))).collect();
            let can = now.iter().all(|(need, value)| *need == plan::Need::Optional || value.is_some());
            let inputs: Vec<_> = now.into_iter().map(|it| it.1).collect();
            let runs = live.get(&me).filter(|run| !run.token.is_cancelled()).map(|run| &run.given);
            match (can, runs, rested.get(&me)) {
                (true, Some(given), _) | (true, None, Some(given)) if *given == inputs => {}
                (false, None, _) => {}
                (can, given, rested) => {
                    return Err(format!(
                        "worker {me} (can run: {can}) runs with {given:?} or rests with {rested:?}, and not {inputs:?}"
                    ));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn stopping(&self) {
        let live = self.live.lock().unwrap();
        let told = live.iter().filter(|it| it.1.token.is_cancelled()).map(|it| *it.0).collect();
        *self.told_before.lock().unwrap() = Some(told);
    }

    /// While the engine stops nobody is told before those that depend on it have gone.
    fn check_order(&self, me: usize) {
        let told = self.told_before.lock().unwrap();
        if told.as_ref().is_some_and(|told| !told.contains(&me)) {
            let live = self.live.lock().unwrap();
            for other in live.keys() {
                let depends = self.needs(*other).any(|(input, _)| input == me);
                assert!(!depends, "{me} was told to stop while {other} ran");
            }
        }
    }

    pub(crate) fn check_ended(&self) {
        assert_eq!(self.tasks.load(SeqCst), 0, "tasks outlive their engine");
        assert_eq!(self.fortress.visitors(), 0);
    }

    fn needs(&self, me: usize) -> impl Iterator<Item = (usize, plan::Need)> {
        let inputs = self.plan.workers[me].inputs.iter().enumerate();
        inputs.filter_map(|(input, need)| Some((input, (*need)?)))
    }

    fn flags_are_true(&self, me: usize) -> bool {
        let flags = self.plan.workers[me].flags.iter().zip(&self.flags);
        flags.into_iter().all(|(gated, flag)| !gated || *flag.borrow())
    }
}

fn published(run: Option<&Live>) -> Option<u32> {
    run.filter(|it| !it.token.is_cancelled()).and_then(|it| it.published)
}

/// A worker's run, until it is dropped.
struct Alive {
    me: usize,
    world: Arc<World>,
    _task: Task,
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.world.live.lock().unwrap().remove(&self.me);
    }
}

/// A body or a child, until it is dropped.
struct Task(Arc<World>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.tasks.fetch_sub(1, SeqCst);
    }
}

struct Needs(Vec<(Key<u32>, plan::Need)>);

impl Inputs for Needs {
    type Values = Vec<Option<u32>>;
    fn needs(&self) -> Vec<Need> {
        let need = |(key, need): &(Key<u32>, _)| match need {
            plan::Need::Required => key.need(),
            plan::Need::Optional => key.optional().need(),
        };
        self.0.iter().map(need).collect()
    }
    fn values(&self, outputs: &Outputs) -> Option<Vec<Option<u32>>> {
        let value = |(key, need): &(Key<u32>, _)| match need {
            plan::Need::Required => key.resolve(outputs).map(Some),
            plan::Need::Optional => key.optional().resolve(outputs),
        };
        self.0.iter().map(value).collect()
    }
}
