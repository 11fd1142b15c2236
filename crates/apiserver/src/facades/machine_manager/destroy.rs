//! `DestroyMachineWithParams`. Where it is only asked what would happen, nothing does.

use juju_core::{MachineId, Tag};
use juju_state::{block::BlockKind, machine};
use juju_store::Image;
use juju_wire::{
    facade::machine_manager::{
        DestroyMachineInfo, DestroyMachineResult, DestroyMachineResults, DestroyMachinesParams,
    },
    params::Entity,
};

use crate::{
    Ctx, Result,
    bulk::{FromOutcome, each, outcome},
    convert,
    facades::how::how,
};

impl FromOutcome<DestroyMachineInfo> for DestroyMachineResult {
    fn value(info: DestroyMachineInfo) -> Self {
        DestroyMachineResult { info: Some(info), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        DestroyMachineResult { info: None, error: Some(error) }
    }
}

/// A machine that is forced out goes whatever is on it, and whatever blocks say.
pub(super) async fn machines(ctx: Ctx, args: DestroyMachinesParams) -> Result<DestroyMachineResults> {
    if !args.force {
        ctx.model().check_allowed(BlockKind::Remove)?;
    }
    let one = async |tag: &String| {
        let id = convert::machine_tag(tag)?;
        let model = ctx.model();
        let info = info(&ctx, &model.image(), &id, args.force)?;
        if args.dry_run {
            return Ok(info);
        }
        if args.keep {
            model.set_keep_instance(&id, true).await?;
        }
        model.destroy_machine(&id, how(args.force, args.max_wait, false)).await?;
        Ok(info)
    };
    Ok(DestroyMachineResults { results: each(&args.machine_tags, one).await })
}

/// What goes with the machine.
fn info(ctx: &Ctx, image: &Image, id: &MachineId, force: bool) -> Result<DestroyMachineInfo> {
    let m = ctx.model_uuid();
    machine::read(image, m, id)?;
    let units = ctx.model().machine_units(id)?;
    let destroyed_units = units.iter().map(|it| Entity { tag: Tag::from(it).to_string() }).collect();
    let mut destroyed_containers = vec![];
    if force {
        for container in machine::all(image, m)?.iter().filter(|it| it.id.parent().as_ref() == Some(id)) {
            destroyed_containers.push(outcome(info(ctx, image, &container.id, force)));
        }
    }
    Ok(DestroyMachineInfo {
        machine_id: id.to_string(),
        destroyed_units,
        destroyed_containers,
        ..Default::default()
    })
}
