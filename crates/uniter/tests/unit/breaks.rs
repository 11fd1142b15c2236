//! Connections that break in the middle, and controllers that refuse.

use juju_wire::{Error, code};

use crate::agent::{deployed, is_idle, settled};

const HOOKS: &[(&str, &str)] = &[
    ("hooks/install", ""),
    ("hooks/config-changed", "state-set count=$(($(state-get count || true) + 1)); open-port 80"),
    ("hooks/start", "status-set active"),
];

fn count(docs: &crate::fake::Docs) -> &str {
    docs.charm_state.get("count").map(String::as_str).unwrap_or_default()
}

#[tokio::test]
async fn changes_whose_answer_was_lost_are_not_sent_twice() {
    let (machine, fake, agent) = deployed(&[("hooks/start", "status-set active")]).await;
    fake.wait("active", settled).await;
    fake.edit(|docs| machine.charm(docs, "local:shop-2", HOOKS));
    fake.lose_answer("CommitHookChanges");
    fake.wait("the change", |docs| count(docs) == "1" && is_idle(docs)).await;
    assert_eq!(fake.docs().commits, 1);
    assert_eq!(fake.docs().open_ports.len(), 1);
    assert_eq!(machine.traced().iter().filter(|it| *it == "config-changed").count(), 1);
    agent.stop().await;
}

#[tokio::test]
async fn changes_that_were_lost_are_sent_again() {
    let (machine, fake, agent) = deployed(&[("hooks/start", "status-set active")]).await;
    fake.wait("active", settled).await;
    fake.edit(|docs| machine.charm(docs, "local:shop-2", HOOKS));
    fake.lose_call("CommitHookChanges");
    fake.wait("the change", |docs| count(docs) == "1" && is_idle(docs)).await;
    assert_eq!(fake.docs().commits, 1);
    assert_eq!(machine.traced().iter().filter(|it| *it == "config-changed").count(), 1);
    agent.stop().await;
}

#[tokio::test]
async fn a_hook_outlives_its_controller() {
    let hooks = [
        ("hooks/install", ""),
        (
            "hooks/config-changed",
            "echo begun >&3; while [ ! -e go ]; do sleep 0.05; done; config-get port >&3; open-port 80",
        ),
        ("hooks/start", "status-set active"),
    ];
    let (machine, fake, agent) = deployed(&hooks).await;
    fake.wait("the hook", |_| machine.traced().contains(&"begun".to_owned())).await;
    fake.set_down(true);
    std::fs::write(machine.paths().charm_dir("unit-shop-0").join("go"), "").unwrap();
    // The hook is now in `config-get`, which waits.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!machine.traced().contains(&"80".to_owned()));
    fake.set_down(false);
    fake.wait("active", settled).await;
    assert_eq!(machine.traced(), ["install", "config-changed", "begun", "80", "start"]);
    assert_eq!(fake.docs().open_ports.len(), 1);
    agent.stop().await;
}

#[tokio::test]
async fn what_changed_while_the_connection_was_down_is_seen_after_it() {
    let (machine, fake, agent) = deployed(HOOKS).await;
    fake.wait("active", settled).await;
    for round in 2..5 {
        fake.set_down(true);
        fake.edit(|docs| {
            docs.config.insert("port".into(), serde_json::json!(round));
        });
        fake.set_down(false);
        fake.wait("the change", |docs| count(docs) == round.to_string() && is_idle(docs)).await;
    }
    assert_eq!(machine.traced().iter().filter(|it| *it == "config-changed").count(), 4);
    agent.stop().await;
}

#[tokio::test]
async fn changes_that_the_controller_refuses_fail_the_hook() {
    let (machine, fake, agent) = deployed(&[("hooks/start", "status-set active")]).await;
    fake.wait("active", settled).await;
    fake.refuse(
        "CommitHookChanges",
        Error::new(code::QUOTA_LIMIT_EXCEEDED, "max allowed size (2097152) exceeded"),
    );
    fake.edit(|docs| machine.charm(docs, "local:shop-2", HOOKS));
    fake.wait("the retry", |docs| count(docs) == "1" && is_idle(docs)).await;
    assert!(fake.docs().agent_statuses.iter().any(|it| it.1 == "hook failed: \"config-changed\""));
    let log = machine.logged("juju.worker.uniter.operation");
    assert!(log.iter().any(|it| it.contains("max allowed size")), "{log:?}");
    agent.stop().await;
}

/// Whichever call is lost, or its answer, the unit comes to the same end.
#[tokio::test]
async fn any_call_may_be_lost() {
    for method in [
        "SetState",
        "SetCharmURL",
        "SetAgentStatus",
        "SetUnitStatus",
        "EnterScope",
        "State",
        "ClaimLeadership",
        "Watch",
    ] {
        for answer in [false, true] {
            let machine = crate::agent::Machine::new();
            let mut docs = crate::agent::docs();
            machine.charm(&mut docs, crate::agent::CHARM, HOOKS);
            let mut db = crate::fake::RelationDoc::new("shop:db db:server", "db", "requirer", "db");
            db.write("db/0", &[]);
            docs.relations.insert(4, db);
            let fake = crate::fake::Fake::new(docs);
            if answer {
                fake.lose_answer(method)
            } else {
                fake.lose_call(method)
            }
            let agent = machine.start(fake.dial());
            fake.wait("active", settled).await;
            assert_eq!(machine.traced(), ["install", "config-changed", "start"], "{method} {answer}");
            assert_eq!(count(&fake.docs()), "1", "{method} {answer}");
            assert!(fake.docs().relations[&4].in_scope, "{method} {answer}");
            agent.stop().await;
        }
    }
}
