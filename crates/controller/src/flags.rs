//! Flags of a model's engine: whether this controller is responsible for it, and whether it lives (Juju 3.6
//! `worker/singular`, `worker/lifeflag`).

use std::time::Duration;

use juju_core::Life;
use juju_engine::{Flag, Scope, flag};
use juju_state::{
    Error, Model,
    lease::{BootTime, LeaseId, LeaseManager},
};
use tokio::time::sleep;

/// The lease's length; it is renewed halfway.
const RESPONSIBILITY: Duration = Duration::from_secs(60);

/// Every model is run by one controller at a time: the one that holds its lease.
pub async fn responsible(
    model: Model,
    leases: LeaseManager,
    me: String,
    now: impl Fn() -> BootTime + Send + Sync,
    scope: Scope<Flag>,
) -> anyhow::Result<()> {
    let lease = LeaseId::singular(model.uuid(), model.uuid().to_string());
    loop {
        match leases.claim(&lease, &me, RESPONSIBILITY, now()).await {
            Ok(()) => {
                flag::set(&scope, true);
                tokio::select! {
                    () = scope.cancelled() => return Ok(()),
                    () = sleep(RESPONSIBILITY / 2) => {}
                }
            }
            Err(Error::LeaseClaimDenied) => {
                flag::set(&scope, false);
                tokio::select! {
                    () = scope.cancelled() => return Ok(()),
                    released = leases.released(&lease) => released?,
                }
            }
            Err(err) => return Err(err.into()),
        }
    }
}

/// The model was removed; its engine ends.
#[derive(Debug, thiserror::Error)]
#[error("model removed")]
pub struct ModelRemoved;

/// True while the model's life is as wanted.
pub async fn life(model: Model, wanted: fn(Life) -> bool, scope: Scope<Flag>) -> anyhow::Result<()> {
    let mut watcher = model.watch()?;
    loop {
        let life = match model.doc() {
            Ok(doc) => doc.life,
            Err(err) if err.is_not_found() => return Err(ModelRemoved.into()),
            Err(err) => return Err(err.into()),
        };
        flag::set(&scope, wanted(life));
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            changed = watcher.next() => changed?,
        }
    }
}
