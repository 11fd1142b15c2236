//! `deployer`: runs the units that are assigned to the machine (Juju 3.6 `worker/deployer`).

use std::{collections::BTreeSet, future::Future};

use juju_agent::{Secret, passwords};
use juju_engine::Scope;
use juju_rpc::{CallError, Connection};
use juju_wire::{
    facade::deployer,
    params::{EntityPassword, EntityPasswords, EntityStatusArgs, SetStatus},
};

use crate::results::{check, entity, is_gone, ok, only};

/// What runs units on this machine. A unit is named as in `mysql/0`.
pub trait Units: Clone + Send + Sync + 'static {
    /// The units that were deployed here, running or not.
    fn deployed(&self) -> BTreeSet<String>;
    /// Installs a unit's agent with its first password and starts it.
    fn deploy(&self, unit: &str, password: Secret) -> impl Future<Output = anyhow::Result<()>> + Send;
    /// Stops a unit's agent and removes what it left.
    fn recall(&self, unit: &str) -> impl Future<Output = anyhow::Result<()>> + Send;
}

pub async fn run<U: Units>(
    machine_tag: String,
    api: Connection,
    units: U,
    scope: Scope,
) -> anyhow::Result<()> {
    let results = api.call::<deployer::call::WatchUnits>(entity(&machine_tag)).await?;
    let watch = only(results.results)?;
    let first = ok(watch.error, watch.changes)?;
    let mut watcher = api.strings_watcher(watch.watcher_id);
    scope.publish(());
    let deployer = Deployer { api, units, scope: scope.clone() };
    // What was deployed before may have died while nobody looked.
    let mut changed: BTreeSet<String> = deployer.units.deployed();
    changed.extend(first);
    loop {
        for unit in changed {
            deployer.look_at(&unit).await?;
        }
        deployer.report();
        changed = tokio::select! {
            () = scope.cancelled() => return Ok(()),
            next = watcher.next() => next?.into_iter().collect(),
        };
    }
}

/// What is done about a unit.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Nothing,
    Deploy,
    Remove,
    /// Recall, then remove if the controller still knows it.
    Recall,
}

/// `life` is none if the unit is gone.
fn step(deployed: bool, life: Option<&str>) -> Step {
    match (deployed, life) {
        (true, None | Some("dead")) => Step::Recall,
        (true, _) => Step::Nothing,
        (false, None) => Step::Nothing,
        (false, Some("alive")) => Step::Deploy,
        (false, Some(_)) => Step::Remove,
    }
}

struct Deployer<U> {
    api: Connection,
    units: U,
    scope: Scope,
}

impl<U: Units> Deployer<U> {
    async fn look_at(&self, unit: &str) -> anyhow::Result<()> {
        let tag = tag(unit);
        let life = self.life(&tag).await?;
        match step(self.units.deployed().contains(unit), life.as_deref()) {
            Step::Nothing => Ok(()),
            Step::Deploy => self.deploy(unit, &tag).await,
            Step::Remove => self.remove(&tag).await,
            Step::Recall => {
                tracing::info!("recalling unit {unit:?}");
                self.units.recall(unit).await?;
                if life.is_some() { self.remove(&tag).await } else { Ok(()) }
            }
        }
    }

    async fn deploy(&self, unit: &str, tag: &str) -> anyhow::Result<()> {
        tracing::info!("deploying unit {unit:?}");
        let one = EntityStatusArgs {
            tag: tag.to_owned(),
            status: "waiting".to_owned(),
            info: "installing agent".to_owned(),
            data: Default::default(),
        };
        check(self.api.call::<deployer::call::SetStatus>(SetStatus { entities: vec![one] }).await?)?;
        let password = passwords::random();
        let change = EntityPassword { tag: tag.to_owned(), password: password.expose().to_owned() };
        let args = EntityPasswords { changes: vec![change] };
        check(self.api.call::<deployer::call::SetPasswords>(args).await?)?;
        self.units.deploy(unit, password).await
    }

    async fn remove(&self, tag: &str) -> anyhow::Result<()> {
        let result = only(self.api.call::<deployer::call::Remove>(entity(tag)).await?.results)?;
        match result.error {
            Some(err) if !is_gone(&err.code) => Err(err.into()),
            _ => Ok(()),
        }
    }

    async fn life(&self, tag: &str) -> anyhow::Result<Option<String>> {
        let result = match self.api.call::<deployer::call::Life>(entity(tag)).await {
            Err(CallError::Api(err)) if is_gone(&err.code) => return Ok(None),
            other => only(other?.results)?,
        };
        match ok(result.error, result.life) {
            Ok(life) => Ok(Some(life)),
            Err(err) if is_gone(&err.code) => Ok(None),
            Err(err) => Err(err.into()),
        }
    }

    fn report(&self) {
        self.scope.set_report(serde_json::json!({ "deployed": self.units.deployed() }));
    }
}

/// `mysql/0` as a tag.
fn tag(unit: &str) -> String {
    format!("unit-{}", unit.replace('/', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_follows_from_life_and_what_is_here() {
        for (deployed, life, expected) in [
            (false, Some("alive"), Step::Deploy),
            (false, Some("dying"), Step::Remove),
            (false, Some("dead"), Step::Remove),
            (false, None, Step::Nothing),
            (true, Some("alive"), Step::Nothing),
            (true, Some("dying"), Step::Nothing),
            (true, Some("dead"), Step::Recall),
            (true, None, Step::Recall),
        ] {
            assert_eq!(step(deployed, life), expected, "{deployed} {life:?}");
        }
    }

    #[test]
    fn tags_keep_dashes() {
        assert_eq!(tag("my-app/12"), "unit-my-app-12");
    }
}
