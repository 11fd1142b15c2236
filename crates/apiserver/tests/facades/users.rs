//! `UserManager`.

use juju_rpc::Connection;
use juju_wire::{
    facade::user_manager::{self, AddUser, AddUsers, UserInfoRequest},
    params::{EntityPassword, EntityPasswords},
};

use crate::{
    common::{id, login},
    world::{World, entities, failed, only, pair, shown},
};

async fn add(
    root: &Connection,
    name: &str,
    password: &str,
) -> juju_wire::facade::user_manager::AddUserResult {
    let user = AddUser { username: name.into(), display_name: "Bob B".into(), password: password.into() };
    root.call::<user_manager::call::AddUser>(AddUsers { users: vec![user] }).await.unwrap().results.remove(0)
}

async fn can_log_in(world: &World, password: &str) -> bool {
    let connection = world.it.connect(None).await;
    login(&connection, "user-bob", password, "").await.is_ok()
}

#[tokio::test]
async fn users_come_change_and_go() {
    let world = World::new().await;
    let root = world.it.admin(None).await;
    let added = add(&root, "bob", "bobspassword").await;
    assert_eq!((added.tag.as_str(), &added.error), ("user-bob", &None));
    assert!(can_log_in(&world, "bobspassword").await);
    let twice = add(&root, "bob", "x").await.error.unwrap();
    assert_eq!(shown(&twice), ("already exists", "user \"bob\" already exists"));
    let open = add(&root, "eve", "").await.error.unwrap();
    assert_eq!(open.code, "not supported", "registration is not served yet");

    let password = |tag: &str, password: &str| EntityPasswords {
        changes: vec![EntityPassword { tag: tag.into(), password: password.into() }],
    };
    let args = password("user-bob", "another");
    only(root.call::<user_manager::call::SetPassword>(args).await.unwrap()).unwrap();
    assert!(!can_log_in(&world, "bobspassword").await && can_log_in(&world, "another").await);

    only(root.call::<user_manager::call::DisableUser>(entities(&["user-bob"])).await.unwrap()).unwrap();
    assert!(!can_log_in(&world, "another").await);
    only(root.call::<user_manager::call::EnableUser>(entities(&["user-bob"])).await.unwrap()).unwrap();
    assert!(can_log_in(&world, "another").await);

    only(root.call::<user_manager::call::RemoveUser>(entities(&["user-bob"])).await.unwrap()).unwrap();
    assert!(!can_log_in(&world, "another").await);
    assert!(juju_state::user::read(&world.it.state.image(), &id("bob")).unwrap_err().is_not_found());
    let own = only(root.call::<user_manager::call::RemoveUser>(entities(&["user-admin"])).await.unwrap());
    assert_eq!(own.unwrap_err().code, "not valid");
    world.stop().await;
}

#[tokio::test]
async fn who_is_no_superuser_sees_and_changes_himself_alone() {
    let world = World::new().await;
    let root = world.it.admin(None).await;
    add(&root, "bob", "bobspassword").await;
    let bob = world.it.connect(None).await;
    login(&bob, "user-bob", "bobspassword", "").await.unwrap();
    let info = async |connection: &Connection, tags: &[&str]| {
        let args = UserInfoRequest { entities: entities(tags).entities, include_disabled: false };
        connection.call::<user_manager::call::UserInfo>(args).await.unwrap().results
    };
    let all = info(&root, &[]).await;
    let names: Vec<_> = all.iter().map(|it| it.result.as_ref().unwrap().username.as_str()).collect();
    assert_eq!(names, ["admin", "bob"]);
    let it = info(&bob, &[]).await.remove(0).result.unwrap();
    assert_eq!(
        (
            it.username.as_str(),
            it.display_name.as_str(),
            it.access.as_str(),
            it.created_by.as_str(),
            it.disabled
        ),
        ("bob", "Bob B", "login", "admin", false)
    );
    assert_eq!(info(&bob, &["user-admin"]).await[0].error.as_ref().unwrap().code, "unauthorized access");
    assert_eq!(info(&root, &["user-nobody"]).await[0].error.as_ref().unwrap().code, "not found");

    let denied = pair("unauthorized access", "permission denied");
    assert_eq!(failed(bob.call::<user_manager::call::AddUser>(AddUsers::default()).await), denied);
    assert_eq!(failed(bob.call::<user_manager::call::DisableUser>(entities(&["user-admin"])).await), denied);
    assert_eq!(failed(bob.call::<user_manager::call::EnableUser>(entities(&["user-admin"])).await), denied);
    assert_eq!(failed(bob.call::<user_manager::call::RemoveUser>(entities(&["user-admin"])).await), denied);
    let theirs = EntityPassword { tag: "user-admin".into(), password: "x".into() };
    let own = EntityPassword { tag: "user-bob".into(), password: "mine".into() };
    let args = EntityPasswords { changes: vec![theirs, own] };
    let got = bob.call::<user_manager::call::SetPassword>(args).await.unwrap();
    assert_eq!(
        (got.results[0].error.as_ref().unwrap().code.as_str(), &got.results[1].error),
        ("unauthorized access", &None)
    );
    assert!(can_log_in(&world, "mine").await);
    world.stop().await;
}
