//! The `Upgrader` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Upgrader" 1..=1, on Model, for [Controller, Machine, Unit] {
        DesiredVersion(Entities) -> VersionResults, Login;
        SetTools(EntitiesVersion) -> ErrorResults, Login;
        Tools(Entities) -> ToolsResults, Login;
        WatchAPIVersion(Entities) -> NotifyWatchResults, Login;
    }
}

/// Parameters of `Upgrader.SetTools`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntitiesVersion {
    pub agent_tools: Vec<EntityVersion>,
}

/// Part of [`EntitiesVersion`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityVersion {
    pub tag: String,
    pub tools: Version,
}

/// Part of [`EntityVersion`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Version {
    pub version: String,
}

/// Part of [`VersionResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VersionResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub version: String,
}

/// Result of `Upgrader.DesiredVersion`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct VersionResults {
    pub results: Vec<VersionResult>,
}
