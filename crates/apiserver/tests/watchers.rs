//! Watchers over a connection: real changes of the state, `Next` and `Stop`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::time::Duration;

use common::{AGENT_PASSWORD, TestServer, id, login, provisioned};
use juju_rpc::Connection;
use juju_state::machine::NewMachine;
use juju_wire::{
    code,
    facade::{machiner, provisioner},
    params::Entities,
};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(20);
/// Long enough for an event that should not be there.
const SHORT: Duration = Duration::from_millis(100);

struct Fixture {
    it: TestServer,
    model: juju_state::Model,
    /// A controller's agent, which may watch all machines.
    controller: Connection,
}

async fn fixture() -> Fixture {
    let it = TestServer::start().await;
    let model = it.model("demo").await;
    let controller = it.machine_0(Some(model.uuid())).await;
    Fixture { it, model, controller }
}

async fn add_machine(model: &juju_state::Model) -> String {
    model.add_machine(&NewMachine::new(id("ubuntu@24.04"))).await.unwrap().to_string()
}

/// Watches all machines; answers the watcher's id and its first event.
async fn watch_machines(connection: &Connection) -> (String, Vec<String>) {
    let result = connection.call::<provisioner::call::WatchModelMachines>(()).await.unwrap();
    assert_eq!(result.error, None);
    (result.watcher_id, result.changes)
}

#[tokio::test]
async fn a_strings_watcher_tells_what_changed() {
    let Fixture { it, model, controller } = fixture().await;
    let there = add_machine(&model).await;
    let (watcher_id, changes) = watch_machines(&controller).await;
    assert_eq!((watcher_id.as_str(), changes), ("1", vec![there]));
    let mut watcher = controller.strings_watcher(watcher_id);
    // The first event was in the answer, so there is nothing to tell.
    assert!(timeout(SHORT, watcher.next()).await.is_err());
    let first = add_machine(&model).await;
    assert_eq!(timeout(SOON, watcher.next()).await.unwrap().unwrap(), [first]);
    // What happens while nobody asks is told at once.
    let (second, third) = (add_machine(&model).await, add_machine(&model).await);
    assert_eq!(timeout(SOON, watcher.next()).await.unwrap().unwrap(), [second, third]);
    watcher.stop().await.unwrap();
    assert_eq!(watch_machines(&controller).await.0, "2", "an id is used once");
    it.stop().await;
}

#[tokio::test]
async fn stop_ends_a_blocked_next_and_the_id() {
    let Fixture { it, controller, .. } = fixture().await;
    let (watcher_id, _) = watch_machines(&controller).await;
    let mut blocked = controller.strings_watcher(&watcher_id);
    // The request is on its way once this gave up waiting for the answer.
    assert!(timeout(SHORT, blocked.next()).await.is_err());
    controller.strings_watcher(&watcher_id).stop().await.unwrap();
    let err = timeout(SOON, blocked.next()).await.unwrap().unwrap_err();
    assert_eq!((err.to_string().as_str(), err.code()), ("watcher has been stopped", code::STOPPED));
    let err = controller.strings_watcher(&watcher_id).stop().await.unwrap_err();
    assert_eq!((err.to_string().as_str(), err.code()), ("unknown watcher id", code::NOT_FOUND));
    it.stop().await;
}

#[tokio::test]
async fn a_watcher_belongs_to_its_connection_and_its_kind() {
    let Fixture { it, controller, model } = fixture().await;
    let (watcher_id, _) = watch_machines(&controller).await;
    for other in [it.machine_0(Some(model.uuid())).await, it.admin(Some(model.uuid())).await] {
        assert!(other.strings_watcher(&watcher_id).next().await.unwrap_err().is_not_found());
    }
    assert!(controller.notify_watcher(&watcher_id).next().await.unwrap_err().is_not_found());
    assert!(controller.entities_watcher(&watcher_id).next().await.unwrap_err().is_not_found());
    it.stop().await;
}

#[tokio::test]
async fn a_notify_watcher_tells_of_changes_only() {
    let Fixture { it, model, .. } = fixture().await;
    let machine = provisioned(&model, "n").await;
    let agent = it.connect(Some(model.uuid())).await;
    login(&agent, &format!("machine-{machine}"), AGENT_PASSWORD, "n").await.unwrap();
    let args = Entities {
        entities: [format!("machine-{machine}"), "machine-77".into(), "unit-x-0".into()]
            .map(|tag| juju_wire::params::Entity { tag })
            .into(),
    };
    let results = agent.call::<machiner::call::Watch>(args).await.unwrap().results;
    assert_eq!(results[0].notify_watcher_id, "1");
    // It may not know whether others are there.
    for other in &results[1..] {
        assert_eq!(other.error.as_ref().unwrap().code, code::UNAUTHORIZED);
    }
    let mut watcher = agent.notify_watcher("1");
    assert!(timeout(SHORT, watcher.next()).await.is_err());
    add_machine(&model).await;
    assert!(timeout(SHORT, watcher.next()).await.is_err(), "another machine is none of its concern");
    model.destroy_machine(&machine, juju_state::cleanup::How::GENTLY).await.unwrap();
    timeout(SOON, watcher.next()).await.unwrap().unwrap();
    it.stop().await;
}

#[tokio::test]
async fn closing_the_server_stops_watchers() {
    let Fixture { it, controller, .. } = fixture().await;
    let (watcher_id, _) = watch_machines(&controller).await;
    let mut watcher = controller.strings_watcher(watcher_id);
    assert!(timeout(SHORT, watcher.next()).await.is_err());
    it.stop().await;
    assert_eq!(timeout(SOON, watcher.next()).await.unwrap().unwrap_err().code(), code::STOPPED);
}

#[tokio::test]
async fn thousands_of_watchers_are_each_told() {
    let Fixture { it, controller, model } = fixture().await;
    let mut watchers = vec![];
    for _ in 0..2000 {
        let (watcher_id, _) = watch_machines(&controller).await;
        watchers.push(controller.strings_watcher(watcher_id));
    }
    let machine = add_machine(&model).await;
    for watcher in &mut watchers {
        assert_eq!(timeout(SOON, watcher.next()).await.unwrap().unwrap(), [machine.as_str()]);
    }
    drop(watchers);
    it.stop().await;
}
