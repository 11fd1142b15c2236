//! What the router answers for facades and methods that are there, and are not.

use juju_wire::{
    facade::{application, block, client, machiner, model_manager, pinger},
    params::{Entities, LifeResults},
};

use super::*;
use crate::User;

fn user(controller: &str, model: &str) -> Entity {
    use juju_state::access::Access;
    let access = |it: &str| match it {
        "" => None,
        "login" => Some(Access::Login),
        "superuser" => Some(Access::Superuser),
        "read" => Some(Access::Read),
        "write" => Some(Access::Write),
        other => panic!("{other}"),
    };
    let (controller, model) = (access(controller), access(model));
    Entity::User(User { name: "bob".parse().unwrap(), display_name: String::new(), controller, model })
}

fn machine() -> Entity {
    Entity::Machine { id: "0".parse().unwrap(), controller: false }
}

fn router() -> Router {
    let mut router = Router::new();
    router
        .on::<pinger::call::Ping>(async |_, ()| Ok::<_, Error>(()))
        .on::<machiner::call::Life>(async |_, _: Entities| Ok::<_, Error>(LifeResults::default()))
        .on::<block::call::List>(async |_, ()| Ok::<_, Error>(Default::default()))
        .on::<block::call::SwitchBlockOn>(async |_, _| Ok::<_, Error>(Default::default()))
        .on::<model_manager::call::ListModels>(async |_, _| Ok::<_, Error>(Default::default()))
        .on::<application::call::DestroyUnit>(async |_, _| Ok::<_, Error>(Default::default()));
    router
}

fn find(
    entity: &Entity,
    controller_only: bool,
    facade: &str,
    version: i64,
    method: &str,
) -> Result<(), String> {
    let target = Target { facade, version, method };
    router().find(entity, controller_only, target).map(drop).map_err(|err| format!("{err} [{}]", err.code()))
}

fn err(text: &str) -> Result<(), String> {
    Err(text.to_owned())
}

#[test]
fn what_is_not_there_has_three_names() {
    let root = user("superuser", "");
    assert_eq!(find(&root, false, "Foo", 1, "Bar"), err("unknown object type \"Foo\" [not implemented]"));
    // Declared, but nothing of it is served.
    assert_eq!(
        find(&root, false, "Client", 8, "FullStatus"),
        err("unknown object type \"Client\" [not implemented]")
    );
    for version in [99, 0, -1, i64::MAX] {
        let text = format!("unknown version ({version}) of interface \"Block\" [not implemented]");
        assert_eq!(find(&root, false, "Block", version, "List"), Err(text));
    }
    assert_eq!(
        find(&root, false, "Block", 2, "Frob"),
        err("no such request - method Block(2).Frob is not implemented [not implemented]")
    );
    assert_eq!(find(&root, false, "Block", 2, "List"), Ok(()));
}

#[test]
fn a_version_without_a_served_method_is_unknown() {
    let root = user("superuser", "");
    let versions = application::call::DestroyUnit::VERSIONS;
    assert_eq!(find(&root, false, "Application", (*versions.start()).into(), "DestroyUnit"), Ok(()));
    let before = i64::from(*versions.start()) - 1;
    assert!(
        find(&root, false, "Application", before, "DestroyUnit").unwrap_err().starts_with("unknown version")
    );
}

#[test]
fn facades_have_their_place() {
    let root = user("superuser", "");
    assert_eq!(
        find(&root, true, "Block", 2, "List"),
        err("facade \"Block\" not supported for controller API connection [not supported]")
    );
    assert_eq!(
        find(&root, true, "Foo", 2, "List"),
        err("facade \"Foo\" not supported for controller API connection [not supported]")
    );
    assert_eq!(
        find(&root, false, "ModelManager", 10, "ListModels"),
        err("facade \"ModelManager\" not supported for model API connection [not supported]")
    );
    // Juju has it on that kind, and here it is not served.
    assert_eq!(
        find(&root, true, "CrossController", 1, "X"),
        err("unknown object type \"CrossController\" [not implemented]")
    );
    assert_eq!(find(&root, true, "ModelManager", 10, "ListModels"), Ok(()));
    assert_eq!(find(&root, true, "Pinger", 1, "Ping"), Ok(()));
    assert_eq!(find(&root, false, "Pinger", 1, "Ping"), Ok(()));
}

#[test]
fn callers_and_what_they_may() {
    let denied = err("permission denied [unauthorized access]");
    assert_eq!(find(&machine(), false, "Machiner", 5, "Life"), Ok(()));
    assert_eq!(find(&user("superuser", ""), false, "Machiner", 5, "Life"), denied);
    assert_eq!(find(&machine(), false, "Block", 2, "List"), denied);
    assert_eq!(find(&user("login", "read"), false, "Block", 2, "List"), Ok(()));
    assert_eq!(find(&user("login", "read"), false, "Block", 2, "SwitchBlockOn"), denied);
    assert_eq!(find(&user("login", "write"), false, "Block", 2, "SwitchBlockOn"), Ok(()));
    assert_eq!(find(&user("login", ""), true, "ModelManager", 10, "ListModels"), Ok(()));
}

#[test]
fn login_lists_what_is_served_there() {
    let names = |controller_only| {
        let listed = router().listed(controller_only);
        listed.into_iter().map(|it| (it.name, it.versions)).collect::<Vec<_>>()
    };
    let versions: Vec<i64> = application::call::DestroyUnit::VERSIONS.map(i64::from).collect();
    assert_eq!(
        names(false),
        [
            ("Application".to_owned(), versions),
            ("Block".to_owned(), vec![2]),
            ("Machiner".to_owned(), vec![5]),
            ("Pinger".to_owned(), vec![1]),
        ]
    );
    assert_eq!(names(true), [("ModelManager".to_owned(), vec![9, 10]), ("Pinger".to_owned(), vec![1])]);
}

#[test]
fn missing_is_what_is_declared_and_not_served() {
    let missing = router().missing();
    assert!(missing.contains(&"Machiner.EnsureDead".to_owned()));
    assert!(missing.contains(&format!("{}.FullStatus", client::NAME)));
    assert!(!missing.contains(&"Machiner.Life".to_owned()));
    assert!(!missing.contains(&"Pinger.Ping".to_owned()));
}

#[test]
#[should_panic(expected = "Pinger.Ping is served twice")]
fn a_method_is_served_once() {
    router().on::<pinger::call::Ping>(async |_, ()| Ok::<_, Error>(()));
}

#[test]
fn the_dump_has_the_served_methods_and_their_types() {
    let dump = router().dump_facades();
    let facades = dump.as_array().unwrap();
    let machiner = facades.iter().find(|it| it["Name"] == "Machiner").unwrap();
    assert_eq!(machiner["Version"], 5);
    assert_eq!(machiner["AvailableTo"][0], "controller-machine-agent");
    let schema = &machiner["Schema"];
    let methods: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(methods, ["Life"]);
    assert_eq!(schema["properties"]["Life"]["properties"]["Params"]["$ref"], "#/definitions/Entities");
    assert!(schema["definitions"]["Entities"]["properties"]["entities"].is_object());
    let pinger = facades.iter().find(|it| it["Name"] == "Pinger").unwrap();
    assert_eq!(pinger["Schema"]["properties"]["Ping"], serde_json::json!({ "type": "object" }));
    let versions: Vec<_> =
        facades.iter().filter(|it| it["Name"] == "ModelManager").map(|it| &it["Version"]).collect();
    assert_eq!(versions, [9, 10]);
}
