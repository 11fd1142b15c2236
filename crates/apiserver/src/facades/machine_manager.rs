//! `MachineManager`: adding and removing machines (Juju 3.6 `apiserver/facades/client/machinemanager`).

mod add;
mod destroy;

use juju_core::{MachineId, Status};
use juju_state::{
    block::BlockKind,
    machine,
    status::{self, NewStatus, StatusOf},
};
use juju_wire::{
    facade::machine_manager::{RetryProvisioningArgs, call},
    params::ErrorResults,
};
use serde_json::Value;

use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromResults as _, each},
    convert,
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::AddMachines>(add::machines)
        .on::<call::DestroyMachineWithParams>(destroy::machines)
        .on::<call::RetryProvisioning>(retry_provisioning);
}

/// Says of failures to start machines that they may pass, which the provisioner takes as the word to try again. Of all
/// machines, those that have not failed are passed over.
async fn retry_provisioning(ctx: Ctx, args: RetryProvisioningArgs) -> Result<ErrorResults> {
    ctx.model().check_allowed(BlockKind::Change)?;
    if args.all {
        for machine in machine::all(&ctx.model().image(), ctx.model_uuid())? {
            match retry(&ctx, &machine.id).await? {
                Retried::Yes | Retried::HasNotFailed => {}
            }
        }
        return Ok(ErrorResults::default());
    }
    let one = async |tag: String| {
        let id = convert::machine_tag(&tag)?;
        match retry(&ctx, &id).await? {
            Retried::Yes => Ok(()),
            Retried::HasNotFailed => Err(Error::other(format_args!("machine {id} is not in an error state"))),
        }
    };
    Ok(ErrorResults::from_results(each(args.machines, one).await))
}

enum Retried {
    Yes,
    HasNotFailed,
}

async fn retry(ctx: &Ctx, id: &MachineId) -> Result<Retried> {
    let (model, image) = (ctx.model(), ctx.model().image());
    machine::read(&image, model.uuid(), id)?;
    let old = status::read(&image, model.uuid(), &StatusOf::Instance(id.clone()))?;
    if !matches!(old.info.status, Status::Error | Status::ProvisioningError) {
        return Ok(Retried::HasNotFailed);
    }
    let mut data = old.info.data.clone();
    data.insert("transient".to_owned(), Value::Bool(true));
    let new = NewStatus { status: old.info.status, message: old.info.message.clone(), data };
    model.set_instance_status(id, &new).await?;
    Ok(Retried::Yes)
}
