//! The `Deployer` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Deployer" 1..=1, on Model, for [Controller, Machine] {
        APIAddresses(()) -> StringsResult, Login;
        APIHostPorts(()) -> APIHostPortsResult, Login;
        ConnectionInfo(()) -> DeployerConnectionValues, Login;
        Life(Entities) -> LifeResults, Login;
        ModelUUID(()) -> StringResult, Login;
        Remove(Entities) -> ErrorResults, Login;
        SetPasswords(EntityPasswords) -> ErrorResults, Login;
        SetStatus(SetStatus) -> ErrorResults, Login;
        WatchAPIHostPorts(()) -> NotifyWatchResult, Login;
        WatchUnits(Entities) -> StringsWatchResults, Login;
    }
}

/// Result of `Deployer.ConnectionInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct DeployerConnectionValues {
    pub api_addresses: Vec<String>,
}
