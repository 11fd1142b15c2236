//! Where a watcher's events come from.

use futures_util::{FutureExt as _, future::BoxFuture};
use juju_state::Watcher;

use crate::Result;

/// A source of events. A future of `next` that is dropped loses none.
pub trait Events<E>: Send {
    fn next(&mut self) -> BoxFuture<'_, Result<E>>;
}

/// The events of a watcher of the state, each turned into what travels.
///
/// ```ignore
/// let (changes, watcher) = model.watch_machines()?;
/// let watcher_id = ctx.watchers().add(from_state(watcher, |changes| StringsChanges { changes }))?;
/// Ok(StringsWatchResult { watcher_id, changes, error: None })
/// ```
pub fn from_state<S, E, F>(watcher: Watcher<S>, turn: F) -> impl Events<E>
where
    S: Send + 'static,
    E: Send + 'static,
    F: FnMut(S) -> E + Send + 'static,
{
    let mut turn = turn;
    from_state_with(watcher, move |event| Ok(Some(turn(event))))
}

/// As [`from_state`], for events that have to be looked up or may be left out (`None`): the watcher then goes on.
pub fn from_state_with<S, E, F>(watcher: Watcher<S>, turn: F) -> impl Events<E>
where
    S: Send + 'static,
    E: Send + 'static,
    F: FnMut(S) -> Result<Option<E>> + Send + 'static,
{
    Turned { watcher, turn }
}

struct Turned<S, F> {
    watcher: Watcher<S>,
    turn: F,
}

impl<S, E, F> Events<E> for Turned<S, F>
where
    S: Send + 'static,
    E: Send + 'static,
    F: FnMut(S) -> Result<Option<E>> + Send + 'static,
{
    fn next(&mut self) -> BoxFuture<'_, Result<E>> {
        async move {
            loop {
                let event = self.watcher.next().await?;
                if let Some(event) = (self.turn)(event)? {
                    return Ok(event);
                }
            }
        }
        .boxed()
    }
}

/// Events out of a channel: what a test, or something other than the state, sends.
impl<E: Send + 'static> Events<E> for tokio::sync::mpsc::UnboundedReceiver<Result<E>> {
    fn next(&mut self) -> BoxFuture<'_, Result<E>> {
        async move {
            match self.recv().await {
                Some(event) => event,
                None => std::future::pending().await,
            }
        }
        .boxed()
    }
}
