//! The `UserManager` facade.

use crate::codec::{Bytes, Time};
use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "UserManager" 3..=3, on Controller, for [User] {
        AddUser(AddUsers) -> AddUserResults, Login;
        DisableUser(Entities) -> ErrorResults, Login;
        EnableUser(Entities) -> ErrorResults, Login;
        ModelUserInfo(Entities) -> ModelUserInfoResults, Login;
        RemoveUser(Entities) -> ErrorResults, Login;
        ResetPassword(Entities) -> AddUserResults, Login;
        SetPassword(EntityPasswords) -> ErrorResults, Login;
        UserInfo(UserInfoRequest) -> UserInfoResults, Login;
    }
}

/// Part of [`AddUsers`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddUser {
    pub display_name: String,
    #[wire(omit)]
    pub password: String,
    pub username: String,
}

/// Part of [`AddUserResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddUserResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub secret_key: Bytes,
    #[wire(omit)]
    pub tag: String,
}

/// Result of `UserManager.AddUser`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddUserResults {
    pub results: Vec<AddUserResult>,
}

/// Parameters of `UserManager.AddUser`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddUsers {
    pub users: Vec<AddUser>,
}

/// Part of [`ModelUserInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelUserInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<ModelUserInfo>,
}

/// Result of `UserManager.ModelUserInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelUserInfoResults {
    pub results: Vec<ModelUserInfoResult>,
}

/// Part of [`UserInfoResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserInfo {
    pub access: String,
    pub created_by: String,
    pub date_created: Time,
    pub disabled: bool,
    pub display_name: String,
    #[wire(omit)]
    pub last_connection: Option<Time>,
    pub username: String,
}

/// Parameters of `UserManager.UserInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserInfoRequest {
    pub entities: Vec<Entity>,
    pub include_disabled: bool,
}

/// Part of [`UserInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<UserInfo>,
}

/// Result of `UserManager.UserInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserInfoResults {
    pub results: Vec<UserInfoResult>,
}
