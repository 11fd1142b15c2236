//! One node of the graph: what it needs, how it starts, what its end means.

use std::{any::TypeId, future::Future, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};

use crate::{
    exit::Exit,
    flag::Flag,
    fortress::Fortress,
    inputs::{Inputs, Kind, Need, Outputs},
    key::{Key, Name},
    life::Life,
    scope::Scope,
    value,
};

/// A worker as its engine sees it. `F` is the engine's type of fatal errors.
///
/// The worker itself knows none of this: names, inputs and what an error means to the process stand in the
/// one list of manifolds that a process hands to its engine.
pub struct Manifold<F> {
    pub(crate) name: Name,
    pub(crate) type_id: TypeId,
    pub(crate) type_name: &'static str,
    pub(crate) needs: Vec<Need>,
    fortresses: Vec<Key<Fortress>>,
    start: Start<F>,
}

/// Makes one run, unless an input is missing.
type Start<F> = Box<dyn Fn(&Outputs, Life) -> Option<BoxFuture<'static, Exit<F>>> + Send + Sync>;

impl<F: Send + 'static> Manifold<F> {
    /// The worker called `key`: each time all required `inputs` are there, `start` is called with their values
    /// and a fresh scope, and its future is the worker. `filter` says what the result means:
    /// [`Exit::of`], or a closure around [`Exit::or_fatal`], or one's own.
    pub fn new<T, I, S, W>(
        key: Key<T>,
        inputs: I,
        start: S,
        filter: impl Fn(anyhow::Result<()>) -> Exit<F> + Send + Sync + 'static,
    ) -> Self
    where
        T: Send + Sync + 'static,
        I: Inputs,
        S: Fn(I::Values, Scope<T>) -> W + Send + Sync + 'static,
        W: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let needs = inputs.needs();
        let made = Need::of(key, Kind::Required);
        let (start, filter) = (Arc::new(start), Arc::new(filter));
        let start: Start<F> = Box::new(move |outputs, life| {
            let values = inputs.values(outputs)?;
            let (start, filter) = (start.clone(), filter.clone());
            let run = life.run(move |scope| async move { start(values, Scope::new(scope)).await }.boxed());
            Some(async move { filter(run.await) }.boxed())
        });
        Manifold {
            name: key.name(),
            type_id: made.type_id,
            type_name: made.type_name,
            needs,
            fortresses: Vec::new(),
            start,
        }
    }

    /// A worker without inputs that publishes `value`.
    pub fn value<T: Clone + Send + Sync + 'static>(key: Key<T>, value: T) -> Self {
        Manifold::new(key, (), move |(), scope| value::hold(scope, value.clone()), Exit::of)
    }

    /// Runs it only while `flag` is true.
    pub fn when(mut self, flag: Key<Flag>) -> Self {
        self.needs.push(Need::of(flag, Kind::Flag));
        self
    }

    /// Makes each of its runs, from before its first step to the end of its last child, one visit to
    /// `fortress`: it starts once that is unlocked, and a lockdown waits for its end.
    pub fn visits(mut self, fortress: Key<Fortress>) -> Self {
        self.needs.push(Need::of(fortress, Kind::Fortress));
        self.fortresses.push(fortress);
        self
    }

    pub fn name(&self) -> Name {
        self.name
    }

    pub(crate) fn missing<'a>(&'a self, outputs: &'a Outputs) -> impl Iterator<Item = &'a Need> {
        self.needs.iter().filter(|need| need.missing(outputs))
    }

    pub(crate) fn start(&self, outputs: &Outputs, mut life: Life) -> Option<BoxFuture<'static, Exit<F>>> {
        for fortress in &self.fortresses {
            life.fortresses.push(outputs.get(*fortress)?);
        }
        (self.start)(outputs, life)
    }
}

impl<F> std::fmt::Debug for Manifold<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inputs: Vec<Name> = self.needs.iter().map(|it| it.name).collect();
        f.debug_struct("Manifold").field("name", &self.name).field("inputs", &inputs).finish_non_exhaustive()
    }
}
