//! Arguments that nobody means: an error with one `ERROR`, never a panic, never a wait.

use std::time::{Duration, Instant};

use crate::support::{Cli, FakeController};

const ODD: [&str; 9] = ["", " ", "/", "a/", ":x", "x:y:z", "\u{1f980}", "-", "--"];

#[test]
fn odd_arguments_are_refused_by_every_command() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    for definition in juju::commands::ALL {
        // These make processes; what they do with their arguments is tested where they are.
        if matches!(definition.about.name, "bootstrap" | "try") {
            continue;
        }
        for odd in ODD.iter().map(|it| (*it).to_owned()).chain([String::from("a").repeat(10_000)]) {
            for args in
                [vec![odd.clone()], vec![odd.clone(), odd.clone()], vec!["-m".to_owned(), odd.clone()]]
            {
                let line: Vec<_> = std::iter::once(definition.about.name.to_owned()).chain(args).collect();
                let ran = cli.args(line.clone(), "");
                assert!(ran.code <= 2, "{line:?}: {ran:?}");
                let errors = ran.err.lines().filter(|it| it.starts_with("ERROR ")).count();
                assert!(ran.code == 0 || errors == 1, "{line:?}: {ran:?}");
            }
        }
    }
}

#[test]
fn a_controller_that_is_down_is_told_at_once() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    drop(controller);
    for line in
        ["status", "models", "config web", "destroy-model demo --no-prompt", "debug-log", "add-model x"]
    {
        let start = Instant::now();
        let ran = cli.run(line);
        assert!(start.elapsed() < Duration::from_secs(2), "{line} took {:?}", start.elapsed());
        assert_eq!(ran.code, 1, "{line}: {ran:?}");
        assert!(
            ran.err.contains("cannot connect to controller \"lab\": connection to 127.0.0.1"),
            "{line}: {ran:?}"
        );
    }
}

#[test]
fn a_wrong_password_is_told() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    cli.write("accounts.yaml", "controllers: {lab: {user: admin, password: wrong}}\n");
    cli.run("status").fails(1, "invalid entity name or password");
    cli.write("accounts.yaml", "controllers: {}\n");
    cli.run("status")
        .fails(1, "not logged in: there is no password for controller \"lab\" in the client store");
}

#[test]
fn another_controller_at_the_same_address_is_not_trusted() {
    let (controller, other) = (FakeController::start(), FakeController::start());
    let cli = Cli::of(&controller);
    let file = cli.dir.path().join("data/controllers.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace(&controller.address.to_string(), &other.address.to_string())).unwrap();
    let ran = cli.run("status");
    assert!(ran.err.contains("does not present a certificate of this controller"), "{ran:?}");
    assert!(other.calls().is_empty());
}

#[test]
fn a_broken_store_names_its_file() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    for file in ["accounts.yaml", "models.yaml", "controllers.yaml"] {
        let cli = Cli::of(&controller);
        cli.write(file, "controllers: [hunter2\n");
        let ran = cli.run("status");
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains(file) && !ran.err.contains("hunter2"), "{ran:?}");
    }
    drop(cli);
}
