//! Whatever a type writes it reads again, as text and in JSON; whatever text comes is read or refused, never a panic.

use std::{fmt::Display, str::FromStr};

use juju_core::*;
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

/// Reads a text; if it is one, what it means is written and read again, as text and in JSON.
fn round<T>(text: &str)
where
    T: FromStr + Display + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned,
{
    let Ok(value) = text.parse::<T>() else { return };
    let written = value.to_string();
    let again = written.parse::<T>().ok();
    assert_eq!(again.as_ref(), Some(&value), "{written:?}, written for {text:?}");
    let json = serde_json::to_string(&value).expect("every type has a JSON form");
    assert_eq!(json, serde_json::to_string(&written).expect("a text has one"), "its JSON is its text");
    assert_eq!(serde_json::from_str::<T>(&json).ok(), Some(value));
}

/// The same, and it must be one.
fn must<T>(text: &str)
where
    T: FromStr + Display + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned,
{
    assert!(text.parse::<T>().is_ok(), "{text:?} is one");
    round::<T>(text);
}

fn every_type(text: &str) {
    round::<MachineId>(text);
    round::<ApplicationName>(text);
    round::<EndpointName>(text);
    round::<StorageName>(text);
    round::<UnitName>(text);
    round::<RelationKey>(text);
    round::<RelationId>(text);
    round::<EndpointRef>(text);
    round::<ModelUuid>(text);
    round::<ControllerUuid>(text);
    round::<ModelName>(text);
    round::<ControllerName>(text);
    round::<UserName>(text);
    round::<CloudName>(text);
    round::<CredentialId>(text);
    round::<StorageId>(text);
    round::<VolumeId>(text);
    round::<FilesystemId>(text);
    round::<CharmUrl>(text);
    round::<ActionId>(text);
    round::<OperationId>(text);
    round::<SpaceName>(text);
    round::<SubnetId>(text);
    round::<OfferUuid>(text);
    round::<SecretId>(text);
    round::<Tag>(text);
    round::<Life>(text);
    round::<Status>(text);
    round::<Base>(text);
    round::<base::BaseChannel>(text);
    round::<Version>(text);
    round::<Binary>(text);
    round::<Arch>(text);
    round::<ContainerType>(text);
    round::<PortRange>(text);
    round::<OptionType>(text);
    round::<Sha256>(text);
    round::<Sha384>(text);
}

const APP: &str = "[a-z][a-z0-9]{0,4}(-[a-z0-9]{0,2}[a-z][a-z0-9]{0,2}){0,2}";

proptest! {
    #[test]
    fn any_text(text in "\\PC{0,40}") {
        every_type(&text);
    }

    #[test]
    fn text_that_looks_like_something(text in "[a-z0-9@:/.# _%=+-]{0,24}") {
        every_type(&text);
    }

    #[test]
    fn names(app in APP, endpoint in "[a-z][a-z0-9]{0,4}([_-][a-z0-9]{1,3}){0,2}", other in APP, number: u32) {
        must::<ApplicationName>(&app);
        must::<EndpointName>(&endpoint);
        must::<UnitName>(&format!("{app}/{number}"));
        must::<StorageId>(&format!("{app}/{number}"));
        must::<EndpointRef>(&format!("{app}:{endpoint}"));
        must::<RelationKey>(&format!("{app}:{endpoint}"));
        must::<RelationKey>(&format!("{app}:{endpoint} {other}:{endpoint}"));
        must::<RelationId>(&number.to_string());
        for host in ["", "0/", "3/lxd/1/", &format!("{app}/7/")] {
            must::<VolumeId>(&format!("{host}{number}"));
            must::<FilesystemId>(&format!("{host}{number}"));
        }
    }

    #[test]
    fn charms(name in APP, revision: Option<u32>, arch in proptest::sample::select(vec!["", "amd64/", "s390x/"]), series in "([a-z]{3,6}/)?") {
        let revision = revision.map(|it| format!("-{it}")).unwrap_or_default();
        must::<CharmUrl>(&format!("local:{series}{name}{revision}"));
        // A series that is called like an architecture would be taken for one.
        must::<CharmUrl>(&format!("ch:{arch}{name}{revision}"));
    }

    #[test]
    fn versions(major in 0u32..1_000_000_000, minor in 0u32..1_000_000_000, tag in "([a-z]{1,5})?", patch in 0u32..1_000_000_000, build in 0u32..1_000_000_000) {
        let patch = if tag.is_empty() { format!(".{patch}") } else { format!("-{tag}{patch}") };
        let build = if build == 0 { String::new() } else { format!(".{build}") };
        let text = format!("{major}.{minor}{patch}{build}");
        must::<Version>(&text);
        must::<Binary>(&format!("{text}-ubuntu-arm64"));
        prop_assert_eq!(text.parse::<Version>().unwrap().to_string(), text);
    }

    #[test]
    fn versions_order_like_their_parts(a in (0u32..4, 0u32..4, 0u32..4, 0u32..3), b in (0u32..4, 0u32..4, 0u32..4, 0u32..3)) {
        let version = |it: (u32, u32, u32, u32)| Version { build: it.3, ..Version::new(it.0, it.1, it.2) };
        prop_assert_eq!(version(a).cmp(&version(b)), a.cmp(&b));
    }

    #[test]
    fn users(name in "[a-zA-Z0-9][a-zA-Z0-9.+-]{0,6}[a-zA-Z0-9]", domain in "([a-zA-Z0-9][a-zA-Z0-9.+-]{0,6}[a-zA-Z0-9])?") {
        let text = if domain.is_empty() { name.clone() } else { format!("{name}@{domain}") };
        must::<UserName>(&text);
        let user: UserName = text.parse().unwrap();
        prop_assert_eq!(user.name(), name.as_str());
        prop_assert_eq!(user.is_local(), domain.is_empty() || domain == "local");
    }

    #[test]
    fn uuids(bytes: [u8; 16]) {
        let uuid = uuid::Uuid::from_bytes(bytes);
        must::<ModelUuid>(&uuid.to_string());
        prop_assert_eq!(ModelUuid::from(uuid).to_string(), uuid.to_string());
        prop_assert!(uuid.simple().to_string().parse::<ModelUuid>().is_err());
    }

    #[test]
    fn bases(os in "[a-z]{1,6}", track in "[a-z0-9.]{1,6}", risk in proptest::sample::select(vec!["stable", "candidate", "beta", "edge"])) {
        must::<Base>(&format!("{os}@{track}/{risk}"));
        let base: Base = format!("{os}@{track}/{risk}").parse().unwrap();
        prop_assert_eq!(base.display().parse(), Ok(base.clone()));
        prop_assert_eq!(Base::from_parts(&base.os, &base.channel.to_string()), Ok(Some(base)));
    }

    #[test]
    fn placements(scope in "[a-z#:0-9/=-]{0,8}", directive in "[a-z0-9/:=-]{0,8}") {
        if let Ok(placement) = Placement::from_parts(&scope, &directive) {
            prop_assert_eq!((placement.scope(), placement.directive()), (scope.as_str(), directive.as_str()));
        }
        if let Ok(placement) = scope.parse::<Placement>() {
            prop_assert_eq!(Placement::from_parts(placement.scope(), placement.directive()), Ok(placement));
        }
    }

    #[test]
    fn life_never_goes_back(steps in proptest::collection::vec(0usize..3, 0..8)) {
        let mut life = Life::Alive;
        for step in steps {
            let before = life;
            let changed = life.advance([Life::Alive, Life::Dying, Life::Dead][step]);
            prop_assert!(life >= before);
            prop_assert_eq!(changed, life != before);
        }
    }

    /// Whatever is opened and closed: nothing is open twice for one endpoint, and closing for all leaves nothing of it.
    #[test]
    fn ports(steps in proptest::collection::vec((any::<bool>(), 0usize..3, 0u16..4), 0..24)) {
        let endpoints = ["", "db", "web"];
        let mut ports = UnitPorts::new();
        for (open, endpoint, port) in steps {
            let range: PortRange = format!("{}/tcp", 80 + port).parse().unwrap();
            let before = ports.clone();
            let changed = if open {
                ports.open(endpoints[endpoint], range)
            } else {
                ports.close(endpoints[endpoint], range, &endpoints)
            };
            prop_assert_eq!(changed, ports != before);
            prop_assert_eq!(ports.ranges().contains(&range) || !open, true);
            if !open && endpoint == 0 {
                prop_assert!(!ports.ranges().contains(&range));
            }
            let all: Vec<_> = ports.by_endpoint().filter(|it| it.0.is_empty()).flat_map(|it| it.1).collect();
            let single: Vec<_> = ports.by_endpoint().filter(|it| !it.0.is_empty()).flat_map(|it| it.1).collect();
            prop_assert!(all.iter().all(|it| !single.contains(it)), "{ports:?}");
            prop_assert!(ports.by_endpoint().all(|it| !it.1.is_empty()));
        }
    }
}
