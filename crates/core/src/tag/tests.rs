//! Every kind of tag, both ways.

use proptest::prelude::*;

use super::*;

const UUID: &str = "deadbeef-0bad-400d-8000-4b1d0d06f00d";

#[test]
fn each_kind_has_its_text() {
    let uuid = |kind: &str| (format!("{kind}-{UUID}"), UUID.to_owned());
    let mut table: Vec<(String, String)> = [
        ("controller-0", "0"),
        ("user-bob", "bob"),
        ("user-bob@idm", "bob@idm"),
        ("user-bob.smith+x@idm.example", "bob.smith+x@idm.example"),
        ("cloud-localhost", "localhost"),
        ("cloudcred-lxd_bob_c1", "lxd/bob/c1"),
        ("cloudcred-my%5fcloud_bob@idm_a%5fb", "my_cloud/bob@idm/a_b"),
        ("cloudcred-aws_bob_bob@x+y.z", "aws/bob/bob@x+y.z"),
        ("machine-0", "0"),
        ("machine-0-lxd-1", "0/lxd/1"),
        ("machine-12-lxd-1-kvm-3", "12/lxd/1/kvm/3"),
        ("application-db", "db"),
        ("application-web-front-end", "web-front-end"),
        ("unit-db-0", "db/0"),
        ("unit-web-front-end-12", "web-front-end/12"),
        ("relation-wp.db#db.server", "wp:db db:server"),
        ("relation-db.ring", "db:ring"),
        ("relation-a-b.c_d#e.juju-info", "a-b:c_d e:juju-info"),
        ("storage-data-0", "data/0"),
        ("storage-big-data-3", "big-data/3"),
        ("volume-0", "0"),
        ("volume-0-1", "0/1"),
        ("volume-0-lxd-1-2", "0/lxd/1/2"),
        ("volume-big-db-0-1", "big-db/0/1"),
        ("filesystem-7", "7"),
        ("filesystem-0-1", "0/1"),
        ("filesystem-db-0-1", "db/0/1"),
        ("space-alpha", "alpha"),
        ("space-my-space-2", "my-space-2"),
        ("subnet-3", "3"),
        ("operation-11", "11"),
        ("action-12", "12"),
        ("secret-9m4e2mr0ui3e8a215n4g", "secret:9m4e2mr0ui3e8a215n4g"),
        ("charm-local:web-3", "local:web-3"),
        ("charm-ch:amd64/jammy/web-12", "ch:amd64/jammy/web-12"),
    ]
    .map(|(tag, id)| (tag.to_owned(), id.to_owned()))
    .into();
    table.extend(["controller", "model", "action", "applicationoffer"].map(uuid));
    for (text, id) in table {
        let tag: Tag = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((tag.to_string(), tag.id()), (text.clone(), id), "{text}");
        let json = serde_json::to_string(&tag).unwrap();
        assert_eq!(json, format!("{text:?}"));
        assert_eq!(serde_json::from_str::<Tag>(&json).unwrap(), tag);
    }
}

#[test]
fn bad_ones_name_their_kind() {
    for (text, error) in [
        ("", r#""" is not a valid tag"#),
        ("-", r#""-" is not a valid tag"#),
        ("machine", r#""machine" is not a valid tag"#),
        ("foo-1", r#""foo-1" is not a valid tag"#),
        ("Machine-0", r#""Machine-0" is not a valid tag"#),
        ("machine-", r#""machine-" is not a valid machine tag"#),
        ("machine-00", r#""machine-00" is not a valid machine tag"#),
        ("machine-0-lxd", r#""machine-0-lxd" is not a valid machine tag"#),
        ("machine-0-LXD-1", r#""machine-0-LXD-1" is not a valid machine tag"#),
        ("machine-x", r#""machine-x" is not a valid machine tag"#),
        ("machine-99999999999", r#""machine-99999999999" is not a valid machine tag"#),
        ("unit-db", r#""unit-db" is not a valid unit tag"#),
        ("unit-0", r#""unit-0" is not a valid unit tag"#),
        ("unit-db-00", r#""unit-db-00" is not a valid unit tag"#),
        ("unit-db/0", r#""unit-db/0" is not a valid unit tag"#),
        ("application-db-0", r#""application-db-0" is not a valid application tag"#),
        ("application-Db", r#""application-Db" is not a valid application tag"#),
        ("application--db", r#""application--db" is not a valid application tag"#),
        ("model-1234", r#""model-1234" is not a valid model tag"#),
        ("controller-x", r#""controller-x" is not a valid controller tag"#),
        ("user-", r#""user-" is not a valid user tag"#),
        ("user-b", r#""user-b" is not a valid user tag"#),
        ("user-bob@", r#""user-bob@" is not a valid user tag"#),
        ("user-bob@a@b", r#""user-bob@a@b" is not a valid user tag"#),
        ("cloudcred-lxd_bob", r#""cloudcred-lxd_bob" is not a valid cloudcred tag"#),
        ("cloudcred-lxd_bob_1", r#""cloudcred-lxd_bob_1" is not a valid cloudcred tag"#),
        ("relation-wp.db db.server", r#""relation-wp.db db.server" is not a valid relation tag"#),
        ("relation-wp", r#""relation-wp" is not a valid relation tag"#),
        ("relation-a.b#c.d#e.f", r#""relation-a.b#c.d#e.f" is not a valid relation tag"#),
        ("storage-data", r#""storage-data" is not a valid storage tag"#),
        ("volume-db-0", r#""volume-db-0" is not a valid volume tag"#),
        ("action-x", r#""action-x" is not a valid action tag"#),
        ("operation--1", r#""operation--1" is not a valid operation tag"#),
        ("secret-short", r#""secret-short" is not a valid secret tag"#),
        ("charm-cs:web", r#""charm-cs:web" is not a valid charm tag"#),
        ("space-a--b", r#""space-a--b" is not a valid space tag"#),
    ] {
        assert_eq!(text.parse::<Tag>().unwrap_err().to_string(), error);
    }
}

#[test]
fn another_kind_than_asked_for() {
    assert_eq!(MachineId::from_tag("machine-0").unwrap().as_str(), "0");
    let error = MachineId::from_tag("unit-db-0").unwrap_err();
    assert_eq!(error.to_string(), r#""unit-db-0" is not a valid machine tag"#);
    let tag: Tag = "unit-db-0".parse().unwrap();
    assert_eq!(UnitName::of(&tag).unwrap().to_string(), "db/0");
    assert_eq!(MachineId::of(&tag), None);
    assert!(MachineId::try_from(tag.clone()).is_err());
    assert_eq!(UnitName::try_from(tag).unwrap().number(), 0);
}

#[test]
fn local_domain_is_dropped() {
    let tag: Tag = "user-bob@local".parse().unwrap();
    assert_eq!(tag.to_string(), "user-bob");
}

#[test]
fn who_is_an_agent() {
    for (text, agent) in [
        ("machine-0", true),
        ("unit-a-0", true),
        ("application-a", true),
        ("controller-0", true),
        ("user-bob", false),
    ] {
        assert_eq!(text.parse::<Tag>().unwrap().is_agent(), agent, "{text}");
    }
}

fn application() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9]{0,5}(-[a-z0-9]{0,3}[a-z][a-z0-9]{0,3}){0,3}"
}

proptest! {
    #[test]
    fn anything_is_read_or_refused(text in "\\PC{0,60}") {
        if let Ok(tag) = text.parse::<Tag>() {
            prop_assert_eq!(tag.to_string().parse::<Tag>(), Ok(tag));
        }
    }

    #[test]
    fn anything_after_a_kind(kind in proptest::sample::select(TagKind::ALL), rest in "[a-z0-9./:#_@%+-]{0,40}") {
        let text = format!("{kind}-{rest}");
        if let Ok(tag) = text.parse::<Tag>() {
            prop_assert_eq!(tag.to_string().parse::<Tag>(), Ok(tag.clone()));
            prop_assert_eq!(tag.kind(), kind);
        }
    }

    #[test]
    fn units_and_what_hangs_on_them(app in application(), unit: u32, number: u32) {
        let name = format!("{app}/{unit}");
        let id: UnitName = name.parse().unwrap();
        let tag = Tag::from(&id);
        prop_assert_eq!(tag.to_string(), format!("unit-{app}-{unit}"));
        prop_assert_eq!(tag.to_string().parse(), Ok(tag));
        let volume: VolumeId = format!("{name}/{number}").parse().unwrap();
        let tag = Tag::from(volume);
        prop_assert_eq!(tag.to_string().parse(), Ok(tag));
    }

    #[test]
    fn machines(numbers in proptest::collection::vec(any::<u32>(), 1..4)) {
        let text = numbers.iter().map(u32::to_string).collect::<Vec<_>>().join("/lxd/");
        let tag = Tag::Machine(text.parse().unwrap());
        prop_assert_eq!(tag.to_string(), format!("machine-{}", text.replace('/', "-")));
        prop_assert_eq!(tag.to_string().parse(), Ok(tag));
    }

    #[test]
    fn credentials(cloud in "[a-zA-Z0-9][a-zA-Z0-9._-]{0,8}", name in "[a-zA-Z][a-zA-Z0-9.@_+-]{0,8}") {
        let text = format!("{cloud}/bob@idm/{name}");
        let tag = Tag::Credential(text.parse().unwrap());
        prop_assert_eq!(tag.id(), text);
        prop_assert_eq!(tag.to_string().parse(), Ok(tag));
    }
}
