//! `accounts.yaml`: who the user is on each controller.

use std::collections::BTreeMap;

use juju_agent::Secret;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Other, StoreFile};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Accounts {
    pub controllers: BTreeMap<String, Account>,
    #[serde(flatten)]
    pub other: Other,
}

/// A user of one controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Account {
    pub user: String,
    /// Empty for users that log in with macaroons.
    #[serde(serialize_with = "write", deserialize_with = "read", skip_serializing_if = "Secret::is_empty")]
    pub password: Secret,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_known_access: String,
    #[serde(flatten)]
    pub other: Other,
}

impl StoreFile for Accounts {
    const NAME: &'static str = "accounts.yaml";
}

fn write<S: Serializer>(secret: &Secret, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(secret.expose())
}

fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
    String::deserialize(from).map(Secret::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::yaml;

    const JUJU: &str = "\
controllers:
  lab:
    user: admin
    password: 8f2c0d
    last-known-access: superuser
  other:
    user: bob
    access-token: t
";

    #[test]
    fn the_file_of_juju_writes_back_byte_for_byte() {
        let file: Accounts = yaml::from_str(JUJU).unwrap();
        assert_eq!(file.controllers["lab"].password.expose(), "8f2c0d");
        assert!(file.controllers["other"].password.is_empty());
        assert_eq!(yaml::to_string(&file), JUJU);
    }

    #[test]
    fn a_password_of_digits_stays_text() {
        let file: Accounts = yaml::from_str("controllers: {lab: {user: admin, password: 0123}}").unwrap();
        assert_eq!(file.controllers["lab"].password.expose(), "0123");
        let back: Accounts = yaml::from_str(&yaml::to_string(&file)).unwrap();
        assert_eq!(back, file);
    }

    #[test]
    fn a_password_is_not_shown() {
        let file: Accounts = yaml::from_str(JUJU).unwrap();
        assert!(!format!("{file:?}").contains("8f2c0d"));
    }
}
