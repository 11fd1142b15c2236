//! Log records, as they travel over the log streams rather than in calls.

use juju_wire_derive::Wire;

use crate::Time;

/// What an agent sends to `/model/<uuid>/logsink`, one a frame.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct LogRecord {
    #[wire("t")]
    pub time: Time,
    #[wire("m")]
    pub module: String,
    /// `file.go:12`.
    #[wire("l")]
    pub location: String,
    /// TRACE, DEBUG, INFO, WARNING, ERROR or CRITICAL.
    #[wire("v")]
    pub level: String,
    #[wire("x")]
    pub message: String,
    /// The tag of the entity that it is about; an agent's own is left out.
    #[wire("e", omit)]
    pub entity: String,
    #[wire("c", omit)]
    pub labels: Vec<String>,
}

/// What comes out of `/model/<uuid>/log`, one a frame.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct LogMessage {
    pub tag: String,
    #[wire("ts")]
    pub time: Time,
    #[wire("sev")]
    pub severity: String,
    #[wire("mod")]
    pub module: String,
    #[wire("loc")]
    pub location: String,
    #[wire("msg")]
    pub message: String,
    #[wire("lab")]
    pub labels: Vec<String>,
}
