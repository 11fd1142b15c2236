//! Watchers, and the source of AllWatcher.

use juju_core::{Life, Status};

use crate::{
    all_watch::{Delta, Entity, EntityId},
    cleanup::How,
    machine::NewMachine,
    status::NewStatus,
    testing::{DB, Fixture, WEB, id},
};

#[tokio::test]
async fn lives_are_told_once() {
    let model = Fixture::new().await.model("m").await;
    let add = async || model.add_machine(&NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    add().await;
    let (first, mut machines) = model.watch_machines().unwrap();
    assert_eq!(first, ["0"]);
    let mut machine = model.watch_machine(&id("0")).unwrap();
    add().await;
    assert_eq!(machines.next().await.unwrap(), ["1"]);
    // A container is no machine of its own, and an instance no change of life.
    model.add_container(Some(&id("0")), "lxd", &NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    machine.next().await.unwrap();
    model.provision(&id("0")).await;
    let (containers, mut inside) = model.watch_containers(&id("0"), Some("lxd".into())).unwrap();
    assert_eq!(containers, ["0/lxd/0"]);
    model.destroy_machine(&id("1"), How::GENTLY).await.unwrap();
    assert_eq!(machines.next().await.unwrap(), ["1"]);
    model.ensure_machine_dead(&id("1")).await.unwrap();
    assert_eq!(machines.next().await.unwrap(), ["1"]);
    model.remove_machine(&id("1")).await.unwrap();
    model.destroy_machine(&id("0/lxd/0"), How::GENTLY).await.unwrap();
    assert_eq!(inside.next().await.unwrap(), ["0/lxd/0"]);
    add().await;
    assert_eq!(machines.next().await.unwrap(), ["2"], "that a dead one is removed is not told");
}

#[tokio::test]
async fn a_watcher_stays_quiet_when_nothing_it_watches_changes() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 2).await;
    model.start(&id("db/0")).await;
    let mut unit = model.watch_unit(&id("db/0")).unwrap();
    let mut application = model.watch_application(&id("db")).unwrap();
    for _ in 0..3 {
        model.set_workload_status(&id("db/0"), &NewStatus::new(Status::Blocked, "x")).await.unwrap();
        model.set_agent_status(&id("db/0"), &NewStatus::new(Status::Executing, "y")).await.unwrap();
        model.set_workload_version(&id("db/0"), "1.0").await.unwrap();
        model.set_agent_password(&crate::agent::Agent::Unit(id("db/0")), &"p".repeat(24)).await.unwrap();
        model.start(&id("db/1")).await;
    }
    assert!(futures_util::FutureExt::now_or_never(unit.next()).is_none());
    assert!(futures_util::FutureExt::now_or_never(application.next()).is_none());
    model.destroy_unit(&id("db/0"), How::GENTLY).await.unwrap();
    unit.next().await.unwrap();
}

fn ids(deltas: &[Delta]) -> Vec<String> {
    let text = |it: &EntityId| match it {
        EntityId::Model => "model".to_owned(),
        EntityId::Machine(id) => format!("machine {id}"),
        EntityId::Charm(url) => format!("charm {url}"),
        EntityId::Application(name) => format!("application {name}"),
        EntityId::Unit(name) => format!("unit {name}"),
        EntityId::Relation(id) => format!("relation {id}"),
        EntityId::Annotation(tag) => format!("annotation {tag}"),
        EntityId::Block(kind) => format!("block {}", kind.as_str()),
    };
    let one = |it: &Delta| match it {
        Delta::Change(entity) => text(&entity.id()),
        Delta::Remove(id) => format!("-{}", text(id)),
    };
    deltas.iter().map(one).collect()
}

#[tokio::test]
async fn everything_is_told_in_full() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 1).await;
    let (first, mut watcher) = model.watch_all().unwrap();
    assert_eq!(ids(&first), ["model", "charm local:db-0", "application db", "unit db/0", "relation 0"]);

    model.start(&id("db/0")).await;
    let deltas = watcher.next().await.unwrap();
    assert_eq!(ids(&deltas), ["machine 0", "unit db/0"]);
    let Delta::Change(Entity::Machine(machine)) = &deltas[0] else { panic!("{deltas:?}") };
    assert_eq!((machine.instance_id.as_str(), machine.addresses.len()), ("i-0", 1));
    let Delta::Change(Entity::Unit(unit)) = &deltas[1] else { panic!("{deltas:?}") };
    assert_eq!((unit.public_address.as_str(), unit.machine.clone()), ("10.0.0.1", Some(id("0"))));
    assert_eq!((unit.workload_status.status, unit.agent_status.status), (Status::Active, Status::Idle));

    // An agent in error shows in its workload.
    model.set_agent_status(&id("db/0"), &NewStatus::new(Status::Error, "hook failed")).await.unwrap();
    let deltas = watcher.next().await.unwrap();
    let Delta::Change(Entity::Unit(unit)) = &deltas[0] else { panic!("{deltas:?}") };
    assert_eq!((unit.workload_status.status, unit.agent_status.status), (Status::Error, Status::Idle));

    model.set_machine_addresses(&id("0"), &[juju_core::Address::new("10.9.9.9")]).await.unwrap();
    assert_eq!(ids(&watcher.next().await.unwrap()), ["machine 0", "unit db/0"]);
    model.set_workload_version(&id("db/0"), "7").await.unwrap();
    assert_eq!(ids(&watcher.next().await.unwrap()), ["application db"]);
    let notes = [("a".to_owned(), "b".to_owned())].into();
    model.annotate(&juju_core::Tag::Application(id("db")), &notes).await.unwrap();
    assert_eq!(ids(&watcher.next().await.unwrap()), ["annotation application-db"]);
    let port = crate::ports::EndpointPorts { endpoint: String::new(), range: id("80") };
    model.change_ports(&id("db/0"), &[port], &[]).await.unwrap();
    assert_eq!(ids(&watcher.next().await.unwrap()), ["unit db/0"]);

    // What comes and goes in between is not told.
    model.deploy_charm(WEB, 1).await;
    model.destroy_application(&id("web"), How::GENTLY).await.unwrap();
    model.run_cleanups().await.unwrap();
    let deltas = ids(&watcher.next().await.unwrap());
    assert_eq!(deltas, ["charm local:web-0"]);

    model.destroy_application(&id("db"), How::GENTLY).await.unwrap();
    model.run_cleanups().await.unwrap();
    model.stop(&id("db/0")).await.unwrap();
    model.run_cleanups().await.unwrap();
    let deltas = ids(&watcher.next().await.unwrap());
    assert_eq!(
        deltas,
        [
            "machine 0",
            "charm local:db-0",
            "-application db",
            "-unit db/0",
            "-relation 0",
            "annotation application-db"
        ][..5]
    );
    assert_eq!(model.machine(&id("0")).unwrap().life, Life::Dying);
}
