//! `Controller`.

use juju_core::Life;
use juju_state::access::{Access, Object};
use juju_wire::facade::controller::{
    self, ControllerConfigSet, DestroyControllerArgs, ModifyControllerAccess, ModifyControllerAccessRequest,
};
use serde_json::json;

use crate::{
    common::{id, login},
    world::{World, entities, failed, only, pair},
};

#[tokio::test]
async fn what_the_controller_is() {
    let world = World::new().await;
    let root = world.it.admin(None).await;
    let mut models: Vec<_> = root
        .call::<controller::call::AllModels>(())
        .await
        .unwrap()
        .user_models
        .into_iter()
        .map(|it| it.model.name)
        .collect();
    models.sort();
    assert_eq!(models, ["controller", "demo"]);
    let tag = format!("model-{}", world.model.uuid());
    let status = root.call::<controller::call::ModelStatus>(entities(&[&tag])).await.unwrap();
    assert_eq!(
        (status.models[0].model_tag.as_str(), status.models[0].life.as_str()),
        (tag.as_str(), "alive")
    );
    let hosted = root.call::<controller::call::HostedModelConfigs>(()).await.unwrap().models;
    assert_eq!(
        (hosted.len(), hosted[0].name.as_str(), &hosted[0].config["name"]),
        (1, "demo", &json!("demo"))
    );
    assert_eq!(root.call::<controller::call::ControllerVersion>(()).await.unwrap().version, "3.6.28");
    assert_eq!(root.call::<controller::call::IdentityProviderURL>(()).await.unwrap().result, "");

    let info = root
        .call::<controller::call::ControllerAPIInfoForModels>(entities(&[&tag, "model-x"]))
        .await
        .unwrap();
    assert_eq!(
        (info.results[0].addresses.as_slice(), &info.results[0].cacert),
        (&[world.it.address.to_string()][..], &world.it.ca)
    );
    assert_eq!(info.results[1].error.as_ref().unwrap().message, "\"model-x\" is not a valid model tag");
    world.stop().await;
}

#[tokio::test]
async fn its_configuration_and_who_may_change_it() {
    let world = World::new().await;
    let root = world.it.admin(None).await;
    let set = |name: &str, value| ControllerConfigSet { config: [(name.to_owned(), value)].into() };
    root.call::<controller::call::ConfigSet>(set("auditing-enabled", json!(false))).await.unwrap();
    assert!(!world.it.state.controller_config().unwrap().flag("auditing-enabled"));
    let got = root.call::<controller::call::ControllerConfig>(()).await.unwrap().config;
    assert_eq!((&got["auditing-enabled"], &got["controller-name"]), (&json!(false), &json!("test")));
    let fixed = failed(root.call::<controller::call::ConfigSet>(set("controller-name", json!("x"))).await);
    assert_eq!(fixed, pair("not valid", "can't change \"controller-name\" after bootstrap"));

    world.it.state.add_user(&id("bob"), "Bob", "bobspassword", &id("admin")).await.unwrap();
    let bob = world.it.connect(None).await;
    login(&bob, "user-bob", "bobspassword", "").await.unwrap();
    let denied = pair("unauthorized access", "permission denied");
    assert_eq!(failed(bob.call::<controller::call::ConfigSet>(ControllerConfigSet::default()).await), denied);
    assert_eq!(failed(bob.call::<controller::call::AllModels>(()).await), denied);
    assert_eq!(failed(bob.call::<controller::call::HostedModelConfigs>(()).await), denied);
    assert_eq!(
        failed(bob.call::<controller::call::DestroyController>(DestroyControllerArgs::default()).await),
        denied
    );

    let change = |action: &str, access: &str| ModifyControllerAccessRequest {
        changes: vec![ModifyControllerAccess {
            action: action.into(),
            access: access.into(),
            user_tag: "user-bob".into(),
        }],
    };
    let refused =
        failed(bob.call::<controller::call::ModifyControllerAccess>(change("grant", "superuser")).await);
    assert_eq!(refused, denied);
    only(root.call::<controller::call::ModifyControllerAccess>(change("grant", "superuser")).await.unwrap())
        .unwrap();
    let has = || world.it.state.access(&Object::Controller, &id("bob")).unwrap();
    assert_eq!(has(), Some(Access::Superuser));
    let got = root
        .call::<controller::call::GetControllerAccess>(entities(&["user-bob", "user-nobody"]))
        .await
        .unwrap();
    assert_eq!(got.results[0].result.as_ref().unwrap().access, "superuser");
    assert_eq!(got.results[1].error.as_ref().unwrap().code, "not found");
    only(root.call::<controller::call::ModifyControllerAccess>(change("revoke", "superuser")).await.unwrap())
        .unwrap();
    assert_eq!(has(), Some(Access::Login));
    world.stop().await;
}

#[tokio::test]
async fn it_goes_with_its_models_or_not_at_all() {
    let world = World::running().await;
    let root = world.it.admin(None).await;
    let home = world.it.controller_model();
    let alone =
        failed(root.call::<controller::call::DestroyController>(DestroyControllerArgs::default()).await);
    assert_eq!(alone, pair("controller has hosted models", "controller has hosted models"));
    assert_eq!(home.doc().unwrap().life, Life::Alive);
    let all = DestroyControllerArgs { destroy_models: true, ..DestroyControllerArgs::default() };
    root.call::<controller::call::DestroyController>(all).await.unwrap();
    assert_eq!(home.doc().unwrap().life, Life::Dying);
    home.run_cleanups().await.unwrap();
    assert_eq!(world.model.doc().unwrap().life, Life::Dying);
    world.stop().await;
}
