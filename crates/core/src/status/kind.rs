//! Which thing may have which status, who may say so, and what it begins with.

use std::{fmt, str::FromStr};

use super::Status;

/// Whose status it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StatusKind {
    MachineAgent,
    /// What the provider says of a machine's instance.
    Instance,
    /// What became of a machine's LXD profiles.
    Modification,
    UnitAgent,
    /// What the charm says of its unit.
    Workload,
    Application,
    RemoteApplication,
    Relation,
    /// Storage instances, volumes and filesystems.
    Storage,
    Model,
}

/// Why a status is not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatusError {
    /// No such value, or none that this kind of thing can have.
    #[error("cannot set invalid status {0:?}")]
    Invalid(String),
    /// A value that is computed, never set, or not at this time.
    #[error("cannot set status {:?}", .0.as_str())]
    NotNow(Status),
    #[error("cannot set status {:?} without info", .0.as_str())]
    NoMessage(Status),
}

impl StatusKind {
    /// The values that it can be set to, computed ones aside.
    pub fn values(self) -> &'static [Status] {
        use Status::*;
        match self {
            StatusKind::MachineAgent => &[Pending, Started, Stopped, Error],
            StatusKind::Instance => &[Empty, Pending, Allocating, Running, ProvisioningError, Error, Unknown],
            StatusKind::Modification => &[Idle, Applied, Error, Unknown],
            StatusKind::UnitAgent => &[Allocating, Executing, Idle, Rebooting, Error, Failed],
            StatusKind::Workload => &[Maintenance, Blocked, Waiting, Active, Unknown, Terminated],
            StatusKind::Application => {
                &[Maintenance, Blocked, Waiting, Active, Unknown, Terminated, Unset, Error]
            }
            StatusKind::RemoteApplication => {
                &[Maintenance, Blocked, Waiting, Active, Unknown, Terminated, Error]
            }
            StatusKind::Relation => &[Joining, Joined, Suspending, Suspended, Broken, Error],
            StatusKind::Storage => &[Pending, Attaching, Attached, Detaching, Detached, Error, Destroying],
            StatusKind::Model => &[Available, Busy, Destroying, Suspended, Error],
        }
    }

    /// What a charm may say with `status-set`.
    pub const FROM_CHARM: [Status; 4] =
        [Status::Maintenance, Status::Blocked, Status::Waiting, Status::Active];

    /// The status and message of a new one.
    pub fn initial(self) -> (Status, &'static str) {
        match self {
            StatusKind::MachineAgent | StatusKind::Instance | StatusKind::Storage => (Status::Pending, ""),
            StatusKind::Modification => (Status::Idle, ""),
            StatusKind::UnitAgent => (Status::Allocating, ""),
            StatusKind::Workload => (Status::Waiting, "waiting for machine"),
            StatusKind::Application => (Status::Unset, ""),
            StatusKind::RemoteApplication => (Status::Unknown, ""),
            StatusKind::Relation => (Status::Joining, ""),
            StatusKind::Model => (Status::Available, ""),
        }
    }

    /// Whether it may be set to a status. `placed` says that a machine has an instance, a unit a machine.
    pub fn check(self, status: Status, message: &str, placed: bool) -> Result<(), StatusError> {
        use Status::*;
        match (self, status) {
            (StatusKind::MachineAgent, Down) | (StatusKind::UnitAgent, Lost) => {
                return Err(StatusError::NotNow(status));
            }
            (StatusKind::MachineAgent, Pending) | (StatusKind::UnitAgent, Allocating) if placed => {
                return Err(StatusError::NotNow(status));
            }
            (StatusKind::UnitAgent, Executing | Idle | Rebooting | Failed) if !placed => {
                return Err(StatusError::NotNow(status));
            }
            _ if !self.values().contains(&status) => return Err(StatusError::Invalid(status.to_string())),
            _ => {}
        }
        let must_say_why = matches!(self, StatusKind::MachineAgent | StatusKind::UnitAgent);
        if status == Error && message.is_empty() && must_say_why {
            return Err(StatusError::NoMessage(status));
        }
        Ok(())
    }
}

/// The kinds in which history is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HistoryKind {
    Model,
    Application,
    /// Agent and workload of a unit together.
    Unit,
    UnitAgent,
    Workload,
    Machine,
    MachineAgent,
    Container,
    ContainerAgent,
    RemoteApplication,
}

impl HistoryKind {
    pub const ALL: [HistoryKind; 10] = [
        HistoryKind::Model,
        HistoryKind::Application,
        HistoryKind::Unit,
        HistoryKind::UnitAgent,
        HistoryKind::Workload,
        HistoryKind::Machine,
        HistoryKind::MachineAgent,
        HistoryKind::Container,
        HistoryKind::ContainerAgent,
        HistoryKind::RemoteApplication,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            HistoryKind::Model => "model",
            HistoryKind::Application => "application",
            HistoryKind::Unit => "unit",
            HistoryKind::UnitAgent => "juju-unit",
            HistoryKind::Workload => "workload",
            HistoryKind::Machine => "machine",
            HistoryKind::MachineAgent => "juju-machine",
            HistoryKind::Container => "container",
            HistoryKind::ContainerAgent => "juju-container",
            HistoryKind::RemoteApplication => "saas",
        }
    }
}

/// A text that names no kind of history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid status history kind {0:?}")]
pub struct HistoryKindError(pub String);

impl FromStr for HistoryKind {
    type Err = HistoryKindError;
    fn from_str(text: &str) -> Result<Self, HistoryKindError> {
        Self::ALL.into_iter().find(|it| it.as_str() == text).ok_or_else(|| HistoryKindError(text.to_owned()))
    }
}

impl fmt::Display for HistoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

crate::ids::text_serde!(HistoryKind);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        for status in Status::ALL {
            assert_eq!(status.as_str().parse(), Ok(*status));
        }
        for kind in HistoryKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert_eq!(StatusError::NotNow(Status::Lost).to_string(), r#"cannot set status "lost""#);
        assert_eq!(
            StatusError::NoMessage(Status::Error).to_string(),
            r#"cannot set status "error" without info"#
        );
        assert_eq!(
            "bored".parse::<Status>().unwrap_err().to_string(),
            r#"cannot set invalid status "bored""#
        );
    }

    #[test]
    fn what_may_be_set() {
        use StatusKind::*;
        let invalid = |it: Status| Err(StatusError::Invalid(it.to_string()));
        for (kind, status, message, placed, expected) in [
            (MachineAgent, Status::Started, "", true, Ok(())),
            (MachineAgent, Status::Pending, "", false, Ok(())),
            (MachineAgent, Status::Pending, "", true, Err(StatusError::NotNow(Status::Pending))),
            (MachineAgent, Status::Down, "", true, Err(StatusError::NotNow(Status::Down))),
            (MachineAgent, Status::Error, "", true, Err(StatusError::NoMessage(Status::Error))),
            (MachineAgent, Status::Error, "why", true, Ok(())),
            (MachineAgent, Status::Idle, "", true, invalid(Status::Idle)),
            (UnitAgent, Status::Idle, "", true, Ok(())),
            (UnitAgent, Status::Idle, "", false, Err(StatusError::NotNow(Status::Idle))),
            (UnitAgent, Status::Allocating, "", false, Ok(())),
            (UnitAgent, Status::Allocating, "", true, Err(StatusError::NotNow(Status::Allocating))),
            (UnitAgent, Status::Lost, "", true, Err(StatusError::NotNow(Status::Lost))),
            (UnitAgent, Status::Error, "", true, Err(StatusError::NoMessage(Status::Error))),
            (UnitAgent, Status::Error, "assignment failed", false, Ok(())),
            (UnitAgent, Status::Active, "", true, invalid(Status::Active)),
            (Workload, Status::Active, "", true, Ok(())),
            (Workload, Status::Error, "x", true, invalid(Status::Error)),
            (Application, Status::Unset, "", true, Ok(())),
            (Model, Status::Started, "", true, invalid(Status::Started)),
            (Instance, Status::ProvisioningError, "", true, Ok(())),
        ] {
            assert_eq!(kind.check(status, message, placed), expected, "{kind:?} {status} {placed}");
        }
    }

    #[test]
    fn what_it_begins_with_may_be_set() {
        use StatusKind::*;
        for kind in [
            MachineAgent,
            Instance,
            Modification,
            UnitAgent,
            Workload,
            Application,
            RemoteApplication,
            Relation,
            Storage,
            Model,
        ] {
            let (status, message) = kind.initial();
            assert_eq!(kind.check(status, message, false), Ok(()), "{kind:?}");
        }
    }
}
