//! The file agent.conf: read, written, cut short, and as Juju writes it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;

use super::*;

/// A file of a fresh machine as Juju 3.6 writes it.
const JUJU_MACHINE: &str = r#"# format 2.0
tag: machine-4
datadir: /var/lib/juju
transient-datadir: /var/run/juju
logdir: /var/log/juju
metricsspooldir: /var/lib/juju/metricspool
nonce: machine-0:0b9d6c3a-1111-4222-8333-444455556666
jobs:
- JobHostUnits
upgradedToVersion: 3.6.28
cacert: |
  -----BEGIN CERTIFICATE-----
  MIID
  -----END CERTIFICATE-----
controller: controller-5a1d0a52-7777-4888-8999-aaaabbbbcccc
model: model-9f6b2f0e-dddd-4eee-8fff-000011112222
apiaddresses:
- 10.20.0.5:17070
oldpassword: Zm9vYmFyYmF6cXV4MTIzNDU2
values:
  AGENT_SERVICE_NAME: jujud-machine-4
  CONTAINER_TYPE: ""
  MGO_STATS_ENABLED: true
  PROVIDER_TYPE: lxd
agent-logfile-max-size: 100
agent-logfile-max-backups: 2
"#;

/// What Juju adds on a controller.
const JUJU_SERVING: &str = r#"controllercert: |
  -----BEGIN CERTIFICATE-----
  AAAA
  -----END CERTIFICATE-----
controllerkey: |
  -----BEGIN PRIVATE KEY-----
  BBBB
  -----END PRIVATE KEY-----
caprivatekey: |
  -----BEGIN PRIVATE KEY-----
  CCCC
  -----END PRIVATE KEY-----
apiport: 17070
stateport: 37017
sharedsecret: sssh
systemidentity: |
  -----BEGIN RSA PRIVATE KEY-----
  DDDD
  -----END RSA PRIVATE KEY-----
mongomemoryprofile: default
juju-db-snap-channel: 4.4.30/stable
querytracingthreshold: 1s
"#;

fn agent() -> NewAgent {
    NewAgent {
        tag: "machine-4".into(),
        nonce: "machine-0:n".into(),
        jobs: vec!["JobHostUnits".into()],
        version: "3.6.28".into(),
        controller: "5a1d0a52-7777-4888-8999-aaaabbbbcccc".into(),
        model: "9f6b2f0e-dddd-4eee-8fff-000011112222".into(),
        ca_cert: "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n".into(),
        api_addresses: vec!["10.20.0.5:17070".into()],
        password: "Zm9vYmFyYmF6cXV4MTIzNDU2".into(),
    }
}

#[test]
fn jujus_files_are_read_and_written_alike() {
    let conf = parse(JUJU_MACHINE).unwrap();
    assert_eq!(conf.tag, "machine-4");
    assert_eq!(conf.model, "9f6b2f0e-dddd-4eee-8fff-000011112222");
    assert_eq!(conf.old_password.expose(), "Zm9vYmFyYmF6cXV4MTIzNDU2");
    assert!(conf.api_password.is_empty() && !conf.is_controller());
    let ids = conf.ids().unwrap();
    assert_eq!((ids.tag.to_string(), ids.model.to_string()), (conf.tag.clone(), conf.model.clone()));
    assert_eq!(ids.upgraded_to_version, Version::new(3, 6, 28));
    assert_eq!(conf.value("MGO_STATS_ENABLED"), "true");
    assert_eq!(conf.value("CONTAINER_TYPE"), "");
    assert!(conf.values.contains_key("CONTAINER_TYPE"));
    assert_eq!(conf.paths(), Paths::host());

    // Ours differs from Juju's by two comments, and by quotes around what might be no text.
    let ours = render(&conf).unwrap();
    let plain: Vec<_> =
        ours.lines().filter(|line| *line == "# format 2.0" || !line.starts_with('#')).collect();
    let want = JUJU_MACHINE.replace(": true", ": \"true\"").replace("3.6.28", "\"3.6.28\"");
    assert_eq!(plain.join("\n") + "\n", want);
}

#[test]
fn a_controllers_file_keeps_its_order_and_its_serving_info() {
    let text = format!("{JUJU_MACHINE}{JUJU_SERVING}").replace("oldpassword", "apipassword");
    let conf = parse(&text).unwrap();
    let serving = conf.serving.as_ref().unwrap();
    assert_eq!((serving.api_port, serving.state_port, serving.controller_api_port), (17070, 37017, 0));
    assert!(serving.private_key.expose().contains("BBBB"));
    assert_eq!(conf.legacy.juju_db_snap_channel, "4.4.30/stable");
    assert_eq!(conf.legacy.query_tracing_threshold, "1s");

    let ours = render(&conf).unwrap();
    let keys: Vec<_> = ours
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '-']))
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(
        keys,
        [
            "tag",
            "datadir",
            "transient-datadir",
            "logdir",
            "metricsspooldir",
            "nonce",
            "jobs",
            "upgradedToVersion",
            "cacert",
            "statepassword",
            "controller",
            "model",
            "apiaddresses",
            "apipassword",
            "values",
            "agent-logfile-max-size",
            "agent-logfile-max-backups",
            "controllercert",
            "controllerkey",
            "caprivatekey",
            "apiport",
            "stateport",
            "sharedsecret",
            "systemidentity",
            "mongomemoryprofile",
            "juju-db-snap-channel",
            "querytracingthreshold",
        ]
    );
    assert_eq!(parse(&ours).unwrap(), conf);
}

#[test]
fn keys_of_a_later_version_survive_as_they_stood() {
    let later =
        "dqlite-port: 17666\nfuture: 1.10\nnested:\n  a: [1,\n    2]\n- at the margin\ntext: |\n  x\n\n  y\n";
    // A list at the margin belongs to the key before it.
    let later =
        later.replace("nested:\n  a: [1,\n    2]\n- at the margin\n", "nested:\n- a: [1,\n    2]\n- b\n");
    let text = JUJU_MACHINE.replace("values:\n", &format!("{later}values:\n"));
    let mut conf = parse(&text).unwrap();
    let names: Vec<_> = conf.unknown.iter().map(|key| key.key.as_str()).collect();
    assert_eq!(names, ["dqlite-port", "future", "nested", "text"]);
    conf.set_value("X", "y");
    let written = render(&conf).unwrap();
    assert!(written.contains(&later), "{written}");
    assert!(!format!("{conf:?}").contains("17666"));
}

#[test]
fn every_cut_is_noticed() {
    let mut conf = AgentConf::new(agent(), &Paths::host());
    conf.serving = parse(&format!("{JUJU_MACHINE}{JUJU_SERVING}")).unwrap().serving;
    let ours = render(&conf).unwrap();
    for end in 0..ours.len() {
        assert!(parse(&ours[..end]).is_err(), "cut at {end}: {:?}", &ours[end.saturating_sub(30)..end]);
    }
    // Juju's own files have no end mark, so a cut may only be seen where something must follow.
    for end in 0..JUJU_MACHINE.find("agent-logfile").unwrap() - "  PROVIDER_TYPE: lxd\n".len() {
        let result = parse(&JUJU_MACHINE[..end]);
        let whole_line = JUJU_MACHINE[..end].ends_with('\n') && JUJU_MACHINE[..end].contains("\nvalues:\n");
        assert!(result.is_err() || whole_line, "cut at {end}");
    }
    let no_port = format!("{JUJU_MACHINE}{}", &JUJU_SERVING[..JUJU_SERVING.find("apiport").unwrap()]);
    assert!(matches!(parse(&no_port), Err(FormatError::CutShort { .. })));
    let no_key = format!("{JUJU_MACHINE}{}", &JUJU_SERVING[..JUJU_SERVING.find("controllerkey").unwrap()]);
    assert!(matches!(parse(&no_key), Err(FormatError::CutShort { .. })));
}

#[test]
fn other_formats_and_bad_values_are_refused_by_name() {
    let with = |from: &str, to: &str| parse(&JUJU_MACHINE.replace(from, to)).unwrap_err().to_string();
    for (text, want) in [
        (with("# format 2.0", "# format 1.18"), "unknown agent config format \"1.18\""),
        (with("# format 2.0\n", ""), "malformed agent config format \"tag: machine-4\""),
        (with("# format 2.0", "\u{0}\u{1}"), "malformed agent config format"),
        (with("tag: machine-4", "tag: machine 4"), "tag: \"machine 4\" is not the tag"),
        (with("tag: machine-4", "tag: user-admin"), "tag: \"user-admin\" is not the tag"),
        (with("3.6.28", "latest"), "upgradedToVersion: \"latest\" is not a version"),
        (with("model: model-9f6b2f0e", "model: model-9"), "is not a model tag"),
        (with("controller: controller-", "controller: "), "is not a controller tag"),
        (with("values:", "values: 3"), "line"),
        (with("nonce:", "tag:"), "line"),
        (with("datadir: /var/lib/juju\n", ""), "\"datadir\" is missing"),
        (parse("").unwrap_err().to_string(), "malformed agent config format \"\""),
        (parse("# format 2.0\n").unwrap_err().to_string(), "cut short"),
    ] {
        assert!(text.contains(want), "{text:?} should have {want:?}");
    }
}

#[test]
fn no_error_shows_a_secret() {
    for text in [
        JUJU_MACHINE.replace("oldpassword: ", "oldpassword: [hunter2, "),
        JUJU_MACHINE.replace("oldpassword: ", "agent-logfile-max-size: hunter2\noldpassword: "),
        JUJU_MACHINE.replace("oldpassword: ", "apiport: hunter2\noldpassword: "),
    ] {
        let error = parse(&text).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
}

#[test]
fn an_agent_below_a_root_finds_its_places_again() {
    let paths = Paths::under(Path::new("/srv/m/0")).with_runtime_dir("/run/user/1000/juju/x");
    let conf = AgentConf::new(agent(), &paths);
    assert_eq!(conf.value(values::ROOT_DIR), "/srv/m/0");
    let back = parse(&render(&conf).unwrap()).unwrap();
    assert_eq!(back.paths(), paths);
    assert_eq!(back.root_dir(), Path::new("/srv/m/0"));
}

#[test]
fn a_controller_dials_itself_first() {
    let mut conf = AgentConf::new(agent(), &Paths::host());
    assert_eq!(conf.api_info().unwrap().addresses, ["10.20.0.5:17070"]);
    conf.serving = Some(ServingInfo { api_port: 17070, ..ServingInfo::default() });
    assert_eq!(conf.api_info().unwrap().addresses, ["localhost:17070", "10.20.0.5:17070"]);
    conf.serving.as_mut().unwrap().controller_api_port = 17071;
    assert_eq!(conf.api_info().unwrap().addresses[0], "localhost:17071");
    conf.api_addresses = vec!["x:1".into(), "localhost:17071".into()];
    assert_eq!(conf.api_info().unwrap().addresses, ["x:1", "localhost:17071"]);
    conf.serving = None;
    conf.api_addresses.clear();
    assert_eq!(conf.api_info(), None);
}

proptest! {
    #[test]
    fn any_texts_survive(
        nonce in any::<String>(), password in "[ -~]*", logging in "[^\u{0}-\u{1f}\u{7f}-\u{9f}]*",
        values in proptest::collection::btree_map("[A-Za-z_-]{1,12}", "[^\u{0}-\u{8}\u{b}-\u{1f}\u{7f}-\u{9f}\u{fffe}\u{ffff}]{1,20}", 0..4),
    ) {
        let mut conf = AgentConf::new(agent(), &Paths::host());
        conf.nonce = nonce;
        conf.api_password = password.into();
        conf.logging_config = logging;
        conf.values = values;
        // What cannot be written is an error and never a different text.
        if let Ok(text) = render(&conf) {
            prop_assert_eq!(parse(&text).unwrap(), conf);
        } else {
            prop_assert!(conf.nonce.chars().any(|c| c.is_control() || !c.is_ascii()));
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>(), cut in 0usize..2000) {
        let _ = parse(&text);
        let _ = parse(&format!("# format 2.0\n{text}"));
        let mut mixed = JUJU_MACHINE.to_owned();
        mixed.insert_str(cut.min(mixed.len()), &text);
        let _ = parse(&mixed);
    }
}

fn file(dir: &Path) -> ConfFile {
    ConfFile::create(dir.join("agents/machine-4/agent.conf"), AgentConf::new(agent(), &Paths::host()))
        .unwrap()
}

#[tokio::test]
async fn a_change_is_on_disk_in_memory_and_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    let mut changes = file.subscribe();
    let old = file.current();
    file.update(|conf| conf.api_password = "new".into()).await.unwrap();
    assert!(changes.has_changed().unwrap());
    assert_eq!(changes.borrow_and_update().api_password.expose(), "new");
    assert!(old.api_password.is_empty());
    let mode = fs::metadata(file.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(*ConfFile::open(file.path()).unwrap().current(), *file.current());

    // The same again is no change.
    let written = fs::metadata(file.path()).unwrap().modified().unwrap();
    file.update(|conf| conf.api_password = "new".into()).await.unwrap();
    assert!(!changes.has_changed().unwrap());
    assert_eq!(fs::metadata(file.path()).unwrap().modified().unwrap(), written);
}

#[tokio::test]
async fn a_refused_or_failed_change_leaves_everything_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    let changes = file.subscribe();
    let before = (file.current(), fs::read(file.path()).unwrap());
    let refused = file
        .change(|conf| {
            conf.nonce = "half done".into();
            Err("no")
        })
        .await;
    assert!(matches!(refused, Err(ChangeError::Refused("no"))));

    let bad_tag = file.update(|conf| conf.tag = "not a tag".into()).await.unwrap_err();
    assert!(matches!(bad_tag, ConfError::Render(_)), "{bad_tag}");

    // A directory where the file should be cannot be replaced, by root neither.
    let taken = dir.path().join("taken");
    fs::create_dir_all(taken.join("full")).unwrap();
    let lost = ConfFile::create(&taken, before.0.as_ref().clone()).unwrap_err();
    assert!(lost.to_string().starts_with("cannot write agent configuration: "), "{lost}");
    assert!(lost.to_string().contains("taken"), "{lost}");

    assert_eq!(*file.current(), *before.0);
    assert_eq!(fs::read(file.path()).unwrap(), before.1);
    assert!(!changes.has_changed().unwrap());
}

#[tokio::test]
async fn changes_at_the_same_time_are_all_kept() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    let mut tasks = tokio::task::JoinSet::new();
    for i in 0..20 {
        let file = file.clone();
        tasks.spawn(async move { file.update(|conf| conf.set_value(&format!("K{i}"), "v")).await.unwrap() });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert_eq!(file.current().values.len(), 20);
    assert_eq!(ConfFile::open(file.path()).unwrap().current().values.len(), 20);
    assert_eq!(fs::read_dir(file.path().parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn files_that_are_not_there_or_not_whole_are_told_apart_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let missing = ConfFile::open(dir.path().join("no.conf")).unwrap_err();
    assert!(matches!(missing, ConfError::Missing { .. }));
    assert!(missing.to_string().contains("no.conf: no such file"), "{missing}");
    let cut = dir.path().join("cut.conf");
    fs::write(&cut, &JUJU_MACHINE[..100]).unwrap();
    let error = ConfFile::open(&cut).unwrap_err();
    assert!(matches!(error, ConfError::Format { .. }));
    assert!(error.to_string().contains("cut.conf") && error.to_string().contains("cut short"), "{error}");
    assert_eq!(fs::read_to_string(&cut).unwrap(), &JUJU_MACHINE[..100]);
    fs::write(&cut, [0xff, 0xfe]).unwrap();
    assert!(matches!(ConfFile::open(&cut), Err(ConfError::Unreadable { .. })));
}
