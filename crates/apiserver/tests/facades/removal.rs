//! `Application`: removing units and applications.

use juju_core::Life;
use juju_wire::facade::application::{
    self, AddRelation, DestroyApplicationParams, DestroyApplicationsParams, DestroyUnitParams,
    DestroyUnitsParams,
};

use crate::{
    common::id,
    world::{World, app, shown},
};

fn unit(tag: &str, dry_run: bool) -> DestroyUnitsParams {
    let unit = DestroyUnitParams { unit_tag: tag.into(), dry_run, ..DestroyUnitParams::default() };
    DestroyUnitsParams { units: vec![unit] }
}

fn application(tag: &str, dry_run: bool) -> DestroyApplicationsParams {
    let application = DestroyApplicationParams {
        application_tag: tag.into(),
        dry_run,
        ..DestroyApplicationParams::default()
    };
    DestroyApplicationsParams { applications: vec![application] }
}

#[tokio::test]
async fn a_unit_is_told_to_go() {
    let world = World::running().await;
    let destroy =
        async |args| world.user.call::<application::call::DestroyUnit>(args).await.unwrap().results.remove(0);
    let life = |name: &str| world.model.unit(&id(name)).unwrap().life;
    assert!(destroy(unit("unit-web-0", true)).await.info.is_some());
    assert_eq!(life("web/0"), Life::Alive, "it was only asked");
    assert_eq!(destroy(unit("unit-web-0", false)).await.error, None);
    assert_eq!((life("web/0"), life("web/1")), (Life::Dying, Life::Alive));
    let missing = destroy(unit("unit-web-9", false)).await.error.unwrap();
    assert_eq!(shown(&missing), ("", "unit \"web/9\" does not exist"));
    let wrong = destroy(unit("web/0", false)).await.error.unwrap();
    assert_eq!(wrong.message, "\"web/0\" is not a valid unit tag");
    world.stop().await;
}

#[tokio::test]
async fn a_subordinate_goes_with_its_relation() {
    let world = World::running().await;
    world.deploy(app("log", "local:log-0")).await.unwrap();
    let args = AddRelation { endpoints: vec!["log".into(), "web".into()], via_cidrs: vec![] };
    world.user.call::<application::call::AddRelation>(args).await.unwrap();
    let relation = world.model.application_relations(&id("log")).unwrap()[0].id;
    world.model.enter_scope(relation, &id("web/0")).await.unwrap();
    let args = unit("unit-log-0", false);
    let error =
        world.user.call::<application::call::DestroyUnit>(args).await.unwrap().results.remove(0).error;
    assert_eq!(
        error.unwrap().message,
        "unit \"log/0\" is a subordinate, to remove use remove-relation. Note: this will remove all units of \"log\""
    );
    world.stop().await;
}

#[tokio::test]
async fn force_takes_down_what_does_not_go() {
    let world = World::running().await;
    let forced = DestroyUnitParams {
        unit_tag: "unit-web-0".into(),
        force: true,
        max_wait: Some(0),
        ..DestroyUnitParams::default()
    };
    let args = DestroyUnitsParams { units: vec![forced] };
    world.user.call::<application::call::DestroyUnit>(args).await.unwrap();
    world.model.run_cleanups().await.unwrap();
    assert!(world.model.unit(&id("web/0")).unwrap_err().is_not_found());
    world.stop().await;
}

#[tokio::test]
async fn an_application_is_told_to_go() {
    let world = World::running().await;
    let destroy = async |args| {
        world.user.call::<application::call::DestroyApplication>(args).await.unwrap().results.remove(0)
    };
    let tags = |it: &application::DestroyApplicationInfo| -> Vec<String> {
        it.destroyed_units.iter().map(|it| it.tag.clone()).collect()
    };
    let asked = destroy(application("application-web", true)).await.info.unwrap();
    assert_eq!(tags(&asked), ["unit-web-0", "unit-web-1"]);
    assert_eq!(world.model.application(&id("web")).unwrap().life, Life::Alive);
    let told = destroy(application("application-web", false)).await.info.unwrap();
    assert_eq!(told, asked);
    assert_eq!(world.model.application(&id("web")).unwrap().life, Life::Dying);
    // One without units goes at once.
    world.deploy(app("idle", "local:pg-0")).await.unwrap();
    assert_eq!(destroy(application("application-idle", false)).await.error, None);
    assert!(world.model.application(&id("idle")).unwrap_err().is_not_found());
    let missing = destroy(application("application-idle", false)).await.error.unwrap();
    assert_eq!(shown(&missing), ("not found", "application \"idle\" not found"));
    world.stop().await;
}
