//! Models: made, configured, and ended.

use juju_core::Life;
use serde_json::json;

use crate::{
    Error,
    access::{Access, Object},
    attributes::Values,
    block::BlockKind,
    destroy::DestroyModel,
    model_config::Origin,
    testing::{DB, Fixture, id},
};

#[tokio::test]
async fn names_are_unique_for_their_owners() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let error = fixture.try_model("m").await.unwrap_err();
    assert!(matches!(error, Error::AlreadyExists(_)), "{error}");
    let found = crate::model::by_name(&fixture.state.image(), &id("admin"), &id("m")).unwrap();
    assert_eq!(found.as_ref(), Some(model.uuid()));
    assert_eq!(model.doc().unwrap().qualified_name(), "admin/m");
    assert_eq!(model.config().unwrap().text("type"), "local");
    let unknown = id("00000000-0000-4000-8000-000000000000");
    assert!(matches!(fixture.state.model(&unknown), Err(Error::ModelNotFound(_))));
}

#[tokio::test]
async fn config_has_sources() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let config = model.config().unwrap();
    let origin = |name: &str| model.config().unwrap().iter().find(|it| it.0 == name).map(|it| it.2);
    assert_eq!(
        (config.text("logging-config"), origin("logging-config")),
        ("<root>=INFO", Some(Origin::Default))
    );
    assert_eq!(origin("name"), Some(Origin::Model));
    let mut cloud =
        crate::cloud::CloudDoc::clone(&crate::cloud::read(&fixture.state.image(), &id("local")).unwrap());
    cloud.config.insert("development".into(), json!(true));
    let mut watcher = model.watch_config().unwrap();
    fixture.state.update_cloud(&cloud).await.unwrap();
    watcher.next().await.unwrap();
    assert_eq!(
        (model.config().unwrap().flag("development"), origin("development")),
        (true, Some(Origin::Controller))
    );

    let values = |name: &str, value: serde_json::Value| Values::from([(name.to_owned(), value)]);
    model.update_config(&values("development", json!("false")), &[]).await.unwrap();
    assert!(!model.config().unwrap().flag("development"));
    model.update_config(&Values::new(), &["development".into()]).await.unwrap();
    assert!(model.config().unwrap().flag("development"));
    model.update_config(&values("my-own", json!({"a": 1})), &[]).await.unwrap();
    assert_eq!(model.config().unwrap().get("my-own"), Some(&json!({"a": 1})));
    for (name, value, error) in [
        ("name", json!("n"), "cannot change name from \"m\" to \"n\""),
        ("firewall-mode", json!("none"), "cannot change firewall-mode from \"instance\" to \"none\""),
        ("agent-version", json!("3.6.29"), "agent-version cannot be changed"),
        ("num-provision-workers", json!(101), "num-provision-workers: 101 is not between 1 and 100"),
        ("logging-config", json!("<root>=LOUD"), "unknown severity level \"LOUD\""),
        ("update-status-hook-interval", json!("5s"), "update-status-hook-interval 5s is out of range"),
        ("egress-subnets", json!("0.0.0.0/0"), "CIDR \"0.0.0.0/0\" not allowed"),
        ("resource-tags", json!("juju-x=1"), "tag \"juju-x\" uses reserved prefix \"juju-\""),
        (
            "container-networking-method",
            json!("fan"),
            "container-networking-method cannot be set to 'fan' without fan-config set",
        ),
        ("development", json!("maybe"), "development: expected bool, got string(\"maybe\")"),
    ] {
        let got = model.update_config(&values(name, value), &[]).await.unwrap_err();
        assert_eq!(got.to_string(), error);
    }
    let mut watcher = model.watch_agent_version().unwrap();
    model.set_agent_version(&id("3.6.29")).await.unwrap();
    watcher.next().await.unwrap();
    assert_eq!(model.config().unwrap().agent_version(), Some(id("3.6.29")));
}

#[tokio::test]
async fn a_model_ends_when_it_is_empty() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    fixture.state.add_user(&id("bob"), "Bob", "secret", &id("admin")).await.unwrap();
    let object = Object::Model(model.uuid().clone());
    fixture.state.grant(&object, &id("bob"), Access::Read, &id("admin")).await.unwrap();
    fixture.state.record_connection(&id("bob"), Some(model.uuid())).await.unwrap();
    model.deploy_charm(DB, 2).await;
    model.start(&id("db/0")).await;
    assert!(model.finish_dying().await.is_err());
    let mut contents = model.watch_contents().unwrap();
    model.destroy(&DestroyModel::default()).await.unwrap();
    contents.next().await.unwrap();
    assert!(model.remove().await.is_err());
    model.run_cleanups().await.unwrap();
    let error = model.finish_dying().await.unwrap_err().to_string();
    assert_eq!(error, "model not empty, found 1 machine, 1 application, 1 unit");
    model.stop(&id("db/0")).await.unwrap();
    contents.next().await.unwrap();
    model.run_cleanups().await.unwrap();
    model.ensure_machine_dead(&id("0")).await.unwrap();
    model.remove_machine(&id("0")).await.unwrap();
    model.finish_dying().await.unwrap();
    assert_eq!(model.doc().unwrap().life, Life::Dead);
    model.remove().await.unwrap();
    assert!(matches!(model.doc(), Err(Error::ModelNotFound(_))));
    assert!(model.keys().is_empty());
    model.remove().await.unwrap();
    fixture.model("m").await;
}

#[tokio::test]
async fn a_controller_ends_after_its_models() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let home = fixture.state.controller_model().unwrap();
    let error = fixture.state.destroy_controller(&DestroyModel::default()).await.unwrap_err();
    assert!(matches!(error, Error::HasHostedModels));
    let all = DestroyModel { hosted_too: true, ..DestroyModel::default() };
    fixture.state.destroy_controller(&all).await.unwrap();
    assert!(fixture.try_model("n").await.is_err(), "a controller that goes takes no more models");
    home.run_cleanups().await.unwrap();
    assert_eq!(model.doc().unwrap().life, Life::Dying);
    assert!(matches!(home.finish_dying().await, Err(Error::HasHostedModels)));
    model.finish_dying().await.unwrap();
    model.remove().await.unwrap();
    home.finish_dying().await.unwrap();
    assert_eq!(home.doc().unwrap().life, Life::Dead);
}

#[tokio::test]
async fn a_forced_model_ends_whatever_is_in_it() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    model.deploy_charm(DB, 2).await;
    model.start(&id("db/0")).await;
    model.start(&id("db/1")).await;
    let forced =
        DestroyModel { force: true, max_wait: Some(std::time::Duration::ZERO), ..DestroyModel::default() };
    model.destroy(&forced).await.unwrap();
    assert!(model.doc().unwrap().ending.as_ref().unwrap().force);
    for _ in 0..3 {
        model.run_cleanups().await.unwrap();
        fixture.pass(1);
    }
    model.finish_dying().await.unwrap();
    model.remove().await.unwrap();
    assert!(model.keys().is_empty());
}

#[tokio::test]
async fn blocks_hold_what_is_below_them() {
    let model = Fixture::new().await.model("m").await;
    for kind in BlockKind::ALL {
        model.check_allowed(kind).unwrap();
    }
    model.set_block(BlockKind::Remove, "hands off").await.unwrap();
    assert!(matches!(model.set_block(BlockKind::Remove, "").await, Err(Error::AlreadySo(_))));
    model.check_allowed(BlockKind::Change).unwrap();
    for kind in [BlockKind::Destroy, BlockKind::Remove] {
        assert_eq!(model.check_allowed(kind).unwrap_err().to_string(), "hands off");
    }
    model.remove_block(BlockKind::Remove).await.unwrap();
    model.check_allowed(BlockKind::Destroy).unwrap();
}

#[tokio::test]
async fn models_inherit_defaults() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let cloud = id("local");
    let set = async |region: &str, name: &str, value: serde_json::Value| {
        let values = Values::from([(name.to_owned(), value)]);
        fixture.state.update_model_defaults(&cloud, region, &values, &[]).await.map_err(|it| it.to_string())
    };
    set("", "image-stream", json!("daily")).await.unwrap();
    set("localhost", "image-stream", json!("devel")).await.unwrap();
    assert_eq!(model.config().unwrap().text("image-stream"), "devel");
    let defaults = fixture.state.model_defaults(&cloud).unwrap();
    assert_eq!(
        (&defaults.builtin["image-stream"], &defaults.cloud["image-stream"]),
        (&json!("released"), &json!("daily"))
    );
    fixture
        .state
        .update_model_defaults(&cloud, "localhost", &Values::new(), &["image-stream".into()])
        .await
        .unwrap();
    assert_eq!(model.config().unwrap().text("image-stream"), "daily");
    assert!(set("mars", "image-stream", json!("x")).await.unwrap_err().contains("region \"mars\" not found"));
    assert_eq!(set("", "name", json!("x")).await.unwrap_err(), "name cannot have a default value");
    assert!(set("", "development", json!("maybe")).await.is_err());
}
