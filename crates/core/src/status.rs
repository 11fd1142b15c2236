//! Status: what agents, charms and the controller say of things, and what is shown of it.

mod derive;
mod kind;

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use derive::{
    AGENT_LOST, AgentPresence, UnitStatus, machine_display, model_display, severity, shown_application,
    shown_member_status, unit_display,
};
pub use kind::{HistoryKind, StatusError, StatusKind};

/// Declares the values with their texts.
macro_rules! statuses {
    ($($(#[$meta:meta])* $name:ident $text:literal,)*) => {
        /// Every value that some status can have. Which kind may have which is [`StatusKind`]'s to say.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Status {
            $($(#[$meta])* $name,)*
        }

        impl Status {
            pub const ALL: &'static [Status] = &[$(Status::$name,)*];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Status::$name => $text,)*
                }
            }
        }
    };
}

statuses! {
    /// Nothing was ever said.
    Empty "",
    Pending "pending",
    Started "started",
    Stopped "stopped",
    Error "error",
    /// Computed: the machine's agent is not connected.
    Down "down",
    Allocating "allocating",
    Running "running",
    ProvisioningError "provisioning error",
    Unknown "unknown",
    Idle "idle",
    Applied "applied",
    Executing "executing",
    Rebooting "rebooting",
    Failed "failed",
    /// Computed: the unit's agent is not connected.
    Lost "lost",
    Maintenance "maintenance",
    Blocked "blocked",
    Waiting "waiting",
    Active "active",
    Terminated "terminated",
    /// An application whose leader never said anything: its units' status is shown.
    Unset "unset",
    Joining "joining",
    Joined "joined",
    Suspending "suspending",
    Suspended "suspended",
    Broken "broken",
    Attaching "attaching",
    Attached "attached",
    Detaching "detaching",
    Detached "detached",
    Destroying "destroying",
    Available "available",
    Busy "busy",
}

impl FromStr for Status {
    type Err = StatusError;
    fn from_str(text: &str) -> Result<Self, StatusError> {
        let found = Self::ALL.iter().find(|it| it.as_str() == text);
        found.copied().ok_or_else(|| StatusError::Invalid(text.to_owned()))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

crate::ids::text_serde!(Status);

/// A status with what was said about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatusInfo {
    pub status: Status,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
    /// When it became so. Absent where it was computed and nothing stored says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

impl StatusInfo {
    pub fn new(status: Status, message: impl Into<String>, since: Timestamp) -> Self {
        StatusInfo { status, message: message.into(), data: Map::new(), since: Some(since) }
    }

    /// Whether it says the same, whenever it was said. Saying the same again writes nothing.
    pub fn same_as(&self, other: &StatusInfo) -> bool {
        self.status == other.status && self.message == other.message && self.data == other.data
    }
}
