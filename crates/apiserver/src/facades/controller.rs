//! `Controller`: the controller itself (Juju 3.6 `apiserver/facades/client/controller`).

use juju_state::{access::Object, block::BlockKind, destroy::DestroyModel, model};
use juju_wire::{
    Time,
    facade::controller::{
        ControllerConfigSet, ControllerVersionResults, DestroyControllerArgs, HostedModelConfig,
        HostedModelConfigsResults, ModifyControllerAccess, ModifyControllerAccessRequest, UserAccess,
        UserAccessResult, UserAccessResults, call,
    },
    params::*,
};

use super::{agent, how::nanoseconds, model_manager};
use crate::{
    Ctx, Error, Result, Router, SERVER_VERSION,
    bulk::{FromOutcome, FromResults as _, each, outcome, tags},
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::AllModels>(all_models)
        .on::<call::ModelStatus>(model_manager::status)
        .on::<call::HostedModelConfigs>(hosted_model_configs)
        .on::<call::ControllerConfig>(agent::controller_config)
        .on::<call::ConfigSet>(config_set)
        .on::<call::ControllerAPIInfoForModels>(api_info)
        .on::<call::ControllerVersion>(controller_version)
        .on::<call::IdentityProviderURL>(identity_provider_url)
        .on::<call::GetControllerAccess>(access)
        .on::<call::ModifyControllerAccess>(modify_access)
        .on::<call::DestroyController>(destroy);
}

fn require_superuser(ctx: &Ctx) -> Result<()> {
    if ctx.user()?.is_superuser() { Ok(()) } else { Err(Error::unauthorized()) }
}

async fn all_models(ctx: Ctx, (): ()) -> Result<UserModelList> {
    require_superuser(&ctx)?;
    let image = ctx.state().image();
    let caller = &ctx.user()?.name;
    let one = |doc: &model::ModelDoc| -> Result<UserModel> {
        let last = juju_state::user::last_connection(&image, &doc.uuid, caller)?;
        Ok(UserModel { model: model_manager::to_wire(doc), last_connection: Time(last) })
    };
    Ok(UserModelList { user_models: model::all(&image)?.iter().map(|it| one(it)).collect::<Result<_>>()? })
}

/// What a client needs to remove by itself what a dead controller leaves at its clouds.
async fn hosted_model_configs(ctx: Ctx, (): ()) -> Result<HostedModelConfigsResults> {
    require_superuser(&ctx)?;
    let all = model::all(&ctx.state().image())?;
    let one = |doc: &model::ModelDoc| -> Result<HostedModelConfig> {
        Ok(HostedModelConfig {
            name: doc.name.to_string(),
            owner: juju_core::Tag::from(doc.owner.clone()).to_string(),
            config: ctx.state().model(&doc.uuid)?.config()?.values().into_iter().collect(),
            ..HostedModelConfig::default()
        })
    };
    let hosted = all.iter().filter(|it| !it.is_controller);
    Ok(HostedModelConfigsResults { models: hosted.map(|it| one(it)).collect::<Result<_>>()? })
}

async fn config_set(ctx: Ctx, args: ControllerConfigSet) -> Result<()> {
    require_superuser(&ctx)?;
    Ok(ctx.state().update_controller_config(&args.config.into_iter().collect(), &[]).await?)
}

async fn controller_version(_: Ctx, (): ()) -> Result<ControllerVersionResults> {
    Ok(ControllerVersionResults { version: SERVER_VERSION.to_owned(), git_commit: String::new() })
}

async fn identity_provider_url(ctx: Ctx, (): ()) -> Result<StringResult> {
    Ok(outcome(Ok(ctx.state().controller_config()?.text("identity-url").to_owned())))
}

impl FromOutcome<UserAccess> for UserAccessResult {
    fn value(result: UserAccess) -> Self {
        UserAccessResult { result: Some(result), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        UserAccessResult { result: None, error: Some(error) }
    }
}

/// One's own, or anybody's for a superuser.
async fn access(ctx: Ctx, args: Entities) -> Result<UserAccessResults> {
    let caller = ctx.user()?.clone();
    let one = async |tag: String| {
        let user = model_manager::user_of(&tag)?;
        if user != caller.name && !caller.is_superuser() {
            return Err(Error::unauthorized());
        }
        let access = ctx.state().access(&Object::Controller, &user)?;
        let access =
            access.ok_or_else(|| Error::not_found(format!("access of user {:?}", user.to_string())))?;
        Ok(UserAccess { user_tag: tag, access: access.as_str().to_owned() })
    };
    Ok(UserAccessResults { results: each(tags(args), one).await })
}

async fn modify_access(ctx: Ctx, args: ModifyControllerAccessRequest) -> Result<ErrorResults> {
    require_superuser(&ctx)?;
    let by = ctx.user()?.name.clone();
    let one = async |it: ModifyControllerAccess| {
        let user = model_manager::user_of(&it.user_tag)?;
        let level = Object::Controller.level(&it.access)?;
        match it.action.as_str() {
            "grant" => Ok(ctx.state().grant(&Object::Controller, &user, level, &by).await?),
            "revoke" => Ok(ctx.state().revoke(&Object::Controller, &user, level).await?),
            other => Err(Error::not_valid(format!("unknown action {other:?}"))),
        }
    };
    Ok(ErrorResults::from_results(each(args.changes, one).await))
}

/// Sets the controller's own model dying, and with it the others where that is asked for.
async fn destroy(ctx: Ctx, args: DestroyControllerArgs) -> Result<()> {
    require_superuser(&ctx)?;
    let home = ctx.state().controller_model()?;
    home.check_allowed(BlockKind::Destroy)?;
    let given = DestroyModel {
        force: args.force.unwrap_or_default(),
        timeout: nanoseconds(args.model_timeout),
        max_wait: nanoseconds(args.max_wait),
        hosted_too: args.destroy_models,
    };
    if args.destroy_models {
        for doc in model::all(&ctx.state().image())?.iter().filter(|it| !it.is_controller) {
            ctx.state().model(&doc.uuid)?.check_allowed(BlockKind::Destroy)?;
        }
    }
    Ok(ctx.state().destroy_controller(&given).await?)
}

/// Where the controller of each model is reached. None lives elsewhere.
async fn api_info(ctx: Ctx, args: Entities) -> Result<ControllerAPIInfoResults> {
    let one = async |tag: String| {
        model_manager::model_of(&ctx, &tag)?;
        let servers = ctx.state().api_addresses()?.clients;
        let addresses = servers.iter().flatten().map(ToString::to_string).collect();
        Ok((addresses, ctx.state().controller()?.ca_cert.clone()))
    };
    Ok(ControllerAPIInfoResults { results: each(tags(args), one).await })
}

impl FromOutcome<(Vec<String>, String)> for ControllerAPIInfoResult {
    fn value((addresses, cacert): (Vec<String>, String)) -> Self {
        ControllerAPIInfoResult { addresses, cacert, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ControllerAPIInfoResult { error: Some(error), ..ControllerAPIInfoResult::default() }
    }
}
