//! Applications, units, machines, relations: what is asked of the controller, and what is printed.

use serde_json::{Value, json};

use crate::support::{Cli, FakeController, MODEL, charm};

fn model_facts(controller: &FakeController) {
    controller
        .reply(
            "ModelConfig.ModelGet",
            json!({"config": {"agent-version": {"value": "3.6.28", "source": "model"},
            "default-base": {"value": "", "source": "default"}}}),
        )
        .reply("ModelConfig.GetModelConstraints", json!({"constraints": {}}));
}

#[test]
fn a_charm_directory_is_packed_uploaded_and_deployed() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    model_facts(&controller);
    controller
        .reply("charms", json!({"charm-url": "local:web-4"}))
        .reply("Application.Deploy", json!({"results": [{}]}));
    let dir = charm(cli.dir.path(), "web", "");
    let line = format!(
        "deploy {} www -n 2 --config port=8080 --to 0,lxd --constraints mem=2G --trust --bind 'alpha db=internal'",
        dir.display()
    );
    let ran = cli.run(&line);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    assert_eq!(
        ran.err,
        "Located local charm \"web\", revision 4\nDeploying \"www\" from local charm \"web\", revision 4 on ubuntu@22.04/stable\n"
    );
    let uploads = controller.uploads();
    let upload = &uploads[0];
    assert_eq!((uploads.len(), upload.method.as_str(), upload.curl.as_str()), (1, "PUT", "local:web-0"));
    assert!(upload.path.contains(&format!("/model-{MODEL}/charms/web-")), "{}", upload.path);
    assert!(upload.authorization.starts_with("Basic ") && upload.body.starts_with(b"PK"));
    let arch = juju_core::Arch::of_this_build().unwrap_or_default().as_str();
    assert_eq!(
        controller.call("Application.Deploy"),
        json!({"applications": [{"application": "www", "charm-url": "local:web-4",
            "charm-origin": {"source": "local", "type": "charm", "id": "", "revision": 4, "architecture": arch,
                             "base": {"name": "ubuntu", "channel": "22.04/stable"}},
            "channel": "", "num-units": 2, "config": {"port": "8080", "trust": "true"}, "config-yaml": "",
            "constraints": {"mem": 2048},
            "placement": [{"scope": "#", "directive": "0"}, {"scope": "lxd", "directive": ""}],
            "endpoint-bindings": {"": "alpha", "db": "internal"}, "Force": false}]})
    );
}

#[test]
fn charms_that_cannot_be_deployed_are_told() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    model_facts(&controller);
    controller.reply("charms", json!({"charm-url": "local:web-0"})).reply(
        "Application.Deploy",
        json!({"results": [{"error": {"message": "application \"web\" already exists", "code": "already exists"}}]}),
    );
    let web = charm(cli.dir.path(), "web", "");
    let ran = cli.run(&format!("deploy {}", web.display()));
    assert!(
        ran.err
            .contains("ERROR application \"web\" already exists\n\ndeploy application using an alias name:"),
        "{ran:?}"
    );
    let ran = cli.run(&format!("deploy {} --base ubuntu@20.04", web.display()));
    assert!(
        ran.err.contains("ERROR base \"ubuntu@20.04\" is not supported, supported bases are: ubuntu@22.04"),
        "{ran:?}"
    );

    let log = charm(
        cli.dir.path(),
        "log",
        "subordinate: true\nrequires: {h: {interface: juju-info, scope: container}}\n",
    );
    cli.run(&format!("deploy {} -n 1", log.display()))
        .fails(1, "cannot use --num-units or --to with subordinate application");
    cli.run("deploy ./nope").fails(1, "no charm was found at \"./nope\"");
    let empty = cli.dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let ran = cli.run(&format!("deploy {}", empty.display()));
    assert!(ran.code == 1 && ran.err.contains("not found"), "{ran:?}");
}

#[test]
fn an_upload_that_is_refused_is_told() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    model_facts(&controller);
    controller.refuse("charms", "", "cannot upload charm: no room");
    let web = charm(cli.dir.path(), "web", "");
    cli.run(&format!("deploy {}", web.display()))
        .fails(1, "cannot upload charm \"web\": cannot upload charm: no room");
}

#[test]
fn a_charm_is_refreshed_on_its_own_base() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    model_facts(&controller);
    controller
        .reply(
            "Application.GetCharmURLOrigin",
            json!({"url": "local:web-0", "charm-origin": {"source": "local", "type": "charm",
            "id": "", "architecture": "arm64", "base": {"name": "ubuntu", "channel": "22.04/stable"}}}),
        )
        .reply("charms", json!({"charm-url": "local:web-1"}))
        .reply("Application.SetCharm", json!({}));
    let web = charm(cli.dir.path(), "web", "");
    let ran = cli.run(&format!("refresh web --path {} --force-units --config port=1", web.display()));
    assert_eq!((ran.code, ran.err.as_str()), (0, "Added local charm \"web\", revision 1, to the model\n"));
    let params = controller.call("Application.SetCharm");
    assert_eq!(params["charm-url"], "local:web-1");
    assert_eq!(params["charm-origin"]["architecture"], "arm64");
    assert_eq!(params["charm-origin"]["base"], json!({"name": "ubuntu", "channel": "22.04/stable"}));
    assert_eq!(
        (&params["force"], &params["force-units"], &params["generation"]),
        (&json!(false), &json!(true), &json!("master"))
    );
    assert_eq!(params["config-settings"], json!({"port": "1"}));
    cli.run("refresh web").fails(1, "refreshing a local charm requires either --path or --switch");
}

#[test]
fn a_bundle_is_deployed_in_order() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    model_facts(&controller);
    charm(cli.dir.path(), "web", "requires: {db: {interface: pgsql}}\n");
    charm(cli.dir.path(), "pg", "provides: {db: {interface: pgsql}}\n");
    std::fs::write(
        cli.dir.path().join("bundle.yaml"),
        "applications:\n  web: {charm: ./web, num_units: 1, options: {port: 80}, expose: true, to: ['0']}\n  \
         pg: {charm: ./pg, num_units: 1, trust: true}\nmachines: {'0': {constraints: mem=1G}}\nrelations: [[web:db, pg:db]]\n",
    )
    .unwrap();
    controller
        .reply("Client.FullStatus", json!({"model": {"name": "demo", "cloud-tag": "cloud-local"}}))
        .reply("Application.Deploy", json!({"results": [{}]}))
        .reply("Application.Expose", json!({}))
        .reply("Application.AddRelation", json!({"endpoints": {}}))
        .reply("Application.AddUnits", json!({"units": ["x/0"]}))
        .reply("MachineManager.AddMachines", json!({"machines": [{"machine": "7"}]}));
    let line = format!("deploy {}", cli.dir.path().join("bundle.yaml").display());
    let ran = cli.run(&format!("{line} --dry-run"));
    assert!(ran.out.starts_with("Changes to deploy bundle:\n- upload charm ./pg from local\n"), "{ran:?}");
    assert!(controller.uploads().is_empty());
    controller.calls();

    let ran = cli.run(&line);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("Executing changes:\n"), "{ran:?}");
    assert!(ran.err.ends_with("Deploy of bundle completed.\n"), "{ran:?}");
    let calls = controller.calls();
    let names: Vec<_> =
        calls.iter().map(|it| it.0.as_str()).filter(|it| !it.starts_with("ModelConfig")).collect();
    assert_eq!(
        names,
        [
            "Client.FullStatus",
            "Application.Deploy",
            "Application.Deploy",
            "Application.Expose",
            "MachineManager.AddMachines",
            "Application.AddRelation",
            "Application.AddUnits",
            "Application.AddUnits"
        ]
    );
    let deploys: Vec<_> =
        calls.iter().filter(|it| it.0 == "Application.Deploy").map(|it| &it.1["applications"][0]).collect();
    assert_eq!(
        (&deploys[0]["application"], &deploys[0]["config"]),
        (&json!("pg"), &json!({"trust": "true"}))
    );
    assert_eq!(deploys[1]["config-yaml"], "web:\n  port: 80\n");
    assert_eq!(deploys[1]["num-units"], 0);
    let units: Vec<_> = calls.iter().filter(|it| it.0 == "Application.AddUnits").map(|it| &it.1).collect();
    assert_eq!(units[1]["placement"], json!([{"scope": "#", "directive": "7"}]));
    cli.run(&format!("{line} -n 2"))
        .fails(1, "options provided but not supported when deploying a bundle: --num-units");
}

#[test]
fn config_is_shown_set_and_reset() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    let pem = "-----BEGIN X-----\nabc\n-----END X-----\n";
    controller
        .reply("Application.Get", json!({"application": "web", "charm": "web", "config": {
            "port": {"value": 8080, "default": 80, "source": "user", "type": "int", "description": "d"},
            "key": {"value": pem, "source": "user", "type": "string", "description": ""},
            "unset": {"source": "unset", "type": "string", "description": ""}},
            "application-config": {"trust": {"value": false, "default": false, "source": "default", "type": "bool", "description": "t"}}}))
        .reply("Application.SetConfigs", json!({"results": [{}]}))
        .reply("Application.UnsetApplicationsConfig", json!({"results": [{}]}));
    let shown: Value = serde_json::from_str(&cli.run("config web --format json").out).unwrap();
    assert_eq!(shown["settings"]["port"]["value"], 8080);
    assert_eq!(shown["application-config"]["trust"]["value"], false);
    assert!(cli.run("config web").out.starts_with("application: web\napplication-config:\n"));
    cli.run("config web port").ok("8080\n");
    cli.run("config web key").ok(&format!("{pem}\n"));
    cli.run("config web trust").ok("false\n");
    cli.run("config web unset").ok("");
    cli.run("config web nope")
        .fails(1, "key \"nope\" not found in \"web\" application config or charm settings.");

    controller.calls();
    let file = cli.dir.path().join("key.pem");
    std::fs::write(&file, pem).unwrap();
    cli.run(&format!("config web port=1 key=@{} --reset a,b", file.display())).ok("");
    let calls = controller.calls();
    assert_eq!(
        calls,
        [
            (
                "Application.UnsetApplicationsConfig".to_owned(),
                json!({"Args": [{"application": "web", "branch": "master", "options": ["a", "b"]}]})
            ),
            (
                "Application.SetConfigs".to_owned(),
                json!({"Args": [{"application": "web", "config": {"key": pem, "port": "1"}, "config-yaml": "", "generation": "master"}]})
            ),
        ]
    );
}

#[test]
fn units_are_added_and_removed() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply("Application.AddUnits", json!({"units": ["web/1"]}))
        .reply(
            "ModelConfig.ModelGet",
            json!({"config": {"mode": {"value": "requires-prompts", "source": "default"}}}),
        )
        .reply(
            "Application.DestroyUnit",
            json!({"results": [{"info": {"destroyed-storage": [{"tag": "storage-data-0"}]}}]}),
        );
    cli.run("add-unit web -n 2 --to 3").ok("");
    assert_eq!(
        controller.call("Application.AddUnits"),
        json!({"application": "web", "num-units": 2, "placement": [{"scope": "#", "directive": "3"}]})
    );

    let ran = cli.answer("remove-unit web/1", "y\n");
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "will remove unit web/1\n- will remove storage data/0\n"),
        "{ran:?}"
    );
    assert_eq!(ran.err, "WARNING This command will perform the following actions:\n\nContinue [y/N]? ");
    let dry: Vec<_> = controller.calls().into_iter().filter(|it| it.0 == "Application.DestroyUnit").collect();
    assert_eq!(dry.len(), 2);
    assert_eq!((&dry[0].1["units"][0]["dry-run"], dry[1].1["units"][0].get("dry-run")), (&json!(true), None));

    let ran = cli.answer("remove-unit web/1", "\n");
    assert!(ran.code == 1 && ran.err.ends_with("ERROR unit removal: aborted\n"), "{ran:?}");
    controller.calls();
    cli.run("remove-unit web/1 --no-prompt --force --no-wait")
        .ok("will remove unit web/1\n- will remove storage data/0\n");
    assert_eq!(
        controller.call("Application.DestroyUnit"),
        json!({"units": [{"unit-tag": "unit-web-1", "force": true, "max-wait": 0}]})
    );
}

#[test]
fn a_model_without_prompts_asks_nothing() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply("ModelConfig.ModelGet", json!({"config": {"mode": {"value": "", "source": "model"}}}))
        .reply(
            "Application.DestroyApplication",
            json!({"results": [{"info": {"destroyed-units": [{"tag": "unit-web-0"}]}}]}),
        );
    cli.run("remove-application web").ok("will remove application web\n- will remove unit web/0\n");
    assert_eq!(
        controller.call("Application.DestroyApplication"),
        json!({"applications": [{"application-tag": "application-web", "force": false}]})
    );
}

#[test]
fn what_cannot_be_removed_is_told_one_by_one() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller.reply(
        "Application.DestroyApplication",
        json!({"results": [{"error": {"message": "application \"web\" not found", "code": "not found"}}, {"info": {}}]}),
    );
    let ran = cli.run("remove-application web pg --no-prompt");
    assert_eq!((ran.code, ran.out.as_str()), (1, "will remove application pg\n"));
    assert_eq!(ran.err, "ERROR removing application web failed: application \"web\" not found\n");
}

#[test]
fn relations_are_made_and_removed() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply("Application.AddRelation", json!({"endpoints": {}}))
        .refuse(
            "Application.AddRelation",
            "already exists",
            "cannot add relation \"web:db pg:db\": relation web:db pg:db",
        )
        .reply("Application.DestroyRelation", json!({}));
    cli.run("integrate web:db pg").ok("");
    assert_eq!(controller.call("Application.AddRelation"), json!({"endpoints": ["web:db", "pg"]}));
    cli.run("relate web:db pg").fails(
        1,
        "cannot add relation \"web:db pg:db\"\nrelation web:db pg:db\n\nUse 'juju status --relations' to view the current \
         relations.",
    );
    cli.run("remove-relation web pg").ok("");
    assert_eq!(
        controller.call("Application.DestroyRelation"),
        json!({"endpoints": ["web", "pg"], "relation-id": 0})
    );
    cli.run("remove-relation 4 --force").ok("");
    assert_eq!(controller.call("Application.DestroyRelation"), json!({"relation-id": 4, "force": true}));
}

#[test]
fn machines_are_added_listed_and_removed() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply("MachineManager.AddMachines", json!({"machines": [{"machine": "3"}, {"machine": "4"}]}))
        .reply("MachineManager.DestroyMachineWithParams", json!({"results": [{"info": {"machine-id": "3"}}]}))
        .reply(
            "Client.FullStatus",
            json!({"model": {"name": "demo", "cloud-tag": "cloud-local"}, "machines": {"3": {"id": "3",
            "agent-status": {"status": "started"}, "instance-id": "i-3", "dns-name": "127.1.2.3",
            "base": {"name": "ubuntu", "channel": "24.04/stable"}}}}),
        );
    let ran = cli.run("add-machine -n 2 --base ubuntu@24.04 --constraints mem=1G");
    assert_eq!((ran.code, ran.err.as_str()), (0, "created machine 3\ncreated machine 4\n"));
    let params = controller.call("MachineManager.AddMachines");
    assert_eq!(params["params"].as_array().unwrap().len(), 2);
    assert_eq!(params["params"][0]["base"], json!({"name": "ubuntu", "channel": "24.04/stable"}));
    assert_eq!(params["params"][0]["jobs"], json!(["JobHostUnits"]));
    cli.run("machines").ok(
        "Machine  State    Address    Inst id  Base          AZ  Message\n3        started  127.1.2.3  i-3      ubuntu@24.04      \n",
    );
    controller.calls();
    cli.run("remove-machine 3 --no-prompt").ok("will remove machine 3\n");
    assert_eq!(
        controller.call("MachineManager.DestroyMachineWithParams"),
        json!({"machine-tags": ["machine-3"]})
    );
}

#[test]
fn exposure_and_errors_are_changed_silently() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply("Application.Expose", json!({}))
        .reply("Application.Unexpose", json!({}))
        .reply("Application.ResolveUnitErrors", json!({"results": [{}]}));
    cli.run("expose web").ok("");
    assert_eq!(controller.call("Application.Expose"), json!({"application": "web"}));
    cli.run("unexpose web --endpoints a,b").ok("");
    assert_eq!(
        controller.call("Application.Unexpose"),
        json!({"application": "web", "exposed-endpoints": ["a", "b"]})
    );
    cli.run("resolved web/0 --no-retry").ok("");
    assert_eq!(
        controller.call("Application.ResolveUnitErrors"),
        json!({"tags": {"entities": [{"tag": "unit-web-0"}]}})
    );
}

#[test]
fn a_block_is_explained() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller.refuse("Application.Expose", "operation is blocked", "keep out");
    let ran = cli.run("expose web");
    assert!(
        ran.code == 1 && ran.err.starts_with("ERROR keep out\n") && ran.err.contains("juju enable-command"),
        "{ran:?}"
    );
}

#[test]
fn status_is_shown_in_every_format() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller.reply(
        "Client.FullStatus",
        json!({"model": {"name": "demo", "type": "iaas", "cloud-tag": "cloud-local", "region": "default",
        "version": "3.6.28", "sla": "unsupported", "model-status": {"status": "available"}},
        "controller-timestamp": "2026-03-02T10:20:30Z"}),
    );
    let table = "Model  Controller  Cloud/Region   Version  SLA          Timestamp\ndemo   lab         local/default  3.6.28   \
                 unsupported  10:20:30Z\n";
    let ran = cli.run("status");
    assert_eq!(
        (ran.code, ran.out.as_str(), ran.err.as_str()),
        (0, table, "Model \"admin/demo\" is empty.\n")
    );
    assert_eq!(controller.call("Client.FullStatus"), json!({"patterns": []}));
    assert_eq!(cli.run("status web").err, "Nothing matched specified filter.\n");
    let ran = cli.run("status --format json --relations");
    assert!(
        ran.err.starts_with("provided relations option is always enabled in non tabular formats\n"),
        "{ran:?}"
    );
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&value["machines"], &value["applications"], &value["storage"]),
        (&json!({}), &json!({}), &json!({}))
    );
    controller.calls();
    assert!(cli.run("show-status web a* --format yaml").out.starts_with("model:\n  name: demo\n"));
    assert_eq!(
        controller.call("Client.FullStatus"),
        json!({"include-storage": true, "patterns": ["web", "a*"]})
    );
    let file = cli.dir.path().join("out.json");
    cli.run(&format!("status --format json -o {}", file.display())).ok("");
    assert!(std::fs::read_to_string(file).unwrap().starts_with("{\"model\""));
}

#[test]
fn status_is_asked_for_again_when_it_fails() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .refuse("Client.FullStatus", "", "not now")
        .reply("Client.FullStatus", json!({"model": {"name": "demo", "cloud-tag": "cloud-local"}}));
    assert_eq!(cli.run("status --retry-delay 1ms").code, 0);
    assert_eq!(controller.calls().len(), 2);

    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller.refuse("Client.FullStatus", "", "never");
    cli.run("status --retry-delay 1ms").fails(1, "never");
    assert_eq!(controller.calls().len(), 4, "once, and three more times");
    cli.run("status --retry-count 0").fails(1, "never");
    assert_eq!(controller.calls().len(), 1);
}

#[test]
fn a_log_is_shown_and_limited() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    for n in 0..3 {
        controller.log(json!({"tag": "unit-web-0", "ts": "2026-03-02T10:05:02.5Z", "sev": "INFO", "mod": "unit", "loc": "", "msg": format!("line {n}"), "lab": []}));
    }
    cli.run("debug-log").ok(
        "unit-web-0: 10:05:02 INFO unit line 0\nunit-web-0: 10:05:02 INFO unit line 1\nunit-web-0: 10:05:02 INFO unit line 2\n",
    );
    assert_eq!(controller.call("log"), "backlog=10&noTail=true");
    cli.run("debug-log --limit 1 --include web/0").ok("unit-web-0: 10:05:02 INFO unit line 0\n");
    assert_eq!(controller.call("log"), "includeEntity=unit-web-0&maxLines=1&noTail=true");
}

#[test]
fn a_unit_and_an_application_are_shown() {
    let controller = FakeController::start();
    let cli = Cli::of(&controller);
    controller
        .reply(
            "Application.UnitsInfo",
            json!({"results": [{"result": {"tag": "unit-web-0", "machine": "0", "opened-ports": ["80/tcp"],
            "charm": "local:web-0", "leader": true, "public-address": "127.0.0.1"}}]}),
        )
        .reply(
            "Application.ApplicationsInfo",
            json!({"results": [{"error": {"message": "application \"x\" not found", "code": "not found"}}]}),
        );
    let shown: Value = serde_json::from_str(&cli.run("show-unit web/0 --format json").out).unwrap();
    let unit = json!({"machine": "0", "opened-ports": ["80/tcp"], "public-address": "127.0.0.1", "charm": "local:web-0", "leader": true});
    assert_eq!(shown, json!({"web/0": unit}));
    assert!(
        cli.run("show-unit web/0").out.starts_with("web/0:\n  machine: \"0\"\n  opened-ports:\n  - 80/tcp\n")
    );
    cli.run("show-application x").fails(1, "application \"x\" not found");
    let ran = cli.run("show-application x --format json");
    assert_eq!((ran.code, ran.out.as_str()), (1, "{}\n"));
}
