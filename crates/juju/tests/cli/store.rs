//! What commands do to the client store.

use std::thread;

use juju::store::{Accounts, Controllers, Models};
use serde_json::json;

use crate::support::{Cli, FakeController, MODEL};

#[test]
fn switching_follows_controllers_and_models() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    cli.store()
        .update(|it: &mut Controllers| {
            it.controllers.insert("other".into(), Default::default());
        })
        .unwrap();
    cli.run("switch").ok("lab:admin/demo\n");
    let said = |line: &str| {
        let ran = cli.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{line}: {ran:?}");
        ran.err
    };
    assert_eq!(said("switch demo"), "lab:admin/demo (no change)\n");
    assert_eq!(said("switch other"), "lab:admin/demo -> other (controller)\n");
    cli.run("switch").ok("other\n");
    assert_eq!(said("switch lab:demo"), "other (controller) -> lab:admin/demo\n");
    assert_eq!(said("switch :admin/demo"), "lab:admin/demo (no change)\n");
    assert_eq!(said("switch lab:"), "lab:admin/demo (no change)\n");
    cli.run("switch gone:").fails(1, "controller gone not found");
    cli.run("switch gone:x").fails(1, "controller gone not found");
}

#[test]
fn a_model_that_is_not_known_is_asked_for() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller.reply(
        "ModelManager.ListModels",
        json!({"user-models": [
            {"model": {"name": "demo", "uuid": MODEL, "type": "iaas", "owner-tag": "user-admin"}, "last-connection": null},
            {"model": {"name": "new", "uuid": "9d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f", "type": "iaas", "owner-tag": "user-bob"},
             "last-connection": null}]}),
    );
    assert_eq!(cli.run("switch bob/new").err, "lab:admin/demo -> lab:bob/new\n");
    let models: Models = cli.store().read().unwrap();
    assert_eq!(models.controllers["lab"].models.keys().collect::<Vec<_>>(), ["admin/demo", "bob/new"]);
    cli.run("switch nope").fails(1, "\"nope\" is not the name of a model or controller");
    cli.run("status -m nope").fails(1, "model lab:admin/nope not found");
}

#[test]
fn the_environment_forbids_switching() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller).set("JUJU_MODEL", "lab:demo");
    cli.run("switch lab")
        .fails(1, "cannot switch when JUJU_MODEL is overriding the model (set to \"lab:demo\")");
    let cli = Cli::of(&controller).set("JUJU_CONTROLLER", "lab");
    cli.run("switch lab")
        .fails(1, "cannot switch when JUJU_CONTROLLER is overriding the controller (set to \"lab\")");
}

#[test]
fn whoami_tells_the_focus() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    cli.run("whoami").ok("Controller:  lab\nModel:       demo\nUser:        admin\n");
    cli.run("whoami --format json").ok("{\"controller\":\"lab\",\"model\":\"demo\",\"user\":\"admin\"}\n");
}

#[test]
fn a_model_that_is_gone_is_forgotten() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller.refuse("Admin.Login", "model not found", &format!("unknown model: \"{MODEL}\""));
    cli.run("status").fails(
        1,
        "model \"admin/demo\" has been removed from the controller, run 'juju models' and switch to one of them.",
    );
    let models: Models = cli.store().read().unwrap();
    assert!(models.controllers["lab"].models.is_empty() && models.current("lab").is_none());
}

#[test]
fn a_login_updates_what_is_known() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    cli.write(
        "accounts.yaml",
        "controllers: {lab: {user: admin, password: hunter2, last-known-access: login}}\n",
    );
    controller.reply("Client.FullStatus", json!({"model": {"name": "demo", "cloud-tag": "cloud-local"}}));
    assert_eq!(cli.run("status").code, 0);
    let accounts: Accounts = cli.store().read().unwrap();
    assert_eq!(accounts.controllers["lab"].last_known_access, "superuser");
}

#[test]
fn many_readers_and_a_writer_do_not_disturb_each_other() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller.reply("Client.FullStatus", json!({"model": {"name": "demo", "cloud-tag": "cloud-local"}}));
    cli.store()
        .update(|it: &mut Controllers| {
            it.controllers.insert("other".into(), Default::default());
        })
        .unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for target in ["other", "lab"].iter().cycle().take(20) {
                assert_eq!(cli.run(&format!("switch {target}")).code, 0);
            }
        });
        let readers: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| (0..5).map(|_| cli.run("status -m lab:demo")).collect::<Vec<_>>()))
            .collect();
        for reader in readers {
            for ran in reader.join().unwrap() {
                assert_eq!(ran.code, 0, "{ran:?}");
            }
        }
        writer.join().unwrap();
    });
}

#[test]
fn leftovers_of_killed_tries_are_forgotten() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    cli.store()
        .update(|it: &mut Controllers| {
            it.controllers.insert("try-00aa11".into(), Default::default());
            it.controllers.insert("try-22bb33".into(), Default::default());
        })
        .unwrap();
    cli.write(
        "bootstrap-config.yaml",
        &format!(
            "controllers:\n  try-00aa11: {{type: local, endpoint: /no/such/directory}}\n  try-22bb33: {{type: local, endpoint: {}}}\n",
            cli.dir.path().display()
        ),
    );
    assert_eq!(cli.run("controllers").code, 0);
    let controllers: Controllers = cli.store().read().unwrap();
    assert_eq!(controllers.controllers.keys().collect::<Vec<_>>(), ["lab", "try-22bb33"]);
}
