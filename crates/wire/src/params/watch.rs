//! Types about watch that several facades share.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use super::*;

/// Result of `Client.WatchAll`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AllWatcherId {
    pub watcher_id: String,
}

/// Result of `Agent.WatchForModelConfigChanges`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NotifyWatchResult {
    #[wire("NotifyWatcherId")]
    pub notify_watcher_id: String,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Result of `Agent.WatchCloudSpecsChanges`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NotifyWatchResults {
    pub results: Vec<NotifyWatchResult>,
}

/// Result of `Provisioner.WatchModelMachineStartTimes`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StringsWatchResult {
    #[wire(omit)]
    pub changes: Vec<String>,
    #[wire(omit)]
    pub error: Option<Error>,
    pub watcher_id: String,
}

/// Result of `Deployer.WatchUnits`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StringsWatchResults {
    pub results: Vec<StringsWatchResult>,
}
