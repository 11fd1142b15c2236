//! Relations: made, entered, spoken in, left and ended.

use std::{collections::BTreeMap, time::Duration};

use juju_core::{Life, RelationId};

use crate::{
    Error, Model,
    cleanup::How,
    commit::{HookChanges, RelationChanges},
    lease::{LeaseId, LeaseManager},
    ports::EndpointPorts,
    relation::settings::{Bag, Settings},
    testing::{DB, Fixture, LOG, WEB, id},
    unit::memory::NewMemory,
};

fn settings(pairs: &[(&str, &str)]) -> Settings {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// `web` and `db`, two units each, at work.
async fn pair(model: &Model) -> RelationId {
    model.deploy_charm(DB, 2).await;
    model.deploy_charm(WEB, 2).await;
    let relation = model.add_relation("web", "db").await.unwrap();
    for unit in ["db/0", "db/1", "web/0", "web/1"] {
        model.start(&id(unit)).await;
    }
    relation.id
}

#[tokio::test]
async fn endpoints_are_found() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 0).await;
    model.deploy_charm(WEB, 0).await;
    model.deploy_charm(LOG, 0).await;
    let relation = model.add_relation("db", "web").await.unwrap();
    assert_eq!(relation.key.to_string(), "web:db db:server");
    for (one, other, error) in [
        ("web", "db", "cannot add relation \"web:db db:server\": relation web:db db:server already exists"),
        ("web:nope", "db", "application \"web\" has no \"nope\" relation"),
        ("web:site", "db", "no relations found"),
        ("web", "nope", "application \"nope\" not found"),
        ("web", "we b", "\"we b\" is not a valid application name"),
        ("log:info", "db:server", "no relations found"),
    ] {
        assert_eq!(model.add_relation(one, other).await.unwrap_err().to_string(), error, "{one} {other}");
    }
    let logs = model.add_relation("log", "web").await.unwrap();
    assert_eq!(
        logs.key.to_string(),
        "log:logs web:logs",
        "what the charm says counts before what every charm has"
    );
    assert_eq!(logs.scope().as_str(), "container");
    assert_eq!(model.relation_by_key(&logs.key).unwrap().id, logs.id);
    assert_eq!(model.application_relations(&id("web")).unwrap().len(), 2);
}

#[tokio::test]
async fn units_hear_of_each_other() {
    let model = Fixture::new().await.model("m").await;
    let relation = pair(&model).await;
    let (first, mut watcher) = model.watch_relation_units(relation, &id("web/0")).unwrap();
    assert_eq!(first.changed, BTreeMap::from([(id("db/0"), 1), (id("db/1"), 1)]));
    assert_eq!(first.app_changed, BTreeMap::from([(id("db"), 0)]));

    model.update_relation_settings(relation, &id("db/0"), &settings(&[("host", "a")])).await.unwrap();
    let change = watcher.next().await.unwrap();
    assert_eq!(change.changed, BTreeMap::from([(id("db/0"), 2)]));
    assert!(change.app_changed.is_empty() && change.departed.is_empty());
    // What changes nothing is not told; so the next event is another one.
    model.update_relation_settings(relation, &id("db/0"), &settings(&[("host", "a")])).await.unwrap();
    model.leave_scope(relation, &id("db/1")).await.unwrap();
    assert_eq!(watcher.next().await.unwrap().departed, [id("db/1")]);
    model.enter_scope(relation, &id("db/1")).await.unwrap();
    let change = watcher.next().await.unwrap();
    assert_eq!(change.changed, BTreeMap::from([(id("db/1"), 2)]), "a new version, though the bag was there");

    let bag = model.relation_settings(relation, Bag::Unit(&id("db/0"))).unwrap();
    assert_eq!(bag.settings["host"], "a");
    let error =
        model.update_relation_settings(relation, &id("log/0"), &settings(&[("a", "b")])).await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

#[tokio::test]
async fn a_hook_is_committed_whole() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let relation = pair(&model).await;
    let unit = id("db/0");
    let port = |text: &str| EndpointPorts { endpoint: String::new(), range: id(text) };
    let memory = |text: &str| NewMemory { uniter: Some(text.into()), ..NewMemory::default() };
    let changes = HookChanges {
        relations: vec![RelationChanges {
            relation,
            unit: settings(&[("host", "a"), ("private-address", "")]),
            application: settings(&[("leader", "db/0")]),
        }],
        open_ports: vec![port("5432")],
        memory: memory("done"),
        ..HookChanges::default()
    };
    let before = model.keys();
    let error = model.commit_hook(&unit, &changes).await.unwrap_err();
    assert!(matches!(error, Error::NotLeader { .. }), "{error}");
    assert_eq!(model.keys(), before, "nothing of it is done");

    let leases = LeaseManager::new(fixture.state.clone(), "0", Duration::ZERO);
    let lease = LeaseId::leadership(model.uuid(), &id("db"));
    leases.claim(&lease, "db/0", Duration::from_secs(60), Duration::ZERO).await.unwrap();
    model.commit_hook(&unit, &changes).await.unwrap();
    let bag = model.relation_settings(relation, Bag::Unit(&unit)).unwrap();
    assert!(bag.settings.contains_key("host") && !bag.settings.contains_key("private-address"));
    let bag = model.relation_settings(relation, Bag::Application(&id("db"))).unwrap();
    assert_eq!((bag.version, bag.settings["leader"].as_str()), (1, "db/0"));
    assert_eq!(model.unit_memory(&unit).unwrap().uniter, "done");
    assert_eq!(model.ports(&id("0")).unwrap()[0].1.ports.ranges(), [id("5432/tcp")].into());

    // Two units of one machine cannot have the same port; then the hook has done nothing.
    let other =
        model.add_units(&id("web"), 1, &[juju_core::Placement::Machine(id("0"))]).await.unwrap().remove(0);
    model.start(&other).await;
    let clash =
        HookChanges { open_ports: vec![port("5430-5440")], memory: memory("no"), ..HookChanges::default() };
    let error = model.commit_hook(&other, &clash).await.unwrap_err().to_string();
    assert!(error.contains("port range conflicts"), "{error}");
    assert_eq!(model.unit_memory(&other).unwrap().uniter, "");
}

#[tokio::test]
async fn the_last_unit_takes_a_dying_relation_along() {
    let model = Fixture::new().await.model("m").await;
    let relation = pair(&model).await;
    model.destroy_relation(relation, How::GENTLY).await.unwrap();
    assert_eq!(model.relation(relation).unwrap().life, Life::Dying);
    model.leave_scope(relation, &id("db/1")).await.unwrap();
    let error = model.enter_scope(relation, &id("db/1")).await.unwrap_err();
    assert!(matches!(error, Error::CannotEnterScope));
    for unit in ["db/0", "web/0"] {
        model.leave_scope(relation, &id(unit)).await.unwrap();
        model.leave_scope(relation, &id(unit)).await.unwrap();
    }
    assert!(model.relation(relation).is_ok());
    model.leave_scope(relation, &id("web/1")).await.unwrap();
    assert!(model.relation(relation).unwrap_err().is_not_found());
    model.run_cleanups().await.unwrap();
    let left: Vec<_> =
        model.keys().into_iter().filter(|it| it.starts_with(&format!("rset/{relation}/"))).collect();
    assert!(left.is_empty(), "{left:?}");
    let again = model.add_relation("web", "db").await.unwrap();
    assert_ne!(again.id, relation, "an id is never used again");
    let peers = model.application_relations(&id("db")).unwrap()[0].id;
    let error = model.destroy_relation(peers, How::GENTLY).await.unwrap_err().to_string();
    assert_eq!(error, "cannot destroy relation \"db:ring\": is a peer relation");
}

#[tokio::test]
async fn forced_relations_go_in_time() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let relation = pair(&model).await;
    model.destroy_relation(relation, How::forced(None)).await.unwrap();
    let due = model.run_cleanups().await.unwrap().unwrap();
    assert_eq!(due, fixture.state.now() + jiff::SignedDuration::from_secs(60));
    assert_eq!(model.relation(relation).unwrap().life, Life::Dying);
    fixture.pass(60);
    model.run_cleanups().await.unwrap();
    assert!(model.relation(relation).unwrap_err().is_not_found());
}

#[tokio::test]
async fn subordinates_come_with_their_principals() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(WEB, 2).await;
    model.deploy_charm(LOG, 0).await;
    let relation = model.add_relation("log", "web").await.unwrap().id;
    let (units, mut watcher) = {
        model.start(&id("web/0")).await;
        model.watch_machine_units(&id("0")).unwrap()
    };
    assert_eq!(units, ["log/0", "web/0"]);
    model.start(&id("web/1")).await;
    let subordinate = model.unit(&id("log/1")).unwrap();
    assert_eq!(subordinate.principal, Some(id("web/1")));
    assert_eq!(model.unit_machine(&id("log/1")).unwrap(), id("1"));
    model.start(&id("log/0")).await;
    model.start(&id("log/1")).await;
    assert_eq!(
        model.relation_members(relation, &id("log/0")).unwrap(),
        [id("web/0")],
        "its own principal alone"
    );
    assert_eq!(model.relation_members(relation, &id("web/1")).unwrap(), [id("log/1")]);
    let error = model.ensure_unit_dead(&id("web/0")).await.unwrap_err();
    assert!(matches!(error, Error::UnitHasSubordinates));

    model.destroy_unit(&id("log/0"), How::GENTLY).await.unwrap();
    assert_eq!(watcher.next().await.unwrap(), ["log/0"]);
    model.leave_scope(relation, &id("web/0")).await.unwrap();
    let error = model.enter_scope(relation, &id("web/0")).await.unwrap_err();
    assert!(matches!(error, Error::CannotEnterScopeYet));
    model.stop(&id("log/0")).await.unwrap();
    assert_eq!(watcher.next().await.unwrap(), ["log/0"]);
    model.enter_scope(relation, &id("web/0")).await.unwrap();
    assert!(model.has_unit(&id("log/2")));
    assert_eq!(watcher.next().await.unwrap(), ["log/2"]);

    // A principal takes its subordinate along.
    model.destroy_unit(&id("web/1"), How::GENTLY).await.unwrap();
    model.stop(&id("web/1")).await.unwrap();
    assert!(!model.has_unit(&id("log/1")) && !model.has_unit(&id("web/1")));
    assert_eq!(model.machine(&id("1")).unwrap().life, Life::Dying);
}

#[tokio::test]
async fn relations_are_watched_by_what_concerns_a_unit() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(WEB, 1).await;
    model.deploy_charm(DB, 1).await;
    model.start(&id("web/0")).await;
    let (first, mut watcher) = model.watch_unit_relations(&id("web/0")).unwrap();
    assert!(first.is_empty());
    let relation = model.add_relation("web", "db").await.unwrap();
    assert_eq!(watcher.next().await.unwrap(), ["web:db db:server"]);
    model.set_relation_suspended(relation.id, true, "maintenance").await.unwrap();
    assert_eq!(watcher.next().await.unwrap(), ["web:db db:server"]);
    model.enter_scope(relation.id, &id("web/0")).await.unwrap();
    model.destroy_relation(relation.id, How::GENTLY).await.unwrap();
    assert_eq!(watcher.next().await.unwrap(), ["web:db db:server"]);
    model.leave_scope(relation.id, &id("web/0")).await.unwrap();
    assert_eq!(watcher.next().await.unwrap(), ["web:db db:server"], "it is gone");
}

/// A charm that requires something of each of its many neighbours.
fn hub(neighbours: u32) -> String {
    let ends: Vec<String> = (0..neighbours).map(|it| format!("n{it}: {{interface: i{it}}}")).collect();
    format!("name: hub\nrequires: {{{}}}", ends.join(", "))
}

const NEIGHBOURS: u32 = 60;

async fn surrounded(model: &Model) -> Vec<RelationId> {
    model.deploy_charm(&hub(NEIGHBOURS), 1).await;
    let mut relations = Vec::new();
    for number in 0..NEIGHBOURS {
        let name = format!("p{number}x");
        model.deploy_charm(&format!("name: {name}\nprovides: {{end: {{interface: i{number}}}}}"), 0).await;
        relations.push(model.add_relation("hub", &name).await.unwrap().id);
    }
    model.start(&id("hub/0")).await;
    relations
}

#[tokio::test]
async fn a_hook_may_speak_in_many_relations() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let relations = surrounded(&model).await;
    let unit = id("hub/0");
    let leases = LeaseManager::new(fixture.state.clone(), "0", Duration::ZERO);
    let lease = LeaseId::leadership(model.uuid(), &id("hub"));
    leases.claim(&lease, "hub/0", Duration::from_secs(60), Duration::ZERO).await.unwrap();
    for round in ["1", "2"] {
        let all = relations.iter().map(|it| RelationChanges {
            relation: *it,
            unit: settings(&[("round", round)]),
            application: settings(&[("round", round)]),
        });
        let memory = NewMemory { uniter: Some(round.into()), ..NewMemory::default() };
        let changes = HookChanges {
            update_addresses: true,
            relations: all.collect(),
            memory,
            ..HookChanges::default()
        };
        model.commit_hook(&unit, &changes).await.unwrap();
        for relation in &relations {
            for bag in [Bag::Unit(&unit), Bag::Application(&id("hub"))] {
                assert_eq!(model.relation_settings(*relation, bag).unwrap().settings["round"], round);
            }
        }
        assert_eq!(model.unit_memory(&unit).unwrap().uniter, round);
    }
    assert!(!model.keys().iter().any(|it| it.starts_with("hook/")));
    model.run_cleanups().await.unwrap();
}

#[tokio::test]
async fn what_has_many_relations_can_go() {
    let model = Fixture::new().await.model("m").await;
    surrounded(&model).await;
    // One that has not begun, and one that is in all of them.
    model.add_units(&id("hub"), 1, &[]).await.unwrap();
    model.destroy_unit(&id("hub/1"), How::GENTLY).await.unwrap();
    model.run_cleanups().await.unwrap();
    assert!(!model.has_unit(&id("hub/1")));
    model.destroy_application(&id("hub"), How::GENTLY).await.unwrap();
    model.run_cleanups().await.unwrap();
    model.ensure_unit_dead(&id("hub/0")).await.unwrap();
    model.remove_unit(&id("hub/0")).await.unwrap();
    model.run_cleanups().await.unwrap();
    assert!(model.application(&id("hub")).unwrap_err().is_not_found());
    assert!(model.relations().unwrap().is_empty());
}
