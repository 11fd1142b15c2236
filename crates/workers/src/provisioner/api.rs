//! What a provisioner asks of its controller, one machine at a time.

use juju_agent::Secret;
use juju_core::{MachineId, Tag};
use juju_rpc::{Connection, Watcher};
use juju_wire::{
    Error, code,
    facade::provisioner::{self, call},
    params::{EntityPassword, EntityPasswords, EntityStatusArgs, SetStatus},
};

use super::decide::Seen;
use crate::results::{check, entity, is_gone, ok, only};

#[derive(Clone)]
pub(super) struct Api {
    connection: Connection,
}

/// At most so many machines are worked on at once, whatever the model's configuration says.
const MOST_WORKERS: i64 = 100;
const WORKERS: i64 = 16;

impl Api {
    pub(super) fn new(connection: Connection) -> Self {
        Api { connection }
    }

    pub(super) async fn watch_machines(&self) -> anyhow::Result<(Vec<String>, Watcher<Vec<String>>)> {
        let watch = self.connection.call::<call::WatchModelMachines>(()).await?;
        let changes = ok(watch.error, watch.changes)?;
        Ok((changes, self.connection.strings_watcher(watch.watcher_id)))
    }

    /// How many machines may be worked on at once.
    pub(super) async fn workers(&self) -> anyhow::Result<usize> {
        let reply = self.connection.call::<call::ModelConfig>(()).await?;
        let wanted = reply.config.get("num-provision-workers").and_then(serde_json::Value::as_i64);
        Ok(usize::try_from(wanted.unwrap_or(WORKERS).clamp(1, MOST_WORKERS))?)
    }

    /// What there is to know of the machine; none if it is gone.
    pub(super) async fn look(&self, machine: &MachineId) -> anyhow::Result<Option<Seen>> {
        let tag = tag(machine);
        let life = only(self.connection.call::<call::Life>(entity(&tag)).await?.results)?;
        let life = match ok(life.error, life.life) {
            Ok(life) => life,
            Err(err) if is_gone(&err.code) => return Ok(None),
            Err(err) => return Err(err.into()),
        };
        let instance = only(self.connection.call::<call::InstanceId>(entity(&tag)).await?.results)?;
        let instance = match ok(instance.error, instance.result) {
            Ok(id) => Some(id),
            Err(err) if err.code == code::NOT_PROVISIONED => None,
            Err(err) if is_gone(&err.code) => return Ok(None),
            Err(err) => return Err(err.into()),
        };
        let Some(status) = gone(status(self.connection.call::<call::Status>(entity(&tag)).await?))? else {
            return Ok(None);
        };
        let instance_status = self.connection.call::<call::InstanceStatus>(entity(&tag)).await?;
        let Some(instance_status) = gone(self::status(instance_status))? else { return Ok(None) };
        let keep = only(self.connection.call::<call::KeepInstance>(entity(&tag)).await?.results)?;
        let keep_instance = keep.error.is_none() && keep.result;
        Ok(Some(Seen { life, instance, status, instance_status, keep_instance }))
    }

    pub(super) async fn info(&self, machine: &MachineId) -> anyhow::Result<provisioner::ProvisioningInfo> {
        let result =
            only(self.connection.call::<call::ProvisioningInfo>(entity(&tag(machine))).await?.results)?;
        Ok(ok(result.error, result.result)?)
    }

    pub(super) async fn api_addresses(&self) -> anyhow::Result<Vec<String>> {
        let result = self.connection.call::<call::APIAddresses>(()).await?;
        Ok(ok(result.error, result.result)?)
    }

    pub(super) async fn ca_cert(&self) -> anyhow::Result<String> {
        use base64::Engine as _;
        let reply = self.connection.call::<call::CACert>(()).await?;
        let bytes = base64::engine::general_purpose::STANDARD.decode(reply.result)?;
        Ok(String::from_utf8(bytes)?)
    }

    pub(super) async fn set_password(&self, machine: &MachineId, password: &Secret) -> anyhow::Result<()> {
        let change = EntityPassword { tag: tag(machine), password: password.expose().to_owned() };
        check(self.connection.call::<call::SetPasswords>(EntityPasswords { changes: vec![change] }).await?)
    }

    pub(super) async fn set_instance_status(
        &self,
        machine: &MachineId,
        status: &str,
        info: &str,
    ) -> anyhow::Result<()> {
        let args = SetStatus { entities: vec![status_args(machine, status, info, false)] };
        check(self.connection.call::<call::SetInstanceStatus>(args).await?)
    }

    /// The machine will not start by itself: said of the instance and, so that everybody sees it, of the machine.
    pub(super) async fn set_failed(
        &self,
        machine: &MachineId,
        why: &str,
        transient: bool,
    ) -> anyhow::Result<()> {
        let args = SetStatus { entities: vec![status_args(machine, "provisioning error", why, transient)] };
        check(self.connection.call::<call::SetInstanceStatus>(args).await?)?;
        let args = SetStatus { entities: vec![status_args(machine, "error", why, transient)] };
        check(self.connection.call::<call::SetStatus>(args).await?)
    }

    pub(super) async fn set_instance(&self, info: provisioner::InstanceInfo) -> anyhow::Result<()> {
        check(
            self.connection
                .call::<call::SetInstanceInfo>(provisioner::InstancesInfo { machines: vec![info] })
                .await?,
        )
    }

    pub(super) async fn ensure_dead(&self, machine: &MachineId) -> anyhow::Result<()> {
        forgiving(check(self.connection.call::<call::EnsureDead>(entity(&tag(machine))).await?))
    }

    pub(super) async fn mark_for_removal(&self, machine: &MachineId) -> anyhow::Result<()> {
        forgiving(check(self.connection.call::<call::MarkMachinesForRemoval>(entity(&tag(machine))).await?))
    }

    /// Machines whose start failed for a reason that may have passed.
    pub(super) async fn transient_errors(&self) -> anyhow::Result<Vec<String>> {
        let results = self.connection.call::<call::MachinesWithTransientErrors>(()).await?.results;
        Ok(results.into_iter().filter(|it| it.error.is_none()).map(|it| it.id).collect())
    }
}

pub(super) fn tag(machine: &MachineId) -> String {
    Tag::from(machine.clone()).to_string()
}

fn status(results: juju_wire::params::StatusResults) -> anyhow::Result<Result<String, Error>> {
    let result = only(results.results)?;
    Ok(ok(result.error, result.status))
}

/// None if the entity went in the middle.
fn gone<T>(result: anyhow::Result<Result<T, Error>>) -> anyhow::Result<Option<T>> {
    match result? {
        Ok(it) => Ok(Some(it)),
        Err(err) if is_gone(&err.code) => Ok(None),
        Err(err) => Err(err.into()),
    }
}

/// What is gone needs nothing done to it.
fn forgiving(result: anyhow::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(err) if err.downcast_ref::<Error>().is_some_and(|it| is_gone(&it.code)) => Ok(()),
        other => other,
    }
}

fn status_args(machine: &MachineId, status: &str, info: &str, transient: bool) -> EntityStatusArgs {
    let data = match transient {
        true => [("transient".to_owned(), serde_json::Value::Bool(true))].into(),
        false => Default::default(),
    };
    EntityStatusArgs { tag: tag(machine), status: status.to_owned(), info: info.to_owned(), data }
}
