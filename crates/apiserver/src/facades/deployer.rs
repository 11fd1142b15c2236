//! `Deployer`: a machine agent about the units on its machine (Juju 3.6 `apiserver/facades/agent/deployer`).

use juju_state::agent::Agent;
use juju_wire::{
    facade::{
        deployer::{DeployerConnectionValues, call},
        watchers::StringsChanges,
    },
    params::*,
};

use super::{caller, machiner};
use crate::{
    Ctx, Result, Router,
    bulk::{FromResults as _, each, outcome, tags},
    convert, from_state,
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::WatchUnits>(watch_units)
        .on::<call::Life>(life)
        .on::<call::SetStatus>(set_status)
        .on::<call::SetPasswords>(set_passwords)
        .on::<call::Remove>(remove)
        .on::<call::ModelUUID>(model_uuid)
        .on::<call::ConnectionInfo>(connection_info)
        .on::<call::APIAddresses>(machiner::api_addresses)
        .on::<call::APIHostPorts>(machiner::api_host_ports)
        .on::<call::WatchAPIHostPorts>(machiner::watch_api_host_ports);
}

async fn watch_units(ctx: Ctx, args: Entities) -> Result<StringsWatchResults> {
    let one = async |tag: String| {
        let id = caller::own_machine(&ctx, &tag)?;
        let (units, watcher) = ctx.model().watch_machine_units(&id)?;
        let id = ctx.watchers().add(from_state(watcher, |changes| StringsChanges { changes }))?;
        Ok((id, units))
    };
    Ok(StringsWatchResults::from_results(each(tags(args), one).await))
}

async fn life(ctx: Ctx, args: Entities) -> Result<LifeResults> {
    let one = async |tag: String| {
        let unit = caller::unit_of_machine(&ctx, &tag)?;
        Ok(ctx.model().unit(&unit)?.life.to_string())
    };
    Ok(LifeResults::from_results(each(tags(args), one).await))
}

async fn set_status(ctx: Ctx, args: SetStatus) -> Result<ErrorResults> {
    let one = async |it: EntityStatusArgs| {
        let unit = caller::unit_of_machine(&ctx, &it.tag)?;
        Ok(ctx.model().set_workload_status(&unit, &convert::new_status(&it)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}

async fn set_passwords(ctx: Ctx, args: EntityPasswords) -> Result<ErrorResults> {
    let one = async |it: EntityPassword| {
        let unit = caller::unit_of_machine(&ctx, &it.tag)?;
        Ok(ctx.model().set_agent_password(&Agent::Unit(unit), &it.password).await?)
    };
    Ok(ErrorResults::from_results(each(args.changes, one).await))
}

async fn remove(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    Ok(ErrorResults::from_results(each(tags(args), |tag| remove_one(ctx.clone(), tag)).await))
}

async fn remove_one(ctx: Ctx, tag: String) -> Result<()> {
    let unit = caller::unit_of_machine(&ctx, &tag)?;
    Ok(ctx.model().remove_unit(&unit).await?)
}

async fn model_uuid(ctx: Ctx, (): ()) -> Result<StringResult> {
    Ok(outcome(Ok(ctx.model_uuid().to_string())))
}

async fn connection_info(ctx: Ctx, (): ()) -> Result<DeployerConnectionValues> {
    let servers = ctx.state().api_addresses()?.agents;
    Ok(DeployerConnectionValues {
        api_addresses: servers.iter().flatten().map(ToString::to_string).collect(),
    })
}
