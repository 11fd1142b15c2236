//! Addresses.

use juju_core::{Address, network::Scope};
use juju_wire::params;

use crate::{Error, Result, host_port};

/// An address as an agent or a provider reports it.
pub(crate) fn address_from_wire(it: &params::Address) -> Result<Address> {
    let scope = it.scope.parse::<Scope>().map_err(Error::not_valid)?;
    let mut address = Address::new(&it.value).with_scope(scope);
    address.cidr = Some(it.cidr.clone()).filter(|it| !it.is_empty());
    Ok(address)
}

/// The space that everything is in goes without saying.
pub(crate) fn address_to_wire(it: &Address) -> params::Address {
    params::Address {
        value: it.value.clone(),
        type_: it.kind.as_str().to_owned(),
        scope: it.scope.as_str().to_owned(),
        cidr: it.cidr.clone().unwrap_or_default(),
        ..params::Address::default()
    }
}

/// The addresses among a machine's network devices; those of loopback devices are the machine's own business.
pub(crate) fn network_addresses(config: &[params::NetworkConfig]) -> Result<Vec<Address>> {
    let all = config.iter().filter(|it| it.config_type != "loopback").flat_map(|it| &it.addresses);
    all.map(address_from_wire).collect()
}

/// API servers as they travel.
pub(crate) fn host_ports(servers: &[Vec<juju_core::HostPort>]) -> Vec<Vec<params::HostPort>> {
    servers.iter().map(|server| server.iter().map(host_port).collect()).collect()
}
