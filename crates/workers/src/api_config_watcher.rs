//! `api-config-watcher`: ends when the configuration names other API servers (Juju 3.6 `worker/apiconfigwatcher`).

use juju_agent::conf::{AgentConf, ConfFile};
use juju_engine::Scope;

use crate::Ended;

pub async fn run(conf: ConfFile, scope: Scope) -> anyhow::Result<()> {
    let mut changes = conf.subscribe();
    let known = addresses(&conf.current());
    scope.publish(());
    loop {
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            changed = changes.changed() => changed?,
        }
        if addresses(&conf.current()) != known {
            return Err(Ended::AddressesChanged.into());
        }
    }
}

/// Their order says nothing.
fn addresses(conf: &AgentConf) -> Vec<String> {
    let mut addresses = conf.api_addresses.clone();
    addresses.sort();
    addresses
}
