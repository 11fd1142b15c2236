//! Storage instances, and the volumes and filesystems behind them.

use std::{fmt, str::FromStr};

use super::{IdError, MachineId, StorageName, UnitName, pattern};

/// A storage instance: `data/0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageId {
    name: StorageName,
    number: u32,
}

impl StorageId {
    pub fn new(name: StorageName, number: u32) -> Self {
        StorageId { name, number }
    }

    pub fn name(&self) -> &StorageName {
        &self.name
    }

    pub fn number(&self) -> u32 {
        self.number
    }
}

impl FromStr for StorageId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let parts = text.split_once('/');
        parts
            .and_then(|(name, number)| {
                Some(StorageId { name: name.parse().ok()?, number: pattern::number(number)? })
            })
            .ok_or_else(|| IdError::new("storage id", text))
    }
}

impl fmt::Display for StorageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.name, self.number)
    }
}

super::text_serde!(StorageId);

/// What a volume or filesystem is bound to for its whole life.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageHost {
    Machine(MachineId),
    Unit(UnitName),
}

impl fmt::Display for StorageHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageHost::Machine(it) => write!(f, "{it}"),
            StorageHost::Unit(it) => write!(f, "{it}"),
        }
    }
}

macro_rules! hosted_id {
    ($(#[$meta:meta])* $name:ident, $kind:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            host: Option<StorageHost>,
            number: u32,
        }

        impl $name {
            pub fn new(host: Option<StorageHost>, number: u32) -> Self {
                $name { host, number }
            }

            /// The machine or unit it is bound to, if it can never be moved.
            pub fn host(&self) -> Option<&StorageHost> {
                self.host.as_ref()
            }

            pub fn number(&self) -> u32 {
                self.number
            }

            pub(crate) fn tag_suffix(&self) -> String {
                self.to_string().replace('/', "-")
            }

            pub(crate) fn from_tag_suffix(suffix: &str) -> Option<Self> {
                let Some((host, number)) = suffix.rsplit_once('-') else { return suffix.parse().ok() };
                let host = if host.starts_with(|it: char| it.is_ascii_digit()) {
                    StorageHost::Machine(host.replace('-', "/").parse().ok()?)
                } else {
                    let (app, unit) = host.rsplit_once('-')?;
                    StorageHost::Unit(UnitName::new(app.parse().ok()?, pattern::number(unit)?))
                };
                Some($name { host: Some(host), number: pattern::number(number)? })
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                hosted(text).map(|(host, number)| $name { host, number }).ok_or_else(|| IdError::new($kind, text))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match &self.host {
                    Some(host) => write!(f, "{host}/{}", self.number),
                    None => write!(f, "{}", self.number),
                }
            }
        }

        super::text_serde!($name);
    };
}

hosted_id!(
    /// A volume: `0`, or `0/1` and `db/0/1` when it is bound to a machine or unit.
    VolumeId, "volume id"
);
hosted_id!(
    /// A filesystem: `0`, or `0/1` and `db/0/1` when it is bound to a machine or unit.
    FilesystemId, "filesystem id"
);

fn hosted(text: &str) -> Option<(Option<StorageHost>, u32)> {
    let Some((host, number)) = text.rsplit_once('/') else { return Some((None, pattern::number(text)?)) };
    let host = match host.parse() {
        Ok(machine) => StorageHost::Machine(machine),
        Err(_) => StorageHost::Unit(host.parse().ok()?),
    };
    Some((Some(host), pattern::number(number)?))
}
