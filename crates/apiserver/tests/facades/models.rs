//! `ModelManager` and `ModelConfig`.

use juju_core::Life;
use juju_rpc::Connection;
use juju_state::{
    access::{Access, Object},
    constraints::Of,
};
use juju_wire::{
    facade::{
        model_config::{self, ModelSet, ModelUnset},
        model_manager::{
            self, DestroyModelParams, DestroyModelsParams, ModelCreateArgs, ModelSummariesRequest,
            ModifyModelAccess, ModifyModelAccessRequest,
        },
    },
    params::{Constraints, Entity, SetConstraints},
};
use serde_json::json;

use crate::{
    common::{id, login},
    world::{World, entities, failed, only, pair, shown},
};

fn create(name: &str) -> ModelCreateArgs {
    ModelCreateArgs { name: name.into(), owner_tag: "user-admin".into(), ..ModelCreateArgs::default() }
}

/// A user with no access but to the controller, and their connection to it.
async fn bob(world: &World) -> Connection {
    world.it.state.add_user(&id("bob"), "Bob", "bobspassword", &id("admin")).await.unwrap();
    let connection = world.it.connect(None).await;
    login(&connection, "user-bob", "bobspassword", "").await.unwrap();
    connection
}

#[tokio::test]
async fn models_are_made() {
    let world = World::new().await;
    let root = world.it.admin(None).await;
    world.it.controller_model().set_agent_version(&id("3.6.28")).await.unwrap();
    let args = ModelCreateArgs {
        cloud_tag: "cloud-local".into(),
        config: [("authorized-keys".to_owned(), json!("ssh-rsa AAAA"))].into(),
        ..create("fresh")
    };
    let got = root.call::<model_manager::call::CreateModel>(args).await.unwrap();
    let model = world.it.state.model(&id(&got.uuid)).unwrap();
    let doc = model.doc().unwrap();
    assert_eq!(
        (doc.name.as_str(), doc.cloud.as_str(), doc.region.as_str(), doc.owner.to_string().as_str()),
        ("fresh", "local", "localhost", "admin")
    );
    let config = model.config().unwrap();
    assert_eq!((config.text("authorized-keys"), config.text("agent-version")), ("ssh-rsa AAAA", "3.6.28"));
    assert_eq!(
        (
            got.name.as_str(),
            got.type_.as_str(),
            got.life.as_str(),
            got.provider_type.as_str(),
            got.agent_version.as_str()
        ),
        ("fresh", "iaas", "alive", "local", "3.6.28")
    );
    assert_eq!(got.controller_uuid, world.it.state.controller().unwrap().uuid.to_string());
    assert_eq!((got.users[0].user.as_str(), got.users[0].access.as_str()), ("admin", "admin"));
    assert_eq!(got.status.unwrap().status, "available");

    for (args, code, text) in [
        (create("fresh"), "already exists", "model \"fresh\" for admin already exists"),
        (
            create("Bad Name"),
            "not valid",
            "\"Bad Name\" is not a valid name: model names may only contain lowercase letters, digits and hyphens",
        ),
        (
            ModelCreateArgs { cloud_tag: "cloud-moon".into(), ..create("x") },
            "not found",
            "cloud \"moon\" not found",
        ),
        (
            ModelCreateArgs { cloud_tag: "moon".into(), ..create("x") },
            "bad request",
            "\"moon\" is not a valid cloud tag",
        ),
    ] {
        assert_eq!(failed(root.call::<model_manager::call::CreateModel>(args).await), pair(code, text));
    }

    let bob = bob(&world).await;
    let own = ModelCreateArgs { owner_tag: "user-bob".into(), ..create("bobs") };
    assert_eq!(
        failed(bob.call::<model_manager::call::CreateModel>(own.clone()).await).0,
        "unauthorized access"
    );
    let cloud = Object::Cloud(id("local"));
    world.it.state.grant(&cloud, &id("bob"), Access::AddModel, &id("admin")).await.unwrap();
    let got = bob.call::<model_manager::call::CreateModel>(own).await.unwrap();
    assert_eq!(got.owner_tag, "user-bob");
    let for_admin = failed(bob.call::<model_manager::call::CreateModel>(create("y")).await);
    assert_eq!(for_admin.0, "unauthorized access");
    world.stop().await;
}

#[tokio::test]
async fn models_are_listed_to_those_who_may_see_them() {
    let world = World::running().await;
    let (root, bob) = (world.it.admin(None).await, bob(&world).await);
    let list = async |connection: &Connection, tag: &str| {
        let got = connection.call::<model_manager::call::ListModels>(Entity { tag: tag.into() }).await?;
        Ok::<_, juju_rpc::CallError>(got.user_models.into_iter().map(|it| it.model.name).collect::<Vec<_>>())
    };
    let mut all = list(&root, "user-admin").await.unwrap();
    all.sort();
    assert_eq!(all, ["controller", "demo"]);
    assert!(list(&bob, "user-bob").await.unwrap().is_empty());
    assert_eq!(failed(list(&bob, "user-admin").await).0, "unauthorized access");

    let summaries = async |connection: &Connection, user: &str, all| {
        let args = ModelSummariesRequest { user_tag: user.into(), all };
        let got = connection.call::<model_manager::call::ListModelSummaries>(args).await.unwrap();
        let mut all: Vec<_> = got.results.into_iter().map(|it| it.result.unwrap()).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    };
    let got = summaries(&root, "user-admin", false).await;
    let demo = &got[1];
    let counts: Vec<_> = demo.counts.iter().map(|it| (it.entity.as_str(), it.count)).collect();
    assert_eq!(counts, [("machines", 3), ("cores", 6), ("units", 3)]);
    assert_eq!(
        (demo.name.as_str(), demo.user_access.as_str(), demo.life.as_str()),
        ("demo", "admin", "alive")
    );
    assert!(demo.last_connection.0.is_some(), "the admin is connected to it");

    // Access comes and goes.
    let change = |action: &str, access: &str| ModifyModelAccessRequest {
        changes: vec![ModifyModelAccess {
            action: action.into(),
            access: access.into(),
            user_tag: "user-bob".into(),
            model_tag: format!("model-{}", world.model.uuid()),
        }],
    };
    let modify = async |args| only(root.call::<model_manager::call::ModifyModelAccess>(args).await.unwrap());
    modify(change("grant", "read")).await.unwrap();
    assert_eq!(list(&bob, "user-bob").await.unwrap(), ["demo"]);
    assert_eq!(summaries(&bob, "user-bob", true).await[0].user_access, "read");
    assert_eq!(
        modify(change("grant", "read")).await.unwrap_err().message,
        "user already has \"read\" access or greater"
    );
    assert_eq!(modify(change("frob", "read")).await.unwrap_err().message, "unknown action \"frob\"");
    assert_eq!(modify(change("grant", "superuser")).await.unwrap_err().code, "not valid");
    modify(change("revoke", "read")).await.unwrap();
    assert!(list(&bob, "user-bob").await.unwrap().is_empty());
    let denied =
        only(bob.call::<model_manager::call::ModifyModelAccess>(change("grant", "admin")).await.unwrap());
    assert_eq!(shown(&denied.unwrap_err()), ("unauthorized access", "permission denied"));
    world.stop().await;
}

#[tokio::test]
async fn what_is_known_of_a_model() {
    let world = World::running().await;
    let root = world.it.admin(None).await;
    let bob = bob(&world).await;
    let tag = format!("model-{}", world.model.uuid());
    let info = async |connection: &Connection, tag: &str| {
        let got = connection.call::<model_manager::call::ModelInfo>(entities(&[tag])).await.unwrap();
        got.results.into_iter().next().unwrap()
    };
    let got = info(&root, &tag).await.result.unwrap();
    assert_eq!((got.name.as_str(), got.machines.len(), got.cloud_region.as_str()), ("demo", 3, "localhost"));
    let machine = &got.machines[0];
    assert_eq!(
        (machine.id.as_str(), machine.instance_id.as_str(), machine.status.as_str()),
        ("0", "i-0", "started")
    );
    assert_eq!(machine.hardware.as_ref().unwrap().cores, Some(2));
    let home = format!("model-{}", world.it.controller_model().uuid());
    let got = info(&root, &home).await.result.unwrap();
    assert_eq!((got.is_controller, got.machines[0].has_vote), (true, true));

    let object = Object::Model(world.model.uuid().clone());
    assert_eq!(info(&bob, &tag).await.error.unwrap().code, "unauthorized access");
    world.it.state.grant(&object, &id("bob"), Access::Read, &id("admin")).await.unwrap();
    let got = info(&bob, &tag).await.result.unwrap();
    assert_eq!((got.users.len(), got.users[0].user.as_str(), got.machines.len()), (1, "bob", 0));
    let gone = info(&root, "model-00000000-0000-4000-8000-000000000000").await.error.unwrap();
    assert_eq!(shown(&gone), ("not found", "model \"00000000-0000-4000-8000-000000000000\" not found"));
    world.stop().await;
}

#[tokio::test]
async fn models_are_destroyed() {
    let world = World::running().await;
    let root = world.it.admin(None).await;
    let tag = format!("model-{}", world.model.uuid());
    let status = async || {
        let got = root.call::<model_manager::call::ModelStatus>(entities(&[&tag])).await.unwrap();
        got.models.into_iter().next().unwrap()
    };
    let before = status().await;
    assert_eq!(
        (before.life.as_str(), before.hosted_machine_count, before.application_count, before.unit_count),
        ("alive", 3, 2, 3)
    );
    let destroy = async |tag: &str| {
        let model =
            DestroyModelParams { model_tag: tag.into(), destroy_storage: Some(true), ..Default::default() };
        let args = DestroyModelsParams { models: vec![model] };
        only(root.call::<model_manager::call::DestroyModels>(args).await.unwrap())
    };
    destroy(&tag).await.unwrap();
    assert_eq!(world.model.doc().unwrap().life, Life::Dying);
    assert_eq!(status().await.life, "dying");
    let home = format!("model-{}", world.it.controller_model().uuid());
    assert!(destroy(&home).await.unwrap_err().message.starts_with("cannot destroy controller model"));

    world.model.force_dead().await.unwrap();
    world.model.remove().await.unwrap();
    assert_eq!(status().await.error.unwrap().code, "not found", "who waits for its end sees it");
    assert_eq!(destroy(&tag).await.unwrap_err().code, "not found");
    world.stop().await;
}

#[tokio::test]
async fn a_model_s_configuration() {
    let world = World::new().await;
    let user = &world.user;
    let set = |name: &str, value: serde_json::Value| ModelSet { config: [(name.to_owned(), value)].into() };
    user.call::<model_config::call::ModelSet>(set("logging-config", json!("<root>=DEBUG"))).await.unwrap();
    let got = user.call::<model_config::call::ModelGet>(()).await.unwrap().config;
    let shown = |name: &str| (got[name].value.clone(), got[name].source.as_str());
    assert_eq!(shown("logging-config"), (json!("<root>=DEBUG"), "model"));
    assert_eq!(shown("firewall-mode"), (json!("instance"), "default"));
    assert_eq!(shown("name"), (json!("demo"), "model"));
    assert_eq!(shown("default-series"), (json!(""), "default"));
    user.call::<model_config::call::ModelSet>(set("default-base", json!("ubuntu@22.04"))).await.unwrap();
    let config = user.call::<model_config::call::ModelGet>(()).await.unwrap().config;
    assert_eq!(
        (&config["default-series"].value, config["default-series"].source.as_str()),
        (&json!("jammy"), "model")
    );
    user.call::<model_config::call::ModelUnset>(ModelUnset { keys: vec!["logging-config".into()] })
        .await
        .unwrap();
    assert_eq!(world.model.config().unwrap().text("logging-config"), "<root>=INFO");
    let version =
        failed(user.call::<model_config::call::ModelSet>(set("agent-version", json!("4.0.0"))).await);
    assert_eq!(version, pair("not valid", "agent-version cannot be changed"));
    let bad = failed(user.call::<model_config::call::ModelSet>(set("development", json!("perhaps"))).await);
    assert_eq!(bad.0, "not valid");

    let mem = Constraints { mem: Some(4096), ..Constraints::default() };
    let args = SetConstraints { application: String::new(), constraints: mem.clone() };
    user.call::<model_config::call::SetModelConstraints>(args).await.unwrap();
    assert_eq!(world.model.constraints(Of::Model).unwrap().to_string(), "mem=4096M");
    assert_eq!(user.call::<model_config::call::GetModelConstraints>(()).await.unwrap().constraints, mem);
    assert_eq!(user.call::<model_config::call::SLALevel>(()).await.unwrap().result, "unsupported");
    world.stop().await;
}
