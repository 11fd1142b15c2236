//! The `Agent` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Agent" 3..=3, on Model, for [Controller, Machine, Unit] {
        ClearReboot(Entities) -> ErrorResults, Login;
        CloudSpec(Entities) -> CloudSpecResults, Login;
        ControllerAPIInfoForModels(Entities) -> ControllerAPIInfoResults, Login;
        ControllerConfig(()) -> ControllerConfigResult, Login;
        GetCloudSpec(String) -> CloudSpecResult, Login;
        GetEntities(Entities) -> AgentGetEntitiesResults, Login;
        IsMaster(()) -> IsMasterResult, Login;
        ModelConfig(()) -> ModelConfigResult, Login;
        SetPasswords(EntityPasswords) -> ErrorResults, Login;
        StateServingInfo(()) -> StateServingInfo, Login;
        WatchCloudSpecsChanges(Entities) -> NotifyWatchResults, Login;
        WatchCredentials(Entities) -> NotifyWatchResults, Login;
        WatchForModelConfigChanges(()) -> NotifyWatchResult, Login;
    }
}

/// Part of [`AgentGetEntitiesResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AgentGetEntitiesResult {
    pub container_type: String,
    #[wire(omit)]
    pub error: Option<Error>,
    pub jobs: Vec<String>,
    pub life: String,
}

/// Result of `Agent.GetEntities`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AgentGetEntitiesResults {
    pub entities: Vec<AgentGetEntitiesResult>,
}

/// Result of `Agent.IsMaster`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct IsMasterResult {
    pub master: bool,
}

/// Result of `Agent.StateServingInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct StateServingInfo {
    pub api_port: i64,
    pub ca_private_key: String,
    pub cert: String,
    #[wire(omit)]
    pub controller_api_port: Option<i64>,
    pub private_key: String,
    pub shared_secret: String,
    pub state_port: i64,
    pub system_identity: String,
}
