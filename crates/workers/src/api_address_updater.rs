//! `api-address-updater`: keeps the API servers' addresses in the configuration (Juju 3.6 `worker/apiaddressupdater`).

use juju_agent::conf::ConfFile;
use juju_engine::Scope;
use juju_rpc::Connection;
use juju_wire::{facade::machiner, params::HostPort};

use crate::{network, results::ok};

pub async fn run(conf: ConfFile, api: Connection, scope: Scope) -> anyhow::Result<()> {
    let watch = api.call::<machiner::call::WatchAPIHostPorts>(()).await?;
    let id = ok(watch.error, watch.notify_watcher_id)?;
    let mut watcher = api.notify_watcher(id);
    scope.publish(());
    loop {
        let reply = api.call::<machiner::call::APIHostPorts>(()).await?;
        let bridges = network::bridge_subnets(network::interfaces());
        let addresses = addresses(&reply.servers, &bridges);
        // An empty answer would cut the agent off, so the last good set stays.
        if !addresses.is_empty() {
            scope.set_report(serde_json::json!({ "servers": addresses }));
            conf.update(|conf| conf.api_addresses = addresses).await?;
        }
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            next = watcher.next() => next?,
        }
    }
}

/// `host:port` of each address that is not inside a bridge of this host's own containers.
fn addresses(servers: &[Vec<HostPort>], bridges: &[ipnet::IpNet]) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    for address in servers.iter().flatten() {
        let inside =
            address.value.parse().is_ok_and(|ip: std::net::IpAddr| bridges.iter().any(|it| it.contains(&ip)));
        let text = match address.type_.as_str() {
            "ipv6" => format!("[{}]:{}", address.value, address.port),
            _ => format!("{}:{}", address.value, address.port),
        };
        if !inside && !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_container_bridges_are_left_out() {
        let at = |value: &str, type_: &str| HostPort {
            value: value.into(),
            type_: type_.into(),
            port: 17070,
            ..HostPort::default()
        };
        let servers = vec![
            vec![at("10.0.0.5", "ipv4"), at("10.9.1.1", "ipv4"), at("fd00::5", "ipv6")],
            vec![at("10.0.0.5", "ipv4")],
        ];
        let bridges = ["10.9.1.0/24".parse().unwrap()];
        assert_eq!(addresses(&servers, &bridges), ["10.0.0.5:17070", "[fd00::5]:17070"]);
        assert!(addresses(&[], &bridges).is_empty());
    }
}
