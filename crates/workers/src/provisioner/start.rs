//! The start of one machine's instance, with its retries.

use std::time::Duration;

use juju_agent::{conf::NewAgent, passwords};
use juju_core::{Base, MachineId};
use juju_provider::{Hardware, ProviderError, StartInstance, Started};
use juju_wire::{
    facade::provisioner::{InstanceInfo, ProvisioningInfo},
    params::HardwareCharacteristics,
};
use tokio::time::sleep;

use super::{Shared, api};

/// One try and so many more (Juju 3.6 `worker/provisioner`).
const RETRIES: u32 = 10;
const RETRY_DELAY: Duration = Duration::from_secs(10);

pub(super) async fn start(shared: &Shared, machine: &MachineId) -> anyhow::Result<()> {
    shared.api.set_instance_status(machine, "allocating", "starting").await?;
    let info = shared.api.info(machine).await?;
    let mut left = RETRIES;
    loop {
        let (start, nonce) = prepare(shared, machine, &info).await?;
        let why = match shared.provider.start_instance(start).await {
            Ok(started) => return record(shared, machine, started, nonce).await,
            Err(err) => err,
        };
        let text = chain(&why);
        let refused = matches!(why, ProviderError::Refused { .. });
        if refused || left == 0 {
            tracing::error!("cannot start instance for machine {machine}: {text}");
            return shared.api.set_failed(machine, &text, !refused).await;
        }
        let seconds = RETRY_DELAY.as_secs();
        let message = format!(
            "failed to start machine {machine} ({text}), retrying in {seconds}s ({left} more attempts)"
        );
        tracing::warn!("{message}");
        shared.api.set_instance_status(machine, "allocating", &message).await?;
        left -= 1;
        sleep(RETRY_DELAY).await;
        // It may have been told to go meanwhile; then there is nothing to start.
        match shared.api.look(machine).await? {
            Some(seen) if seen.life == "alive" => {}
            _ => return Ok(()),
        }
    }
}

/// A password and a nonce that only the new instance will have.
async fn prepare(
    shared: &Shared,
    machine: &MachineId,
    info: &ProvisioningInfo,
) -> anyhow::Result<(StartInstance, String)> {
    let password = passwords::random();
    shared.api.set_password(machine, &password).await?;
    let nonce = format!("{}:{}", shared.config.agent_tag, uuid::Uuid::new_v4());
    let agent = NewAgent {
        tag: api::tag(machine),
        nonce: nonce.clone(),
        jobs: info.jobs.clone(),
        version: juju_core::version::CURRENT.to_string(),
        controller: shared.config.controller.clone(),
        model: shared.config.model.clone(),
        ca_cert: shared.api.ca_cert().await?,
        api_addresses: shared.api.api_addresses().await?,
        password,
    };
    let base = Base::from_parts(&info.base.name, &info.base.channel)?;
    let start = StartInstance {
        machine: machine.clone(),
        agent,
        serving: None,
        tools: shared.config.tools.clone(),
        base: base.unwrap_or_else(|| Base::ubuntu("24.04")),
        constraints: constraints(&info.constraints),
        values: Default::default(),
    };
    Ok((start, nonce))
}

async fn record(shared: &Shared, machine: &MachineId, started: Started, nonce: String) -> anyhow::Result<()> {
    let info = InstanceInfo {
        tag: api::tag(machine),
        instance_id: started.id.to_string(),
        nonce,
        characteristics: hardware(&started.hardware),
        ..InstanceInfo::default()
    };
    let recorded = shared.api.set_instance(info).await;
    if let Err(err) = recorded {
        // Nobody would know of it.
        if let Err(left) = shared.provider.stop_instances(std::slice::from_ref(&started.id)).await {
            tracing::error!(
                "instance {} of machine {machine} was started in vain and stays: {left}",
                started.id
            );
        }
        return Err(err.context("cannot register instance"));
    }
    tracing::info!("started machine {machine} as instance {}", started.id);
    shared.api.set_instance_status(machine, "running", "").await
}

fn hardware(hardware: &Hardware) -> HardwareCharacteristics {
    let number = |it: Option<u64>| it.and_then(|it| i64::try_from(it).ok());
    HardwareCharacteristics {
        arch: hardware.arch.to_string(),
        availability_zone: hardware.availability_zone.clone().unwrap_or_default(),
        cpu_cores: number(hardware.cores),
        mem: number(hardware.mem_mib),
        root_disk: number(hardware.root_disk_mib),
        ..HardwareCharacteristics::default()
    }
}

fn constraints(wire: &juju_wire::params::Constraints) -> juju_core::Constraints {
    // The wire's names are those that constraints are written with.
    serde_json::to_value(wire).and_then(serde_json::from_value).unwrap_or_default()
}

/// The whole of an error, for a status: what is not said there is found by nobody.
fn chain(err: &ProviderError) -> String {
    let mut text = err.to_string();
    let mut source = std::error::Error::source(err);
    while let Some(it) = source {
        text = format!("{text}: {it}");
        source = it.source();
    }
    text
}
