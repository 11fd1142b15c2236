//! Watchers over a connection: real changes of the state, `Next` and `Stop`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::time::Duration;

use common::{TestServer, id};
use juju_apiserver::{Ctx, Result, Router, bulk, from_state};
use juju_rpc::Connection;
use juju_state::machine::NewMachine;
use juju_wire::{
    code,
    facade::{client, machiner, watchers::StringsChanges},
    params::{AllWatcherId, Entities, NotifyWatchResult, NotifyWatchResults},
};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(20);

/// Two handlers of the kind that later ones are: one watcher of each sort.
fn handlers(router: &mut Router) {
    router.on::<machiner::call::Watch>(watch_machines_one_by_one);
    router.on::<client::call::WatchAll>(watch_machine_ids);
}

async fn watch_machines_one_by_one(ctx: Ctx, args: Entities) -> Result<NotifyWatchResults> {
    let one = async |tag: String| {
        let machine = juju_core::tag::TagId::from_tag(&tag)?;
        ctx.model().machine(&machine)?;
        let watcher = ctx.model().watch_machine(&machine)?;
        ctx.watchers().add::<()>(from_state(watcher, |()| ()))
    };
    Ok(NotifyWatchResults { results: bulk::each::<_, _, NotifyWatchResult, _>(bulk::tags(args), one).await })
}

/// Stands in for a method that answers a strings watcher; what it answers is its id.
async fn watch_machine_ids(ctx: Ctx, (): ()) -> Result<AllWatcherId> {
    let (changes, watcher) = ctx.model().watch_machines()?;
    assert!(changes.is_empty());
    let id = ctx.watchers().add(from_state(watcher, |changes| StringsChanges { changes }))?;
    Ok(AllWatcherId { watcher_id: id })
}

struct Fixture {
    it: TestServer,
    model: juju_state::Model,
    user: Connection,
    agent: Connection,
}

async fn fixture() -> Fixture {
    let it = TestServer::with(|_| {}, handlers).await;
    let model = it.model("demo").await;
    let (user, agent) = (it.admin(Some(model.uuid())).await, it.machine_0(Some(model.uuid())).await);
    Fixture { it, model, user, agent }
}

async fn add_machine(model: &juju_state::Model) -> String {
    model.add_machine(&NewMachine::new(id("ubuntu@24.04"))).await.unwrap().to_string()
}

#[tokio::test]
async fn a_strings_watcher_tells_what_changed() {
    let Fixture { it, model, user, .. } = fixture().await;
    let watcher_id = user.call::<client::call::WatchAll>(()).await.unwrap().watcher_id;
    assert_eq!(watcher_id, "1");
    let mut watcher = user.strings_watcher(watcher_id);
    // The first event was in the answer, so there is nothing to tell.
    assert!(timeout(Duration::from_millis(100), watcher.next()).await.is_err());
    let first = add_machine(&model).await;
    assert_eq!(timeout(SOON, watcher.next()).await.unwrap().unwrap(), [first]);
    // What happens while nobody asks is told at once.
    let (second, third) = (add_machine(&model).await, add_machine(&model).await);
    assert_eq!(timeout(SOON, watcher.next()).await.unwrap().unwrap(), [second, third]);
    watcher.stop().await.unwrap();
    it.stop().await;
}

#[tokio::test]
async fn stop_ends_a_blocked_next_and_the_id() {
    let Fixture { it, user, .. } = fixture().await;
    let watcher_id = user.call::<client::call::WatchAll>(()).await.unwrap().watcher_id;
    let mut blocked = user.strings_watcher(&watcher_id);
    let next = tokio::spawn(async move { (blocked.next().await, blocked) });
    tokio::time::sleep(Duration::from_millis(50)).await;
    user.strings_watcher(&watcher_id).stop().await.unwrap();
    let (outcome, blocked) = timeout(SOON, next).await.unwrap().unwrap();
    let err = outcome.unwrap_err();
    assert_eq!((err.to_string().as_str(), err.code()), ("watcher has been stopped", code::STOPPED));
    drop(blocked);
    let err = user.strings_watcher(&watcher_id).stop().await.unwrap_err();
    assert_eq!((err.to_string().as_str(), err.code()), ("unknown watcher id", code::NOT_FOUND));
    it.stop().await;
}

#[tokio::test]
async fn a_watcher_belongs_to_its_connection_and_its_kind() {
    let Fixture { it, user, agent, model } = fixture().await;
    let watcher_id = user.call::<client::call::WatchAll>(()).await.unwrap().watcher_id;
    let other = it.admin(Some(model.uuid())).await;
    assert!(other.strings_watcher(&watcher_id).next().await.unwrap_err().is_not_found());
    assert!(agent.strings_watcher(&watcher_id).next().await.unwrap_err().is_not_found());
    assert!(user.notify_watcher(&watcher_id).next().await.unwrap_err().is_not_found());
    it.stop().await;
}

#[tokio::test]
async fn bulk_watches_have_a_result_each_and_notify() {
    let Fixture { it, model, agent, .. } = fixture().await;
    let machine = add_machine(&model).await;
    let args = Entities {
        entities: [format!("machine-{machine}"), "machine-77".into(), "unit-x-0".into()]
            .map(|tag| juju_wire::params::Entity { tag })
            .into(),
    };
    let results = agent.call::<machiner::call::Watch>(args).await.unwrap().results;
    assert_eq!(results[0].notify_watcher_id, "1");
    assert_eq!(results[1].error.as_ref().unwrap().code, code::NOT_FOUND);
    assert_eq!(results[2].error.as_ref().unwrap().code, code::NOT_VALID);
    let mut watcher = agent.notify_watcher("1");
    assert!(timeout(Duration::from_millis(100), watcher.next()).await.is_err());
    model.destroy_machine(&id(&machine), juju_state::cleanup::How::GENTLY).await.unwrap();
    timeout(SOON, watcher.next()).await.unwrap().unwrap();
    it.stop().await;
}

#[tokio::test]
async fn closing_the_server_stops_watchers() {
    let Fixture { it, user, .. } = fixture().await;
    let watcher_id = user.call::<client::call::WatchAll>(()).await.unwrap().watcher_id;
    let mut watcher = user.strings_watcher(watcher_id);
    let next = tokio::spawn(async move { watcher.next().await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    it.stop().await;
    assert_eq!(timeout(SOON, next).await.unwrap().unwrap().unwrap_err().code(), code::STOPPED);
}
