//! `migration-inactive-flag`: true while the model is not migrating (Juju 3.6 `worker/migrationflag`).

use juju_engine::{Flag, Scope, flag};
use juju_rpc::Connection;
use juju_wire::facade::migration_flag;

use crate::results::{entity, ok, only};

/// Phases in which no migration is under way.
const TERMINAL: [&str; 5] = ["UNKNOWN", "NONE", "REAPFAILED", "DONE", "ABORTDONE"];

pub async fn run(model_tag: String, api: Connection, scope: Scope<Flag>) -> anyhow::Result<()> {
    let results = api.call::<migration_flag::call::Watch>(entity(&model_tag)).await?;
    let watch = only(results.results)?;
    let mut watcher = api.notify_watcher(ok(watch.error, watch.notify_watcher_id)?);
    loop {
        flag::set(&scope, inactive(&model_tag, &api).await?);
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            next = watcher.next() => next?,
        }
    }
}

async fn inactive(model_tag: &str, api: &Connection) -> anyhow::Result<bool> {
    let result = only(api.call::<migration_flag::call::Phase>(entity(model_tag)).await?.results)?;
    Ok(TERMINAL.contains(&ok(result.error, result.phase)?.as_str()))
}
