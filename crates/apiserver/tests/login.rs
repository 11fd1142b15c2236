//! Who may log in where, what they are told, and what they may call then.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::time::Duration;

use common::{ADMIN_PASSWORD, AGENT_PASSWORD, NONCE, TestServer, id, login, provisioned};
use juju_rpc::{CallError, Closed, Connection};
use juju_state::access::{Access, Object};
use juju_wire::{
    code,
    facade::{admin, block, machiner, model_manager, pinger},
};

fn refused(result: Result<admin::LoginResult, CallError>) -> (String, String) {
    match result {
        Err(CallError::Api(error)) => (error.message, error.code),
        other => panic!("{other:?}"),
    }
}

fn because(message: &str, code: &str) -> (String, String) {
    (message.to_owned(), code.to_owned())
}

#[tokio::test]
async fn a_user_logs_in_to_the_controller_and_to_a_model() {
    let it = TestServer::start().await;
    let connection = it.connect(None).await;
    let result = login(&connection, "user-admin", ADMIN_PASSWORD, "").await.unwrap();
    assert_eq!(result.server_version, "3.6.28");
    assert_eq!(result.model_tag, "");
    let controller = it.state.controller().unwrap();
    assert_eq!(result.controller_tag, format!("controller-{}", controller.uuid));
    let [server] = &result.servers[..] else { panic!("{:?}", result.servers) };
    assert_eq!((server[0].value.as_str(), server[0].port), ("127.0.0.1", it.address.port().into()));
    assert_eq!((server[0].type_.as_str(), server[0].scope.as_str()), ("ipv4", "local-machine"));
    let user = result.user_info.unwrap();
    assert_eq!((user.identity.as_str(), user.controller_access.as_str()), ("user-admin", "superuser"));
    assert_eq!(user.model_access, "");
    let names: Vec<_> = result.facades.iter().map(|it| it.name.as_str()).collect();
    assert!(names.contains(&"Pinger") && names.contains(&"NotifyWatcher"), "{names:?}");
    assert!(!names.contains(&"StringsWatcher") && !names.contains(&"Admin"), "{names:?}");

    let model = it.model("demo").await;
    let connection = it.connect(Some(model.uuid())).await;
    let result = login(&connection, "user-admin", ADMIN_PASSWORD, "").await.unwrap();
    assert_eq!(result.model_tag, format!("model-{}", model.uuid()));
    assert_eq!(result.user_info.unwrap().model_access, "admin");
    assert!(result.facades.iter().any(|it| it.name == "StringsWatcher" && it.versions == [1]));
    // A second login is no login.
    let again = login(&connection, "user-admin", ADMIN_PASSWORD, "").await;
    assert_eq!(refused(again), because("already logged in", ""));
    let err = connection.call::<admin::call::RedirectInfo>(()).await.unwrap_err();
    assert_eq!(err.to_string(), "not redirected");
    it.stop().await;
}

#[tokio::test]
async fn wrong_credentials_get_one_answer() {
    let it = TestServer::start().await;
    let denied = because("invalid entity name or password", code::UNAUTHORIZED);
    let model = it.model("demo").await;
    provisioned(&model, "nonce").await;
    for (tag, password) in [
        ("user-admin", "wrong"),
        ("user-admin", ""),
        ("user-nobody", ADMIN_PASSWORD),
        ("user-bob@external", ADMIN_PASSWORD),
        ("user-admin@local", "wrong"),
        ("machine-0", "wrong"),
        ("machine-7", AGENT_PASSWORD),
        ("machine-0-lxd-1", AGENT_PASSWORD),
        ("unit-web-0", AGENT_PASSWORD),
        ("application-web", AGENT_PASSWORD),
        ("model-5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f", ""),
        ("nonsense", "x"),
        ("machine-", "x"),
    ] {
        let connection = it.connect(Some(model.uuid())).await;
        assert_eq!(refused(login(&connection, tag, password, "nonce").await), denied, "{tag}");
        // It is not held against the connection.
        login(&connection, "user-admin", ADMIN_PASSWORD, "").await.unwrap();
    }
    let connection = it.connect(None).await;
    let nobody = login(&connection, "", "", "").await;
    assert_eq!(refused(nobody), because("no credentials provided", code::NO_CREDS));
    it.stop().await;
}

#[tokio::test]
async fn access_decides_where_a_user_gets_in() {
    let it = TestServer::start().await;
    let (admin, bob, eve) = (id("admin"), id("bob"), id("eve"));
    for user in [&bob, &eve] {
        it.state.add_user(user, "A User", "password", &admin).await.unwrap();
    }
    let model = it.model("demo").await;
    let denied = because("permission denied", code::UNAUTHORIZED);

    let connection = it.connect(None).await;
    let result = login(&connection, "user-bob", "password", "").await.unwrap();
    let user = result.user_info.unwrap();
    assert_eq!((user.controller_access.as_str(), user.display_name.as_str()), ("login", "A User"));
    let connection = it.connect(Some(model.uuid())).await;
    assert_eq!(refused(login(&connection, "user-bob", "password", "").await), denied);

    it.state.grant(&Object::Model(model.uuid().clone()), &bob, Access::Read, &admin).await.unwrap();
    let result = login(&connection, "user-bob", "password", "").await.unwrap();
    assert_eq!(result.user_info.unwrap().model_access, "read");
    // Bound to what he had when he came.
    let err = connection.call::<machiner::call::Life>(Default::default()).await.unwrap_err();
    assert!(matches!(err.code(), code::UNAUTHORIZED | code::NOT_IMPLEMENTED), "{err:?}");

    // Without access to the controller a model's is worth nothing, unless the controller says so.
    it.state.revoke(&Object::Controller, &eve, Access::Login).await.unwrap();
    it.state.grant(&Object::Model(model.uuid().clone()), &eve, Access::Write, &admin).await.unwrap();
    let connection = it.connect(Some(model.uuid())).await;
    assert_eq!(refused(login(&connection, "user-eve", "password", "").await), denied);
    let controller = it.connect(None).await;
    assert_eq!(refused(login(&controller, "user-eve", "password", "").await), denied);

    // One who is disabled is nobody.
    it.state.set_user_disabled(&bob, true).await.unwrap();
    let connection = it.connect(None).await;
    let nobody = because("invalid entity name or password", code::UNAUTHORIZED);
    assert_eq!(refused(login(&connection, "user-bob", "password", "").await), nobody);
    it.stop().await;
}

#[tokio::test]
async fn a_login_is_noted() {
    let it = TestServer::start().await;
    let model = it.model("demo").await;
    let _connection = it.admin(Some(model.uuid())).await;
    let noted = async {
        loop {
            let seen = juju_state::user::last_connection(&it.state.image(), model.uuid(), &id("admin"));
            if seen.unwrap().is_some() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), noted).await.expect("it is noted in the background");
    it.stop().await;
}

#[tokio::test]
async fn a_machine_needs_its_password_and_its_nonce() {
    let it = TestServer::start().await;
    let model = it.model("demo").await;
    let machine = provisioned(&model, "right").await;
    let tag = format!("machine-{machine}");
    let connection = it.connect(Some(model.uuid())).await;
    for nonce in ["", "wrong"] {
        let result = login(&connection, &tag, AGENT_PASSWORD, nonce).await;
        assert_eq!(refused(result), because("machine 0 not provisioned", code::NOT_PROVISIONED));
    }
    let result = login(&connection, &tag, AGENT_PASSWORD, "right").await.unwrap();
    assert_eq!(result.user_info, None);
    assert_eq!(result.model_tag, format!("model-{}", model.uuid()));

    assert!(it.state.presence().is_present(model.uuid(), &tag));
    connection.close().await;
    let gone = async {
        while it.state.presence().is_present(model.uuid(), &tag) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), gone).await.expect("a closed connection is no presence");
    it.stop().await;
}

#[tokio::test]
async fn a_controllers_machine_gets_into_every_model_and_no_other_does() {
    let it = TestServer::start().await;
    let model = it.model("demo").await;
    for place in [None, Some(it.controller_model().uuid()), Some(model.uuid())] {
        it.machine_0(place).await.call::<pinger::call::Ping>(()).await.unwrap();
    }
    // A machine of the controller's model that runs no controller stays at home.
    let other = provisioned(&it.controller_model(), "n").await;
    let tag = format!("machine-{other}");
    let home = it.connect(Some(it.controller_model().uuid())).await;
    login(&home, &tag, AGENT_PASSWORD, "n").await.unwrap();
    let connection = it.connect(Some(model.uuid())).await;
    let denied = because("invalid entity name or password", code::UNAUTHORIZED);
    assert_eq!(refused(login(&connection, &tag, AGENT_PASSWORD, "n").await), denied);
    // Nor does a machine of a hosted model pass for the controller's.
    provisioned(&model, "n").await;
    let connection = it.connect(Some(it.controller_model().uuid())).await;
    let result = login(&connection, "machine-0", AGENT_PASSWORD, "n").await;
    assert_eq!(refused(result), because("machine 0 not provisioned", code::NOT_PROVISIONED));
    it.stop().await;
}

#[tokio::test]
async fn before_login_there_is_nothing_but_admin() {
    let it = TestServer::start().await;
    let connection = it.connect(None).await;
    let err = connection.call::<pinger::call::Ping>(()).await.unwrap_err();
    assert_eq!(
        (err.to_string().as_str(), err.code()),
        ("unknown object type \"Pinger\"", code::NOT_IMPLEMENTED)
    );
    let err = connection.call_on::<admin::call::Login>("7", Default::default()).await.unwrap_err();
    assert_eq!(err.code(), code::NOT_FOUND);
    assert_eq!(
        connection.call::<admin::call::RedirectInfo>(()).await.unwrap_err().to_string(),
        "not redirected"
    );
    it.stop().await;
}

#[tokio::test]
async fn on_a_model_that_is_not_there_everything_fails() {
    let it = TestServer::start().await;
    let uuid = id("5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f");
    let connection = it.connect(Some(&uuid)).await;
    let unknown = because("unknown model: \"5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f\"", code::MODEL_NOT_FOUND);
    assert_eq!(refused(login(&connection, "user-admin", ADMIN_PASSWORD, "").await), unknown);
    let err = connection.call::<pinger::call::Ping>(()).await.unwrap_err();
    assert_eq!((err.to_string(), err.code().to_owned()), unknown);
    let mut config = it.dial(None);
    config.path = "/model/x/api".into();
    let err = Connection::connect(&config).await.err().unwrap();
    assert!(err.to_string().ends_with("answered 400: invalid model UUID \"x\""), "{err}");
    it.stop().await;
}

#[tokio::test]
async fn the_wrong_kind_of_connection_and_the_wrong_version() {
    let it = TestServer::start().await;
    let controller = it.admin(None).await;
    let err = controller.call::<block::call::List>(()).await.unwrap_err();
    assert_eq!(
        (err.to_string().as_str(), err.code()),
        ("facade \"Block\" not supported for controller API connection", code::NOT_SUPPORTED)
    );
    let model = it.model("demo").await;
    let connection = it.admin(Some(model.uuid())).await;
    let err = connection.call::<model_manager::call::ListModels>(Default::default()).await.unwrap_err();
    assert_eq!(
        (err.to_string().as_str(), err.code()),
        ("facade \"ModelManager\" not supported for model API connection", code::NOT_SUPPORTED)
    );
    it.stop().await;
}

#[tokio::test]
async fn a_connection_in_memory_logs_in_like_any_other() {
    let it = TestServer::start().await;
    let model = it.model("demo").await;
    let connection = it.server.connect(Some(model.uuid().clone()));
    assert!(connection.call::<pinger::call::Ping>(()).await.is_err());
    login(&connection, "machine-0", AGENT_PASSWORD, NONCE).await.unwrap();
    connection.call::<pinger::call::Ping>(()).await.unwrap();
    it.server.close().await;
    assert!(matches!(connection.closed().await, Closed::Peer { .. }));
    it.stop().await;
}
