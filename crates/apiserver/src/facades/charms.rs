//! `Charms`: what the model's charms say of themselves (Juju 3.6 `apiserver/facades/client/charms`).
//!
//! Charms come from clients alone: there is no way to Charmhub yet, and what asks for one is told so.

mod describe;

use juju_core::CharmUrl;
use juju_state::{application, charm, constraints};
use juju_wire::{
    facade::charms::{
        AddCharmWithOrigin, ApplicationCharmPlacement, ApplicationCharmPlacements, Charm, CharmOriginResult,
        CharmsList, CharmsListResult, IsMeteredResult, ResolveCharmWithChannel,
        ResolveCharmWithChannelResult, ResolveCharmWithChannelResults, ResolveCharmsWithChannel, call,
    },
    params::{CharmURL, ErrorResults},
};

use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromResults as _, each},
    convert,
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::CharmInfo>(info)
        .on::<call::List>(list)
        .on::<call::AddCharm>(add)
        .on::<call::ResolveCharms>(resolve)
        .on::<call::CheckCharmPlacement>(check_placement)
        .on::<call::IsMetered>(is_metered);
}

async fn info(ctx: Ctx, args: CharmURL) -> Result<Charm> {
    let url = convert::charm_url(&args.url)?;
    let charm = charm::describe(&ctx.model().image(), ctx.model_uuid(), &url)?;
    Ok(describe::charm(&url, &charm))
}

/// All charms, or those of the names given.
async fn list(ctx: Ctx, args: CharmsList) -> Result<CharmsListResult> {
    let all = charm::all(&ctx.model().image(), ctx.model_uuid())?;
    let wanted = |url: &CharmUrl| args.names.is_empty() || args.names.iter().any(|it| it == url.name());
    let there = all.iter().filter(|it| it.life.is_alive() && it.charm.is_some());
    let charm_urls = there.map(|it| &it.url).filter(|it| wanted(it)).map(CharmUrl::to_string).collect();
    Ok(CharmsListResult { charm_urls })
}

/// A local charm is added by its upload; naming it again changes nothing.
async fn add(ctx: Ctx, args: AddCharmWithOrigin) -> Result<CharmOriginResult> {
    let url = convert::charm_url(&args.url)?;
    if !url.is_local() {
        return Err(no_charmhub(&url));
    }
    charm::describe(&ctx.model().image(), ctx.model_uuid(), &url)?;
    Ok(CharmOriginResult { charm_origin: args.charm_origin, error: None })
}

async fn resolve(_: Ctx, args: ResolveCharmsWithChannel) -> Result<ResolveCharmWithChannelResults> {
    let one = |it: ResolveCharmWithChannel| {
        let why = match convert::charm_url(&it.reference) {
            Ok(url) if url.is_local() => {
                Error::bad_request(format_args!("unknown schema for charm URL {:?}", it.reference))
            }
            Ok(url) => no_charmhub(&url),
            Err(err) => err,
        };
        ResolveCharmWithChannelResult { error: Some(why.into()), ..ResolveCharmWithChannelResult::default() }
    };
    Ok(ResolveCharmWithChannelResults { results: args.resolve.into_iter().map(one).collect() })
}

fn no_charmhub(url: &CharmUrl) -> Error {
    Error::not_supported(format_args!(
        "cannot fetch charm {:?}: Charmhub is not supported yet, deploy a charm from a local path",
        url.name()
    ))
}

/// A charm built for one architecture goes to an application of that one. Local charms do not say.
async fn check_placement(ctx: Ctx, args: ApplicationCharmPlacements) -> Result<ErrorResults> {
    let image = ctx.model().image();
    let m = ctx.model_uuid();
    let one = async |it: ApplicationCharmPlacement| {
        let url = convert::charm_url(&it.charm_url)?;
        let name = convert::application_name(&it.application)?;
        let Some(arch) = url.arch else { return Ok(()) };
        let doc = match application::read(&image, m, &name) {
            // One that is yet to be deployed goes anywhere.
            Err(err) if err.is_not_found() => return Ok(()),
            other => other?,
        };
        let asked = constraints::read(&image, m, constraints::Of::Application(&name))?.arch;
        let known = asked
            .filter(|it| !it.is_empty())
            .unwrap_or_else(|| doc.charm_origin.platform.architecture.clone());
        if known.is_empty() || known == arch.as_str() {
            return Ok(());
        }
        Err(Error::other("charm can not be placed in a heterogeneous environment"))
    };
    Ok(ErrorResults::from_results(each(args.placements, one).await))
}

/// None is: charms whose use is measured for money are not a thing any more.
async fn is_metered(ctx: Ctx, args: CharmURL) -> Result<IsMeteredResult> {
    let url = convert::charm_url(&args.url)?;
    charm::describe(&ctx.model().image(), ctx.model_uuid(), &url)?;
    Ok(IsMeteredResult { metered: false })
}
