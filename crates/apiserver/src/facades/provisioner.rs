//! `Provisioner`: what starts and stops the machines of a model (Juju 3.6 `apiserver/facades/agent/provisioner`).

use juju_core::{MachineId, Status};
use juju_state::{
    agent::Agent,
    constraints,
    machine::{Hardware, MachineDoc, NewInstance},
    status::StatusOf,
};
use juju_wire::{
    facade::{
        provisioner::{
            BytesResult, ConstraintsResult, ConstraintsResults, InstanceInfo, InstancesInfo,
            MachineContainers, MachineContainersParams, ProvisioningInfo, ProvisioningInfoResult,
            ProvisioningInfoResults, call,
        },
        watchers::StringsChanges,
    },
    params::{self, *},
};

use super::{agent, caller, machiner};
use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromOutcome, FromResults as _, each, outcome, tags},
    convert, from_state,
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::WatchModelMachines>(watch_model_machines)
        .on::<call::WatchModelMachineStartTimes>(watch_start_times)
        .on::<call::MachinesWithTransientErrors>(transient_errors)
        .on::<call::Life>(life)
        .on::<call::InstanceId>(instance_id)
        .on::<call::Status>(status)
        .on::<call::SetStatus>(set_status)
        .on::<call::InstanceStatus>(instance_status)
        .on::<call::SetInstanceStatus>(set_instance_status)
        .on::<call::KeepInstance>(keep_instance)
        .on::<call::Constraints>(machine_constraints)
        .on::<call::ProvisioningInfo>(provisioning_info)
        .on::<call::SetPasswords>(set_passwords)
        .on::<call::SetInstanceInfo>(set_instance_info)
        .on::<call::EnsureDead>(ensure_dead)
        .on::<call::MarkMachinesForRemoval>(mark_for_removal)
        .on::<call::Remove>(remove)
        .on::<call::SetSupportedContainers>(set_supported_containers)
        .on::<call::CACert>(ca_cert)
        .on::<call::ModelUUID>(model_uuid)
        .on::<call::ModelConfig>(agent::model_config)
        .on::<call::WatchForModelConfigChanges>(agent::watch_model_config)
        .on::<call::ControllerConfig>(agent::controller_config)
        .on::<call::APIAddresses>(machiner::api_addresses)
        .on::<call::APIHostPorts>(machiner::api_host_ports)
        .on::<call::WatchAPIHostPorts>(machiner::watch_api_host_ports);
}

/// All machines of a model are a controller's business alone.
fn require_controller(ctx: &Ctx) -> Result<()> {
    if ctx.entity().is_controller() { Ok(()) } else { Err(Error::unauthorized()) }
}

async fn watch_model_machines(ctx: Ctx, (): ()) -> Result<StringsWatchResult> {
    require_controller(&ctx)?;
    let (machines, watcher) = ctx.model().watch_machines()?;
    let id = ctx.watchers().add(from_state(watcher, |changes| StringsChanges { changes }))?;
    Ok(outcome(Ok((id, machines))))
}

async fn watch_start_times(ctx: Ctx, (): ()) -> Result<StringsWatchResult> {
    require_controller(&ctx)?;
    let (machines, watcher) = ctx.model().watch_agent_starts()?;
    let id = ctx.watchers().add(from_state(watcher, |changes| StringsChanges { changes }))?;
    Ok(outcome(Ok((id, machines))))
}

/// Machines without an instance whose failure was called passing.
async fn transient_errors(ctx: Ctx, (): ()) -> Result<StatusResults> {
    require_controller(&ctx)?;
    let model = ctx.model();
    let mut results = vec![];
    for machine in model.machines()?.iter().filter(|it| !it.id.is_container()) {
        let status = model.status(&StatusOf::Instance(machine.id.clone()))?;
        let failed = matches!(status.info.status, Status::ProvisioningError | Status::Error);
        let transient = status.info.data.get("transient").and_then(serde_json::Value::as_bool) == Some(true);
        if failed && transient && model.instance(&machine.id).is_err() {
            results.push(convert::status_result(machine.id.to_string(), machine.life, &status.info));
        }
    }
    Ok(StatusResults { results })
}

async fn life(ctx: Ctx, args: Entities) -> Result<LifeResults> {
    let one = async |tag: String| Ok(machine(&ctx, &tag)?.life.to_string());
    Ok(LifeResults::from_results(each(tags(args), one).await))
}

async fn instance_id(ctx: Ctx, args: Entities) -> Result<StringResults> {
    let one = async |tag: String| {
        let machine = machine(&ctx, &tag)?;
        Ok(ctx.model().instance(&machine.id)?.instance_id.clone())
    };
    Ok(StringResults::from_results(each(tags(args), one).await))
}

async fn status(ctx: Ctx, args: Entities) -> Result<StatusResults> {
    statuses(&ctx, args, StatusOf::Machine)
}

async fn instance_status(ctx: Ctx, args: Entities) -> Result<StatusResults> {
    statuses(&ctx, args, StatusOf::Instance)
}

fn statuses(ctx: &Ctx, args: Entities, of: fn(MachineId) -> StatusOf) -> Result<StatusResults> {
    let one = |tag: String| {
        let machine = machine(ctx, &tag)?;
        let status = ctx.model().status(&of(machine.id.clone()))?;
        Ok(convert::status_result(machine.id.to_string(), machine.life, &status.info))
    };
    let turn = |result: Result<StatusResult>| {
        result.unwrap_or_else(|err| StatusResult { error: Some(err.into()), ..StatusResult::default() })
    };
    Ok(StatusResults { results: tags(args).map(|tag| turn(one(tag))).collect() })
}

async fn set_status(ctx: Ctx, args: SetStatus) -> Result<ErrorResults> {
    let one = async |it: EntityStatusArgs| {
        let id = caller::machine(&ctx, &it.tag)?;
        Ok(ctx.model().set_machine_status(&id, &convert::new_status(&it)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}

async fn set_instance_status(ctx: Ctx, args: SetStatus) -> Result<ErrorResults> {
    let one = async |it: EntityStatusArgs| {
        let id = caller::machine(&ctx, &it.tag)?;
        Ok(ctx.model().set_instance_status(&id, &convert::new_status(&it)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}

async fn keep_instance(ctx: Ctx, args: Entities) -> Result<BoolResults> {
    let one = |tag: String| {
        let machine = machine(&ctx, &tag)?;
        // One that never was needs no keeping.
        Ok(ctx.model().instance(&machine.id).is_ok_and(|it| it.keep))
    };
    let turn = |result: Result<bool>| match result {
        Ok(result) => BoolResult { result, error: None },
        Err(err) => BoolResult { result: false, error: Some(err.into()) },
    };
    Ok(BoolResults { results: tags(args).map(|tag| turn(one(tag))).collect() })
}

impl FromOutcome<params::Constraints> for ConstraintsResult {
    fn value(constraints: params::Constraints) -> Self {
        ConstraintsResult { constraints, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ConstraintsResult { error: Some(error), ..Default::default() }
    }
}

async fn machine_constraints(ctx: Ctx, args: Entities) -> Result<ConstraintsResults> {
    let one = async |tag: String| {
        let machine = machine(&ctx, &tag)?;
        Ok(convert::constraints_to_wire(&ctx.model().constraints(constraints::Of::Machine(&machine.id))?))
    };
    Ok(ConstraintsResults { results: each(tags(args), one).await })
}

impl FromOutcome<ProvisioningInfo> for ProvisioningInfoResult {
    fn value(result: ProvisioningInfo) -> Self {
        ProvisioningInfoResult { result, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ProvisioningInfoResult { error: Some(error), ..Default::default() }
    }
}

async fn provisioning_info(ctx: Ctx, args: Entities) -> Result<ProvisioningInfoResults> {
    let one = async |tag: String| {
        let machine = machine(&ctx, &tag)?;
        let constraints = ctx.model().constraints(constraints::Of::Machine(&machine.id))?;
        Ok(ProvisioningInfo {
            base: convert::base_to_wire(&machine.base),
            constraints: convert::constraints_to_wire(&constraints),
            jobs: machine.jobs.iter().map(|it| it.as_str().to_owned()).collect(),
            placement: machine.placement.clone(),
            controller_config: ctx.state().controller_config()?.values().clone().into_iter().collect(),
            ..ProvisioningInfo::default()
        })
    };
    Ok(ProvisioningInfoResults { results: each(tags(args), one).await })
}

async fn set_passwords(ctx: Ctx, args: EntityPasswords) -> Result<ErrorResults> {
    let one = async |it: EntityPassword| {
        let id = caller::machine(&ctx, &it.tag)?;
        Ok(ctx.model().set_agent_password(&Agent::Machine(id), &it.password).await?)
    };
    Ok(ErrorResults::from_results(each(args.changes, one).await))
}

async fn set_instance_info(ctx: Ctx, args: InstancesInfo) -> Result<ErrorResults> {
    let one = async |it: InstanceInfo| {
        let id = caller::machine(&ctx, &it.tag)?;
        let new = NewInstance {
            instance_id: it.instance_id,
            display_name: it.display_name,
            nonce: it.nonce,
            hardware: hardware(it.characteristics),
            charm_profiles: it.charm_profiles,
            addresses: convert::network_addresses(&it.network_config)?,
        };
        Ok(ctx.model().set_instance(&id, &new).await?)
    };
    Ok(ErrorResults::from_results(each(args.machines, one).await))
}

fn hardware(it: HardwareCharacteristics) -> Hardware {
    let text = |it: String| Some(it).filter(|it| !it.is_empty());
    let number = |it: Option<i64>| it.and_then(|it| u64::try_from(it).ok());
    Hardware {
        arch: text(it.arch),
        mem: number(it.mem),
        root_disk: number(it.root_disk),
        root_disk_source: text(it.root_disk_source),
        cores: number(it.cpu_cores),
        cpu_power: number(it.cpu_power),
        tags: Some(it.tags).filter(|it| !it.is_empty()),
        availability_zone: text(it.availability_zone),
        virt_type: text(it.virt_type),
    }
}

async fn ensure_dead(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one = async |tag: String| {
        let id = caller::machine(&ctx, &tag)?;
        Ok(ctx.model().ensure_machine_dead(&id).await?)
    };
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

async fn mark_for_removal(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one = async |tag: String| {
        let id = caller::machine(&ctx, &tag)?;
        Ok(ctx.model().mark_machines_for_removal(&[id]).await?)
    };
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

async fn remove(ctx: Ctx, args: Entities) -> Result<ErrorResults> {
    let one = async |tag: String| {
        let id = caller::machine(&ctx, &tag)?;
        Ok(ctx.model().remove_machine(&id).await?)
    };
    Ok(ErrorResults::from_results(each(tags(args), one).await))
}

async fn set_supported_containers(ctx: Ctx, args: MachineContainersParams) -> Result<ErrorResults> {
    let one = async |it: MachineContainers| {
        let id = caller::machine(&ctx, &it.machine_tag)?;
        Ok(ctx.model().set_supported_containers(&id, &it.container_types).await?)
    };
    Ok(ErrorResults::from_results(each(args.params, one).await))
}

async fn ca_cert(ctx: Ctx, (): ()) -> Result<BytesResult> {
    use base64::Engine as _;
    let cert = &ctx.state().controller()?.ca_cert;
    Ok(BytesResult { result: base64::engine::general_purpose::STANDARD.encode(cert) })
}

async fn model_uuid(ctx: Ctx, (): ()) -> Result<StringResult> {
    Ok(outcome(Ok(ctx.model_uuid().to_string())))
}

fn machine(ctx: &Ctx, tag: &str) -> Result<std::sync::Arc<MachineDoc>> {
    let id = caller::machine(ctx, tag)?;
    Ok(ctx.model().machine(&id)?)
}
