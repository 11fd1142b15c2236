//! Constraints: what a machine must have for a unit to run on it.

mod parse;
mod rules;

use serde::{Deserialize, Serialize};

pub use parse::ConstraintError;
pub use rules::ConstraintRules;

/// What is asked of a machine. Absent means "whatever the less specific constraints say", empty (0, `""`, `[]`) means
/// "explicitly nothing". Its text is what people write: `arch=amd64 mem=4096M`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Constraints {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_power: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// In MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mem: Option<u64>,
    /// In MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_disk: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_disk_source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Those with `^` in front are excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spaces: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub virt_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocate_public_ip: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_id: Option<String>,
}

/// Runs `$do!` over every field with its key, in the order in which Juju writes them.
macro_rules! each_constraint {
    ($do:ident) => {
        $do! {
            arch "arch", container "container", cores "cores", cpu_power "cpu-power", instance_role "instance-role",
            instance_type "instance-type", mem "mem", root_disk "root-disk", root_disk_source "root-disk-source",
            tags "tags", spaces "spaces", virt_type "virt-type", zones "zones",
            allocate_public_ip "allocate-public-ip", image_id "image-id"
        }
    };
}
use each_constraint;

impl Constraints {
    /// The keys that are set, in the order in which they are written.
    pub fn keys(&self) -> Vec<&'static str> {
        let mut keys = vec![];
        macro_rules! keys {
            ($($field:ident $key:literal),*) => { $(if self.$field.is_some() { keys.push($key); })* };
        }
        each_constraint!(keys);
        keys
    }

    /// Whether nothing is set, not even to empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same without some keys.
    #[must_use]
    pub fn without(mut self, keys: &[&str]) -> Self {
        macro_rules! without {
            ($($field:ident $key:literal),*) => { $(if keys.contains(&$key) { self.$field = None; })* };
        }
        each_constraint!(without);
        self
    }

    /// What is not set here, from there.
    #[must_use]
    pub fn or(self, fallback: &Constraints) -> Self {
        macro_rules! or {
            ($($field:ident $key:literal),*) => {
                Constraints { $($field: self.$field.or_else(|| fallback.$field.clone()),)* }
            };
        }
        each_constraint!(or)
    }

    /// The spaces that a machine must be in.
    pub fn included_spaces(&self) -> Vec<&str> {
        self.spaces.iter().flatten().filter(|it| !it.starts_with('^')).map(String::as_str).collect()
    }

    /// The spaces that a machine must not be in.
    pub fn excluded_spaces(&self) -> Vec<&str> {
        self.spaces.iter().flatten().filter_map(|it| it.strip_prefix('^')).collect()
    }
}

#[cfg(test)]
mod tests;
