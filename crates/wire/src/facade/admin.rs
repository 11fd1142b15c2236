//! The `Admin` facade.

use crate::codec::Time;
use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Admin" 3..=3, on Both, for [Controller, Machine, Unit, User] {
        Login(LoginRequest) -> LoginResult, Login;
        RedirectInfo(()) -> RedirectInfoResult, Login;
    }
}

/// Part of [`LoginResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AuthUserInfo {
    pub controller_access: String,
    #[wire(omit)]
    pub credentials: String,
    pub display_name: String,
    pub identity: String,
    #[wire(omit)]
    pub last_connection: Option<Time>,
    pub model_access: String,
}

/// Part of [`LoginResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct FacadeVersions {
    pub name: String,
    pub versions: Vec<i64>,
}

/// Parameters of `Admin.Login`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct LoginRequest {
    pub auth_tag: String,
    #[wire(omit)]
    pub bakery_version: Option<i64>,
    #[wire(omit)]
    pub cli_args: String,
    #[wire(omit)]
    pub client_version: String,
    pub credentials: String,
    pub macaroons: Vec<Vec<Value>>,
    pub nonce: String,
    #[wire(omit)]
    pub token: String,
    pub user_data: String,
}

/// Result of `Admin.Login`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct LoginResult {
    #[wire(omit)]
    pub bakery_discharge_required: Value,
    #[wire(omit)]
    pub controller_tag: String,
    #[wire(omit)]
    pub discharge_required: Value,
    #[wire(omit)]
    pub discharge_required_error: String,
    #[wire(omit)]
    pub facades: Vec<FacadeVersions>,
    #[wire(omit)]
    pub model_tag: String,
    #[wire(omit)]
    pub public_dns_name: String,
    #[wire(omit)]
    pub server_version: String,
    #[wire(omit)]
    pub servers: Vec<Vec<HostPort>>,
    #[wire(omit)]
    pub user_info: Option<AuthUserInfo>,
}

/// Result of `Admin.RedirectInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RedirectInfoResult {
    pub ca_cert: String,
    pub servers: Vec<Vec<HostPort>>,
}
