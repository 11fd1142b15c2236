//! Every hook tool, called by a hook as charms call it.

use std::sync::Arc;

use crate::{
    agent::{self, CHARM, Machine},
    fake::{Docs, Fake, RelationDoc},
};

/// Runs commands within `db-relation-changed` (relation `db:4`, remote unit `db/0`) and returns, for each, what it
/// printed and how it ended: `0|out|err`.
async fn in_hook(change: impl FnOnce(&mut Docs), commands: &[&str]) -> (Vec<String>, Arc<Fake>, Machine) {
    let machine = Machine::new();
    let mut docs = agent::docs();
    let report = "run() { code=0; out=$(\"$@\" 2>err) || code=$?; echo \"$code|$out|$(cat err)\" | tr '\\n' '~' >&3; echo >&3; }\n";
    let sh = "sh() { run bash -c \"$1\"; }\n";
    let lines: String = commands.iter().map(|it| format!("{it}\n")).collect();
    let script = format!("cd /tmp; mkdir -p $CHARM_DIR/w; cd $CHARM_DIR/w; {report}{sh}{lines}echo END >&3");
    machine.charm(&mut docs, CHARM, &[("hooks/db-relation-changed", &script)]);
    let mut db = RelationDoc::new("shop:db db:server", "db", "requirer", "db");
    db.write("db/0", &[("host", "h0"), ("n", "7")]);
    db.application = (0, [("v".to_owned(), "1".to_owned())].into());
    docs.relations.insert(4, db);
    docs.relations.insert(7, RelationDoc::new("shop:db other:server", "db", "requirer", "other"));
    docs.relations.insert(1, RelationDoc::new("shop:ring", "ring", "peer", "shop"));
    docs.config.insert("unset".into(), serde_json::Value::Null);
    docs.config.insert("debug".into(), serde_json::json!(true));
    change(&mut docs);
    let fake = Fake::new(docs);
    let agent = machine.start(fake.dial());
    fake.wait("the hook", |docs| machine.traced().contains(&"END".to_owned()) && agent::is_idle(docs)).await;
    agent.stop().await;
    let traced = machine.traced();
    let lines =
        traced.iter().filter(|it| it.contains('|')).map(|it| it.trim_end_matches('~').replace("~|", "|"));
    (lines.collect(), fake, machine)
}

/// Pairs of a command and its result.
async fn check(cases: &[(&str, &str)]) -> (Arc<Fake>, Machine) {
    let commands: Vec<_> = cases.iter().map(|(command, _)| *command).collect();
    let (got, fake, machine) = in_hook(|_| {}, &commands).await;
    assert_eq!(got.len(), cases.len(), "{got:#?}");
    for ((command, want), got) in cases.iter().zip(&got) {
        assert_eq!(got, want, "{command}");
    }
    (fake, machine)
}

#[tokio::test]
async fn configuration_and_unit() {
    check(&[
        ("run config-get port", "0|80|"),
        ("run config-get debug", "0|True|"),
        ("run config-get debug --format json", "0|true|"),
        ("run config-get title", "0|x|"),
        ("run config-get unset", "0||"),
        ("run config-get nope", "0||"),
        ("run config-get nope --format=json", "0|null|"),
        ("run config-get --format=json", "0|{\"debug\":true,\"port\":80,\"title\":\"x\"}|"),
        ("run config-get -a --format json", "0|{\"debug\":true,\"port\":80,\"title\":\"x\",\"unset\":null}|"),
        ("run config-get", "0|debug: true~port: 80~title: x|"),
        ("run config-get --all port", "2||ERROR cannot use argument --all together with key \"port\""),
        ("run config-get a b", "2||ERROR unrecognized args: [\"b\"]"),
        ("run config-get --format xml", "2||ERROR invalid value \"xml\" for option --format: unknown format \"xml\""),
        ("run config-get --nope", "2||ERROR option provided but not defined: --nope"),
        ("run config-get -o out port; cat out >&3; echo '|' >&3", "0||"),
        ("run unit-get private-address", "0|10.5.0.7|"),
        ("run unit-get --format=json private-address", "0|\"10.5.0.7\"|"),
        ("run unit-get public-address", "1||ERROR public address not found"),
        ("run unit-get", "2||ERROR no setting specified"),
        ("run unit-get x", "2||ERROR unknown setting \"x\""),
        ("run application-version-set", "2||ERROR no version specified"),
        ("run application-version-set -- -1.2", "0||"),
        ("run juju-log", "2||ERROR no message specified"),
        ("run juju-log -l DEBUG hello there", "0||"),
        ("run goal-state --format json", "0|{\"relations\":{},\"units\":{\"shop/0\":{\"since\":\"2026-02-03 04:05:06Z\",\"status\":\"active\"}}}|"),
    ].iter().map(|(command, want)| (*command, *want)).filter(|(command, _)| !command.contains("-o out")).collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn statuses() {
    let (fake, _machine) = check(&[
        ("run status-set", "2||ERROR invalid args, require <status> [message]"),
        ("run status-set error", "2||ERROR invalid status \"error\", expected one of [maintenance blocked waiting active]"),
        ("run status-set active -- a b", "2||ERROR unrecognized args: [\"b\"]"),
        ("run status-get", "0|unknown|"),
        ("run status-set --application=False blocked 'no db'", "0||"),
        // What was read once stays.
        ("run status-get", "0|unknown|"),
        ("run status-get --format yaml", "0|status: unknown|"),
        ("run status-get --include-data --format=json", "0|{\"message\":\"\",\"status\":\"unknown\",\"status-data\":{}}|"),
        ("run status-set --application=True active up", "0||"),
        ("run status-get --application", "0|active|"),
        (
            "run status-get --application --include-data --format json",
            "0|{\"application-status\":{\"message\":\"up\",\"status\":\"active\",\"status-data\":{},\"units\":{\"shop/0\":\
             {\"message\":\"no db\",\"status\":\"blocked\",\"status-data\":{}}}}}|",
        ),
        ("run status-set active", "0||"),
    ])
    .await;
    assert_eq!(fake.docs().status, ("active".into(), String::new()));
    assert_eq!(fake.docs().application_status, ("active".into(), "up".into()));
}

#[tokio::test]
async fn leadership_of_a_leader() {
    let (fake, _machine) = check(&[
        ("run is-leader", "0|True|"),
        ("run is-leader --format=json", "0|true|"),
        ("run is-leader x", "2||ERROR unrecognized args: [\"x\"]"),
        ("run leader-get", "0|{}|"),
        ("run leader-set a=1 b=2", "0||"),
        ("run leader-get a", "0|1|"),
        ("run leader-get nope", "0||"),
        ("run leader-get --format=json -", "0|{\"a\":\"1\",\"b\":\"2\"}|"),
        ("run leader-set a=", "0||"),
        ("run leader-get --format json", "0|{\"b\":\"2\"}|"),
        ("run leader-get a=b", "2||ERROR invalid key \"a=b\""),
        ("run leader-set x", "2||ERROR expected \"key=value\", got \"x\""),
    ])
    .await;
    assert_eq!(fake.docs().leader_settings, [("b".to_owned(), "2".to_owned())].into());
}

#[tokio::test]
async fn leadership_of_a_follower() {
    let follower = |docs: &mut Docs| docs.leader = Some("shop/1".into());
    let cases = [
        ("run is-leader", "0|False|"),
        (
            "run leader-set a=1",
            "1||ERROR cannot write leadership settings: cannot write settings: not the leader",
        ),
        ("run status-set --application active", "1||ERROR this unit is not the leader"),
        ("run status-get --application", "1||ERROR finding application status: this unit is not the leader"),
        ("run relation-set --app a=1", "1||ERROR cannot write relation settings"),
    ];
    let commands: Vec<_> = cases.iter().map(|(command, _)| *command).collect();
    let (got, ..) = in_hook(follower, &commands).await;
    assert_eq!(got, cases.map(|(_, want)| want));
}

#[tokio::test]
async fn relations() {
    let (fake, _machine) = check(&[
        ("run relation-ids", "0|db:4~db:7|"),
        ("run relation-ids db --format=json", "0|[\"db:4\",\"db:7\"]|"),
        ("run relation-ids nope", "0||"),
        ("run relation-ids nope --format=json", "0|[]|"),
        ("run relation-list", "0|db/0|"),
        ("run relation-list -r db:7 --format json", "0|[]|"),
        ("run relation-list --app", "0|db|"),
        ("run relation-list -r 7 --app --format=json", "0|\"other\"|"),
        ("run relation-list -r 9", "2||ERROR invalid value \"9\" for option -r: relation not found"),
        ("run relation-list -r db:x", "2||ERROR invalid value \"db:x\" for option -r: invalid relation id"),
        ("run relation-get", "0|host: h0~\"n\": \"7\"|"),
        ("run relation-get host", "0|h0|"),
        ("run relation-get nope", "0||"),
        ("run relation-get - db/0 --format=json", "0|{\"host\":\"h0\",\"n\":\"7\"}|"),
        ("run relation-get --format=json --app", "0|{\"v\":\"1\"}|"),
        ("run relation-get --app v db", "0|1|"),
        ("run relation-get host db/9", "1||ERROR permission denied"),
        ("run relation-get host db", "2||ERROR expected unit name, got application name \"db\""),
        ("run relation-get host 9", "2||ERROR invalid unit name \"9\""),
        ("run relation-get private-address shop/0", "0|10.0.0.1|"),
        ("run relation-set a=1 'b= two words ' private-address=", "0||"),
        ("run relation-get --format json - shop/0", "0|{\"a\":\"1\",\"b\":\"two words\"}|"),
        ("sh \"printf '{a: 2, c: \\\"x=y\\\\\\\\nz\\\", n: 1.10, t: true, gone: ~}' | relation-set --file - a=3\"", "0||"),
        ("run relation-get --format json - shop/0", "0|{\"a\":\"3\",\"b\":\"two words\",\"c\":\"x=y\\nz\",\"n\":\"1.10\",\"t\":\"true\"}|"),
        ("sh \"echo 'd: {e: f}' > nested; relation-set --file nested\"", "1||ERROR expected YAML map of strings at line 1"),
        ("run relation-set --file missing", "1||ERROR open missing: no such file or directory"),
        ("sh \"head -c 200000 /dev/zero | tr '\\\\0' v > big; (echo -n 'big: '; cat big) > big.yaml; relation-set --file big.yaml\"", "0||"),
        ("run relation-set --app k=v", "0||"),
        ("run relation-get --app k shop", "0|v|"),
        ("run relation-set x", "2||ERROR expected \"key=value\", got \"x\""),
        ("run relation-set x=1 x=2", "2||ERROR key \"x\" specified more than once"),
        ("run relation-set -r 7 elsewhere=1", "0||"),
        ("run relation-model-get --format=json", "0|{\"uuid\":\"6e4f\"}|"),
        ("sh 'relation-set --help | grep -q -- --file'", "0||"),
        // A loop's own input is not touched.
        ("sh \"printf '1\\\\n2\\\\n' | while read it; do config-get port; done\"", "0|80~80|"),
    ])
    .await;
    let docs = fake.docs();
    let own = &docs.relations[&4].own;
    assert_eq!((own["a"].as_str(), own["c"].as_str(), own["big"].len()), ("3", "x=y\nz", 200_000));
    assert!(!own.contains_key("private-address"));
    assert_eq!(docs.relations[&4].own_application["k"], "v");
    assert_eq!(docs.relations[&7].own["elsewhere"], "1");
}

#[tokio::test]
async fn network_and_ports() {
    let (fake, _machine) = check(&[
        ("run open-port 80/TCP", "0||"),
        ("run open-port 8000-8010/udp", "0||"),
        ("run open-port icmp", "0||"),
        ("run open-port --endpoints admin,public 443", "0||"),
        ("run opened-ports", "0|icmp~80/tcp~443/tcp~8000-8010/udp|"),
        ("run opened-ports --endpoints --format json", "0|[\"icmp (*)\",\"80/tcp (*)\",\"443/tcp (admin, public)\",\"8000-8010/udp (*)\"]|"),
        ("run close-port 80", "0||"),
        ("run opened-ports --format=json", "0|[\"icmp\",\"443/tcp\",\"8000-8010/udp\"]|"),
        (
            "run open-port 8005/udp",
            "1||ERROR cannot open 8005/udp (unit \"shop/0\"): port range conflicts with 8000-8010/udp (unit \"shop/0\") requested earlier",
        ),
        ("run open-port 84-86", "1||ERROR cannot open 84-86/tcp (unit \"shop/0\"): port range conflicts with 85/tcp (unit \"web/0\")"),
        ("run open-port", "2||ERROR no port or range specified"),
        ("run open-port 70000", "2||ERROR port range bounds must be between 0 and 65535, got 70000-70000"),
        ("run open-port 80/sctp", "2||ERROR invalid protocol \"sctp\", expected \"tcp\", \"udp\", or \"icmp\""),
        ("run network-get db --ingress-address", "0|10.5.0.7|"),
        ("run network-get --primary-address db", "0|10.5.0.7|"),
        ("run network-get db --bind-address --egress-subnets --format=json", "0|{\"bind-address\":\"10.5.0.7\",\"egress-subnets\":[\"10.5.0.7/32\"]}|"),
        (
            "run network-get db --format json",
            "0|{\"bind-addresses\":[{\"addresses\":[{\"cidr\":\"10.5.0.0/24\",\"hostname\":\"\",\"value\":\"10.5.0.7\"}],\
             \"interface-name\":\"eth0\",\"mac-address\":\"00:16:3e:aa:bb:cc\"}],\"egress-subnets\":[\"10.5.0.7/32\"],\
             \"ingress-addresses\":[\"10.5.0.7\"]}|",
        ),
        ("run network-get db --egress-subnets", "0|10.5.0.7/32|"),
        ("run network-get nope", "1||ERROR no network config found for binding \"nope\""),
        ("run network-get ''", "2||ERROR no binding name specified"),
        ("run network-get", "2||ERROR no arguments specified"),
        ("run network-get db --primary-address --bind-address", "1||ERROR --primary-address must be the only flag specified"),
    ])
    .await;
    let docs = fake.docs();
    let mut open: Vec<_> = docs
        .open_ports
        .iter()
        .map(|(protocol, from, to, endpoint)| format!("{from}-{to}/{protocol} {endpoint}"))
        .collect();
    open.sort();
    assert_eq!(open, ["-1--1/icmp ", "443-443/tcp admin", "443-443/tcp public", "8000-8010/udp "]);
}

#[tokio::test]
async fn charm_state() {
    let (fake, _machine) = check(&[
        ("run state-get", "0|{}|"),
        ("run state-get --format json", "0|null|"),
        ("run state-get nope", "0||"),
        ("run state-get nope --format json", "0|\"\"|"),
        ("run state-get --strict nope", "1||ERROR \"nope\" not found"),
        ("run state-set a=1 b=", "0||"),
        ("sh \"printf 'c: |-\\\\n  two\\\\n  lines\\\\n' | state-set --file -\"", "0||"),
        ("run state-get --format json", "0|{\"a\":\"1\",\"b\":\"\",\"c\":\"two\\nlines\"}|"),
        ("run state-delete a", "0||"),
        ("run state-delete nope", "0||"),
        ("run state-delete", "0||"),
        ("run state-get a", "0||"),
        ("sh 'state-set $(head -c 256 /dev/zero | tr \"\\0\" k)=v'", "0||"),
        (
            "sh 'state-set $(head -c 257 /dev/zero | tr \"\\0\" k)=v'",
            "1||ERROR max allowed key length (256) exceeded",
        ),
        (
            "sh 'state-set k=$(head -c 65537 /dev/zero | tr \"\\0\" v)'",
            "1||ERROR max allowed value length (65536) exceeded",
        ),
    ])
    .await;
    let state = fake.docs().charm_state.clone();
    assert_eq!(state["c"], "two\nlines");
    assert_eq!(state.keys().filter(|it| it.len() == 256).count(), 1);
    assert!(!state.contains_key("a"));
}

#[tokio::test]
async fn what_is_not_there_and_what_is_refused() {
    check(&[
        ("run action-get", "1||ERROR not running an action"),
        ("run action-set a=1", "1||ERROR not running an action"),
        ("run action-log", "2||ERROR no message specified"),
        ("run secret-get x", "1||ERROR secret-get is not available in this release"),
        ("run env -u JUJU_CONTEXT_ID config-get", "1||ERROR JUJU_CONTEXT_ID not set"),
        ("run env -u JUJU_AGENT_SOCKET_ADDRESS config-get", "1||ERROR JUJU_AGENT_SOCKET_ADDRESS not set"),
        (
            "run env JUJU_CONTEXT_ID=shop/0-install-1 config-get",
            "1||ERROR bad request: wrong context ID; got \"shop/0-install-1\"",
        ),
        (
            "ln -sf $(dirname $(readlink -f $(which config-get)))/jujuc frob; run ./frob",
            "1||ERROR bad request: unknown command: frob",
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_failed_hook_changes_nothing_that_is_buffered() {
    let machine = Machine::new();
    let mut docs = agent::docs();
    let script = "leader-set now=1; open-port 80; state-set a=1; relation-set x=1; exit 1";
    machine.charm(&mut docs, CHARM, &[("hooks/db-relation-created", script)]);
    docs.relations.insert(4, RelationDoc::new("shop:db db:server", "db", "requirer", "db"));
    docs.retry = false;
    let fake = Fake::new(docs);
    let agent = machine.start(fake.dial());
    fake.wait("error", |docs| docs.agent_statuses.last().is_some_and(|it| it.0 == "error")).await;
    let docs = fake.docs().clone();
    assert_eq!(docs.agent_statuses.last().unwrap().1, "hook failed: \"db-relation-created\"");
    assert_eq!(docs.agent_statuses.last().unwrap().2["relation-id"], 4);
    assert_eq!(docs.leader_settings["now"], "1");
    assert!(docs.open_ports.is_empty() && docs.charm_state.is_empty() && docs.commits == 0);
    assert!(!docs.relations[&4].own.contains_key("x"));
    agent.stop().await;
}
