//! Hooks as values: what the resolver decides on, what is saved, what a charm's script is named after.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A hook to run, with all that the run needs to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub enum Hook {
    Install,
    Start,
    ConfigChanged,
    UpgradeCharm,
    UpdateStatus,
    LeaderElected,
    LeaderSettingsChanged,
    Stop,
    Remove,
    Relation(RelationHook),
}

/// A hook about a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationHook {
    pub relation: i64,
    /// The application on the other side, or the unit's own if the relation is among peers.
    pub application: String,
    pub event: RelationEvent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelationEvent {
    Created,
    Joined {
        unit: String,
        version: i64,
    },
    /// Of a unit's data or, without a unit, of the application's.
    Changed {
        unit: Option<String>,
        version: i64,
    },
    Departed {
        unit: String,
        version: i64,
        departing: Option<String>,
    },
    Broken,
}

impl Hook {
    /// The kind, as it stands in statuses, in error data and at the end of a script's name.
    pub fn kind(&self) -> &'static str {
        match self {
            Hook::Install => "install",
            Hook::Start => "start",
            Hook::ConfigChanged => "config-changed",
            Hook::UpgradeCharm => "upgrade-charm",
            Hook::UpdateStatus => "update-status",
            Hook::LeaderElected => "leader-elected",
            Hook::LeaderSettingsChanged => "leader-settings-changed",
            Hook::Stop => "stop",
            Hook::Remove => "remove",
            Hook::Relation(it) => it.event.kind(),
        }
    }

    pub fn relation(&self) -> Option<&RelationHook> {
        match self {
            Hook::Relation(it) => Some(it),
            _ => None,
        }
    }

    /// Whether a charm of this name exists under `hooks/`: relation hooks are named after an endpoint.
    pub fn script(&self, endpoint: Option<&str>) -> String {
        match endpoint {
            Some(endpoint) => format!("{endpoint}-{}", self.kind()),
            None => self.kind().to_owned(),
        }
    }
}

impl RelationHook {
    pub fn remote_unit(&self) -> Option<&str> {
        match &self.event {
            RelationEvent::Joined { unit, .. } | RelationEvent::Departed { unit, .. } => Some(unit),
            RelationEvent::Changed { unit, .. } => unit.as_deref(),
            RelationEvent::Created | RelationEvent::Broken => None,
        }
    }
}

impl RelationEvent {
    pub fn kind(&self) -> &'static str {
        match self {
            RelationEvent::Created => "relation-created",
            RelationEvent::Joined { .. } => "relation-joined",
            RelationEvent::Changed { .. } => "relation-changed",
            RelationEvent::Departed { .. } => "relation-departed",
            RelationEvent::Broken => "relation-broken",
        }
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Hook::Relation(it) => {
                write!(f, " ({}; {})", it.relation, it.remote_unit().unwrap_or(&it.application))
            }
            _ => Ok(()),
        }
    }
}

/// Every hook that a charm may have a script for, apart from those named after its endpoints.
pub const PLAIN: [Hook; 9] = [
    Hook::Install,
    Hook::Start,
    Hook::ConfigChanged,
    Hook::UpgradeCharm,
    Hook::UpdateStatus,
    Hook::LeaderElected,
    Hook::LeaderSettingsChanged,
    Hook::Stop,
    Hook::Remove,
];

/// The form of Juju's `uniter-state`, which agents of both kinds read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Saved {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relation_id: Option<i64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    remote_unit: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    remote_application: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    change_version: i64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    departee: String,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// A saved hook that makes no sense.
#[derive(Debug, thiserror::Error)]
enum Invalid {
    #[error("unknown hook kind {0:?}")]
    Kind(String),
    #[error("{kind} hook requires a remote {missing}")]
    Missing { kind: String, missing: &'static str },
}

impl TryFrom<Saved> for Hook {
    type Error = Invalid;

    fn try_from(saved: Saved) -> Result<Self, Invalid> {
        let missing = |missing| Invalid::Missing { kind: saved.kind.clone(), missing };
        let unit = (!saved.remote_unit.is_empty()).then(|| saved.remote_unit.clone());
        let version = saved.change_version;
        let event = match saved.kind.as_str() {
            "relation-created" => RelationEvent::Created,
            "relation-joined" => {
                RelationEvent::Joined { unit: unit.ok_or_else(|| missing("unit"))?, version }
            }
            "relation-changed" => RelationEvent::Changed { unit, version },
            "relation-departed" => {
                let departing = (!saved.departee.is_empty()).then(|| saved.departee.clone());
                RelationEvent::Departed { unit: unit.ok_or_else(|| missing("unit"))?, version, departing }
            }
            "relation-broken" => RelationEvent::Broken,
            kind => {
                let plain = PLAIN.into_iter().find(|it| it.kind() == kind);
                return plain.ok_or_else(|| Invalid::Kind(kind.to_owned()));
            }
        };
        if saved.remote_application.is_empty()
            && !matches!(event, RelationEvent::Created | RelationEvent::Broken)
        {
            return Err(missing("application"));
        }
        // Juju leaves out the id of relation 0.
        let relation = saved.relation_id.unwrap_or_default();
        Ok(Hook::Relation(RelationHook { relation, application: saved.remote_application, event }))
    }
}

impl From<Hook> for Saved {
    fn from(hook: Hook) -> Self {
        let mut saved = Saved { kind: hook.kind().to_owned(), ..Saved::default() };
        if let Hook::Relation(it) = hook {
            saved.relation_id = Some(it.relation);
            saved.remote_application = it.application;
            match it.event {
                RelationEvent::Created | RelationEvent::Broken => {}
                RelationEvent::Joined { unit, version } => {
                    (saved.remote_unit, saved.change_version) = (unit, version);
                }
                RelationEvent::Changed { unit, version } => {
                    (saved.remote_unit, saved.change_version) = (unit.unwrap_or_default(), version);
                }
                RelationEvent::Departed { unit, version, departing } => {
                    (saved.remote_unit, saved.change_version) = (unit, version);
                    saved.departee = departing.unwrap_or_default();
                }
            }
        }
        saved
    }
}
