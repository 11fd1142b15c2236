//! How a unit agent learns where its unit is.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use juju_agent::files::{self, FileError};
use juju_wire::code;
use tokio_util::sync::CancellationToken;

use super::{Inputs, Uniter, UniterError};
use crate::{
    api::Api,
    charm::Deployer,
    context::Services,
    link::ApiError,
    operation::{Executor, Facts, Saved, hook},
    process,
    remote::Life,
    resolver::{LocalState, Memory},
    retry::Backoff,
    state::State,
    tools,
    unit::Config,
};

impl Uniter {
    /// Learns where the unit is. Nothing if it is dead.
    pub(super) async fn start(
        config: Arc<Config>,
        api: Api,
        inputs: Inputs,
        stop: CancellationToken,
    ) -> Result<Option<Self>, UniterError> {
        let unit = match api.refresh().await {
            Ok(unit) => unit,
            Err(err) if err.is_gone() => return Ok(None),
            Err(err) => return Err(UniterError::Start(err)),
        };
        if unit.life == Life::Dead.as_str() {
            return Ok(None);
        }
        let tag = api.unit_tag();
        let files = |err: anyhow::Error| UniterError::Files(err);
        let mark = hook::mark(&config.paths.unit_state_dir(&tag));
        let deployer = Deployer::new(&config.paths, &tag, config.charms.clone());
        deployer.prepare().map_err(|err| files(err.into()))?;
        let killed = process::end_leftovers(&mark).await.map_err(|err| files(err.into()))?;
        if killed > 0 {
            tracing::warn!("ended {killed} processes of a hook that an earlier agent has left running");
        }
        let links = config.paths.agent_tools(&tag);
        tools::make_links(&links).map_err(|err| files(err.into()))?;
        let rebooted = first_start_after_boot(&config.paths.reboot_monitor_dir(), &tag)
            .map_err(|err| files(err.into()))?;

        say_initialising(&api).await.map_err(UniterError::Start)?;
        let facts = learn(&api).await.map_err(UniterError::Start)?;
        let saved = api.state().await.map_err(UniterError::Start)?;
        let text = saved.uniter_state.unwrap_or_default();
        let state = match text.as_str() {
            "" => State::new(api.charm_url().await.map_err(UniterError::Start)?.0),
            text => State::parse(text)?,
        };
        let services = Services {
            api: api.clone(),
            leadership: inputs.leadership,
            log: config.log.clone(),
            machine: facts.machine.clone(),
            caches: Default::default(),
        };
        let principal = crate::names::application_of(&facts.principal).map(str::to_owned);
        let local = LocalState {
            unit: api.unit().to_owned(),
            memory: Memory { rebooted: rebooted && state.started, ..Memory::default() },
            state,
            relations: BTreeMap::new(),
            principal_application: principal,
        };
        let executor = Executor {
            lock: config.lock.clone(),
            config,
            api,
            services,
            facts,
            deployer,
            local,
            saved: Saved { state: text, relations: saved.relation_state.unwrap_or_default() },
            status: None,
            stop,
        };
        let (report, strategy) = (inputs.report, inputs.strategy);
        Ok(Some(Uniter {
            executor,
            report,
            strategy,
            backoff: Backoff::default(),
            retry_at: None,
            retries: 0,
        }))
    }
}

/// What a new unit says until its charm speaks.
async fn say_initialising(api: &Api) -> Result<(), ApiError> {
    let status = api.unit_status().await?;
    let fresh = ["waiting for machine", "installing agent"].contains(&status.info.as_str());
    if status.status == "waiting" && fresh {
        api.set_unit_status("waiting", "agent initialising").await?;
    }
    Ok(())
}

async fn learn(api: &Api) -> Result<Facts, ApiError> {
    let (model, machine, zone, principal) = tokio::try_join!(
        api.current_model(),
        api.assigned_machine(),
        optional(api.availability_zone()),
        api.principal(),
    )?;
    let (sla, cloud_api_version) =
        tokio::try_join!(optional(api.sla_level()), optional(api.cloud_api_version()))?;
    Ok(Facts {
        model_name: model.name,
        model_uuid: model.uuid,
        machine,
        availability_zone: zone,
        principal: principal.unwrap_or_default(),
        sla,
        cloud_api_version,
    })
}

/// What a controller may not know: then it is empty.
async fn optional(call: impl Future<Output = Result<String, ApiError>>) -> Result<String, ApiError> {
    match call.await {
        Err(err) if [code::NOT_IMPLEMENTED, code::NOT_PROVISIONED, code::NOT_FOUND].contains(&err.code()) => {
            Ok(String::new())
        }
        other => other,
    }
}

/// Whether this is the unit's first start since the machine's: the flag is in a directory that a reboot empties.
fn first_start_after_boot(dir: &Path, tag: &str) -> Result<bool, FileError> {
    let flag = dir.join(tag);
    if flag.exists() {
        return Ok(false);
    }
    files::create_dir_all(dir, 0o755)?;
    std::fs::write(&flag, "").map_err(|err| FileError::new("write", &flag, err))?;
    Ok(true)
}
