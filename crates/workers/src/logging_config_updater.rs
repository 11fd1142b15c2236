//! `logging-config-updater`: follows the model's `logging-config` (Juju 3.6 `worker/logger`).

use std::sync::Arc;

use juju_agent::conf::ConfFile;
use juju_engine::Scope;
use juju_rpc::Connection;
use juju_wire::facade::logger;

use crate::results::{entity, ok, only};

/// The value of agent.conf that holds against what the controller says.
const OVERRIDE: &str = "LOGGING_OVERRIDE";

/// Applies a logging configuration such as `<root>=INFO;juju.worker=DEBUG`.
pub type Apply = Arc<dyn Fn(&str) + Send + Sync>;

pub async fn run(conf: ConfFile, api: Connection, apply: Apply, scope: Scope) -> anyhow::Result<()> {
    let tag = conf.current().tag.clone();
    let results = api.call::<logger::call::WatchLoggingConfig>(entity(&tag)).await?;
    let watch = only(results.results)?;
    let mut watcher = api.notify_watcher(ok(watch.error, watch.notify_watcher_id)?);
    scope.publish(());
    loop {
        match wanted(&conf, &api, &tag).await {
            Ok(config) if config != conf.current().logging_config => {
                tracing::debug!(
                    "reconfiguring logging from {:?} to {config:?}",
                    conf.current().logging_config
                );
                apply(&config);
                conf.update(|conf| conf.logging_config = config).await?;
            }
            Ok(_) => {}
            // What is in force stays so; the next change asks again.
            Err(err) => tracing::error!("cannot read the logging configuration: {err:#}"),
        }
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            next = watcher.next() => next?,
        }
    }
}

async fn wanted(conf: &ConfFile, api: &Connection, tag: &str) -> anyhow::Result<String> {
    let current = conf.current();
    let forced = current.value(OVERRIDE);
    if !forced.is_empty() {
        return Ok(forced.to_owned());
    }
    let result = only(api.call::<logger::call::LoggingConfig>(entity(tag)).await?.results)?;
    Ok(ok(result.error, result.result)?)
}
