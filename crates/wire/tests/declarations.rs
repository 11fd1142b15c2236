//! The declared facades, as one table that has to make sense.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use juju_wire::{Need, Place, Who, code, error, facade, schema::Defs};

/// Juju 3.6 `apiserver/restrict_controller.go`: what a connection to the controller itself has.
const ON_CONTROLLER: &[&str] = &[
    "AllModelWatcher",
    "ApplicationOffers",
    "Cloud",
    "Controller",
    "CrossController",
    "MigrationTarget",
    "ModelManager",
    "ModelSummaryWatcher",
    "ModelUpgrader",
    "SecretBackends",
    "UserManager",
];
/// `restrict_common.go`, and `Admin`, which is there before the kind of a connection matters.
const ON_BOTH: &[&str] = &["Admin", "Pinger", "Bundle", "HighAvailability", "NotifyWatcher", "ModelConfig"];

#[test]
fn facades_are_declared_once_and_stand_where_juju_has_them() {
    let mut names = BTreeSet::new();
    for info in facade::ALL {
        assert!(names.insert(info.name), "{} is declared twice", info.name);
        let place = match info.name {
            it if ON_CONTROLLER.contains(&it) => Place::Controller,
            it if ON_BOTH.contains(&it) => Place::Both,
            _ => Place::Model,
        };
        assert_eq!(info.place, place, "{}", info.name);
        assert!(!info.who.is_empty() && !info.methods.is_empty(), "{}", info.name);
        let who: BTreeSet<_> = info.who.iter().collect();
        assert_eq!(who.len(), info.who.len(), "{} names someone twice", info.name);
        assert!(!who.contains(&Who::Machine) || who.contains(&Who::Controller), "{}", info.name);
    }
}

#[test]
fn a_method_has_one_meaning_in_a_version() {
    for info in facade::ALL {
        let mut seen = BTreeSet::new();
        for method in info.methods {
            assert!(!method.versions.is_empty(), "{}.{}", info.name, method.name);
            for version in method.versions.clone() {
                assert!(info.versions.contains(&version), "{}.{} {version}", info.name, method.name);
                assert!(seen.insert((method.name, version)), "{}.{} {version} twice", info.name, method.name);
            }
            // What only agents call cannot ask for a user's rights.
            let users = info.who.contains(&Who::User);
            assert!(users || method.need == Need::Login, "{}.{}", info.name, method.name);
        }
        for version in info.versions.clone() {
            assert!(seen.iter().any(|(_, it)| *it == version), "{} {version} is empty", info.name);
        }
    }
}

/// A reference names a type; two types of one name in a facade would describe each other.
#[test]
fn a_name_is_one_type_within_a_facade() {
    for info in facade::ALL {
        let mut known = BTreeMap::new();
        for method in info.methods {
            let mut defs = Defs::default();
            (method.schema)(&mut defs);
            for (name, schema) in defs.0 {
                let first = known.entry(name).or_insert_with(|| schema.clone());
                assert_eq!(*first, schema, "{} in {}.{}", name, info.name, method.name);
            }
        }
    }
}

#[test]
fn codes_are_distinct_and_errors_print_their_message() {
    let distinct: BTreeSet<_> = code::ALL.iter().collect();
    assert_eq!(distinct.len(), code::ALL.len());
    let it = error::Error::not_found("machine 3");
    assert_eq!((it.to_string().as_str(), it.code.as_str()), ("machine 3 not found", "not found"));
    let it = error::Error::unauthorized();
    assert_eq!((it.to_string().as_str(), it.code.as_str()), ("permission denied", "unauthorized access"));
}
