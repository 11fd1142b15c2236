//! Placement: where a new unit or machine is to go, as `--to` says.

use std::{fmt, str::FromStr};

use crate::ids::{MachineId, ModelUuid};

/// A kind of container that a machine can host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContainerType {
    Lxd,
    Kvm,
}

impl ContainerType {
    pub const fn as_str(self) -> &'static str {
        match self {
            ContainerType::Lxd => "lxd",
            ContainerType::Kvm => "kvm",
        }
    }
}

/// A text that names no kind of container.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid container type {0:?}")]
pub struct ContainerTypeError(pub String);

impl FromStr for ContainerType {
    type Err = ContainerTypeError;
    fn from_str(text: &str) -> Result<Self, ContainerTypeError> {
        [ContainerType::Lxd, ContainerType::Kvm]
            .into_iter()
            .find(|it| it.as_str() == text)
            .ok_or_else(|| ContainerTypeError(text.to_owned()))
    }
}

impl fmt::Display for ContainerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where something is to be placed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placement {
    /// On this machine: `3`, `#:3`.
    Machine(MachineId),
    /// In a new container: `lxd:3`, or `lxd` on a new machine.
    Container { kind: ContainerType, host: Option<MachineId> },
    /// What the provider understands: `zone=a`, with the model's UUID as scope once it is known.
    Provider { scope: String, directive: String },
}

/// Why a text places nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// It has no scope of ours: the caller gives it to the provider, if that is what it can mean.
    #[error("placement scope missing")]
    ScopeMissing,
    #[error("invalid value {value:?} for {scope:?} scope: expected machine-id")]
    NoMachine { scope: String, value: String },
}

impl Placement {
    /// The scope that stands for "on this machine".
    pub const MACHINE_SCOPE: &'static str = "#";

    /// The scope in which a client that does not know the model's UUID writes it.
    pub const MODEL_UUID_SCOPE: &'static str = "model-uuid";

    /// Reads what a person wrote; what has no scope of ours is the provider's.
    pub fn parse_for(text: &str, model: &ModelUuid) -> Result<Self, PlacementError> {
        match text.parse() {
            Err(PlacementError::ScopeMissing) if !text.is_empty() && !text.starts_with(':') => {
                Ok(Placement::Provider { scope: model.to_string(), directive: text.to_owned() })
            }
            Ok(Placement::Provider { scope, directive }) if scope == Self::MODEL_UUID_SCOPE => {
                Ok(Placement::Provider { scope: model.to_string(), directive })
            }
            other => other,
        }
    }

    /// From the scope and directive that the wire has apart.
    pub fn from_parts(scope: &str, directive: &str) -> Result<Self, PlacementError> {
        let no_machine =
            || PlacementError::NoMachine { scope: scope.to_owned(), value: directive.to_owned() };
        if scope.is_empty() {
            return Err(PlacementError::ScopeMissing);
        }
        if scope == Self::MACHINE_SCOPE {
            return directive.parse().map(Placement::Machine).map_err(|_| no_machine());
        }
        let Ok(kind) = scope.parse() else {
            return Ok(Placement::Provider { scope: scope.to_owned(), directive: directive.to_owned() });
        };
        let host = match directive {
            "" => None,
            directive => Some(directive.parse().map_err(|_| no_machine())?),
        };
        Ok(Placement::Container { kind, host })
    }

    pub fn scope(&self) -> &str {
        match self {
            Placement::Machine(_) => Self::MACHINE_SCOPE,
            Placement::Container { kind, .. } => kind.as_str(),
            Placement::Provider { scope, .. } => scope,
        }
    }

    pub fn directive(&self) -> &str {
        match self {
            Placement::Machine(machine) => machine.as_str(),
            Placement::Container { host, .. } => host.as_ref().map_or("", MachineId::as_str),
            Placement::Provider { directive, .. } => directive,
        }
    }
}

impl FromStr for Placement {
    type Err = PlacementError;
    fn from_str(text: &str) -> Result<Self, PlacementError> {
        if let Some((scope, directive)) = text.split_once(':') {
            // Written out, a container's host must be named: `lxd:` is a slip.
            if directive.is_empty() && scope.parse::<ContainerType>().is_ok() {
                return Err(PlacementError::NoMachine { scope: scope.to_owned(), value: String::new() });
            }
            return Self::from_parts(scope, directive);
        }
        if let Ok(machine) = text.parse() {
            return Ok(Placement::Machine(machine));
        }
        match text.parse() {
            Ok(kind) => Ok(Placement::Container { kind, host: None }),
            Err(_) => Err(PlacementError::ScopeMissing),
        }
    }
}

/// `#:3`, `lxd:3`, `lxd:`, `<model uuid>:zone=a`, as Juju prints it.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scope(), self.directive())
    }
}

crate::ids::text_serde!(ContainerType);

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "deadbeef-0bad-400d-8000-4b1d0d06f00d";

    #[test]
    fn what_people_write() {
        let model: ModelUuid = UUID.parse().unwrap();
        for (text, scope, directive) in [
            ("3", "#", "3"),
            ("#:3", "#", "3"),
            ("0/lxd/1", "#", "0/lxd/1"),
            ("lxd", "lxd", ""),
            ("lxd:3", "lxd", "3"),
            ("kvm:0/lxd/1", "kvm", "0/lxd/1"),
            ("zone=a", UUID, "zone=a"),
            ("node-7.maas", UUID, "node-7.maas"),
            ("model-uuid:zone=a", UUID, "zone=a"),
            ("other:x", "other", "x"),
        ] {
            let placement = Placement::parse_for(text, &model).unwrap();
            assert_eq!((placement.scope(), placement.directive()), (scope, directive), "{text}");
            assert_eq!(Placement::from_parts(scope, directive), Ok(placement));
        }
    }

    #[test]
    fn bad() {
        let model: ModelUuid = UUID.parse().unwrap();
        for (text, error) in [
            ("", "placement scope missing"),
            (":3", "placement scope missing"),
            ("#:x", r##"invalid value "x" for "#" scope: expected machine-id"##),
            ("#:", r##"invalid value "" for "#" scope: expected machine-id"##),
            ("lxd:x", r#"invalid value "x" for "lxd" scope: expected machine-id"#),
            ("lxd:", r#"invalid value "" for "lxd" scope: expected machine-id"#),
            ("lxd:lxd:3", r#"invalid value "lxd:3" for "lxd" scope: expected machine-id"#),
        ] {
            assert_eq!(Placement::parse_for(text, &model).unwrap_err().to_string(), error, "{text:?}");
        }
        assert_eq!("zone=a".parse::<Placement>(), Err(PlacementError::ScopeMissing));
    }
}
