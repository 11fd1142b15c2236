//! Controllers and models.

use juju::store::Models;
use serde_json::json;

use crate::support::{Cli, FakeController, MODEL};

const NEW: &str = "11112222-6f0f-4a56-8a53-1a2b3c4d5e6f";

#[test]
fn a_model_is_added_and_becomes_current() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply("Cloud.Clouds", json!({"clouds": {"cloud-local": {"type": "local", "auth-types": ["empty"], "regions": [{"name": "default"}]}}}))
        .reply("ModelManager.CreateModel", json!({"name": "new", "uuid": NEW, "type": "iaas", "cloud-tag": "cloud-local",
            "cloud-region": "default", "owner-tag": "user-admin"}));
    let ran = cli.run("add-model new --config logging-config=<root>=DEBUG --config test-mode=true");
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    assert_eq!(ran.err, "Added 'new' model on local/default for user 'admin'\n");
    let params = controller.call("ModelManager.CreateModel");
    assert_eq!(
        params,
        json!({"name": "new", "owner-tag": "user-admin", "cloud-tag": "cloud-local",
               "config": {"logging-config": "<root>=DEBUG", "test-mode": true}})
    );
    let models: Models = cli.store().read().unwrap();
    assert_eq!(models.controllers["lab"].models["admin/new"].uuid, NEW);
    assert_eq!(models.current("lab"), Some("admin/new"));

    assert_eq!(cli.run("switch demo").code, 0);
    assert_eq!(cli.run("add-model new --no-switch").code, 0);
    let models: Models = cli.store().read().unwrap();
    assert_eq!(models.current("lab"), Some("admin/demo"));
}

#[test]
fn a_cloud_or_region_can_be_named() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    let cloud = json!({"type": "local", "auth-types": ["empty"], "regions": [{"name": "default"}]});
    controller
        .reply(
            "Cloud.Cloud",
            json!({"results": [{"error": {"message": "cloud not found", "code": "not found"}}]}),
        )
        .reply("Cloud.Clouds", json!({"clouds": {"cloud-local": cloud}}))
        .reply(
            "ModelManager.CreateModel",
            json!({"name": "new", "uuid": NEW, "type": "iaas", "cloud-tag": "cloud-local",
            "cloud-region": "default", "owner-tag": "user-admin"}),
        );
    assert_eq!(cli.run("add-model new default").code, 0);
    assert_eq!(controller.call("ModelManager.CreateModel")["region"], "default");
    let ran = cli.run("add-model new moon");
    assert!(
        ran.err.starts_with("ERROR \"moon\" is neither a cloud supported by this controller,"),
        "{ran:?}"
    );
}

#[test]
fn a_refusal_is_told_as_it_is() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply("Cloud.Clouds", json!({"clouds": {"cloud-local": {"type": "local", "auth-types": ["empty"]}}}))
        .refuse(
            "ModelManager.CreateModel",
            "already exists",
            "failed to create new model: model \"new\" for admin already exists",
        );
    cli.run("add-model new").fails(1, "failed to create new model: model \"new\" for admin already exists");
    cli.run("add-model New").fails(
        2,
        "\"New\" is not a valid name: model names may only contain lowercase letters, digits and hyphens",
    );
}

#[test]
fn a_model_is_destroyed_and_waited_for() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    let status = json!({"models": [{"model-tag": format!("model-{MODEL}"), "life": "alive", "hosted-machine-count": 1,
        "application-count": 1, "machines": [{"id": "0", "instance-id": "i-0"}], "applications": [{"name": "web"}]}]});
    let gone = json!({"models": [{"error": {"message": "model not found", "code": "not found"}}]});
    controller
        .reply("ModelManager.ModelStatus", status.clone())
        .reply("ModelManager.ModelStatus", status)
        .reply("ModelManager.ModelStatus", gone)
        .reply("ModelManager.DestroyModels", json!({"results": [{}]}));
    let ran = cli.answer("destroy-model demo --destroy-storage", "admin/demo\n");
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    assert_eq!(
        ran.err,
        "WARNING This command will destroy the \"admin/demo\" model and all its resources. It cannot be stopped.\n - 1 machine \
         will be destroyed\n  - machine list: \"0 (i-0)\"\n - 1 application will be removed\n  - application list: \
         \"web\"\nTo continue, enter the name of the model to be unregistered: Destroying model\nWaiting for model to be \
         removed, 1 machine(s), 1 application(s)...\nModel destroyed.\n"
    );
    let params = controller.call("ModelManager.DestroyModels");
    assert_eq!(params, json!({"models": [{"model-tag": format!("model-{MODEL}"), "destroy-storage": true}]}));
    let models: Models = cli.store().read().unwrap();
    assert!(models.controllers["lab"].models.is_empty());
}

#[test]
fn a_model_survives_a_wrong_answer() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply("ModelManager.ModelStatus", json!({"models": [{"model-tag": format!("model-{MODEL}")}]}));
    let ran = cli.answer("destroy-model demo", "no\n");
    assert_eq!(ran.code, 1);
    assert!(ran.err.ends_with("ERROR model destruction: aborted\n"), "{ran:?}");
    assert!(controller.calls().iter().all(|it| it.0 != "ModelManager.DestroyModels"));
}

#[test]
fn models_are_listed_and_kept() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller.reply(
        "ModelManager.ListModelSummaries",
        json!({"results": [{"result": {"name": "demo", "uuid": MODEL, "type": "iaas", "owner-tag": "user-admin",
            "cloud-tag": "cloud-local", "cloud-region": "default", "provider-type": "local", "life": "alive",
            "status": {"status": "available", "info": "", "since": "2026-03-02T10:20:28Z"}, "user-access": "admin",
            "counts": [{"entity": "machines", "count": 2}], "last-connection": "2026-03-02T10:20:30Z"}}]}),
    );
    cli.run("models").ok("\
Controller: lab

Model  Cloud/Region   Type   Status     Machines  Cores  Units  Access  Last connection
demo*  local/default  local  available         2      -      -  admin   just now
");
    assert_eq!(controller.call("ModelManager.ListModelSummaries"), json!({"user-tag": "user-admin"}));
    let value: serde_json::Value = serde_json::from_str(&cli.run("models --format json").out).unwrap();
    assert_eq!(value["current-model"], "admin/demo");
    assert_eq!(value["models"][0]["status"], json!({"current": "available", "since": "2 seconds ago"}));
}

#[test]
fn controllers_are_refreshed() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    let model = json!({"model": {"name": "controller", "uuid": NEW, "type": "iaas", "owner-tag": "user-admin"}, "last-connection": null});
    controller
        .reply("ModelManager.ListModels", json!({"user-models": [model]}))
        .reply("Controller.AllModels", json!({"user-models": [model]}))
        .reply(
            "Controller.ModelStatus",
            json!({"models": [{"model-tag": format!("model-{NEW}"), "hosted-machine-count": 1,
            "machines": [{"id": "0", "wants-vote": true, "has-vote": true}]}]}),
        );
    let ran = cli.run("controllers --refresh");
    assert_eq!(
        ran.out,
        "\
Controller  Model  User   Access     Cloud/Region   Models  Nodes    HA  Version
lab*        -      admin  superuser  local/default       1      1  none  3.6.28  
",
        "{}",
        ran.err
    );
}

#[test]
fn a_controller_with_models_is_not_destroyed_by_accident() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .refuse("Controller.DestroyController", "controller has hosted models", "hosting 1 other model")
        .reply("Controller.AllModels", json!({"user-models": [
            {"model": {"name": "demo", "uuid": MODEL, "type": "iaas", "owner-tag": "user-admin"}, "last-connection": null}]}))
        .reply("Controller.ModelStatus", json!({"models": [{"model-tag": format!("model-{MODEL}"), "life": "alive",
            "hosted-machine-count": 2}]}));
    let ran = cli.run("destroy-controller lab --no-prompt");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("\tadmin/demo (alive), 2 machines"), "{ran:?}");
    assert!(ran.err.contains("--destroy-all-models"), "{ran:?}");
    assert_eq!(controller.call("Controller.DestroyController"), json!({"destroy-models": false}));
}
