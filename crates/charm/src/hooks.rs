//! The names of hooks: which files in `hooks/` are code that an agent may run.

/// Hooks of every unit.
pub const UNIT_HOOKS: [&str; 18] = [
    "install",
    "start",
    "config-changed",
    "upgrade-charm",
    "stop",
    "remove",
    "update-status",
    "leader-elected",
    "leader-settings-changed",
    "leader-deposed",
    "pre-series-upgrade",
    "post-series-upgrade",
    "collect-metrics",
    "meter-status-changed",
    "secret-changed",
    "secret-expired",
    "secret-remove",
    "secret-rotate",
];

/// What follows an endpoint's name.
pub const RELATION_HOOKS: [&str; 5] =
    ["relation-created", "relation-joined", "relation-changed", "relation-departed", "relation-broken"];

/// What follows a storage's name.
pub const STORAGE_HOOKS: [&str; 2] = ["storage-attached", "storage-detaching"];

/// What follows a container's name.
pub const WORKLOAD_HOOKS: [&str; 4] =
    ["pebble-ready", "pebble-custom-notice", "pebble-check-failed", "pebble-check-recovered"];

/// The file that, where it is there, runs for every hook and action.
pub const DISPATCH: &str = "dispatch";
