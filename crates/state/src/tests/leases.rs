//! Leases, with a clock that moves only when told to.

use std::{collections::BTreeSet, time::Duration};

use crate::{
    Error, Model,
    lease::{self, LeaseId, LeaseManager},
    testing::{DB, Fixture, id},
};

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

async fn fixture() -> (Fixture, Model, LeaseId) {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let lease = LeaseId::leadership(model.uuid(), &id("db"));
    (fixture, model, lease)
}

#[tokio::test]
async fn one_holds_until_it_expires() {
    let (fixture, model, lease) = fixture().await;
    let leases = LeaseManager::new(fixture.state.clone(), "0", s(0));
    leases.claim(&lease, "db/0", s(60), s(10)).await.unwrap();
    let revision = fixture.state.view().revision();
    leases.claim(&lease, "db/0", s(60), s(40)).await.unwrap();
    assert_eq!(fixture.state.view().revision(), revision, "a renewal writes nothing");
    assert!(matches!(leases.claim(&lease, "db/1", s(60), s(99)).await, Err(Error::LeadershipClaimDenied)));
    assert!(leases.expire(s(99)).await.unwrap().is_empty());
    let waiting = leases.released(&lease);
    tokio::pin!(waiting);
    assert!(futures_util::poll!(&mut waiting).is_pending());
    assert_eq!(leases.expire(s(100)).await.unwrap(), std::slice::from_ref(&lease));
    waiting.await.unwrap();
    leases.claim(&lease, "db/1", s(60), s(100)).await.unwrap();
    assert_eq!(lease::leader(&fixture.state.image(), model.uuid(), &id("db")).unwrap(), Some(id("db/1")));
    for (seconds, good) in [(4, false), (5, true), (300, true), (301, false)] {
        assert_eq!(leases.claim(&lease, "db/1", s(seconds), s(100)).await.is_ok(), good, "{seconds}");
    }
    assert!(matches!(leases.revoke(&lease, "db/0").await, Err(Error::LeaseNotHeld)));
    leases.revoke(&lease, "db/1").await.unwrap();
    leases.revoke(&lease, "db/1").await.unwrap();
    leases.released(&lease).await.unwrap();
}

#[tokio::test]
async fn pins_hold_it() {
    let (fixture, _, lease) = fixture().await;
    let leases = LeaseManager::new(fixture.state.clone(), "0", s(0));
    assert!(leases.pin(&lease, "machine-0").await.unwrap_err().is_not_found());
    leases.claim(&lease, "db/0", s(60), s(0)).await.unwrap();
    leases.pin(&lease, "machine-0").await.unwrap();
    leases.pin(&lease, "machine-0").await.unwrap();
    assert!(leases.expire(s(1000)).await.unwrap().is_empty());
    leases.claim(&lease, "db/0", s(60), s(1000)).await.unwrap();
    leases.unpin(&lease, "machine-0").await.unwrap();
    assert!(leases.expire(s(1059)).await.unwrap().is_empty());
    assert_eq!(leases.expire(s(1060)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_start_renews_all() {
    let (fixture, _, lease) = fixture().await;
    let before = LeaseManager::new(fixture.state.clone(), "0", s(0));
    before.claim(&lease, "db/0", s(60), s(0)).await.unwrap();
    let leases = LeaseManager::new(fixture.state.clone(), "0", s(500));
    assert!(leases.expire(s(559)).await.unwrap().is_empty());
    assert_eq!(leases.expire(s(560)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn keepers_change() {
    let (fixture, _, lease) = fixture().await;
    let (a, b) = (
        LeaseManager::new(fixture.state.clone(), "0", s(0)),
        LeaseManager::new(fixture.state.clone(), "1", s(0)),
    );
    let live = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<BTreeSet<_>>();
    a.claim(&lease, "db/0", s(60), s(0)).await.unwrap();
    b.saw_sessions(&live(&["0", "1"]), s(1)).unwrap();
    assert!(b.expire(s(1000)).await.unwrap().is_empty(), "only the keeper expires it");
    // The agent comes back elsewhere: there it is renewed, and the old keeper has no say any more.
    b.claim(&lease, "db/0", s(60), s(50)).await.unwrap();
    assert!(a.expire(s(1000)).await.unwrap().is_empty());
    assert!(matches!(a.claim(&lease, "db/1", s(60), s(1000)).await, Err(Error::LeadershipClaimDenied)));
    // The keeper's session ends: another waits a full duration from when it saw that.
    a.saw_sessions(&live(&["0"]), s(100)).unwrap();
    assert!(a.expire(s(159)).await.unwrap().is_empty());
    a.saw_sessions(&live(&["0"]), s(120)).unwrap();
    assert_eq!(a.expire(s(160)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_keeper_without_session_keeps_nothing() {
    let (fixture, _, lease) = fixture().await;
    let leases = LeaseManager::new(fixture.state.clone(), "0", s(0));
    leases.session_lives_until(s(15));
    leases.claim(&lease, "db/0", s(60), s(10)).await.unwrap();
    assert!(matches!(leases.claim(&lease, "db/0", s(60), s(15)).await, Err(Error::TryAgain(_))));
    assert!(leases.expire(s(200)).await.unwrap().is_empty(), "others may have it by now");
    leases.session_lives_until(s(215));
    assert_eq!(leases.expire(s(201)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn claims_do_not_overtake_an_expiry() {
    let (fixture, _, lease) = fixture().await;
    let leases = LeaseManager::new(fixture.state.clone(), "0", s(0));
    leases.claim(&lease, "db/0", s(60), s(0)).await.unwrap();
    // Both at once, again and again: whoever is answered that he holds it, holds it.
    for round in 1..20 {
        let now = s(60 * round);
        let (expired, claimed) = tokio::join!(leases.expire(now), leases.claim(&lease, "db/0", s(60), now));
        expired.unwrap();
        claimed.unwrap();
        let held = lease.key().read(&fixture.state.image()).unwrap().map(|it| it.holder.clone());
        assert_eq!(held.as_deref(), Some("db/0"));
        assert!(leases.expire(now + s(59)).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn leadership_goes_with_its_unit() {
    let (fixture, model, lease) = fixture().await;
    let leases = LeaseManager::new(fixture.state.clone(), "0", s(0));
    model.deploy_charm(DB, 2).await;
    model.start(&id("db/0")).await;
    leases.claim(&lease, "db/0", s(60), s(0)).await.unwrap();
    let merge = async |unit: &str| {
        let changes = [("a".to_owned(), "b".to_owned())].into();
        model.merge_leader_settings(&id(unit), &changes).await
    };
    merge("db/0").await.unwrap();
    assert!(matches!(merge("db/1").await, Err(Error::NotLeader { .. })));
    model.destroy_unit(&id("db/0"), crate::cleanup::How::GENTLY).await.unwrap();
    model.stop(&id("db/0")).await.unwrap();
    leases.claim(&lease, "db/1", s(60), s(1)).await.unwrap();
    merge("db/1").await.unwrap();
}
