//! `Agent`: what every agent asks of its controller (Juju 3.6 `apiserver/facades/agent/agent`).

use juju_core::Tag;
use juju_state::agent::Agent;
use juju_wire::{
    facade::agent::{
        AgentGetEntitiesResult, AgentGetEntitiesResults, IsMasterResult, StateServingInfo, call,
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromResults as _, each, outcome, tags},
    from_state,
};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::GetEntities>(get_entities)
        .on::<call::SetPasswords>(set_passwords)
        .on::<call::ModelConfig>(model_config)
        .on::<call::WatchForModelConfigChanges>(watch_model_config)
        .on::<call::ControllerConfig>(controller_config)
        .on::<call::StateServingInfo>(state_serving_info)
        .on::<call::IsMaster>(is_master);
}

async fn get_entities(ctx: Ctx, args: Entities) -> Result<AgentGetEntitiesResults> {
    let one = |tag: String| {
        let model = ctx.model();
        match caller::own(&ctx, &tag)? {
            Tag::Machine(id) => {
                let machine = model.machine(&id)?;
                Ok(AgentGetEntitiesResult {
                    life: machine.life.to_string(),
                    jobs: machine.jobs.iter().map(|it| it.as_str().to_owned()).collect(),
                    container_type: id.container_type().unwrap_or_default().to_owned(),
                    error: None,
                })
            }
            Tag::Unit(name) => {
                let unit = model.unit(&name)?;
                Ok(AgentGetEntitiesResult { life: unit.life.to_string(), ..Default::default() })
            }
            _ => Err(Error::unauthorized()),
        }
    };
    let turn = |result: Result<AgentGetEntitiesResult>| {
        result.unwrap_or_else(|err| AgentGetEntitiesResult { error: Some(err.into()), ..Default::default() })
    };
    Ok(AgentGetEntitiesResults { entities: tags(args).map(|tag| turn(one(tag))).collect() })
}

/// An agent sets its own password at each of its starts, mostly the one it has.
async fn set_passwords(ctx: Ctx, args: EntityPasswords) -> Result<ErrorResults> {
    let one = async |it: EntityPassword| {
        let agent = agent(caller::own(&ctx, &it.tag)?)?;
        if ctx.model().agent_password_matches(&agent, &it.password)? {
            return Ok(());
        }
        Ok(ctx.model().set_agent_password(&agent, &it.password).await?)
    };
    Ok(ErrorResults::from_results(each(args.changes, one).await))
}

pub(super) fn agent(tag: Tag) -> Result<Agent> {
    match tag {
        Tag::Machine(id) => Ok(Agent::Machine(id)),
        Tag::Unit(name) => Ok(Agent::Unit(name)),
        _ => Err(Error::unauthorized()),
    }
}

pub(super) async fn model_config(ctx: Ctx, (): ()) -> Result<ModelConfigResult> {
    Ok(ModelConfigResult { config: ctx.model().config()?.values().into_iter().collect() })
}

pub(super) async fn watch_model_config(ctx: Ctx, (): ()) -> Result<NotifyWatchResult> {
    let watcher = ctx.model().watch_config()?;
    Ok(outcome(ctx.watchers().add(from_state(watcher, |()| ()))))
}

pub(super) async fn controller_config(ctx: Ctx, (): ()) -> Result<ControllerConfigResult> {
    Ok(ControllerConfigResult {
        config: ctx.state().controller_config()?.values().clone().into_iter().collect(),
    })
}

/// The controller's keys go to controllers alone.
async fn state_serving_info(ctx: Ctx, (): ()) -> Result<StateServingInfo> {
    if !ctx.entity().is_controller() {
        return Err(Error::unauthorized());
    }
    let serving = ctx.state().serving()?;
    Ok(StateServingInfo {
        api_port: serving.api_port.into(),
        cert: serving.cert.clone(),
        private_key: serving.key.clone(),
        ca_private_key: serving.ca_key.clone(),
        shared_secret: serving.shared_secret.clone(),
        system_identity: serving.system_identity.clone(),
        ..StateServingInfo::default()
    })
}

/// With one store there is one master: the controller that has it open.
async fn is_master(ctx: Ctx, (): ()) -> Result<IsMasterResult> {
    if !ctx.entity().is_controller() {
        return Err(Error::unauthorized());
    }
    Ok(IsMasterResult { master: true })
}
