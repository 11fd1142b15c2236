//! The charm of an application, and what it runs on.

use juju_core::{Base, base::BaseChannel};
use juju_state::{application::Refresh, charm};
use juju_wire::{
    facade::application::{
        ApplicationCharmRelations, ApplicationCharmRelationsResults, ApplicationGet, ApplicationSetCharm,
        CharmURLOriginResult,
    },
    params::{ErrorResults, UpdateChannelArg, UpdateChannelArgs},
};

use super::{config::Given, deploy, may_change};
use crate::{
    Ctx, Error, Result,
    bulk::{FromResults as _, each},
    convert,
};

pub(super) async fn set_charm(ctx: Ctx, args: ApplicationSetCharm) -> Result<()> {
    may_change(&ctx)?;
    let name = convert::application_name(&args.application)?;
    let url = convert::charm_url(&args.charm_url)?;
    if url.revision.is_none() {
        return Err(Error::other("charm url must include revision"));
    }
    if !args.resource_ids.is_empty() || !args.storage_constraints.is_empty() {
        return Err(Error::not_supported("refreshing with resources or storage is not implemented"));
    }
    let model = ctx.model();
    model.application(&name)?;
    let charm = charm::describe(&model.image(), model.uuid(), &url)?;
    if !args.force {
        deploy::check_model(&ctx, &charm)?;
    }
    let origin = args.charm_origin.as_ref().ok_or_else(|| Error::not_valid("nil charm origin not valid"))?;
    let given = Given::read(&charm, name.as_str(), &args.config_settings_yaml, args.config_settings)?;
    let new = Refresh {
        charm_origin: convert::origin_from_wire(origin)?.0,
        charm_url: url,
        config: given.typed,
        config_texts: given.texts,
        bindings: args.endpoint_bindings,
        force_base: args.force_base || args.force,
        force_units: args.force_units,
    };
    Ok(model.refresh(&name, &new).await?)
}

pub(super) async fn url_and_origin(ctx: Ctx, args: ApplicationGet) -> Result<CharmURLOriginResult> {
    let found = async {
        let name = convert::application_name(&args.application)?;
        let doc = ctx.model().application(&name)?;
        Ok((doc.charm_url.to_string(), convert::origin_to_wire(&doc.charm_origin, &doc.base)))
    };
    Ok(match found.await {
        Ok((url, charm_origin)) => CharmURLOriginResult { url, charm_origin, error: None },
        Err(err) => {
            let err: Error = err;
            CharmURLOriginResult { error: Some(err.into()), ..CharmURLOriginResult::default() }
        }
    })
}

pub(super) async fn relations(
    ctx: Ctx,
    args: ApplicationCharmRelations,
) -> Result<ApplicationCharmRelationsResults> {
    let name = convert::application_name(&args.application)?;
    let charm = super::config::charm_of(&ctx, &name)?;
    let declared = charm.meta.relations().map(|it| it.name.clone());
    let charm_relations = declared.chain([juju_charm::meta::JUJU_INFO.to_owned()]).collect();
    Ok(ApplicationCharmRelationsResults { charm_relations })
}

/// What travels is a channel of the operating system that the application runs on already.
pub(super) async fn update_base(ctx: Ctx, args: UpdateChannelArgs) -> Result<ErrorResults> {
    may_change(&ctx)?;
    let one = async |it: UpdateChannelArg| {
        if it.channel.is_empty() {
            return Err(Error::bad_request("channel missing from args"));
        }
        let name = convert::application_tag(&it.tag.tag)?;
        let doc = ctx.model().application(&name)?;
        let channel: BaseChannel = it.channel.parse().map_err(Error::not_valid)?;
        let base = Base { os: doc.base.os.clone(), channel };
        Ok(ctx.model().set_application_base(&name, &base, it.force).await?)
    };
    Ok(ErrorResults::from_results(each(args.args, one).await))
}
