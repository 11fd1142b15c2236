//! `CreateModel`.

use juju_core::{CloudName, Constraints, CredentialId, ModelUuid, Tag, UserName};
use juju_state::{
    access::{Access, Object},
    cloud, credential,
    model::NewModel,
};
use juju_wire::facade::model_manager::{ModelCreateArgs, ModelInfo};
use serde_json::Value;

use super::{info::model_info, user_of};
use crate::{Ctx, Error, Result, convert, facades::cloud::credential_id};

/// Models may be made by those who may add them to the cloud.
pub(super) async fn create(ctx: Ctx, args: ModelCreateArgs) -> Result<ModelInfo> {
    let caller = ctx.user()?.clone();
    let owner = user_of(&args.owner_tag)?;
    if owner != caller.name && !caller.is_superuser() {
        return Err(Error::unauthorized());
    }
    let controller = ctx.state().controller()?;
    let cloud: CloudName = match args.cloud_tag.as_str() {
        "" => controller.cloud.clone(),
        tag => match tag.parse() {
            Ok(Tag::Cloud(name)) => name,
            _ => return Err(convert::bad_tag(tag, "cloud")),
        },
    };
    let object = Object::Cloud(cloud.clone());
    let access = ctx.state().access(&object, &caller.name)?;
    if !caller.is_superuser() && !access.is_some_and(|it| object.includes(it, Access::AddModel)) {
        return Err(Error::unauthorized());
    }
    let credential = match args.credential.as_str() {
        "" => default_credential(&ctx, &cloud, &owner)?,
        tag => Some(credential_id(tag)?),
    };
    let home = ctx.state().controller_model()?;
    let mut config = args.config;
    let uuid = uuid(config.remove("uuid"))?;
    // A model begins with the agents of its controller.
    if let Some(version) = home.config()?.agent_version() {
        config.entry("agent-version".to_owned()).or_insert_with(|| version.to_string().into());
    }
    let region = match args.region.as_str() {
        "" if cloud == controller.cloud => home.doc()?.region.clone(),
        region => region.to_owned(),
    };
    let name = args.name.parse().map_err(|_| {
        Error::not_valid(format_args!(
            "{:?} is not a valid name: model names may only contain lowercase letters, digits and hyphens",
            args.name
        ))
    })?;
    let new = NewModel {
        uuid,
        name,
        owner,
        creator: caller.name,
        cloud,
        region,
        credential,
        config: config.into_iter().collect(),
        constraints: Constraints::default(),
    };
    let model = ctx.state().add_model(&new).await?;
    model_info(&ctx, &model)
}

fn uuid(given: Option<Value>) -> Result<ModelUuid> {
    match given {
        Some(Value::String(text)) => {
            text.parse().map_err(|_| Error::not_valid(format_args!("model UUID {text:?} not valid")))
        }
        Some(other) => Err(Error::not_valid(format_args!("model UUID {other} not valid"))),
        None => Ok(uuid::Uuid::new_v4().into()),
    }
}

/// The only credential that the owner has for the cloud; else the one of the controller's model where it is his.
fn default_credential(ctx: &Ctx, cloud: &CloudName, owner: &UserName) -> Result<Option<CredentialId>> {
    let image = ctx.state().image();
    let own = credential::all(&image, cloud, owner)?;
    if let [only] = own.as_slice() {
        return Ok(Some(only.id.clone()));
    }
    let home = ctx.state().controller_model()?.doc()?.credential.clone();
    if let Some(home) = home.filter(|it| it.cloud() == cloud && it.owner() == owner) {
        return Ok(Some(home));
    }
    // Clouds that need no credential have models without one.
    let doc = cloud::read(&image, cloud)?;
    if own.is_empty() && doc.auth_types.iter().any(|it| it == "empty") {
        return Ok(None);
    }
    Err(Error::not_valid(format_args!("no credential specified for cloud {:?}", cloud.as_str())))
}
