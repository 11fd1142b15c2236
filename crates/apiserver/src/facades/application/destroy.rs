//! Removing units and applications. Where it is only asked what would happen, nothing does.

use juju_core::Tag;
use juju_state::{application, unit};
use juju_wire::{
    facade::application::{
        DestroyApplicationInfo, DestroyApplicationParams, DestroyApplicationResult,
        DestroyApplicationResults, DestroyApplicationsParams, DestroyUnitInfo, DestroyUnitParams,
        DestroyUnitResult, DestroyUnitResults, DestroyUnitsParams,
    },
    params::Entity,
};

use super::may_remove;
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, each},
    convert,
    facades::how::how,
};

impl FromOutcome<DestroyUnitInfo> for DestroyUnitResult {
    fn value(info: DestroyUnitInfo) -> Self {
        DestroyUnitResult { info: Some(info), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        DestroyUnitResult { info: None, error: Some(error) }
    }
}

pub(super) async fn units(ctx: Ctx, args: DestroyUnitsParams) -> Result<DestroyUnitResults> {
    may_remove(&ctx)?;
    Ok(DestroyUnitResults { results: each(args.units, async |it| destroy_unit(&ctx, it).await).await })
}

async fn destroy_unit(ctx: &Ctx, args: DestroyUnitParams) -> Result<DestroyUnitInfo> {
    let name = convert::unit_tag(&args.unit_tag)?;
    let model = ctx.model();
    let unit = match unit::read(&model.image(), model.uuid(), &name) {
        Err(err) if err.is_not_found() => {
            return Err(Error::other(format_args!("unit \"{name}\" does not exist")));
        }
        other => other?,
    };
    if unit.principal.is_some() {
        return Err(Error::other(format_args!(
            "unit \"{name}\" is a subordinate, to remove use remove-relation. Note: this will remove all units of \
             \"{}\"",
            name.app()
        )));
    }
    if !args.dry_run {
        model.destroy_unit(&name, how(args.force, args.max_wait, args.destroy_storage)).await?;
    }
    Ok(DestroyUnitInfo::default())
}

impl FromOutcome<DestroyApplicationInfo> for DestroyApplicationResult {
    fn value(info: DestroyApplicationInfo) -> Self {
        DestroyApplicationResult { info: Some(info), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        DestroyApplicationResult { info: None, error: Some(error) }
    }
}

pub(super) async fn applications(
    ctx: Ctx,
    args: DestroyApplicationsParams,
) -> Result<DestroyApplicationResults> {
    may_remove(&ctx)?;
    Ok(DestroyApplicationResults {
        results: each(args.applications, async |it| destroy_application(&ctx, it).await).await,
    })
}

async fn destroy_application(ctx: &Ctx, args: DestroyApplicationParams) -> Result<DestroyApplicationInfo> {
    let name = convert::application_tag(&args.application_tag)?;
    let model = ctx.model();
    model.check_destroy_application(&name)?;
    let image = model.image();
    let doc = application::read(&image, model.uuid(), &name)?;
    let units = match doc.subordinate {
        true => vec![],
        false => unit::read_of(&image, model.uuid(), &name)?,
    };
    if !args.dry_run {
        model.destroy_application(&name, how(args.force, args.max_wait, args.destroy_storage)).await?;
    }
    let destroyed_units = units.iter().map(|it| Entity { tag: Tag::from(&it.name).to_string() }).collect();
    Ok(DestroyApplicationInfo { destroyed_units, ..DestroyApplicationInfo::default() })
}
