//! kill -9 of the agent, at any moment: a process of its own, started again until the unit is active.

use std::{
    collections::BTreeSet,
    env, fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use rand::RngExt as _;
use tokio_util::sync::CancellationToken;

use crate::{
    agent::{self, CHARM, Machine, settled},
    fake::{Fake, RelationDoc, dial_socket},
};

/// Names the machine's directory to a process that is to be an agent.
const MACHINE: &str = "UNITER_TEST_MACHINE";

/// Not a test: the agent's process. The tests below start this binary with nothing but this.
#[tokio::test]
#[ignore = "started by other tests, in a process of its own"]
async fn agent_process() {
    let Some(dir) = env::var_os(MACHINE) else { return };
    let dir = Path::new(&dir);
    let config = agent::config(dir, Default::default());
    let dial = dial_socket(&dir.join("api"));
    juju_uniter::unit::run(config, dial, vec![], CancellationToken::new(), |_| {}).await.unwrap();
}

fn spawn_agent(dir: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "kills::agent_process", "--ignored"])
        .env(MACHINE, dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Each hook takes a little, and finds out whether another copy of any hook is running.
const BODY: &str = "exec 4>lock; flock -n 4 || echo OVERLAP >&3\n\
                    config-get port > /dev/null; sleep 0.05\n\
                    state-set last=$JUJU_HOOK_NAME; relation-ids db > /dev/null; sleep 0.05\n\
                    if [ $JUJU_HOOK_NAME = start ]; then status-set active; open-port 80; fi\n\
                    if [ $JUJU_HOOK_NAME = db-relation-changed ]; then relation-set seen=$(relation-get host); fi";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_is_killed_at_any_moment_comes_to_the_same_end() {
    for round in 0..5 {
        let machine = Machine::new();
        let mut docs = agent::docs();
        machine.charm(&mut docs, CHARM, &[("dispatch", BODY)]);
        let mut db = RelationDoc::new("shop:db db:server", "db", "requirer", "db");
        db.write("db/0", &[("host", "h0")]);
        docs.relations.insert(4, db);
        docs.relations.insert(1, RelationDoc::new("shop:ring", "ring", "peer", "shop"));
        let fake = Fake::new(docs);
        #[allow(clippy::disallowed_methods)]
        let server = tokio::spawn({
            let (fake, path) = (fake.clone(), machine.dir.path().join("api"));
            async move { fake.listen(&path).await }
        });

        let mut kills = 0;
        let mut agent = spawn_agent(machine.dir.path());
        while kills < 10 {
            let pause = rand::rng().random_range(30..600);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            agent.kill().unwrap();
            agent.wait().unwrap();
            kills += 1;
            agent = spawn_agent(machine.dir.path());
        }
        fake.wait("active", |docs| {
            settled(docs) && docs.relations[&4].own.get("seen").is_some_and(|it| it == "h0")
        })
        .await;
        agent.kill().unwrap();
        agent.wait().unwrap();

        let traced = machine.traced();
        assert!(!traced.contains(&"OVERLAP".to_owned()), "round {round}: {traced:?}");
        // Each hook ran, if need be again and again, but never after one that comes later had begun.
        let order = [
            "install",
            "ring-relation-created",
            "db-relation-created",
            "leader-elected",
            "config-changed",
            "start",
        ];
        let firsts: Vec<_> = first_runs(&traced);
        assert_eq!(&firsts[..order.len()], order, "round {round}: {traced:?}");
        assert_eq!(
            firsts[order.len()..],
            ["db-relation-joined", "db-relation-changed"],
            "round {round}: {traced:?}"
        );
        let docs = fake.docs().clone();
        assert_eq!(docs.open_ports.len(), 1, "round {round}");
        assert!(docs.uniter_state.unwrap().contains("op: continue"), "round {round}");
        assert!(!fs::exists(machine.paths().unit_state_dir("unit-shop-0").join("running-hook")).unwrap());
        server.abort();
    }
}

/// The hooks in the order of their first runs; runs of one hook in a row count once, and none may come back later.
fn first_runs(traced: &[String]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let mut runs: Vec<&str> = vec![];
    for name in traced {
        if runs.last() == Some(&name.as_str()) {
            continue;
        }
        assert!(seen.insert(name.as_str()), "{name} came back: {traced:?}");
        runs.push(name);
    }
    runs
}
