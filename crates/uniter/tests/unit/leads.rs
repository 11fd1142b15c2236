//! Leadership, with time standing still.

use std::{sync::Arc, time::Duration};

use juju_uniter::{
    clock::Clock,
    leadership::{self, Leadership},
    link,
};
use tokio::time::{Instant, advance, sleep, timeout};

use crate::{
    agent,
    fake::{Fake, UNIT},
};

/// A tracker of the unit, and the controller.
fn track(leader: Option<&str>) -> (Leadership, Arc<Fake>) {
    let mut docs = agent::docs();
    docs.leader = leader.map(str::to_owned);
    let fake = Fake::new(docs);
    let (link, slot) = link::new();
    let (leadership, tracker) = leadership::new(link, UNIT.parse().unwrap(), Clock::tokio());
    let dial = fake.dial();
    #[allow(clippy::disallowed_methods)]
    {
        tokio::spawn(async move { slot.keep(dial).await });
        tokio::spawn(tracker.run());
    }
    (leadership, fake)
}

fn claims(fake: &Fake) -> usize {
    fake.docs().calls.iter().filter(|it| *it == "ClaimLeadership").count()
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_renewed_each_half_minute() {
    let (leadership, fake) = track(None);
    assert!(leadership.is_leader().await.unwrap());
    let begun = Instant::now();
    while claims(&fake) < 5 {
        sleep(Duration::from_secs(1)).await;
        assert!(leadership.is_leader().await.unwrap());
    }
    let passed = begun.elapsed().as_secs();
    assert!((119..=122).contains(&passed), "{passed}");
}

#[tokio::test(start_paused = true)]
async fn a_follower_knows_at_once_and_takes_over() {
    let (leadership, fake) = track(Some("shop/1"));
    assert!(!leadership.is_leader().await.unwrap());
    sleep(Duration::from_secs(300)).await;
    assert!(!leadership.is_leader().await.unwrap());
    // It does not ask again and again.
    assert_eq!(claims(&fake), 1);
    fake.edit(|docs| docs.leader = None);
    while !leadership.is_leader().await.unwrap() {
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(fake.docs().leader.as_deref(), Some(UNIT));
}

#[tokio::test(start_paused = true)]
async fn who_is_replaced_stops_at_the_next_claim() {
    let (leadership, fake) = track(None);
    assert!(leadership.is_leader().await.unwrap());
    fake.edit(|docs| docs.leader = Some("shop/1".into()));
    sleep(Duration::from_secs(31)).await;
    assert!(!leadership.is_leader().await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_cannot_ask_gives_no_word_it_cannot_keep() {
    let (leadership, fake) = track(None);
    assert!(leadership.is_leader().await.unwrap());
    fake.set_down(true);
    // Half a minute is still certain.
    advance(Duration::from_secs(29)).await;
    assert!(leadership.is_leader().await.unwrap());
    advance(Duration::from_secs(2)).await;
    assert!(timeout(Duration::from_secs(20), leadership.is_leader()).await.is_err());
    fake.set_down(false);
    assert!(timeout(Duration::from_secs(30), leadership.is_leader()).await.unwrap().unwrap());
    fake.set_down(true);
    // Long after its lease has run out another unit leads.
    sleep(Duration::from_secs(100)).await;
    fake.edit(|docs| docs.leader = Some("shop/1".into()));
    fake.set_down(false);
    assert!(!timeout(Duration::from_secs(30), leadership.is_leader()).await.unwrap().unwrap());
}
