//! Bootstraps that fail: each says why, and leaves nothing behind.
//!
//! `jujud` is a script here. Its supervisor is the real one, run by this very test program.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use juju_provider::local::{dirs::Dirs, supervisor};
use tokio_util::sync::CancellationToken;

use crate::support::{Cli, Ran};

/// Names the directory that [`as_supervisor`] is to keep.
const DIR: &str = "JUJU_TEST_SUPERVISOR_DIR";

/// Not a test of its own: what the script runs as `jujud local-supervisor`.
#[test]
fn as_supervisor() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let dirs = Dirs::open(Path::new(&dir)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(supervisor::run(supervisor::Config::new(&dirs), CancellationToken::new())).unwrap();
}

/// A `jujud` whose other commands are this.
fn jujud(cli: &Cli, rest: &str) -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let path = cli.dir.path().join("bin/jujud");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let script = format!(
        "#!/bin/sh\ncase $1 in\nlocal-supervisor) {DIR}=\"$3\" exec {} --exact bootstrap::as_supervisor ;;\nesac\n{rest}\n",
        this.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn with_jujud(rest: &str) -> Cli {
    let cli = Cli::new();
    let path = jujud(&cli, rest);
    let runtime = cli.dir.path().join("run");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o700)).unwrap();
    cli.set("JUJU_JUJUD", path.to_str().unwrap()).set("XDG_RUNTIME_DIR", runtime.to_str().unwrap())
}

/// That neither files nor sockets nor processes nor entries in the store are left.
#[track_caller]
fn nothing_is_left(cli: &Cli) {
    for dir in ["data/local", "run/juju"] {
        let entries: Vec<_> =
            fs::read_dir(cli.dir.path().join(dir)).into_iter().flatten().flatten().collect();
        assert!(entries.is_empty(), "{dir}: {entries:?}");
    }
    let store = cli.store();
    assert!(store.read::<juju::store::Controllers>().unwrap().controllers.is_empty());
    assert!(store.read::<juju::store::Accounts>().unwrap().controllers.is_empty());
    let name = cli.dir.path().to_string_lossy().into_owned();
    let found = Command::new("pgrep").args(["-f", &name]).output();
    if let Ok(found) = found {
        assert_eq!(String::from_utf8_lossy(&found.stdout), "", "processes are left");
    }
}

#[track_caller]
fn fails_with(ran: &Ran, what: &str) {
    assert_eq!(ran.code, 1, "{ran:?}");
    let errors: Vec<_> = ran.err.lines().filter(|it| it.starts_with("ERROR ")).collect();
    assert!(errors.len() == 1 && ran.err.contains(what), "{ran:?}");
}

#[test]
fn without_a_jujud_it_is_told_where_it_should_be() {
    let cli = Cli::new();
    fails_with(&cli.run("bootstrap local"), "no jujud found: put it beside juju");
    nothing_is_left(&cli);
}

#[test]
fn a_controller_of_that_name_must_not_exist() {
    let cli = Cli::new();
    cli.write("controllers.yaml", "controllers: {lab: {uuid: x}}\n");
    fails_with(&cli.run("bootstrap local lab"), "controller \"lab\" already exists");
}

#[test]
fn clouds_and_names_are_checked_first() {
    let cli = Cli::new();
    fails_with(&cli.run("bootstrap aws"), "unknown cloud \"aws\"");
    fails_with(&cli.run("bootstrap local/moon"), "region \"moon\" for cloud \"local\" not valid");
    cli.run("bootstrap local Lab").fails(
        2,
        "\"Lab\" is not a valid name: controller names may only contain lowercase letters, digits and hyphens",
    );
    assert_eq!(cli.run("bootstrap").code, 2);
    assert!(cli.run("bootstrap --regions local").out == "default\n");
}

#[test]
fn a_port_in_use_is_named() {
    let cli = with_jujud("exit 1");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let ran = cli.run(&format!("bootstrap local lab --config api-port={port}"));
    fails_with(&ran, &format!("port {port} of 127.0.0.1 is in use"));
    nothing_is_left(&cli);
}

#[test]
fn a_store_that_cannot_be_initialised_is_told_in_jujuds_words() {
    let cli = with_jujud("echo 'something' >&2; echo 'ERROR the disk is full' >&2; exit 1");
    let ran = cli.run("bootstrap local lab");
    fails_with(&ran, "ERROR failed to bootstrap model: cannot initialise the controller: the disk is full");
    nothing_is_left(&cli);
}

#[test]
fn a_controller_that_never_answers_is_given_up() {
    // It takes its parameters, and its agent runs but serves nothing.
    let cli = with_jujud("case $1 in machine) exec sleep 600 ;; esac; exit 0");
    let ran = cli.run("bootstrap local lab --config bootstrap-timeout=1");
    fails_with(&ran, "the controller does not answer: connection to 127.0.0.1");
    nothing_is_left(&cli);
}

#[test]
fn a_data_directory_that_cannot_be_written_is_named() {
    let cli = with_jujud("exit 0");
    // A file in the way stops root too.
    fs::create_dir_all(cli.dir.path().join("data")).unwrap();
    fs::write(cli.dir.path().join("data/local"), "").unwrap();
    let ran = cli.run("bootstrap local lab");
    fails_with(&ran, "cannot make the controller's directory");
    assert!(ran.err.contains("/data/local"), "{ran:?}");
}

#[test]
fn secrets_are_only_in_private_files() {
    // The script looks at what it was given before it fails.
    let cli = with_jujud("cp -p \"$4\" \"${4%/local/*}/../seen\"; echo ERROR seen >&2; exit 1");
    let ran = cli.run("bootstrap local lab --config admin-secret=hunter2");
    fails_with(&ran, "seen");
    let seen = cli.dir.path().join("seen");
    assert_eq!(fs::metadata(&seen).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(&seen).unwrap().contains("hunter2"));
    assert!(!ran.err.contains("hunter2"));
    nothing_is_left(&cli);
}

#[test]
fn trying_what_is_no_charm_makes_nothing() {
    let cli = with_jujud("exit 1");
    let empty = cli.dir.path().join("empty");
    fs::create_dir(&empty).unwrap();
    fails_with(&cli.run(&format!("try {}", empty.display())), "not found");
    fails_with(&cli.run("try ./no-such-charm"), "no charm was found at \"./no-such-charm\"");
    nothing_is_left(&cli);
}

#[test]
fn a_try_that_cannot_start_leaves_nothing() {
    let cli = with_jujud("echo 'ERROR no' >&2; exit 1");
    let web = crate::support::charm(cli.dir.path(), "web", "");
    fails_with(&cli.run(&format!("try {}", web.display())), "cannot initialise the controller: no");
    nothing_is_left(&cli);
}
