//! `Machiner`: a machine agent about its machine (Juju 3.6 `apiserver/facades/agent/machine`).

use juju_wire::{
    facade::machiner::{
        JobsResult, JobsResults, RecordAgentStartInformationArg, RecordAgentStartInformationArgs,
        SetMachinesAddresses, call,
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Result, Router,
    bulk::{FromResults as _, each, outcome, tags},
    convert, from_state,
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::Life>(life)
        .on::<call::Watch>(watch)
        .on::<call::SetStatus>(set_status)
        .on::<call::EnsureDead>(ensure_dead)
        .on::<call::Jobs>(jobs)
        .on::<call::SetMachineAddresses>(set_machine_addresses)
        .on::<call::SetObservedNetworkConfig>(set_observed_network_config)
        .on::<call::RecordAgentStartTime>(record_agent_start_time)
        .on::<call::RecordAgentStartInformation>(record_agent_start_information)
        .on::<call::APIAddresses>(api_addresses)
        .on::<call::APIHostPorts>(api_host_ports)
        .on::<call::WatchAPIHostPorts>(watch_api_host_ports);
}

async fn life(ctx: Ctx, args: Entities) -> Result<LifeResults> {
    let one = async |tag: String| {
        let id = caller::machine(&ctx, &tag)?;
        Ok(ctx.model().machine(&id)?.life.to_string())
    };
    Ok(LifeResults::from_results(each(tags(args), one).await))
}

async fn watch(ctx: Ctx, args: Entities) -> Result<NotifyWatchResults> {
    let one = async |tag: String| {
        let id = caller::machine(&ctx, &tag)?;
        ctx.model().machine(&id)?;
        let watcher = ctx.model().watch_machine(&id)?;
        ctx.watchers().add(from_state(watcher, |()| ()))
    };
    Ok(NotifyWatchResults::from_results(each(tags(args), one).await))
}

async fn set_status(ctx: Ctx, args: SetStatus) -> Result<ErrorResults> {
    let one = async |it: EntityStatusArgs| {
        let id = caller::machine(&ctx, &it.tag)?;
        Ok(ctx.model().set_machine_status(&id, &convert::new_status(&it)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}

async fn ensure_dead(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one = async |tag: String| {
        let id = caller::machine(&ctx, &tag)?;
        Ok(ctx.model().ensure_machine_dead(&id).await?)
    };
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

async fn jobs(ctx: Ctx, args: Entities) -> Result<JobsResults> {
    let one = |tag: String| {
        let id = caller::machine(&ctx, &tag)?;
        let machine = ctx.model().machine(&id)?;
        Ok(machine.jobs.iter().map(|it| it.as_str().to_owned()).collect())
    };
    let turn = |result: Result<Vec<String>>| match result {
        Ok(jobs) => JobsResult { jobs, error: None },
        Err(err) => JobsResult { jobs: vec![], error: Some(err.into()) },
    };
    Ok(JobsResults { results: tags(args).map(|tag| turn(one(tag))).collect() })
}

async fn set_machine_addresses(ctx: Ctx, args: SetMachinesAddresses) -> Result<ErrorResults> {
    let one = async |it: juju_wire::facade::machiner::MachineAddresses| {
        let id = caller::machine(&ctx, &it.tag)?;
        let addresses = it.addresses.iter().map(convert::address_from_wire).collect::<Result<Vec<_>>>()?;
        Ok(ctx.model().set_machine_addresses(&id, &addresses).await?)
    };
    Ok(ErrorResults::from_results(each(args.machine_addresses, one).await))
}

/// The devices themselves are not kept yet: nothing reads them. Their addresses count.
async fn set_observed_network_config(ctx: Ctx, args: SetMachineNetworkConfig) -> Result<()> {
    let id = caller::machine(&ctx, &args.tag)?;
    let addresses = convert::network_addresses(&args.config)?;
    if !addresses.is_empty() {
        ctx.model().set_machine_addresses(&id, &addresses).await?;
    }
    Ok(())
}

async fn record_agent_start_time(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one = async |tag: String| {
        let id = caller::machine(&ctx, &tag)?;
        Ok(ctx.model().record_agent_start(&id, None).await?)
    };
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

async fn record_agent_start_information(
    ctx: Ctx,
    args: RecordAgentStartInformationArgs,
) -> Result<ErrorResults> {
    let one = async |it: RecordAgentStartInformationArg| {
        let id = caller::machine(&ctx, &it.tag)?;
        let hostname = Some(it.hostname).filter(|it| !it.is_empty());
        Ok(ctx.model().record_agent_start(&id, hostname.as_deref()).await?)
    };
    Ok(ErrorResults::from_results(each(args.args, one).await))
}

pub(super) async fn api_addresses(ctx: Ctx, (): ()) -> Result<StringsResult> {
    let servers = ctx.state().api_addresses()?.agents;
    let addresses: Vec<String> = servers.iter().flatten().map(ToString::to_string).collect();
    Ok(outcome(Ok(addresses)))
}

pub(super) async fn api_host_ports(ctx: Ctx, (): ()) -> Result<APIHostPortsResult> {
    Ok(APIHostPortsResult { servers: convert::host_ports(&ctx.state().api_addresses()?.agents) })
}

pub(super) async fn watch_api_host_ports(ctx: Ctx, (): ()) -> Result<NotifyWatchResult> {
    let watcher = ctx.state().watch_api_addresses()?;
    Ok(outcome(ctx.watchers().add(from_state(watcher, |()| ()))))
}
