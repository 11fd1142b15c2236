//! `Application`: relations.

use juju_core::RelationId;
use juju_state::relation::settings::Bag;
use juju_wire::{
    facade::application::{
        self, AddRelation, ApplicationDeploy, DestroyRelation, RelationSuspendedArg, RelationSuspendedArgs,
    },
    params::CharmRelation,
};

use crate::{
    common::id,
    world::{World, app, failed, only, pair, shown, texts},
};

fn add(one: &str, other: &str) -> AddRelation {
    AddRelation { endpoints: vec![one.into(), other.into()], via_cidrs: vec![] }
}

#[tokio::test]
async fn add_infers_and_answers_both_ends() {
    let world = World::running().await;
    let user = &world.user;
    let got = user.call::<application::call::AddRelation>(add("web", "pg")).await.unwrap();
    let end = |name: &str, role: &str, limit| CharmRelation {
        name: name.into(),
        role: role.into(),
        interface: "pgsql".into(),
        limit,
        optional: false,
        scope: "global".into(),
    };
    assert_eq!(got.endpoints["web"], end("db", "requirer", 1));
    assert_eq!(got.endpoints["pg"], end("db", "provider", 0));
    let relation = world.model.relation_by_key(&id("web:db pg:db")).unwrap();
    assert!(relation.life.is_alive());

    // The words are in the code alone.
    let exists = "cannot add relation \"web:db pg:db\": relation web:db pg:db";
    let twice = failed(user.call::<application::call::AddRelation>(add("pg:db", "web:db")).await);
    assert_eq!(twice, pair("already exists", exists));
    world.model.enter_scope(relation.id, &id("web/0")).await.unwrap();
    let by_name =
        DestroyRelation { endpoints: vec!["web".into(), "pg".into()], ..DestroyRelation::default() };
    user.call::<application::call::DestroyRelation>(by_name).await.unwrap();
    let dying = failed(user.call::<application::call::AddRelation>(add("web", "pg")).await);
    assert_eq!(dying, pair("already exists", &format!("{exists} is dying, but not yet removed")));
    world.stop().await;
}

#[tokio::test]
async fn what_cannot_be_related() {
    let world = World::running().await;
    world.deploy(app("shop", "local:web-0")).await.unwrap();
    for (one, other, text) in [
        ("web", "nope", "application \"nope\" not found"),
        ("web:nope", "pg", "application \"web\" has no \"nope\" relation"),
        ("pg", "pg", "no relations found"),
        (
            "web",
            "shop",
            "ambiguous relation: \"web shop\" could refer to \"shop:proxy web:site\"; \"web:proxy shop:site\"",
        ),
    ] {
        let (_, got) = failed(world.user.call::<application::call::AddRelation>(add(one, other)).await);
        assert_eq!(got, text);
    }
    let three = AddRelation { endpoints: ["a", "b", "c"].map(str::to_owned).into(), via_cidrs: vec![] };
    let (_, text) = failed(world.user.call::<application::call::AddRelation>(three).await);
    assert_eq!(text, "cannot relate 3 endpoints");
    world.user.call::<application::call::AddRelation>(add("web:db", "pg")).await.unwrap();
    world.deploy(app("pg2", "local:pg-0")).await.unwrap();
    let limit = failed(world.user.call::<application::call::AddRelation>(add("web:db", "pg2")).await);
    assert_eq!(limit.0, "quota limit exceeded");
    world.stop().await;
}

#[tokio::test]
async fn relations_are_destroyed_by_id_and_by_ends() {
    let world = World::running().await;
    let user = &world.user;
    user.call::<application::call::AddRelation>(add("web", "pg")).await.unwrap();
    let id = world.model.relation_by_key(&id("web:db pg:db")).unwrap().id;
    let by_id = DestroyRelation { relation_id: id.0.into(), ..DestroyRelation::default() };
    user.call::<application::call::DestroyRelation>(by_id.clone()).await.unwrap();
    assert!(world.model.relation(id).unwrap_err().is_not_found(), "nobody was in it");
    let again = failed(user.call::<application::call::DestroyRelation>(by_id).await);
    assert_eq!(again, pair("not found", &format!("relation {id} not found")));
    let by_ends =
        DestroyRelation { endpoints: vec!["web:db".into(), "pg".into()], ..DestroyRelation::default() };
    let again = failed(user.call::<application::call::DestroyRelation>(by_ends).await);
    assert_eq!(again, pair("not found", "relation matching \"web:db pg\" not found"));
    let peers = DestroyRelation { endpoints: vec!["web:ring".into()], ..DestroyRelation::default() };
    let (_, text) = failed(user.call::<application::call::DestroyRelation>(peers).await);
    assert_eq!(text, "cannot destroy relation \"web:ring\": is a peer relation");
    world.stop().await;
}

#[tokio::test]
async fn only_relations_across_models_are_suspended() {
    let world = World::running().await;
    world.user.call::<application::call::AddRelation>(add("web", "pg")).await.unwrap();
    let relation = world.model.relation_by_key(&id("web:db pg:db")).unwrap().id;
    let suspend = |relation_id: i64, suspended| RelationSuspendedArgs {
        args: vec![RelationSuspendedArg { relation_id, suspended, message: "m".into() }],
    };
    let call =
        async |args| only(world.user.call::<application::call::SetRelationsSuspended>(args).await.unwrap());
    let refused = call(suspend(relation.0.into(), true)).await.unwrap_err();
    assert_eq!(
        refused.message,
        "cannot set suspend status for \"web:db pg:db\" which is not associated with an offer"
    );
    assert!(!world.model.relation(relation).unwrap().suspended);
    call(suspend(relation.0.into(), false)).await.unwrap();
    assert_eq!(shown(&call(suspend(99, true)).await.unwrap_err()), ("not found", "relation 99 not found"));
    world.stop().await;
}

#[tokio::test]
async fn units_show_what_was_said() {
    let world = World::running().await;
    world.user.call::<application::call::AddRelation>(add("web", "pg")).await.unwrap();
    let relation: RelationId = world.model.relation_by_key(&id("web:db pg:db")).unwrap().id;
    for unit in ["web/0", "pg/0"] {
        world.model.enter_scope(relation, &id(unit)).await.unwrap();
    }
    world
        .model
        .update_relation_settings(relation, &id("pg/0"), &texts(&[("host", "10.0.0.12")]))
        .await
        .unwrap();
    let bag = world.model.relation_settings(relation, Bag::Unit(&id("pg/0"))).unwrap();
    assert_eq!(bag.settings["host"], "10.0.0.12");

    let tags = crate::world::entities(&["unit-web-0"]);
    let got = world.user.call::<application::call::UnitsInfo>(tags).await.unwrap();
    let data = got.results[0].result.clone().unwrap().relation_data;
    let ends: Vec<_> = data.iter().map(|it| (it.endpoint.as_str(), it.related_endpoint.as_str())).collect();
    assert_eq!(ends, [("ring", "ring"), ("db", "db")]);
    let db = &data[1];
    assert_eq!(db.relation_id, i64::from(relation.0));
    assert!(db.unit_relation_data["web/0"].in_scope && db.unit_relation_data["pg/0"].in_scope);
    assert_eq!(db.unit_relation_data["pg/0"].unit_data["host"], "10.0.0.12");
    assert_eq!(db.unit_relation_data.len(), 2, "units of the own application are not in it");
    assert!(!data[0].unit_relation_data["web/1"].in_scope);
    world.stop().await;
}

#[tokio::test]
async fn a_subordinate_comes_with_its_principal() {
    let world = World::running().await;
    world.deploy(ApplicationDeploy { num_units: 0, ..app("log", "local:log-0") }).await.unwrap();
    let got = world.user.call::<application::call::AddRelation>(add("log", "web")).await.unwrap();
    assert_eq!(
        (got.endpoints["log"].scope.as_str(), got.endpoints["web"].name.as_str()),
        ("container", "juju-info")
    );
    world.stop().await;
}
