//! Types about network that several facades share.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use super::*;

/// Result of `Deployer.APIHostPorts`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct APIHostPortsResult {
    pub servers: Vec<Vec<HostPort>>,
}

/// Part of [`AddMachineParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct Address {
    #[wire(omit)]
    pub cidr: String,
    #[wire(omit)]
    pub config_type: String,
    #[wire(omit)]
    pub is_secondary: bool,
    pub scope: String,
    #[wire(omit)]
    pub space_id: String,
    #[wire(omit)]
    pub space_name: String,
    pub type_: String,
    pub value: String,
}

/// Part of [`LoginResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct HostPort {
    #[wire(omit)]
    pub cidr: String,
    #[wire(omit)]
    pub config_type: String,
    #[wire(omit)]
    pub is_secondary: bool,
    pub port: i64,
    pub scope: String,
    #[wire(omit)]
    pub space_id: String,
    #[wire(omit)]
    pub space_name: String,
    pub type_: String,
    pub value: String,
}

/// Part of [`SetMachineNetworkConfig`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NetworkConfig {
    #[wire(omit)]
    pub address: String,
    #[wire(omit)]
    pub addresses: Vec<Address>,
    pub cidr: String,
    #[wire(omit)]
    pub config_type: String,
    pub device_index: i64,
    pub disabled: bool,
    #[wire(omit)]
    pub dns_search_domains: Vec<String>,
    #[wire(omit)]
    pub dns_servers: Vec<String>,
    #[wire(omit)]
    pub gateway_address: String,
    pub interface_name: String,
    pub interface_type: String,
    #[wire(omit)]
    pub is_default_gateway: bool,
    pub mac_address: String,
    pub mtu: i64,
    #[wire(omit)]
    pub no_auto_start: bool,
    #[wire(omit)]
    pub origin: String,
    pub parent_interface_name: String,
    pub provider_address_id: String,
    pub provider_id: String,
    pub provider_network_id: String,
    pub provider_space_id: String,
    pub provider_subnet_id: String,
    pub provider_vlan_id: String,
    #[wire(omit)]
    pub routes: Vec<NetworkRoute>,
    #[wire(omit)]
    pub shadow_addresses: Vec<Address>,
    #[wire(omit)]
    pub virtual_port_type: String,
    pub vlan_tag: i64,
}

/// Part of [`NetworkConfig`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct NetworkRoute {
    pub destination_cidr: String,
    pub gateway_ip: String,
    pub metric: i64,
}

/// Parameters of `Machiner.SetObservedNetworkConfig`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct SetMachineNetworkConfig {
    pub config: Vec<NetworkConfig>,
    pub tag: String,
}
