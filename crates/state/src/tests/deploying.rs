//! From a charm to a unit at work.

use std::collections::BTreeMap;

use juju_core::{Life, Placement, Status};
use serde_json::json;

use crate::{
    Error, Model,
    application::{NewApplication, Refresh},
    attributes::Values,
    machine::NewMachine,
    relation::settings::Bag,
    status::StatusOf,
    testing::{DB, Fixture, LOG, OPTIONS, WEB, charm, id},
    unit::memory::NewMemory,
};

#[tokio::test]
async fn a_unit_comes_to_work() {
    let model = Fixture::new().await.model("m").await;
    let units = model.deploy_charm(DB, 2).await;
    assert_eq!(units, [id("db/0"), id("db/1")]);
    let application = model.application(&id("db")).unwrap();
    assert_eq!((application.life, application.charm_url.to_string()), (Life::Alive, "local:db-0".into()));
    assert_eq!(model.staged_units(), units);
    assert_eq!(model.relations().unwrap()[0].key.to_string(), "db:ring");
    let workload = model.status(&StatusOf::Workload(id("db/0"))).unwrap();
    assert_eq!(
        (workload.info.status, workload.info.message.as_str()),
        (Status::Waiting, "waiting for machine")
    );

    assert_eq!(model.start(&id("db/0")).await, id("0"));
    assert_eq!(model.start(&id("db/1")).await, id("1"));
    assert!(model.staged_units().is_empty());
    let machine = model.machine(&id("0")).unwrap();
    assert!(machine.principals.contains(&id("db/0")) && !machine.clean);
    assert_eq!(model.unit_machine(&id("db/0")).unwrap(), id("0"));
    assert_eq!(model.relation_members(id("0"), &id("db/0")).unwrap(), [id("db/1")]);
    let bag = model.relation_settings(id("0"), Bag::Unit(&id("db/0"))).unwrap();
    let bag: Vec<(&str, &str)> = bag.settings.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(
        bag,
        [("egress-subnets", "10.0.0.1/32"), ("ingress-address", "10.0.0.1"), ("private-address", "10.0.0.1")]
    );
    let more = model.add_units(&id("db"), 1, &[]).await.unwrap();
    assert_eq!(more, [id("db/2")]);
}

async fn refused(model: &Model, change: impl FnOnce(&mut NewApplication)) -> String {
    let url = model.charm(&id("local:web-0")).unwrap().url.clone();
    let mut new = NewApplication::new(id("web"), url, id("ubuntu@24.04"));
    change(&mut new);
    let before = model.keys();
    let error = model.deploy(&new).await.unwrap_err();
    assert_eq!(model.keys(), before, "nothing is half done");
    error.to_string()
}

#[tokio::test]
async fn bad_deploys_change_nothing() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 0).await;
    model.upload(charm(WEB, Some(OPTIONS))).await;
    model.upload(charm(LOG, None)).await;
    let text = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    assert_eq!(
        refused(&model, |it| it.name = id("db")).await,
        "cannot add application \"db\": application already exists"
    );
    assert_eq!(
        refused(&model, |it| it.charm_url = id("local:web-7")).await,
        "charm \"local:web-7\" not found"
    );
    assert_eq!(
        refused(&model, |it| it.config_texts = text("port", "http")).await,
        "option \"port\" expected int, got \"http\""
    );
    assert_eq!(refused(&model, |it| it.config_texts = text("nope", "1")).await, "unknown option \"nope\"");
    assert_eq!(
        refused(&model, |it| it.bindings = text("nope", "alpha")).await,
        "endpoint \"nope\" not found"
    );
    assert_eq!(refused(&model, |it| it.bindings = text("db", "dmz")).await, "space \"dmz\" not found");
    assert_eq!(
        refused(&model, |it| it.base = id("ubuntu@20.04")).await,
        "base \"ubuntu@20.04\" not supported by charm, the charm supported bases are: ubuntu@22.04, ubuntu@24.04"
    );
    assert_eq!(
        refused(&model, |it| it.placements = vec![Placement::Machine(id("7"))]).await,
        "machine 7 not found"
    );
    let log = |it: &mut NewApplication| {
        it.charm_url = id("local:log-0");
        it.units = 1;
    };
    assert_eq!(refused(&model, log).await, "subordinate application must be deployed without units");
    model.destroy(&Default::default()).await.unwrap();
    assert_eq!(refused(&model, |_| {}).await, "model \"m\" is dying");
}

#[tokio::test]
async fn many_units_are_all_added_once() {
    let model = Fixture::new().await.model("m").await;
    let units = model.deploy_charm(DB, 40).await;
    assert_eq!(units.len(), 40);
    assert!(model.units().unwrap().len() < 40 && model.cleanups() > 0);
    model.run_cleanups().await.unwrap();
    let added: Vec<_> = model.units().unwrap().iter().map(|it| it.name.clone()).collect();
    assert_eq!(added, units);
    assert_eq!(model.cleanups(), 0);
    // Numbers go on though the application was another.
    assert_eq!(model.add_units(&id("db"), 1, &[]).await.unwrap(), [id("db/40")]);
}

#[tokio::test]
async fn units_go_where_they_are_told() {
    let model = Fixture::new().await.model("m").await;
    let free = model.add_machine(&NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    let jammy = model.add_machine(&NewMachine::new(id("ubuntu@22.04"))).await.unwrap();
    model.deploy_charm(DB, 0).await;
    let placements: Vec<Placement> = ["", "1", "lxd:0", "lxd", "zone=a", "0", "9"]
        .iter()
        .map(|it| match *it {
            "" => Placement::Machine(free.clone()),
            text => Placement::parse_for(text, model.uuid()).unwrap(),
        })
        .collect();
    model.add_units(&id("db"), 7, &placements).await.unwrap();
    let assign = async |unit: &str| model.assign_unit(&id(unit)).await.map(|it| it.to_string());
    assert_eq!(assign("db/0").await.unwrap(), "0");
    let error = assign("db/1").await.unwrap_err().to_string();
    assert_eq!(error, "base does not match: unit has \"ubuntu@24.04\", machine has \"ubuntu@22.04\"");
    assert_eq!(jammy, id("1"));
    assert_eq!(assign("db/2").await.unwrap(), "0/lxd/0");
    assert_eq!(assign("db/3").await.unwrap(), "2/lxd/0");
    assert_eq!(assign("db/4").await.unwrap(), "3");
    assert_eq!(model.machine(&id("3")).unwrap().placement, "zone=a");
    assert_eq!(assign("db/5").await.unwrap(), "0");
    assert_eq!(assign("db/6").await.unwrap_err().to_string(), "machine 9 not found");
    assert_eq!(model.staged_units(), [id("db/1"), id("db/6")]);
    assert_eq!(assign("db/0").await.unwrap(), "0", "said again it is answered again");

    let foreign = Placement::from_parts("00000000-0000-4000-8000-000000000000", "zone=a").unwrap();
    model.add_units(&id("db"), 1, &[foreign]).await.unwrap();
    let error = assign("db/7").await.unwrap_err().to_string();
    assert!(error.starts_with("placement scope: invalid model UUID"), "{error}");
}

#[tokio::test]
async fn clean_machines_are_used_first() {
    let model = Fixture::new().await.model("m").await;
    for _ in 0..2 {
        model.add_machine(&NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    }
    model.add_machine(&NewMachine { dirty: true, ..NewMachine::new(id("ubuntu@24.04")) }).await.unwrap();
    model.deploy_charm(DB, 4).await;
    let mut machines = Vec::new();
    for number in 0..4 {
        machines.push(model.assign_unit(&id(&format!("db/{number}"))).await.unwrap().to_string());
    }
    assert_eq!(machines, ["0", "1", "3", "4"]);
}

#[tokio::test]
async fn machines_have_one_instance() {
    let model = Fixture::new().await.model("m").await;
    let machine = model.add_machine(&NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    assert!(matches!(model.instance(&machine), Err(Error::NotProvisioned(_))));
    model.provision(&machine).await;
    let same = crate::machine::NewInstance {
        instance_id: "i-0".into(),
        nonce: "nonce-0".into(),
        ..Default::default()
    };
    model.set_instance(&machine, &same).await.unwrap();
    let other = crate::machine::NewInstance { instance_id: "i-9".into(), ..same };
    let error = model.set_instance(&machine, &other).await.unwrap_err().to_string();
    assert_eq!(error, "cannot set instance data for machine \"0\": already set");
    let pending = crate::status::NewStatus::new(Status::Pending, "");
    let error = model.set_machine_status(&machine, &pending).await.unwrap_err().to_string();
    assert_eq!(error, "cannot set status \"pending\"");
}

#[tokio::test]
async fn config_is_by_charm() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 1).await;
    let (app, unit) = (id("db"), id("db/0"));
    assert!(model.unit_config(&unit).is_err(), "it has no charm yet");
    model.start(&unit).await;
    let (first, mut watcher) = model.watch_unit_config(&unit).unwrap();
    assert_eq!(first.len(), 1);
    let texts =
        BTreeMap::from([("port".to_owned(), "8080".to_owned()), ("trust".to_owned(), "true".to_owned())]);
    model.update_application_config(&app, &Values::new(), &texts).await.unwrap();
    assert_ne!(watcher.next().await.unwrap(), first);
    assert_eq!(json!(model.unit_config(&unit).unwrap()), json!({"name": "x", "port": 8080}));
    assert_eq!(json!(model.application_config(&app).unwrap()), json!({"port": 8080}));
    assert_eq!(model.application_trust(&app).unwrap(), Some(true));

    // Another revision has no such port; the unit goes on with the old one until it says otherwise.
    let config = "options: {port: {type: string}, name: {type: string, default: w}}";
    let url = model.upload(charm(DB, Some(config))).await;
    assert_eq!(url.to_string(), "local:db-1");
    model
        .update_application_config(&app, &Values::from([("name".into(), json!("z"))]), &BTreeMap::new())
        .await
        .unwrap();
    let refresh = Refresh {
        charm_origin: crate::application::CharmOrigin::local(&url),
        charm_url: url.clone(),
        config: Values::new(),
        config_texts: BTreeMap::new(),
        bindings: BTreeMap::new(),
        force_base: false,
        force_units: false,
    };
    model.refresh(&app, &refresh).await.unwrap();
    assert_eq!(json!(model.application_config(&app).unwrap()), json!({"name": "z"}));
    assert_eq!(model.application(&app).unwrap().charm_modified_version, 1);
    assert_eq!(json!(model.unit_config(&unit).unwrap()), json!({"name": "z", "port": 8080}));
    model.run_cleanups().await.unwrap();
    assert_eq!(model.charm(&id("local:db-0")).unwrap().life, Life::Alive, "the unit runs it");
    model.set_unit_charm_url(&unit, &url).await.unwrap();
    model.run_cleanups().await.unwrap();
    assert_eq!(model.charm(&id("local:db-0")).unwrap().life, Life::Dead);
    assert_eq!(model.dead_charms().unwrap().len(), 1);
    assert!(!model.keys().contains(&"appcfg/db/local:db-0".to_owned()));
    let error = model.set_unit_charm_url(&unit, &id("local:db-0")).await.unwrap_err();
    assert_eq!(error.to_string(), "charm \"local:db-0\" not found");
    model.remove_charm(&id("local:db-0")).await.unwrap();
    assert_eq!(
        model.reserve_charm(&id("local:db-0")).await.unwrap(),
        id("local:db-2"),
        "no revision comes twice"
    );
}

#[tokio::test]
async fn unit_memory_has_limits() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 1).await;
    let unit = id("db/0");
    let first = NewMemory { uniter: Some("op: continue".into()), ..NewMemory::default() };
    model.set_unit_memory(&unit, &first).await.unwrap();
    let charm = BTreeMap::from([("key".to_owned(), "value".to_owned())]);
    model
        .set_unit_memory(&unit, &NewMemory { charm: Some(charm.clone()), ..NewMemory::default() })
        .await
        .unwrap();
    let memory = model.unit_memory(&unit).unwrap();
    assert_eq!((memory.uniter.as_str(), &memory.charm), ("op: continue", &charm));
    let big = NewMemory { uniter: Some("x".repeat(512 * 1024 + 1)), ..NewMemory::default() };
    let error = model.set_unit_memory(&unit, &big).await.unwrap_err();
    assert!(matches!(error, Error::QuotaLimitExceeded(_)), "{error}");
    let many = (0..40).map(|it| (it.to_string(), "x".repeat(60 * 1024))).collect();
    let error = model.set_unit_memory(&unit, &NewMemory { charm: Some(many), ..NewMemory::default() }).await;
    assert!(matches!(error, Err(Error::QuotaLimitExceeded(_))));
}

#[tokio::test]
async fn statuses_have_their_time() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 1).await;
    let unit = id("db/0");
    let set = async |status, message: &str| {
        model
            .set_agent_status(&unit, &crate::status::NewStatus::new(status, message))
            .await
            .map_err(|it| it.to_string())
    };
    assert_eq!(set(Status::Idle, "").await.unwrap_err(), "cannot set status \"idle\"");
    set(Status::Error, "no machine for it").await.unwrap();
    model.start(&unit).await;
    assert_eq!(set(Status::Allocating, "").await.unwrap_err(), "cannot set status \"allocating\"");
    let error = model.resolve_unit(&unit, true).await.unwrap_err().to_string();
    assert_eq!(error, "unit \"db/0\" is not in an error state");
    set(Status::Error, "hook failed: \"install\"").await.unwrap();
    model.resolve_unit(&unit, true).await.unwrap();
    assert!(model.resolve_unit(&unit, false).await.is_err(), "it is resolved already");
    model.clear_resolved(&unit).await.unwrap();
    assert_eq!(model.unit(&unit).unwrap().resolved.as_str(), "");
}

#[tokio::test]
async fn machines_are_asked_to_reboot_with_what_they_are_in() {
    use crate::machine::RebootAction;
    let model = Fixture::new().await.model("m").await;
    let host = model.add_machine(&NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    let inside = model.add_container(Some(&host), "lxd", &NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    let mut watcher = model.watch_reboot(&inside).unwrap();
    model.request_reboot(&host).await.unwrap();
    watcher.next().await.unwrap();
    assert_eq!(model.reboot_action(&host).unwrap(), RebootAction::Reboot);
    assert_eq!(model.reboot_action(&inside).unwrap(), RebootAction::Shutdown);
    model.clear_reboot(&host).await.unwrap();
    watcher.next().await.unwrap();
    assert_eq!(model.reboot_action(&inside).unwrap(), RebootAction::Nothing);
}

#[tokio::test]
async fn units_are_told_of_their_network() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 2).await;
    assert!(matches!(model.endpoint_network(&id("db/0"), "server"), Err(Error::NotAssigned(_))));
    let machine = model.start(&id("db/0")).await;
    model.start(&id("db/1")).await;
    let address =
        juju_core::Address { cidr: Some("10.0.0.0/24".into()), ..juju_core::Address::new("10.0.0.1") };
    let device =
        crate::network::Device { name: "eth0".into(), addresses: vec![address], ..Default::default() };
    model.set_devices(&machine, &[device]).await.unwrap();
    let network = model.endpoint_network(&id("db/0"), "server").unwrap();
    assert_eq!((network.device.as_str(), network.bind[0].cidr.as_deref()), ("eth0", Some("10.0.0.0/24")));
    let error = model.endpoint_network(&id("db/0"), "nope").unwrap_err().to_string();
    assert_eq!(error, "undefined for unit charm: endpoint \"nope\"");
    assert_eq!(model.distribution_group(&machine).unwrap(), [id("1")]);
}
