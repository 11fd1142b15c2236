//! `ModelManager`: the models of the controller (Juju 3.6 `apiserver/facades/client/modelmanager`).

mod create;
mod destroy;
mod info;
mod status;
mod summary;

use juju_core::{ModelUuid, Tag, UserName};
use juju_state::{
    Model,
    access::{Access, Object},
    model::{self, ModelDoc},
    user,
};
use juju_wire::{
    Time,
    facade::model_manager::{ModifyModelAccess, ModifyModelAccessRequest, call},
    params::{self, Entity, ErrorResults, UserModel, UserModelList},
};

pub(super) use status::status;

use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromResults as _, each},
    convert,
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::CreateModel>(create::create)
        .on::<call::ListModels>(list)
        .on::<call::ListModelSummaries>(summary::summaries)
        .on::<call::ModelInfo>(info::info)
        .on::<call::ModelStatus>(status::status)
        .on::<call::DestroyModels>(destroy::destroy)
        .on::<call::ModifyModelAccess>(modify_access);
}

/// One's own, or anybody's for a superuser, who sees all.
async fn list(ctx: Ctx, args: Entity) -> Result<UserModelList> {
    let user = user_of(&args.tag)?;
    let caller = ctx.user()?;
    if user != caller.name && !caller.is_superuser() {
        return Err(Error::unauthorized());
    }
    let image = ctx.state().image();
    let one = |doc: &ModelDoc| -> Result<UserModel> {
        let last = user::last_connection(&image, &doc.uuid, &user)?;
        Ok(UserModel { model: to_wire(doc), last_connection: Time(last) })
    };
    let models = model::for_user(&image, &user)?;
    Ok(UserModelList { user_models: models.iter().map(|(doc, _)| one(doc)).collect::<Result<_>>()? })
}

pub(super) fn to_wire(doc: &ModelDoc) -> params::Model {
    params::Model {
        name: doc.name.to_string(),
        uuid: doc.uuid.to_string(),
        owner_tag: Tag::from(&doc.owner).to_string(),
        type_: "iaas".to_owned(),
    }
}

async fn modify_access(ctx: Ctx, args: ModifyModelAccessRequest) -> Result<ErrorResults> {
    let by = ctx.user()?.name.clone();
    let one = async |it: ModifyModelAccess| {
        let model = model_of(&ctx, &it.model_tag)?;
        require(&ctx, model.uuid(), Access::Admin)?;
        let user = user_of(&it.user_tag)?;
        let object = Object::Model(model.uuid().clone());
        let level = object.level(&it.access)?;
        match it.action.as_str() {
            "grant" => Ok(ctx.state().grant(&object, &user, level, &by).await?),
            "revoke" => Ok(ctx.state().revoke(&object, &user, level).await?),
            other => Err(Error::other(format_args!("unknown action {other:?}"))),
        }
    };
    Ok(ErrorResults::from_results(each(args.changes, one).await))
}

pub(super) fn user_of(tag: &str) -> Result<UserName> {
    match tag.parse() {
        Ok(Tag::User(name)) => Ok(name),
        _ => Err(convert::bad_tag(tag, "user")),
    }
}

pub(super) fn model_of(ctx: &Ctx, tag: &str) -> Result<Model> {
    match tag.parse() {
        Ok(Tag::Model(uuid)) => match ctx.state().model(&uuid) {
            // Here clients ask for it among others; that it is gone is told of the one, not of the connection.
            Err(juju_state::Error::ModelNotFound(uuid)) => {
                Err(Error::not_found(format_args!("model {uuid:?}")))
            }
            other => Ok(other?),
        },
        _ => Err(convert::bad_tag(tag, "model")),
    }
}

/// Whether the caller may do this with the model; else it is as if it had no right to know of it.
fn require(ctx: &Ctx, model: &ModelUuid, wanted: Access) -> Result<()> {
    let caller = ctx.user()?;
    let object = Object::Model(model.clone());
    let has = ctx.state().access(&object, &caller.name)?;
    if caller.is_superuser() || has.is_some_and(|it| object.includes(it, wanted)) {
        return Ok(());
    }
    Err(Error::unauthorized())
}
