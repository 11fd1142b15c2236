//! `Application`: units.

use juju_core::Status;
use juju_state::unit::Resolved;
use juju_wire::{
    facade::application::{self, AddApplicationUnits, UnitsResolved},
    params::{Entity, Placement},
};

use crate::{
    common::id,
    world::{World, app, entities, failed, pair, shown},
};

#[tokio::test]
async fn units_are_added_where_they_are_to_be() {
    let world = World::running().await;
    let add = |count, placement: Vec<Placement>| AddApplicationUnits {
        application: "web".into(),
        num_units: count,
        placement,
        ..AddApplicationUnits::default()
    };
    let on = |scope: &str, directive: &str| Placement { scope: scope.into(), directive: directive.into() };
    let args = add(2, vec![on("#", "2"), on("lxd", "0")]);
    let got = world.user.call::<application::call::AddUnits>(args).await.unwrap();
    assert_eq!(got.units, ["web/2", "web/3"]);
    assert_eq!(world.model.assign_unit(&id("web/2")).await.unwrap().to_string(), "2");
    assert_eq!(world.model.assign_unit(&id("web/3")).await.unwrap().to_string(), "0/lxd/0");

    for (args, code, text) in [
        (add(0, vec![]), "", "must add at least one unit"),
        (
            AddApplicationUnits { attach_storage: vec!["data/0".into()], ..add(2, vec![]) },
            "",
            "AttachStorage is non-empty, but NumUnits is 2",
        ),
        (
            AddApplicationUnits { application: "nope".into(), ..add(1, vec![]) },
            "not found",
            "application \"nope\" not found",
        ),
        (
            AddApplicationUnits { application: "log".into(), ..add(1, vec![]) },
            "not valid",
            "cannot add unit to application \"log\": application is a subordinate",
        ),
    ] {
        if args.application == "log" {
            world.deploy(app("log", "local:log-0")).await.unwrap();
        }
        assert_eq!(failed(world.user.call::<application::call::AddUnits>(args).await), pair(code, text));
    }
    assert_eq!(world.model.application_units(&id("web")).unwrap().len(), 4);
    world.stop().await;
}

#[tokio::test]
async fn what_is_known_of_units() {
    let world = World::running().await;
    world.lead("web/1").await;
    world.model.set_workload_version(&id("web/1"), "1.2").await.unwrap();
    let open = juju_state::ports::EndpointPorts { endpoint: String::new(), range: id("8080/tcp") };
    world.model.change_ports(&id("web/1"), &[open], &[]).await.unwrap();
    let got = world
        .user
        .call::<application::call::UnitsInfo>(entities(&["application-web", "unit-web-9", "machine-0"]))
        .await
        .unwrap();
    let tags: Vec<_> = got.results.iter().filter_map(|it| Some(it.result.as_ref()?.tag.as_str())).collect();
    assert_eq!(tags, ["unit-web-0", "unit-web-1"]);
    let unit = got.results[1].result.clone().unwrap();
    assert_eq!(
        (unit.machine.as_str(), unit.public_address.as_str(), unit.charm.as_str(), unit.life.as_str()),
        ("1", "10.0.0.11", "local:web-0", "alive")
    );
    assert_eq!((unit.leader, unit.workload_version.as_str()), (true, "1.2"));
    assert_eq!(unit.opened_ports, ["8080/tcp"]);
    assert_eq!(shown(got.results[2].error.as_ref().unwrap()), ("not found", "unit \"web/9\" not found"));
    assert_eq!(got.results[3].error.as_ref().unwrap().message, "\"machine-0\" is not a valid unit tag");
    world.stop().await;
}

#[tokio::test]
async fn the_leader_is_who_holds_the_lease() {
    let world = World::running().await;
    let ask = |tag: &str| Entity { tag: tag.into() };
    let nobody = world.user.call::<application::call::Leader>(ask("application-web")).await.unwrap();
    assert_eq!(nobody.error.unwrap().code, "not found");
    world.lead("web/1").await;
    let got = world.user.call::<application::call::Leader>(ask("application-web")).await.unwrap();
    assert_eq!((got.result.as_str(), got.error), ("web/1", None));
    world.stop().await;
}

#[tokio::test]
async fn failed_hooks_are_gone_on_from() {
    let world = World::running().await;
    for unit in ["web/0", "web/1"] {
        world.say(unit, "error", "active", "hook failed: \"start\"").await;
    }
    assert_eq!(world.model.units().unwrap().len(), 3);
    let resolved = |name: &str| world.model.unit(&id(name)).unwrap().resolved;
    let args = UnitsResolved { retry: true, tags: Some(entities(&["unit-web-0", "unit-pg-0"])), all: false };
    let got = world.user.call::<application::call::ResolveUnitErrors>(args).await.unwrap();
    assert_eq!(got.results[0].error, None);
    assert_eq!(got.results[1].error.as_ref().unwrap().message, "unit \"pg/0\" is not in an error state");
    assert_eq!((resolved("web/0"), resolved("web/1")), (Resolved::RetryHooks, Resolved::None));
    let all = UnitsResolved { all: true, ..UnitsResolved::default() };
    let got = world.user.call::<application::call::ResolveUnitErrors>(all).await.unwrap();
    assert!(got.results.is_empty());
    assert_eq!(
        (resolved("web/0"), resolved("web/1"), resolved("pg/0")),
        (Resolved::RetryHooks, Resolved::NoHooks, Resolved::None)
    );
    let agent = juju_state::status::StatusOf::Agent(id("web/0"));
    assert_eq!(world.model.status(&agent).unwrap().info.status, Status::Error);
    world.stop().await;
}
