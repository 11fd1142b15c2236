//! The `Machiner` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Machiner" 5..=5, on Model, for [Controller, Machine, Unit] {
        APIAddresses(()) -> StringsResult, Login;
        APIHostPorts(()) -> APIHostPortsResult, Login;
        EnsureDead(Entities) -> ErrorResults, Login;
        Jobs(Entities) -> JobsResults, Login;
        Life(Entities) -> LifeResults, Login;
        RecordAgentStartInformation(RecordAgentStartInformationArgs) -> ErrorResults, Login;
        RecordAgentStartTime(Entities) -> ErrorResults, Login;
        SetMachineAddresses(SetMachinesAddresses) -> ErrorResults, Login;
        SetObservedNetworkConfig(SetMachineNetworkConfig) -> (), Login;
        SetStatus(SetStatus) -> ErrorResults, Login;
        Watch(Entities) -> NotifyWatchResults, Login;
        WatchAPIHostPorts(()) -> NotifyWatchResult, Login;
    }
}

/// Part of [`JobsResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct JobsResult {
    #[wire(omit)]
    pub error: Option<Error>,
    pub jobs: Vec<String>,
}

/// Result of `Machiner.Jobs`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct JobsResults {
    pub results: Vec<JobsResult>,
}

/// Part of [`SetMachinesAddresses`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct MachineAddresses {
    pub addresses: Vec<Address>,
    pub tag: String,
}

/// Part of [`RecordAgentStartInformationArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RecordAgentStartInformationArg {
    #[wire(omit)]
    pub hostname: String,
    pub tag: String,
}

/// Parameters of `Machiner.RecordAgentStartInformation`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RecordAgentStartInformationArgs {
    pub args: Vec<RecordAgentStartInformationArg>,
}

/// Parameters of `Machiner.SetMachineAddresses`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetMachinesAddresses {
    pub machine_addresses: Vec<MachineAddresses>,
}
