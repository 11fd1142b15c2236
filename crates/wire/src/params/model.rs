//! Types about model that several facades share.

use std::collections::BTreeMap;

use crate::codec::Time;
use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use super::*;

/// Part of [`CloudSpec`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudCredential {
    #[wire(omit)]
    pub attrs: BTreeMap<String, String>,
    pub auth_type: String,
    #[wire(omit)]
    pub redacted: Vec<String>,
}

/// Part of [`CloudSpecResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudSpec {
    #[wire(omit)]
    pub cacertificates: Vec<String>,
    #[wire(omit)]
    pub credential: Option<CloudCredential>,
    #[wire(omit)]
    pub endpoint: String,
    #[wire(omit)]
    pub identity_endpoint: String,
    #[wire(omit)]
    pub is_controller_cloud: bool,
    pub name: String,
    #[wire(omit)]
    pub region: String,
    #[wire(omit)]
    pub skip_tls_verify: bool,
    #[wire(omit)]
    pub storage_endpoint: String,
    pub type_: String,
}

/// Result of `Agent.GetCloudSpec`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudSpecResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<CloudSpec>,
}

/// Result of `Agent.CloudSpec`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudSpecResults {
    #[wire(omit)]
    pub results: Vec<CloudSpecResult>,
}

/// Part of [`ControllerAPIInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ControllerAPIInfoResult {
    pub addresses: Vec<String>,
    pub cacert: String,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Result of `Agent.ControllerAPIInfoForModels`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ControllerAPIInfoResults {
    pub results: Vec<ControllerAPIInfoResult>,
}

/// Result of `Agent.ControllerConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ControllerConfigResult {
    pub config: BTreeMap<String, Value>,
}

/// Part of [`UserModel`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Model {
    pub name: String,
    pub owner_tag: String,
    pub type_: String,
    pub uuid: String,
}

/// Result of `Agent.ModelConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelConfigResult {
    pub config: BTreeMap<String, Value>,
}

/// Part of [`ModelInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelUserInfo {
    pub access: String,
    pub display_name: String,
    pub last_connection: Time,
    pub model_tag: String,
    pub user: String,
}

/// Part of [`UserModelList`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserModel {
    pub last_connection: Time,
    pub model: Model,
}

/// Result of `Controller.AllModels`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserModelList {
    pub user_models: Vec<UserModel>,
}
