//! `Deploy`.

use juju_charm::{Charm, assumes::machine_features};
use juju_core::ApplicationName;
use juju_state::{application::NewApplication, charm};
use juju_wire::{
    facade::application::{ApplicationDeploy, ApplicationsDeploy},
    params::ErrorResults,
};

use super::{config::Given, may_change};
use crate::{
    Ctx, Error, Result,
    bulk::{FromResults as _, each},
    convert,
};

/// The charm of the controller itself, which bootstrap deploys and nobody else.
const CONTROLLER_CHARM: &str = "juju-controller";

pub(super) async fn deploy(ctx: Ctx, args: ApplicationsDeploy) -> Result<ErrorResults> {
    may_change(&ctx)?;
    Ok(ErrorResults::from_results(each(args.applications, async |it| deploy_one(&ctx, it).await).await))
}

async fn deploy_one(ctx: &Ctx, args: ApplicationDeploy) -> Result<()> {
    let url = convert::charm_url(&args.charm_url)?;
    if url.name() == CONTROLLER_CHARM {
        return Err(Error::not_supported("manual deploy of the controller charm not supported"));
    }
    if url.revision.is_none() {
        return Err(Error::other("charm url must include revision"));
    }
    if !args.attach_storage.is_empty() && args.num_units != 1 {
        return Err(Error::other(format_args!(
            "AttachStorage is non-empty, but NumUnits is {}",
            args.num_units
        )));
    }
    let name: ApplicationName = args.application.parse().map_err(|_| {
        Error::not_valid(format_args!("cannot add application {:?}: invalid name", args.application))
    })?;
    let units = u32::try_from(args.num_units)
        .map_err(|_| Error::not_valid(format_args!("number of units {} not valid", args.num_units)))?;
    let model = ctx.model();
    let charm = charm::describe(&model.image(), model.uuid(), &url)?;
    if !args.force {
        check_model(ctx, &charm)?;
    }
    check_served(&args, &charm)?;

    let origin = args.charm_origin.as_ref().ok_or_else(|| Error::not_valid("nil charm origin not valid"))?;
    let (origin, base) = convert::origin_from_wire(origin)?;
    let base = base.ok_or_else(|| {
        Error::not_valid(format_args!(
            "cannot add application \"{name}\": charm origin without a base not valid"
        ))
    })?;
    let given = Given::read(&charm, name.as_str(), &args.config_yaml, args.config)?;
    let placements = args.placement.iter().map(|it| convert::placement_from_wire(it, model.uuid()));
    let new = NewApplication {
        charm_origin: origin,
        config: given.typed,
        config_texts: given.texts,
        constraints: convert::constraints_from_wire(&args.constraints)?,
        bindings: args.endpoint_bindings,
        units,
        placements: placements.collect::<Result<_>>()?,
        force: args.force,
        ..NewApplication::new(name, url, base)
    };
    model.deploy(&new).await?;
    Ok(())
}

/// Whether the model is what the charm needs.
pub(super) fn check_model(ctx: &Ctx, charm: &Charm) -> Result<()> {
    let Some(version) = ctx.model().config()?.agent_version() else { return Ok(()) };
    charm.check_min_version(&version).map_err(Error::other)?;
    charm.check_assumes(&machine_features(version)).map_err(Error::not_supported)
}

/// What an application may ask for that no model of ours has yet. It is refused rather than left out.
fn check_served(args: &ApplicationDeploy, charm: &Charm) -> Result<()> {
    let refuse =
        |what: &str| Err(Error::not_supported(format_args!("deploying with {what} is not implemented")));
    if !args.storage.is_empty() || !args.attach_storage.is_empty() {
        return refuse("storage");
    }
    if let Some((name, _)) = charm.meta.storage.iter().find(|(_, it)| it.count_min > 0) {
        return refuse(&format!("storage (the charm requires {name:?})"));
    }
    if !args.devices.is_empty() {
        return refuse("devices");
    }
    if !args.resources.is_empty() {
        return refuse("resources");
    }
    Ok(())
}
