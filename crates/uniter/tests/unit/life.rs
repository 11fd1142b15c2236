//! A unit from its installation to its end.

use std::{fs, time::Duration};

use juju_uniter::unit::Ended;

use crate::{
    agent::{self, CHARM, Machine, deployed, is_idle, settled},
    fake::{Fake, RelationDoc},
};

const ACTIVE: &[(&str, &str)] = &[
    ("hooks/install", ""),
    ("hooks/leader-elected", ""),
    ("hooks/config-changed", "status-set active ready"),
    ("hooks/start", ""),
    ("hooks/stop", ""),
    ("hooks/remove", ""),
    ("hooks/upgrade-charm", ""),
    ("hooks/update-status", ""),
    ("hooks/leader-settings-changed", ""),
    ("hooks/db-relation-created", ""),
    ("hooks/db-relation-joined", ""),
    ("hooks/db-relation-changed", "echo \"$JUJU_REMOTE_UNIT $(relation-get host)\" >&3"),
    ("hooks/db-relation-departed", "echo \"gone $JUJU_DEPARTING_UNIT\" >&3"),
    ("hooks/db-relation-broken", "relation-ids db >&3"),
    ("hooks/ring-relation-created", "relation-set --app key=value; relation-set own=1"),
    ("hooks/ring-relation-departed", ""),
];

#[tokio::test]
async fn a_unit_goes_active_and_comes_to_its_end() {
    let (machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    assert_eq!(machine.traced(), ["install", "leader-elected", "config-changed", "start"]);
    {
        let docs = fake.docs();
        assert_eq!(docs.charm_of_unit, CHARM);
        assert_eq!(docs.status.1, "ready");
        let said: Vec<_> =
            docs.agent_statuses.iter().map(|(status, info, _)| format!("{status} {info}")).collect();
        assert_eq!(
            said,
            [
                "executing running install hook",
                "executing running leader-elected hook",
                "executing running config-changed hook",
                "executing running start hook",
                "idle ",
            ]
        );
    }
    let log = machine.logged("juju.worker.uniter.operation");
    assert_eq!(log[0], "INFO ran \"install\" hook (via explicit, bespoke hook script)");
    let lock = fs::read_to_string(machine.paths().machine_lock_log()).unwrap();
    assert!(lock.contains("unit-shop-0: shop/0 uniter (run install hook), waited "), "{lock}");

    machine.clear_trace();
    fake.edit(|docs| docs.life = "dying".into());
    assert_eq!(agent.ended().await, Ended::Terminated);
    assert_eq!(machine.traced(), ["stop", "remove"]);
    assert_eq!(fake.docs().life, "dead");
    assert_eq!(fake.docs().status.0, "terminated");
}

#[tokio::test]
async fn a_unit_waits_for_its_subordinates() {
    let (_machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    fake.edit(|docs| (docs.life, docs.subordinates) = ("dying".into(), true));
    fake.wait("terminated", |docs| docs.status.0 == "terminated").await;
    fake.wait("a look at the subordinates", |docs| docs.calls.iter().any(|it| it == "HasSubordinates")).await;
    assert!(fake.docs().calls.iter().any(|it| it == "DestroyAllSubordinates"));
    assert_eq!(fake.docs().life, "dying");
    fake.edit(|docs| docs.subordinates = false);
    assert_eq!(agent.ended().await, Ended::Terminated);
}

#[tokio::test]
async fn relations_run_their_hooks_in_order() {
    let machine = Machine::new();
    let mut docs = agent::docs();
    machine.charm(&mut docs, CHARM, ACTIVE);
    let mut db = RelationDoc::new("shop:db db:server", "db", "requirer", "db");
    db.write("db/0", &[("host", "h0")]);
    docs.relations.insert(4, db);
    docs.relations.insert(1, RelationDoc::new("shop:ring", "ring", "peer", "shop"));
    let fake = Fake::new(docs);
    let agent = machine.start(fake.dial());
    fake.wait("active", settled).await;
    assert_eq!(
        machine.traced(),
        [
            "install",
            "ring-relation-created",
            "db-relation-created",
            "leader-elected",
            "config-changed",
            "start",
            "db-relation-joined",
            "db-relation-changed",
            "db/0 h0",
        ]
    );
    {
        let docs = fake.docs();
        assert_eq!(docs.relations[&1].own["own"], "1");
        assert_eq!(docs.relations[&1].own["private-address"], "10.0.0.1");
        assert_eq!(docs.relations[&1].own_application["key"], "value");
        // The leader is not one yet when the relation is entered, before `leader-elected`, but the controller knows.
        assert!(docs.relation_statuses.contains(&(4, "joined".into())));
    }

    machine.clear_trace();
    fake.edit(|docs| docs.relations.get_mut(&4).unwrap().write("db/0", &[("host", "h1")]));
    fake.wait("the change", |docs| machine.traced().len() >= 2 && is_idle(docs)).await;
    assert_eq!(machine.traced(), ["db-relation-changed", "db/0 h1"]);

    machine.clear_trace();
    fake.edit(|docs| docs.relations.get_mut(&4).unwrap().life = "dying".into());
    fake.wait("the end of the relation", |docs| !docs.relations.contains_key(&4) && is_idle(docs)).await;
    assert_eq!(machine.traced(), ["db-relation-departed", "gone db/0", "db-relation-broken"]);
    assert!(!fake.docs().relation_state.contains_key("4"));
    agent.stop().await;
}

#[tokio::test]
async fn a_charm_is_upgraded_and_the_units_own_files_stay() {
    let (machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    let charm_dir = machine.paths().charm_dir("unit-shop-0");
    fs::write(charm_dir.join(".unit-state.db"), "mine").unwrap();
    machine.clear_trace();
    fake.edit(|docs| {
        let second = [("hooks/config-changed", "status-set active second"), ("hooks/upgrade-charm", "")];
        machine.charm(docs, "local:shop-2", &second);
    });
    fake.wait("the new charm", |docs| docs.status.1 == "second" && is_idle(docs)).await;
    assert_eq!(machine.traced(), ["upgrade-charm", "config-changed"]);
    assert_eq!(fake.docs().charm_of_unit, "local:shop-2");
    assert!(charm_dir.join(".unit-state.db").exists());
    assert!(!charm_dir.join("hooks/install").exists());
    agent.stop().await;
}

#[tokio::test]
async fn a_failed_hook_is_reported_retried_and_resolved() {
    let flag = tempfile::tempdir().unwrap();
    let script = format!("test -e {}/ok", flag.path().display());
    let hooks = [
        ("hooks/install", ""),
        ("hooks/config-changed", script.as_str()),
        ("hooks/start", "status-set active"),
    ];
    let (machine, fake, agent) = deployed(&hooks).await;
    // The retry strategy of the fake begins with 50 ms.
    fake.wait("two retries", |_| machine.traced().iter().filter(|it| *it == "config-changed").count() >= 3)
        .await;
    {
        let docs = fake.docs();
        let error = docs.agent_statuses.iter().find(|(status, ..)| status == "error").unwrap();
        assert_eq!(error.1, "hook failed: \"config-changed\"");
        assert_eq!(serde_json::json!(error.2), serde_json::json!({"hook": "config-changed"}));
    }
    // Without retries it waits for a user.
    fake.edit(|docs| docs.retry = false);
    fake.wait("rest", |docs| docs.agent_statuses.last().is_some_and(|it| it.0 == "error")).await;
    fs::write(flag.path().join("ok"), "").unwrap();
    machine.clear_trace();
    fake.edit(|docs| docs.resolved = "retry-hooks".into());
    fake.wait("active", settled).await;
    assert_eq!(machine.traced(), ["config-changed", "start"]);
    assert_eq!(fake.docs().resolved, "");
    agent.stop().await;
}

#[tokio::test]
async fn a_failed_hook_can_be_skipped() {
    let hooks = [("hooks/install", "exit 1"), ("hooks/start", "status-set active")];
    let (machine, fake, agent) = deployed(&hooks).await;
    fake.edit(|docs| docs.retry = false);
    fake.wait("error", |docs| docs.agent_statuses.last().is_some_and(|it| it.0 == "error")).await;
    machine.clear_trace();
    fake.edit(|docs| docs.resolved = "no-hooks".into());
    fake.wait("active", settled).await;
    assert_eq!(machine.traced(), ["start"]);
    agent.stop().await;
}

#[tokio::test]
async fn configuration_is_told_once_and_not_after_a_restart() {
    let (machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    machine.clear_trace();
    fake.edit(|docs| {
        docs.config.insert("port".into(), serde_json::json!(81));
    });
    fake.wait("the change", |docs| !machine.traced().is_empty() && is_idle(docs)).await;
    assert_eq!(machine.traced(), ["config-changed"]);
    agent.stop().await;

    machine.clear_trace();
    let count = fake.docs().agent_statuses.len();
    let agent = machine.start(fake.dial());
    fake.wait("idle", |docs| docs.agent_statuses.len() > count).await;
    assert_eq!(machine.traced(), [""; 0]);
    agent.stop().await;
}

#[tokio::test]
async fn a_unit_that_does_not_lead_learns_of_settings_and_takes_over() {
    let machine = Machine::new();
    let mut docs = agent::docs();
    machine.charm(&mut docs, CHARM, ACTIVE);
    docs.leader = Some("shop/1".into());
    let fake = Fake::new(docs);
    let agent = machine.start(fake.dial());
    fake.wait("active", settled).await;
    assert_eq!(machine.traced(), ["install", "leader-settings-changed", "config-changed", "start"]);
    machine.clear_trace();
    fake.edit(|docs| {
        docs.leader_settings.insert("k".into(), "v".into());
    });
    fake.wait("the settings", |docs| !machine.traced().is_empty() && is_idle(docs)).await;
    fake.edit(|docs| docs.leader = None);
    fake.wait("leadership", |docs| machine.traced().len() >= 2 && is_idle(docs)).await;
    assert_eq!(machine.traced(), ["leader-settings-changed", "leader-elected"]);
    agent.stop().await;
}

#[tokio::test]
async fn a_charm_without_a_hook_and_one_that_cannot_run() {
    let (machine, fake, agent) = deployed(&[("hooks/start", "status-set active")]).await;
    fake.wait("active", settled).await;
    assert!(
        machine
            .logged("juju.worker.uniter.operation")
            .contains(&"INFO skipped \"install\" hook (missing)".into())
    );
    // Nothing is flushed for a hook that is not there, so relations' addresses are not refreshed either.
    assert_eq!(fake.docs().commits, 0);
    let stop = machine.paths().charm_dir("unit-shop-0").join("hooks/stop");
    fs::write(&stop, "#!/bin/sh\n").unwrap();
    fake.edit(|docs| (docs.life, docs.retry) = ("dying".into(), false));
    fake.wait("error", |docs| docs.agent_statuses.last().is_some_and(|it| it.1 == "hook failed: \"stop\""))
        .await;
    agent.stop().await;
}

#[tokio::test]
async fn dispatch_runs_every_hook_and_output_is_logged() {
    let hooks = [(
        "dispatch",
        "echo \"$JUJU_DISPATCH_PATH\"; echo warn >&2; juju-log -l WARNING said something\n\
         if [ \"$JUJU_HOOK_NAME\" = start ]; then status-set active; fi",
    )];
    let (machine, fake, agent) = deployed(&hooks).await;
    fake.wait("active", settled).await;
    let mut lines = machine.logged("unit.shop/0.install");
    lines.sort();
    assert_eq!(lines, ["DEBUG hooks/install", "WARNING warn"]);
    assert_eq!(machine.logged("unit.shop/0.juju-log")[0], "WARNING said something");
    let log = machine.logged("juju.worker.uniter.operation");
    assert_eq!(log[0], "INFO ran \"install\" hook (via hook dispatching script: dispatch)");
    agent.stop().await;
}

#[tokio::test]
async fn a_charm_that_vanished_is_laid_out_again() {
    let (machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    agent.stop().await;
    fs::remove_dir_all(machine.paths().charm_dir("unit-shop-0")).unwrap();
    machine.clear_trace();
    let count = fake.docs().agent_statuses.len();
    let agent = machine.start(fake.dial());
    fake.wait("idle", |docs| docs.agent_statuses.len() > count).await;
    assert!(machine.paths().charm_dir("unit-shop-0").join("hooks/install").exists());
    assert_eq!(machine.traced(), [""; 0]);
    agent.stop().await;
}

#[tokio::test]
async fn a_reboot_is_told_by_start() {
    let (machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    agent.stop().await;
    fs::remove_dir_all(machine.paths().transient_dir()).unwrap();
    machine.clear_trace();
    let count = fake.docs().agent_statuses.len();
    let agent = machine.start(fake.dial());
    fake.wait("idle", |docs| docs.agent_statuses.len() > count && is_idle(docs)).await;
    assert_eq!(machine.traced(), ["start"]);
    agent.stop().await;
}

#[tokio::test(start_paused = true)]
async fn update_status_comes_every_five_minutes_or_so() {
    // No hook is there that would need a process, and with it real time.
    let (machine, fake, agent) = deployed(&[("hooks/remove", "")]).await;
    fake.wait("idle", is_idle).await;
    let (begun, said) = (tokio::time::Instant::now(), fake.docs().agent_statuses.len());
    let ticks = || {
        let log = machine.logged("juju.worker.uniter.operation");
        log.iter().filter(|it| it.contains("\"update-status\"")).count()
    };
    while ticks() < 10 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let minutes = begun.elapsed().as_secs_f64() / 60.0;
    assert!((40.0..=61.0).contains(&minutes), "{minutes}");
    // Nobody is told of it.
    assert_eq!(fake.docs().agent_statuses.len(), said);
    agent.stop().await;
}

#[tokio::test]
async fn a_dead_unit_and_one_that_is_not_let_in_end_their_agents() {
    let (_machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    fake.edit(|docs| docs.life = "dead".into());
    assert_eq!(agent.ended().await, Ended::Terminated);

    let (_machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    fake.forbid();
    assert_eq!(agent.ended().await, Ended::Terminated);
}

#[tokio::test]
async fn a_stopped_agent_ends_its_hook_which_runs_again() {
    let hooks = [
        ("hooks/install", "if [ -e first ]; then exit 0; fi; touch first; sleep 300"),
        ("hooks/start", "status-set active"),
    ];
    let (machine, fake, agent) = deployed(&hooks).await;
    let first = machine.paths().charm_dir("unit-shop-0").join("first");
    fake.wait("the hook", |docs| docs.agent_statuses.iter().any(|it| it.0 == "executing")).await;
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    while !first.exists() {
        assert!(tokio::time::Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(agent.stop().await, Ended::Stopped);
    assert!(fake.docs().uniter_state.as_ref().unwrap().contains("opstep: queued"));
    let agent = machine.start(fake.dial());
    fake.wait("active", settled).await;
    assert_eq!(machine.traced(), ["install", "install", "start"]);
    assert!(!fake.docs().agent_statuses.iter().any(|it| it.0 == "error"));
    agent.stop().await;
}

#[tokio::test]
async fn a_conflict_waits_for_a_user() {
    let (machine, fake, agent) = deployed(ACTIVE).await;
    fake.wait("active", settled).await;
    machine.clear_trace();
    let hooks = [("zz-data", "x"), ("hooks/upgrade-charm", ""), ("hooks/config-changed", "")];
    fake.edit(|docs| {
        machine.charm(docs, "local:shop-2", &hooks);
        machine.damage(docs, "local:shop-2");
    });
    fake.wait("the conflict", |docs| docs.agent_statuses.last().is_some_and(|it| it.1 == "upgrade failed"))
        .await;
    // It is still there after a restart.
    agent.stop().await;
    let count = fake.docs().agent_statuses.len();
    let agent = machine.start(fake.dial());
    fake.wait("the conflict", |docs| docs.agent_statuses.len() > count).await;
    assert_eq!(fake.docs().agent_statuses.last().unwrap().1, "upgrade failed");
    fake.edit(|docs| {
        machine.charm(docs, "local:shop-2", &hooks);
        docs.resolved = "retry-hooks".into();
    });
    fake.wait("the new charm", |docs| docs.resolved.is_empty() && is_idle(docs)).await;
    assert_eq!(machine.traced(), ["upgrade-charm", "config-changed"]);
    agent.stop().await;
}

#[tokio::test]
async fn a_forced_charm_replaces_one_in_error_and_runs_the_failed_hook() {
    let (machine, fake, agent) = deployed(&[
        ("hooks/install", ""),
        ("hooks/config-changed", "status-set active"),
        ("hooks/start", "exit 1"),
    ])
    .await;
    fake.edit(|docs| docs.retry = false);
    fake.wait("error", |docs| docs.agent_statuses.last().is_some_and(|it| it.0 == "error")).await;
    machine.clear_trace();
    fake.edit(|docs| {
        machine.charm(
            docs,
            "local:shop-2",
            &[("hooks/upgrade-charm", ""), ("hooks/start", ""), ("hooks/config-changed", "")],
        );
    });
    // Not by itself.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(machine.traced(), [""; 0]);
    fake.edit(|docs| docs.force = true);
    fake.wait("the deployment", |docs| docs.charm_of_unit == "local:shop-2").await;
    fake.edit(|docs| docs.resolved = "retry-hooks".into());
    fake.wait("idle", |docs| docs.resolved.is_empty() && is_idle(docs)).await;
    assert_eq!(machine.traced()[0], "start");
    assert!(!machine.traced().contains(&"upgrade-charm".to_owned()));
    agent.stop().await;
}

#[tokio::test]
async fn a_suspended_relation_ends_and_begins_anew() {
    let machine = Machine::new();
    let mut docs = agent::docs();
    machine.charm(&mut docs, CHARM, ACTIVE);
    let mut db = RelationDoc::new("shop:db db:server", "db", "requirer", "db");
    db.write("db/0", &[("host", "h0")]);
    docs.relations.insert(4, db);
    let fake = Fake::new(docs);
    let agent = machine.start(fake.dial());
    fake.wait("active", |docs| settled(docs) && machine.traced().contains(&"db/0 h0".to_owned())).await;
    machine.clear_trace();
    fake.edit(|docs| docs.relations.get_mut(&4).unwrap().suspended = true);
    fake.wait("the end", |docs| !docs.relations[&4].in_scope && is_idle(docs)).await;
    assert_eq!(machine.traced(), ["db-relation-departed", "gone db/0", "db-relation-broken"]);
    assert_eq!(fake.docs().relation_statuses.last().unwrap(), &(4, "suspended".to_owned()));
    machine.clear_trace();
    fake.edit(|docs| docs.relations.get_mut(&4).unwrap().suspended = false);
    fake.wait("the beginning", |docs| machine.traced().len() >= 4 && is_idle(docs)).await;
    assert_eq!(
        machine.traced(),
        ["db-relation-created", "db-relation-joined", "db-relation-changed", "db/0 h0"]
    );
    agent.stop().await;
}

#[tokio::test]
async fn a_relation_of_an_endpoint_that_the_charm_lacks_is_passed_over() {
    let machine = Machine::new();
    let mut docs = agent::docs();
    machine.charm(&mut docs, CHARM, ACTIVE);
    docs.relations.insert(4, RelationDoc::new("shop:cache redis:server", "cache", "requirer", "redis"));
    let fake = Fake::new(docs);
    let agent = machine.start(fake.dial());
    fake.wait("active", settled).await;
    assert!(!fake.docs().relations[&4].in_scope);
    assert!(!fake.docs().calls.iter().any(|it| it == "EnterScope"));
    agent.stop().await;
}

#[tokio::test]
async fn a_machine_may_be_in_a_directory_of_a_long_name() {
    let machine = Machine::in_dir(tempfile::Builder::new().prefix(&"x".repeat(120)).tempdir().unwrap());
    let mut docs = agent::docs();
    machine.charm(&mut docs, CHARM, ACTIVE);
    let fake = Fake::new(docs);
    let agent = machine.start(fake.dial());
    fake.wait("active", settled).await;
    agent.stop().await;
}
