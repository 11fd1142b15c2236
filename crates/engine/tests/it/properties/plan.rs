//! What a random graph looks like, and what each of its workers is going to do.

use std::time::Duration;

use proptest::{collection::vec, option, prelude::*};

/// The most workers in a graph.
pub(crate) const MOST: usize = 8;
/// The flags that workers may be gated on.
pub(crate) const FLAGS: usize = 2;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) workers: Vec<Worker>,
    /// When the world outside changes: a flag flips, or the fortress is locked or unlocked.
    pub(crate) stirs: Vec<(Duration, Stir)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Stir {
    Flip(usize),
    Lock,
    Unlock,
}

#[derive(Clone, Debug)]
pub(crate) struct Worker {
    /// For each earlier worker: an input, required or optional.
    pub(crate) inputs: Vec<Option<Need>>,
    pub(crate) flags: [bool; FLAGS],
    pub(crate) visits: bool,
    /// What its runs do, one after the other. When these are used up, or it is calm, it does `last`.
    pub(crate) runs: Vec<Act>,
    pub(crate) last: Last,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Need {
    Required,
    Optional,
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    /// When it publishes, if it does, counted from its start.
    pub(crate) publish: Option<Duration>,
    /// How long after that it ends, or does what `end` says.
    pub(crate) run: Duration,
    pub(crate) end: End,
    /// How long it takes to stop when it is told to.
    pub(crate) stop: Duration,
    pub(crate) child: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Fail,
    Panic,
    ChildFails,
    ChildPanics,
    Done,
    Bounce,
    Waiting,
    /// Publishes another value and stays.
    PublishAgain,
    /// Takes back what it published and stays.
    Withdraw,
    /// Takes it back and publishes another value in the same breath.
    Replace,
    /// Publishes and fails in the same breath.
    PublishAndFail,
}

/// What a worker does once all is calm.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Last {
    /// Publishes, and runs until it is told to stop.
    Stay,
    /// Works for a while, and is done.
    Once(Duration),
}

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let stirs = vec((millis(), stir()), 0..12);
    (vec(worker(), 1..=MOST), stirs).prop_map(|(mut workers, stirs)| {
        for (number, worker) in workers.iter_mut().enumerate() {
            worker.inputs.truncate(number);
        }
        Plan { workers, stirs }
    })
}

impl Plan {
    /// The same a thousand times as fast.
    pub(crate) fn hurried(mut self) -> Self {
        let hurry = |time: &mut Duration| *time /= 1000;
        for worker in &mut self.workers {
            for act in &mut worker.runs {
                act.publish.as_mut().map(hurry);
                hurry(&mut act.run);
                hurry(&mut act.stop);
            }
            if let Last::Once(time) = &mut worker.last {
                hurry(time);
            }
        }
        self.stirs.iter_mut().for_each(|it| hurry(&mut it.0));
        self
    }
}

fn worker() -> impl Strategy<Value = Worker> {
    let need = prop_oneof![3 => Just(None), 2 => Just(Some(Need::Required)), 1 => Just(Some(Need::Optional))];
    let last = prop_oneof![3 => Just(Last::Stay), 1 => millis().prop_map(Last::Once)];
    let flags = [prop::bool::weighted(0.2), prop::bool::weighted(0.2)];
    (vec(need, MOST), flags, prop::bool::weighted(0.2), vec(act(), 0..6), last)
        .prop_map(|(inputs, flags, visits, runs, last)| Worker { inputs, flags, visits, runs, last })
}

fn act() -> impl Strategy<Value = Act> {
    let end = prop_oneof![
        4 => Just(End::Fail),
        1 => Just(End::Panic),
        1 => Just(End::ChildFails),
        1 => Just(End::ChildPanics),
        1 => Just(End::Done),
        1 => Just(End::Bounce),
        1 => Just(End::Waiting),
        2 => Just(End::PublishAgain),
        1 => Just(End::Withdraw),
        1 => Just(End::Replace),
        1 => Just(End::PublishAndFail),
    ];
    let stop = prop_oneof![2 => Just(Duration::ZERO), 1 => millis()];
    (option::weighted(0.8, millis()), millis(), end, stop, any::<bool>())
        .prop_map(|(publish, run, end, stop, child)| Act { publish, run, end, stop, child })
}

fn stir() -> impl Strategy<Value = Stir> {
    prop_oneof![(0..FLAGS).prop_map(Stir::Flip), Just(Stir::Lock), Just(Stir::Unlock)]
}

/// Nothing, a moment, about the bounce delay, or seconds.
fn millis() -> impl Strategy<Value = Duration> {
    prop_oneof![Just(0u64), 1..20u64, 100..5000u64].prop_map(Duration::from_millis)
}
