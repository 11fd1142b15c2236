//! How much of the server anyone may take.
//!
//! A stranger, who has not logged in yet, costs little and may stay for a minute. When there are too many of them, the
//! one who has idled for longest gives way to the next: whoever fills the house with idle connections pushes out his
//! own. Nobody has to go before he had time to log in, though; else a thousand agents that come back at once after
//! a restart would push out each other for ever. Until then newcomers wait outside.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections in all.
    pub connections: usize,
    /// Connections on which nobody has logged in.
    pub strangers: usize,
    /// How long a stranger need not give way.
    pub grace: Duration,
    /// How long a TLS handshake may take.
    pub handshake: Duration,
    /// How long the head of an HTTP request may take, and how long a connection may wait for the next one.
    pub head: Duration,
    /// How long a websocket may be open before its login.
    pub login: Duration,
    /// How long an agent may be silent.
    pub silence: Duration,
    /// How long connections may take to end when the server does.
    pub drain: Duration,
    /// Agent logins at once and the time in which one more is granted. Juju has 10 and 250 ms, which makes a thousand
    /// agents wait minutes after a controller's restart.
    pub agent_logins: (u32, Duration),
    /// Log records of a connection, likewise.
    pub log_records: (u32, Duration),
    /// The largest charm, and the largest agent binary, that is taken.
    pub charm_bytes: u64,
    pub tools_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 50_000,
            strangers: 1000,
            grace: Duration::from_secs(5),
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(30),
            login: Duration::from_secs(60),
            silence: Duration::from_secs(180),
            drain: Duration::from_secs(60),
            agent_logins: (1000, Duration::from_millis(1)),
            log_records: (1000, Duration::from_millis(1)),
            charm_bytes: 2 << 30,
            tools_bytes: 1 << 30,
        }
    }
}

/// A token bucket: so many at once, then one each `every`.
#[derive(Debug)]
pub(crate) struct Bucket {
    burst: u32,
    every: Duration,
    /// When the bucket will be full again.
    full_at: Mutex<Instant>,
}

impl Bucket {
    pub(crate) fn new((burst, every): (u32, Duration)) -> Self {
        Bucket { burst: burst.max(1), every, full_at: Mutex::new(Instant::now()) }
    }

    /// Takes one if there is one.
    pub(crate) fn try_take(&self) -> bool {
        self.take_at().is_ok()
    }

    /// Takes one, and waits for it if need be.
    pub(crate) async fn take(&self) {
        while let Err(at) = self.take_at() {
            sleep_until(at).await;
        }
    }

    /// Takes one, or says when there will be one.
    fn take_at(&self) -> Result<(), Instant> {
        let now = Instant::now();
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = (*full_at).max(now) + self.every;
        let empty_at = now + self.every * self.burst;
        if next > empty_at {
            return Err(now + (next - empty_at));
        }
        *full_at = next;
        Ok(())
    }
}

#[derive(Debug)]
struct Stranger {
    since: Instant,
    out: CancellationToken,
}

/// Counts who is in.
#[derive(Debug)]
pub(crate) struct Doors {
    connections: usize,
    strangers: usize,
    grace: Duration,
    inside: Mutex<Inside>,
    /// Told when a stranger leaves or is one no more.
    room: Notify,
}

#[derive(Debug, Default)]
struct Inside {
    last: u64,
    total: usize,
    /// In the order in which they came.
    strangers: BTreeMap<u64, Stranger>,
}

impl Doors {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Doors {
            connections: limits.connections,
            strangers: limits.strangers.max(1),
            grace: limits.grace,
            inside: Mutex::default(),
            room: Notify::new(),
        })
    }

    /// Lets one more in, as a stranger, as soon as there is room for one; `None` if the house is full.
    pub(crate) async fn enter(self: &Arc<Self>) -> Option<Door> {
        loop {
            let room = self.room.notified();
            match self.try_enter() {
                Entry::In(door) => return Some(door),
                Entry::Full => return None,
                Entry::Wait(until) => tokio::select! {
                    () = room => {}
                    () = sleep_until(until) => {}
                },
            }
        }
    }

    fn try_enter(self: &Arc<Self>) -> Entry {
        let mut inside = self.lock();
        if inside.total >= self.connections {
            return Entry::Full;
        }
        if inside.strangers.len() >= self.strangers
            && let Some(oldest) = inside.strangers.first_entry()
        {
            let until = oldest.get().since + self.grace;
            if until > Instant::now() {
                return Entry::Wait(until);
            }
            oldest.remove().out.cancel();
        }
        inside.total += 1;
        inside.last += 1;
        let (number, out) = (inside.last, CancellationToken::new());
        inside.strangers.insert(number, Stranger { since: Instant::now(), out: out.clone() });
        Entry::In(Door { doors: self.clone(), number, out })
    }

    fn remove_stranger(&self, number: u64) {
        if self.lock().strangers.remove(&number).is_some() {
            self.room.notify_one();
        }
    }

    #[cfg(test)]
    fn counts(&self) -> (usize, usize) {
        let inside = self.lock();
        (inside.total, inside.strangers.len())
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Entry {
    In(Door),
    Full,
    /// All strangers are new here.
    Wait(Instant),
}

/// One connection's place, for as long as it is kept.
#[derive(Debug)]
pub(crate) struct Door {
    doors: Arc<Doors>,
    number: u64,
    out: CancellationToken,
}

impl Door {
    /// Which connection of this process it is.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Somebody has proved who they are: no stranger any more.
    pub(crate) fn admit(&self) {
        self.doors.remove_stranger(self.number);
    }

    /// Waits until the connection has to give way to another; for ever if it was admitted.
    pub(crate) async fn told_to_leave(&self) {
        self.out.cancelled().await;
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.doors.lock().total -= 1;
        self.doors.remove_stranger(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_bucket_has_a_burst_and_a_rate() {
        let bucket = Bucket::new((3, Duration::from_millis(10)));
        for _ in 0..3 {
            assert!(bucket.try_take());
        }
        assert!(!bucket.try_take());
        tokio::time::advance(Duration::from_millis(10)).await;
        assert!(bucket.try_take());
        assert!(!bucket.try_take());
        tokio::time::advance(Duration::from_secs(60)).await;
        let got = (0..10).filter(|_| bucket.try_take()).count();
        assert_eq!(got, 3, "it holds no more than the burst");
        let start = Instant::now();
        for _ in 0..5 {
            bucket.take().await;
        }
        assert!(start.elapsed() >= Duration::from_millis(50));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_stranger_gives_way_and_the_admitted_stay() {
        let grace = Duration::from_secs(5);
        let doors = Doors::new(&Limits { connections: 4, strangers: 2, grace, ..Limits::default() });
        let known = doors.enter().await.unwrap();
        known.admit();
        let (first, second) = (doors.enter().await.unwrap(), doors.enter().await.unwrap());
        let start = Instant::now();
        let third = doors.enter().await.unwrap();
        assert_eq!(start.elapsed(), grace, "the newcomer waits until the oldest had time to log in");
        first.told_to_leave().await;
        for it in [&known, &second, &third] {
            assert!(!it.out.is_cancelled());
        }
        assert!(doors.enter().await.is_none(), "the house is full");
        assert_eq!(doors.counts(), (4, 2));
        drop(first);
        // One that logs in makes room at once.
        let (entered, ()) = tokio::join!(doors.enter(), async { third.admit() });
        assert!(entered.is_some());
        drop((known, second, third, entered));
        assert_eq!(doors.counts(), (0, 0));
    }
}
