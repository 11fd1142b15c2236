//! The names of units and applications, as far as charms may get them wrong.

use juju_core::{ApplicationName, UnitName};

/// The application of a unit's name, or nothing if it is no such name.
pub(crate) fn application_of(unit: &str) -> Option<&str> {
    unit.parse::<UnitName>().ok()?;
    unit.rsplit_once('/').map(|(application, _)| application)
}

pub(crate) fn is_application(name: &str) -> bool {
    ApplicationName::is_valid(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_applications() {
        for (name, want) in [
            ("db/0", Some("db")),
            ("my-db2/12", Some("my-db2")),
            ("db", None),
            ("db/", None),
            ("db/01", None),
            ("db/x", None),
            ("/0", None),
            ("Db/0", None),
            ("db-2/0", None),
            ("a/b/0", None),
        ] {
            assert_eq!(application_of(name), want, "{name}");
        }
        for (name, want) in [
            ("a", true),
            ("a-b", true),
            ("", false),
            ("2a", false),
            ("a-", false),
            ("a-2", false),
            ("a_b", false),
        ] {
            assert_eq!(is_application(name), want, "{name}");
        }
    }
}
