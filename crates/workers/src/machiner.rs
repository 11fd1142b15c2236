//! `machiner`: tells the controller about the machine and sees it to its end (Juju 3.6 `worker/machiner`).

use std::net::IpAddr;

use juju_engine::Scope;
use juju_rpc::{CallError, Connection};
use juju_wire::{
    code,
    facade::{
        agent,
        machiner::{self, MachineAddresses, SetMachinesAddresses},
    },
    params::{EntityStatusArgs, SetMachineNetworkConfig, SetStatus},
};

use crate::{
    Ended, network,
    results::{check, entity, is_gone, ok, only},
};

/// What the worker is told of its machine.
#[derive(Clone, Debug)]
pub struct Config {
    /// The machine's tag.
    pub tag: String,
    /// Its own address where it shares its host's network (provider `local`).
    pub own_address: Option<IpAddr>,
    pub hostname: String,
}

pub async fn run(config: Config, api: Connection, scope: Scope) -> anyhow::Result<()> {
    let machine = Machine { config, api, scope: scope.clone() };
    let mut watcher = match machine.set_up().await? {
        Some(watcher) => watcher,
        None => return Err(Ended::MachineGone.into()),
    };
    scope.publish(());
    loop {
        machine.handle().await?;
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            next = watcher.next() => next?,
        }
    }
}

struct Machine {
    config: Config,
    api: Connection,
    scope: Scope,
}

impl Machine {
    /// Reports the machine as started; none if it is gone.
    async fn set_up(&self) -> anyhow::Result<Option<juju_rpc::Watcher<()>>> {
        let Some(life) = self.life().await? else { return Ok(None) };
        if life == "alive" {
            self.record_start().await?;
            if !self.ignores_addresses().await? {
                self.set_addresses().await?;
            }
            self.set_status("started", "").await?;
        }
        let results = self.api.call::<machiner::call::Watch>(entity(&self.config.tag)).await?;
        let watch = only(results.results)?;
        Ok(Some(self.api.notify_watcher(ok(watch.error, watch.notify_watcher_id)?)))
    }

    /// Looks at the machine again.
    async fn handle(&self) -> anyhow::Result<()> {
        let Some(life) = self.life().await? else { return Err(Ended::MachineGone.into()) };
        self.scope.set_report(serde_json::json!({ "machine": self.config.tag, "life": life }));
        if life == "alive" {
            return self.set_observed().await;
        }
        self.set_status("stopped", "").await?;
        let results = self.api.call::<machiner::call::EnsureDead>(entity(&self.config.tag)).await?;
        let Some(err) = only(results.results)?.error else { return Err(Ended::MachineGone.into()) };
        match err.code.as_str() {
            // The next change tells that they are gone.
            code::HAS_ASSIGNED_UNITS | code::MACHINE_HAS_ATTACHED_STORAGE | code::TRY_AGAIN => Ok(()),
            code::HAS_CONTAINERS => Err(err.into()),
            _ => {
                self.set_status("error", &format!("destroying machine: {}", err.message)).await?;
                Err(err.into())
            }
        }
    }

    async fn life(&self) -> anyhow::Result<Option<String>> {
        let results = self.api.call::<machiner::call::Life>(entity(&self.config.tag)).await;
        let result = match results {
            Err(CallError::Api(err)) if is_gone(&err.code) => return Ok(None),
            other => only(other?.results)?,
        };
        match ok(result.error, result.life) {
            Ok(life) => Ok(Some(life)),
            Err(err) if is_gone(&err.code) => Ok(None),
            Err(err) => Err(err.into()),
        }
    }

    async fn record_start(&self) -> anyhow::Result<()> {
        let arg = machiner::RecordAgentStartInformationArg {
            tag: self.config.tag.clone(),
            hostname: self.config.hostname.clone(),
        };
        let args = machiner::RecordAgentStartInformationArgs { args: vec![arg] };
        check(self.api.call::<machiner::call::RecordAgentStartInformation>(args).await?)
    }

    async fn ignores_addresses(&self) -> anyhow::Result<bool> {
        let config = self.api.call::<agent::call::ModelConfig>(()).await?.config;
        Ok(config.get("ignore-machine-addresses").and_then(serde_json::Value::as_bool).unwrap_or(false))
    }

    async fn set_addresses(&self) -> anyhow::Result<()> {
        let addresses = network::machine_addresses(&network::interfaces(), self.config.own_address);
        if addresses.is_empty() {
            return Ok(());
        }
        let one = MachineAddresses { tag: self.config.tag.clone(), addresses };
        let args = SetMachinesAddresses { machine_addresses: vec![one] };
        check(self.api.call::<machiner::call::SetMachineAddresses>(args).await?)
    }

    async fn set_observed(&self) -> anyhow::Result<()> {
        let config = network::observed(&network::interfaces(), self.config.own_address);
        if config.is_empty() {
            return Ok(());
        }
        let args = SetMachineNetworkConfig { tag: self.config.tag.clone(), config };
        Ok(self.api.call::<machiner::call::SetObservedNetworkConfig>(args).await?)
    }

    async fn set_status(&self, status: &str, info: &str) -> anyhow::Result<()> {
        let one = EntityStatusArgs {
            tag: self.config.tag.clone(),
            status: status.to_owned(),
            info: info.to_owned(),
            data: Default::default(),
        };
        check(self.api.call::<machiner::call::SetStatus>(SetStatus { entities: vec![one] }).await?)
    }
}
