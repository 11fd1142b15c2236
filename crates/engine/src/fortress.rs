//! A place that many visit while it is unlocked, and that one guard can have to himself.
//!
//! It starts locked. The guard unlocks it, or locks it down, which waits until the last visitor has left.
//! [`Manifold::visits`](crate::Manifold::visits) makes the whole run of a worker one visit: migration locks
//! down a model's workers by it.

use std::{future::Future, sync::Arc};

use tokio::sync::watch;

/// Published by a fortress worker. Clones are the same fortress.
#[derive(Clone, Debug)]
pub struct Fortress(Arc<watch::Sender<State>>);

/// Decides who may come in. There should be one.
#[derive(Clone, Debug)]
pub struct Guard(Fortress);

/// May come in when the guard lets him.
#[derive(Clone, Debug)]
pub struct Guest(Fortress);

/// Somebody is inside, as long as this lives.
#[derive(Debug)]
pub struct Visit(Fortress);

#[derive(Clone, Copy, Debug)]
struct State {
    unlocked: bool,
    visitors: usize,
}

impl Fortress {
    /// A locked and empty fortress.
    pub fn new() -> Self {
        Fortress(Arc::new(watch::Sender::new(State { unlocked: false, visitors: 0 })))
    }

    pub fn guard(&self) -> Guard {
        Guard(self.clone())
    }

    pub fn guest(&self) -> Guest {
        Guest(self.clone())
    }

    pub fn is_unlocked(&self) -> bool {
        self.0.borrow().unlocked
    }

    pub fn visitors(&self) -> usize {
        self.0.borrow().visitors
    }

    async fn wait_for(&self, condition: impl FnMut(&State) -> bool) {
        // It can only fail if the sender is gone, and we hold it.
        let _ = self.0.subscribe().wait_for(condition).await;
    }
}

impl Default for Fortress {
    fn default() -> Self {
        Fortress::new()
    }
}

impl Guard {
    /// Lets visitors in.
    pub fn unlock(&self) {
        self.0.0.send_modify(|state| state.unlocked = true);
    }

    /// Lets nobody in any more, from the moment of the call, and waits until the last visitor has left. If this
    /// is dropped while it waits, the fortress stays locked.
    pub fn lockdown(&self) -> impl Future<Output = ()> + Send + use<> {
        let fortress = self.0.clone();
        fortress.0.send_modify(|state| state.unlocked = false);
        async move { fortress.wait_for(|state| state.visitors == 0).await }
    }
}

impl Guest {
    /// Waits until the fortress is unlocked, and goes in.
    pub async fn enter(&self) -> Visit {
        loop {
            self.0.wait_for(|state| state.unlocked).await;
            let mut inside = false;
            // It may have been locked again since: looking and going in are one step.
            self.0.0.send_if_modified(|state| {
                inside = state.unlocked;
                state.visitors += usize::from(inside);
                inside
            });
            if inside {
                return Visit(self.0.clone());
            }
        }
    }

    /// Runs `task` inside.
    pub async fn visit<O>(&self, task: impl Future<Output = O>) -> O {
        let _visit = self.enter().await;
        task.await
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.0.0.send_modify(|state| state.visitors -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test(start_paused = true)]
    async fn guests_wait_for_the_guard_and_the_guard_for_guests() {
        let fortress = Fortress::new();
        let (guard, guest) = (fortress.guard(), fortress.guest());
        assert!(guest.enter().now_or_never().is_none(), "it starts locked");
        guard.unlock();
        let (one, two) = (guest.enter().await, guest.enter().await);
        let mut lockdown = Box::pin(guard.lockdown());
        assert!(guest.enter().now_or_never().is_none(), "locked at once");
        drop(one);
        assert!((&mut lockdown).now_or_never().is_none());
        drop(two);
        lockdown.await;
        assert_eq!(fortress.visitors(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_lockdown_leaves_it_locked() {
        let fortress = Fortress::new();
        fortress.guard().unlock();
        let visit = fortress.guest().enter().await;
        assert!(fortress.guard().lockdown().now_or_never().is_none());
        drop(visit);
        assert!(!fortress.is_unlocked());
        assert!(fortress.guest().visit(async {}).now_or_never().is_none());
        fortress.guard().unlock();
        assert_eq!(fortress.guest().visit(async { 5 }).await, 5);
        assert_eq!(fortress.visitors(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_guest_who_is_dropped_while_waiting_or_inside_leaves_nothing() {
        let fortress = Fortress::new();
        let guest = fortress.guest();
        assert!(guest.enter().now_or_never().is_none());
        fortress.guard().unlock();
        assert!(guest.visit(std::future::pending::<()>()).now_or_never().is_none());
        assert_eq!(fortress.visitors(), 0);
        fortress.guard().lockdown().await;
    }

    /// Looking and going in have to be one step, which only threads can show.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nobody_slips_in_after_a_lockdown() {
        let fortress = Fortress::new();
        let (guard, guest) = (fortress.guard(), fortress.guest());
        let mut guests = tokio::task::JoinSet::new();
        guests.spawn(async move {
            loop {
                drop(guest.enter().await);
                tokio::task::yield_now().await;
            }
        });
        for round in 0..20_000 {
            guard.unlock();
            guard.lockdown().await;
            for _ in 0..round % 50 {
                assert_eq!(fortress.visitors(), 0, "in round {round}");
                std::hint::spin_loop();
            }
        }
    }
}
