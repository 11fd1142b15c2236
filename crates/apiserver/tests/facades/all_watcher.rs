//! `Client.WatchAll` and `AllWatcher`.

use std::time::Duration;

use juju_rpc::Watcher;
use juju_state::{agent::Agent, block::BlockKind, cleanup::How, ports::EndpointPorts};
use juju_wire::facade::{
    all_watcher::{self, Delta},
    application::{self, AddRelation},
    client,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    common::id,
    world::{World, texts},
};

const SOON: Duration = Duration::from_secs(20);

async fn watch(world: &World) -> Watcher<Vec<Delta>> {
    let id = world.user.call::<client::call::WatchAll>(()).await.unwrap().watcher_id;
    world.user.all_watcher(id)
}

async fn next(watcher: &mut Watcher<Vec<Delta>>) -> Vec<Delta> {
    timeout(SOON, watcher.next()).await.unwrap().unwrap()
}

/// Without what differs from run to run.
fn plain(delta: &Delta) -> Value {
    let mut entity = delta.entity.clone();
    fn strip(value: &mut Value) {
        if let Value::Object(map) = value {
            map.remove("since");
            map.values_mut().for_each(strip);
        }
    }
    strip(&mut entity);
    entity
}

fn find<'a>(deltas: &'a [Delta], kind: &str, key: &str, id: impl Into<Value>) -> &'a Delta {
    let id = id.into();
    deltas
        .iter()
        .find(|it| it.kind == kind && it.entity[key] == id)
        .unwrap_or_else(|| panic!("{kind} {id}: {deltas:#?}"))
}

#[tokio::test]
async fn the_first_event_is_the_whole_model() {
    let world = World::running().await;
    world.model.set_agent_version(&id("3.6.28")).await.unwrap();
    let args = AddRelation { endpoints: vec!["web".into(), "pg".into()], via_cidrs: vec![] };
    world.user.call::<application::call::AddRelation>(args).await.unwrap();
    world.model.set_workload_version(&id("web/0"), "1.2").await.unwrap();
    world.model.record_agent_start(&id("0"), Some("host-0")).await.unwrap();
    world.model.set_supported_containers(&id("0"), &["lxd".to_owned()]).await.unwrap();
    for agent in [Agent::Unit(id("web/0")), Agent::Machine(id("0"))] {
        world.model.set_agent_binary(&agent, &id("3.6.28-ubuntu-amd64")).await.unwrap();
    }
    let open = EndpointPorts { endpoint: String::new(), range: id("80-81/tcp") };
    world.model.change_ports(&id("web/0"), &[open], &[]).await.unwrap();
    let config = juju_wire::facade::application::ConfigSet {
        application: "web".into(),
        config: texts(&[("port", "8080")]),
        ..Default::default()
    };
    let args = juju_wire::facade::application::ConfigSetArgs { args: vec![config] };
    world.user.call::<application::call::SetConfigs>(args).await.unwrap();
    world.model.annotate(&id("application-web"), &texts(&[("gui-x", "10")])).await.unwrap();
    world.model.set_block(BlockKind::Remove, "keep it").await.unwrap();

    let mut watcher = watch(&world).await;
    let all = next(&mut watcher).await;
    let uuid = world.model.uuid().as_str();
    assert!(all.iter().all(|it| !it.removed && it.entity["model-uuid"] == uuid));
    assert_eq!(all[0].kind, "model", "others speak of it");
    let kinds = |kind: &str| all.iter().filter(|it| it.kind == kind).count();
    let counts =
        ["model", "machine", "application", "unit", "relation", "charm", "annotation", "block"].map(kinds);
    assert_eq!(counts, [1, 3, 2, 3, 2, 3, 1, 1]);

    let model = plain(&all[0]);
    assert_eq!(model["config"]["agent-version"], "3.6.28");
    let mut rest = model.clone();
    rest.as_object_mut().unwrap().remove("config");
    assert_eq!(
        rest,
        json!({
            "model-uuid": uuid, "name": "demo", "life": "alive", "owner": "admin", "is-controller": false,
            "controller-uuid": world.it.state.controller().unwrap().uuid.as_str(),
            "status": {"current": "available", "message": "", "version": ""}, "constraints": {},
            "sla": {"level": "unsupported", "owner": ""}, "type": "iaas", "cloud": "local", "cloud-region": "localhost",
            "version": "3.6.28",
        })
    );
    assert_eq!(
        plain(find(&all, "machine", "id", "0")),
        json!({
            "model-uuid": uuid, "id": "0", "instance-id": "i-0",
            "agent-status": {"current": "started", "message": "", "version": "3.6.28"},
            "instance-status": {"current": "pending", "message": "", "version": ""},
            "life": "alive", "base": "ubuntu@22.04", "container-type": "", "supported-containers": ["lxd"],
            "supported-containers-known": true,
            "hardware-characteristics": {"arch": "amd64", "mem": 3814, "cpu-cores": 2}, "jobs": ["JobHostUnits"],
            "addresses": [{"value": "10.0.0.10", "type": "ipv4", "scope": "local-cloud"}],
            "has-vote": false, "wants-vote": false, "hostname": "host-0",
        })
    );
    assert_eq!(
        plain(find(&all, "application", "name", "web")),
        json!({
            "model-uuid": uuid, "name": "web", "exposed": false, "charm-url": "local:web-0", "owner-tag": "",
            "life": "alive", "min-units": 0, "constraints": {}, "config": {"port": 8080}, "subordinate": false,
            "status": {"current": "unset", "message": "", "version": ""}, "workload-version": "1.2",
        })
    );
    assert_eq!(
        plain(find(&all, "unit", "name", "web/0")),
        json!({
            "model-uuid": uuid, "name": "web/0", "application": "web", "base": "ubuntu@22.04",
            "charm-url": "local:web-0", "life": "alive", "public-address": "10.0.0.10",
            "private-address": "10.0.0.10", "machine-id": "0",
            "ports": [{"protocol": "tcp", "number": 80}, {"protocol": "tcp", "number": 81}],
            "port-ranges": [{"from-port": 80, "to-port": 81, "protocol": "tcp"}],
            "principal": "", "subordinate": false,
            "workload-status": {"current": "active", "message": "ready", "version": ""},
            "agent-status": {"current": "idle", "message": "", "version": "3.6.28"},
        })
    );
    let end = |app: &str, role: &str, limit: u32| {
        json!({"application-name": app, "relation": {
            "name": "db", "role": role, "interface": "pgsql", "optional": false, "limit": limit, "scope": "global",
        }})
    };
    let relation = find(&all, "relation", "key", "web:db pg:db");
    assert_eq!(
        plain(relation),
        json!({
            "model-uuid": uuid, "key": "web:db pg:db", "id": 1,
            "endpoints": [end("web", "requirer", 1), end("pg", "provider", 0)],
        })
    );
    assert_eq!(
        plain(find(&all, "charm", "charm-url", "local:web-0")),
        json!({
            "model-uuid": uuid, "charm-url": "local:web-0", "charm-version": "v1-3-gabc", "life": "alive",
            "profile": null, "config": {"port": 80, "debug": false},
        })
    );
    assert_eq!(
        plain(find(&all, "annotation", "tag", "application-web")),
        json!({"model-uuid": uuid, "tag": "application-web", "annotations": {"gui-x": "10"}})
    );
    let block = find(&all, "block", "type", "BlockRemove");
    assert_eq!((&block.entity["message"], block.entity["id"].is_string()), (&json!("keep it"), true));
    watcher.stop().await.unwrap();
    world.stop().await;
}

#[tokio::test]
async fn later_ones_are_what_changed_in_full() {
    let world = World::running().await;
    let mut watcher = watch(&world).await;
    next(&mut watcher).await;
    world.say("web/0", "executing", "maintenance", "busy").await;
    world.say("web/0", "idle", "blocked", "no database").await;
    let deltas = next(&mut watcher).await;
    let unit = find(&deltas, "unit", "name", "web/0");
    assert_eq!((&unit.entity["charm-url"], &unit.entity["life"]), (&json!("local:web-0"), &json!("alive")));
    let seen = |deltas: &[Delta]| deltas.iter().filter(|it| it.kind == "unit").count();
    assert_eq!(seen(&deltas), 1, "each at most once");
    // Whatever was coalesced, the last of it is told.
    let mut last = unit.entity.clone();
    while last["workload-status"]["current"] != "blocked" {
        last = find(&next(&mut watcher).await, "unit", "name", "web/0").entity.clone();
    }
    assert_eq!(last["workload-status"]["message"], "no database");

    // A failed hook shows with the workload.
    world.say("web/0", "error", "blocked", "hook failed: \"start\"").await;
    let mut last = json!({});
    while last["workload-status"]["current"] != "error" {
        last = find(&next(&mut watcher).await, "unit", "name", "web/0").entity.clone();
    }
    assert_eq!(
        (&last["agent-status"]["current"], &last["workload-status"]["message"]),
        (&json!("idle"), &json!("hook failed: \"start\""))
    );
    world.stop().await;
}

#[tokio::test]
async fn what_goes_is_removed_by_its_id() {
    let world = World::running().await;
    let args = AddRelation { endpoints: vec!["web".into(), "pg".into()], via_cidrs: vec![] };
    world.user.call::<application::call::AddRelation>(args).await.unwrap();
    let relation = world.model.relation_by_key(&id("web:db pg:db")).unwrap().id;
    world.model.annotate(&id("unit-pg-0"), &texts(&[("x", "1")])).await.unwrap();
    world.model.set_block(BlockKind::Destroy, "").await.unwrap();
    let mut watcher = watch(&world).await;
    let first = next(&mut watcher).await;
    let block = find(&first, "block", "type", "BlockDestroy").entity["id"].clone();

    world.model.remove_block(BlockKind::Destroy).await.unwrap();
    world.model.annotate(&id("unit-pg-0"), &texts(&[("x", "")])).await.unwrap();
    world.model.destroy_application(&id("pg"), How::forced(Some(Duration::ZERO))).await.unwrap();
    world.model.run_cleanups().await.unwrap();
    let mut removed: Vec<(String, Value)> = vec![];
    let wanted = [
        ("block", "id", block),
        ("annotation", "tag", json!("unit-pg-0")),
        ("relation", "id", json!(relation.0)),
        ("unit", "name", json!("pg/0")),
        ("application", "name", json!("pg")),
    ];
    while removed.len() < wanted.len() {
        for delta in next(&mut watcher).await.into_iter().filter(|it| it.removed) {
            removed.push((delta.kind.clone(), delta.entity));
        }
    }
    for (kind, key, value) in wanted {
        assert!(removed.iter().any(|(it, entity)| it == kind && entity[key] == value), "{kind}: {removed:?}");
    }
    world.stop().await;
}

#[tokio::test]
async fn a_watcher_is_asked_by_id_and_stopped() {
    let world = World::new().await;
    let watcher = world.user.call::<client::call::WatchAll>(()).await.unwrap().watcher_id;
    let first = world.user.call_on::<all_watcher::call::Next>(&watcher, ()).await.unwrap();
    assert_eq!(first.deltas.len(), 1);
    let waiting = world.user.call_on::<all_watcher::call::Next>(&watcher, ());
    let stopping = async {
        tokio::task::yield_now().await;
        world.user.call_on::<all_watcher::call::Stop>(&watcher, ()).await
    };
    let (waited, stopped) = tokio::join!(waiting, stopping);
    stopped.unwrap();
    let code = crate::world::failed(waited).0;
    // The one may have been read before the other.
    assert!(["stopped", "not found"].contains(&code.as_str()), "{code}");
    let gone = crate::world::failed(world.user.call_on::<all_watcher::call::Next>(&watcher, ()).await);
    assert_eq!(gone, crate::world::pair("not found", "unknown watcher id"));
    world.stop().await;
}
