//! The `Cloud` facade.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Cloud" 7..=7, on Controller, for [User] {
        AddCloud(AddCloudArgs) -> (), Login;
        AddCredentials(TaggedCredentials) -> ErrorResults, Login;
        CheckCredentialsModels(TaggedCredentials) -> UpdateCredentialResults, Login;
        Cloud(Entities) -> CloudResults, Login;
        CloudInfo(Entities) -> CloudInfoResults, Login;
        Clouds(()) -> CloudsResult, Login;
        Credential(Entities) -> CloudCredentialResults, Login;
        CredentialContents(CloudCredentialArgs) -> CredentialContentResults, Login;
        InstanceTypes(CloudInstanceTypesConstraints) -> InstanceTypesResults, Login;
        ListCloudInfo(ListCloudsRequest) -> ListCloudInfoResults, Login;
        ModifyCloudAccess(ModifyCloudAccessRequest) -> ErrorResults, Login;
        RemoveClouds(Entities) -> ErrorResults, Login;
        RevokeCredentialsCheckModels(RevokeCredentialArgs) -> ErrorResults, Login;
        UpdateCloud(UpdateCloudArgs) -> ErrorResults, Login;
        UpdateCredentialsCheckModels(UpdateCredentialArgs) -> UpdateCredentialResults, Login;
        UserCredentials(UserClouds) -> StringsResults, Login;
    }
}

/// Parameters of `Cloud.AddCloud`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AddCloudArgs {
    pub cloud: Cloud,
    #[wire(omit)]
    pub force: bool,
    pub name: String,
}

/// Part of [`AddCloudArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Cloud {
    #[wire(omit)]
    pub auth_types: Vec<String>,
    #[wire(omit)]
    pub ca_certificates: Vec<String>,
    #[wire(omit)]
    pub config: BTreeMap<String, Value>,
    #[wire(omit)]
    pub endpoint: String,
    #[wire(omit)]
    pub host_cloud_region: String,
    #[wire(omit)]
    pub identity_endpoint: String,
    #[wire(omit)]
    pub is_controller_cloud: bool,
    #[wire(omit)]
    pub region_config: BTreeMap<String, BTreeMap<String, Value>>,
    #[wire(omit)]
    pub regions: Vec<CloudRegion>,
    #[wire(omit)]
    pub skip_tls_verify: bool,
    #[wire(omit)]
    pub storage_endpoint: String,
    pub type_: String,
}

/// Part of [`CloudCredentialArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudCredentialArg {
    pub cloud_name: String,
    pub credential_name: String,
}

/// Parameters of `Cloud.CredentialContents`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudCredentialArgs {
    #[wire(omit)]
    pub credentials: Vec<CloudCredentialArg>,
    pub include_secrets: bool,
}

/// Part of [`CloudCredentialResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudCredentialResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<CloudCredential>,
}

/// Result of `Cloud.Credential`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudCredentialResults {
    #[wire(omit)]
    pub results: Vec<CloudCredentialResult>,
}

/// Part of [`CloudInfoResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudInfo {
    pub users: Vec<CloudUserInfo>,
    #[wire(omit)]
    pub auth_types: Vec<String>,
    #[wire(omit)]
    pub endpoint: String,
    #[wire(omit)]
    pub identity_endpoint: String,
    #[wire(omit)]
    pub regions: Vec<CloudRegion>,
    #[wire(omit)]
    pub storage_endpoint: String,
    pub type_: String,
}

/// Part of [`CloudInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<CloudInfo>,
}

/// Result of `Cloud.CloudInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudInfoResults {
    pub results: Vec<CloudInfoResult>,
}

/// Part of [`CloudInstanceTypesConstraints`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudInstanceTypesConstraint {
    pub cloud_tag: String,
    #[wire(omit)]
    pub constraints: Option<Constraints>,
    pub region: String,
}

/// Parameters of `Cloud.InstanceTypes`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudInstanceTypesConstraints {
    pub constraints: Vec<CloudInstanceTypesConstraint>,
}

/// Part of [`Cloud`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudRegion {
    #[wire(omit)]
    pub endpoint: String,
    #[wire(omit)]
    pub identity_endpoint: String,
    pub name: String,
    #[wire(omit)]
    pub storage_endpoint: String,
}

/// Part of [`CloudResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudResult {
    #[wire(omit)]
    pub cloud: Option<Cloud>,
    #[wire(omit)]
    pub error: Option<Error>,
}

/// Result of `Cloud.Cloud`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudResults {
    #[wire(omit)]
    pub results: Vec<CloudResult>,
}

/// Part of [`CloudInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudUserInfo {
    pub access: String,
    pub display_name: String,
    pub user: String,
}

/// Result of `Cloud.Clouds`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CloudsResult {
    #[wire(omit)]
    pub clouds: BTreeMap<String, Cloud>,
}

/// Part of [`CredentialContentResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ControllerCredentialInfo {
    #[wire(omit)]
    pub content: Option<CredentialContent>,
    #[wire(omit)]
    pub models: Vec<ModelAccess>,
}

/// Part of [`ControllerCredentialInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CredentialContent {
    #[wire(omit)]
    pub attrs: BTreeMap<String, String>,
    pub auth_type: String,
    pub cloud: String,
    pub name: String,
    #[wire(omit)]
    pub valid: bool,
}

/// Part of [`CredentialContentResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CredentialContentResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<ControllerCredentialInfo>,
}

/// Result of `Cloud.CredentialContents`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct CredentialContentResults {
    #[wire(omit)]
    pub results: Vec<CredentialContentResult>,
}

/// Part of [`ListCloudInfoResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ListCloudInfo {
    pub user_access: String,
    #[wire(omit)]
    pub auth_types: Vec<String>,
    #[wire(omit)]
    pub endpoint: String,
    #[wire(omit)]
    pub identity_endpoint: String,
    #[wire(omit)]
    pub regions: Vec<CloudRegion>,
    #[wire(omit)]
    pub storage_endpoint: String,
    pub type_: String,
}

/// Part of [`ListCloudInfoResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ListCloudInfoResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<ListCloudInfo>,
}

/// Result of `Cloud.ListCloudInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ListCloudInfoResults {
    pub results: Vec<ListCloudInfoResult>,
}

/// Parameters of `Cloud.ListCloudInfo`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ListCloudsRequest {
    #[wire(omit)]
    pub all: bool,
    pub user_tag: String,
}

/// Part of [`ControllerCredentialInfo`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelAccess {
    #[wire(omit)]
    pub access: String,
    #[wire(omit)]
    pub model: String,
}

/// Part of [`ModifyCloudAccessRequest`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModifyCloudAccess {
    pub access: String,
    pub action: String,
    pub cloud_tag: String,
    pub user_tag: String,
}

/// Parameters of `Cloud.ModifyCloudAccess`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModifyCloudAccessRequest {
    pub changes: Vec<ModifyCloudAccess>,
}

/// Part of [`RevokeCredentialArgs`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RevokeCredentialArg {
    pub force: bool,
    pub tag: String,
}

/// Parameters of `Cloud.RevokeCredentialsCheckModels`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RevokeCredentialArgs {
    pub credentials: Vec<RevokeCredentialArg>,
}

/// Part of [`TaggedCredentials`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct TaggedCredential {
    pub credential: CloudCredential,
    pub tag: String,
}

/// Parameters of `Cloud.AddCredentials`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct TaggedCredentials {
    #[wire(omit)]
    pub credentials: Vec<TaggedCredential>,
}

/// Parameters of `Cloud.UpdateCloud`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateCloudArgs {
    pub clouds: Vec<AddCloudArgs>,
}

/// Parameters of `Cloud.UpdateCredentialsCheckModels`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateCredentialArgs {
    pub credentials: Vec<TaggedCredential>,
    pub force: bool,
}

/// Part of [`UpdateCredentialResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateCredentialModelResult {
    #[wire(omit)]
    pub errors: Vec<ErrorResult>,
    pub name: String,
    pub uuid: String,
}

/// Part of [`UpdateCredentialResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateCredentialResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub models: Vec<UpdateCredentialModelResult>,
    pub tag: String,
}

/// Result of `Cloud.CheckCredentialsModels`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UpdateCredentialResults {
    #[wire(omit)]
    pub results: Vec<UpdateCredentialResult>,
}

/// Part of [`UserClouds`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserCloud {
    pub cloud_tag: String,
    pub user_tag: String,
}

/// Parameters of `Cloud.UserCredentials`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct UserClouds {
    #[wire(omit)]
    pub user_clouds: Vec<UserCloud>,
}
