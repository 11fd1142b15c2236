//! `Charms`.

use juju_wire::{
    facade::charms::{
        self, AddCharmWithOrigin, ApplicationCharmPlacement, ApplicationCharmPlacements, CharmsList,
        ResolveCharmWithChannel, ResolveCharmsWithChannel,
    },
    params::CharmURL,
};
use serde_json::json;

use crate::world::{LOG, WEB, WEB_CONFIG, World, app, failed, origin, pair, shown};

fn url(text: &str) -> CharmURL {
    CharmURL { url: text.into() }
}

#[tokio::test]
async fn a_charm_says_all_of_itself() {
    let world = World::with_charms().await;
    let got = world.user.call::<charms::call::CharmInfo>(url("local:web-0")).await.unwrap();
    assert_eq!((got.url.as_str(), got.revision), ("local:web-0", 0));
    assert_eq!((got.config["port"].type_.as_str(), &got.config["port"].default), ("int", &json!(80)));
    assert_eq!(got.config["title"].default, json!(null));
    let meta = got.meta.unwrap();
    assert_eq!((meta.name.as_str(), meta.summary.as_str(), meta.subordinate), ("web", "s", false));
    let relation = |it: &juju_wire::params::CharmRelation| {
        format!("{} {} {} {}", it.name, it.role, it.interface, it.limit)
    };
    assert_eq!(
        meta.requires.values().map(relation).collect::<Vec<_>>(),
        ["db requirer pgsql 1", "proxy requirer http 0"]
    );
    assert_eq!(meta.provides.values().map(relation).collect::<Vec<_>>(), ["site provider http 0"]);
    assert_eq!(meta.peers.values().map(relation).collect::<Vec<_>>(), ["ring peer web-ring 0"]);
    assert!(meta.extra_bindings.contains_key("admin"));
    let base = &got.manifest.unwrap().bases[0];
    assert_eq!((base.name.as_str(), base.channel.as_str()), ("ubuntu", "22.04/stable"));
    assert_eq!(base.architectures, ["amd64"]);
    let dump = &got.actions.unwrap().specs["dump"];
    assert_eq!(
        (dump.description.as_str(), &dump.params["properties"]["where"]["type"]),
        ("all of it", &json!("string"))
    );

    let log = world.user.call::<charms::call::CharmInfo>(url("local:log-0")).await.unwrap().meta.unwrap();
    assert_eq!((log.subordinate, log.requires["info"].scope.as_str()), (true, "container"));
    let missing = failed(world.user.call::<charms::call::CharmInfo>(url("local:web-9")).await);
    assert_eq!(missing, pair("not found", "charm \"local:web-9\" not found"));
    let bad = failed(world.user.call::<charms::call::CharmInfo>(url("nope:x")).await);
    assert_eq!(bad.0, "bad request");
    world.stop().await;
}

#[tokio::test]
async fn charms_are_listed_and_named_again() {
    let world = World::with_charms().await;
    world.charm(WEB, WEB_CONFIG).await;
    let list = async |names: &[&str]| {
        let args = CharmsList { names: names.iter().map(|it| (*it).into()).collect() };
        world.user.call::<charms::call::List>(args).await.unwrap().charm_urls
    };
    assert_eq!(list(&[]).await, ["local:log-0", "local:pg-0", "local:web-0", "local:web-1"]);
    assert_eq!(list(&["web"]).await, ["local:web-0", "local:web-1"]);

    let add = |url: &str| AddCharmWithOrigin { url: url.into(), charm_origin: origin(), force: false };
    let got = world.user.call::<charms::call::AddCharm>(add("local:web-1")).await.unwrap();
    assert_eq!(got.charm_origin, origin());
    assert_eq!(list(&["web"]).await.len(), 2, "it was there already");
    let missing = failed(world.user.call::<charms::call::AddCharm>(add("local:web-9")).await);
    assert_eq!(missing.0, "not found");
    let hub = failed(world.user.call::<charms::call::AddCharm>(add("ch:amd64/jammy/postgresql-345")).await);
    assert_eq!(
        hub,
        pair(
            "not supported",
            "cannot fetch charm \"postgresql\": Charmhub is not supported yet, deploy a charm from a local path"
        )
    );
    world.stop().await;
}

#[tokio::test]
async fn charmhub_is_not_there() {
    let world = World::new().await;
    let resolve = |it: &str| ResolveCharmWithChannel {
        reference: it.into(),
        charm_origin: origin(),
        switch_charm: false,
    };
    let args = ResolveCharmsWithChannel {
        resolve: vec![resolve("postgresql"), resolve("local:web-0"), resolve("ch:~x/y")],
        ..ResolveCharmsWithChannel::default()
    };
    let got = world.user.call::<charms::call::ResolveCharms>(args).await.unwrap();
    let codes: Vec<_> = got.results.iter().map(|it| it.error.as_ref().unwrap().code.as_str()).collect();
    assert_eq!(codes, ["not supported", "bad request", "bad request"]);
    world.stop().await;
}

#[tokio::test]
async fn placements_and_metering() {
    let world = World::with_charms().await;
    world.deploy(app("web", "local:web-0")).await.unwrap();
    let place = |application: &str, url: &str| ApplicationCharmPlacement {
        application: application.into(),
        charm_url: url.into(),
    };
    let args = ApplicationCharmPlacements {
        placements: vec![
            place("web", "local:web-0"),
            place("new", "ch:arm64/jammy/web-1"),
            place("web", "ch:amd64/jammy/web-1"),
            place("web", "ch:arm64/jammy/web-1"),
        ],
    };
    let got = world.user.call::<charms::call::CheckCharmPlacement>(args).await.unwrap();
    let errors: Vec<_> = got.results.iter().map(|it| it.error.as_ref().map(shown)).collect();
    let wrong = ("", "charm can not be placed in a heterogeneous environment");
    assert_eq!(errors, [None, None, None, Some(wrong)]);
    world.charm(LOG, "options: {}").await;
    assert!(!world.user.call::<charms::call::IsMetered>(url("local:log-1")).await.unwrap().metered);
    assert_eq!(failed(world.user.call::<charms::call::IsMetered>(url("local:log-9")).await).0, "not found");
    world.stop().await;
}
