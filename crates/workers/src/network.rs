//! What a machine sees of its own network (Juju 3.6 `core/network` and `worker/machiner`).

use std::{
    collections::BTreeMap,
    fs,
    net::{IpAddr, Ipv4Addr},
};

use ipnet::IpNet;
use juju_wire::params::{Address, NetworkConfig};
use nix::{ifaddrs::getifaddrs, net::if_::InterfaceFlags, sys::socket::SockaddrStorage};

/// A network device with its addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    pub name: String,
    pub index: i64,
    pub mtu: i64,
    /// Lower case with colons; empty where there is none.
    pub mac: String,
    pub up: bool,
    pub loopback: bool,
    /// Juju's word: `ethernet`, `bridge`, `bond`, `802.1q`, `vxlan`, `loopback`.
    pub kind: &'static str,
    /// The bridge that this device is a port of.
    pub parent: String,
    pub addresses: Vec<IpNet>,
    /// The gateway of the default route, on the device that has it.
    pub gateway: Option<IpAddr>,
}

/// The bridges whose addresses only this host's own containers can reach.
const CONTAINER_BRIDGES: [&str; 2] = ["lxdbr0", "virbr0"];

/// The devices of this host, by index. A device that goes away while it is looked at is left out.
pub fn interfaces() -> Vec<Interface> {
    let mut found: BTreeMap<String, Interface> = BTreeMap::new();
    let gateways = default_routes(&fs::read_to_string("/proc/net/route").unwrap_or_default());
    for address in getifaddrs().into_iter().flatten() {
        let name = address.interface_name.clone();
        let interface = found.entry(name.clone()).or_insert_with(|| {
            let loopback = address.flags.contains(InterfaceFlags::IFF_LOOPBACK);
            Interface {
                index: number(&name, "ifindex"),
                mtu: number(&name, "mtu"),
                mac: read(&name, "address").filter(|_| !loopback).unwrap_or_default(),
                up: address.flags.contains(InterfaceFlags::IFF_UP),
                loopback,
                kind: kind(&name, loopback),
                parent: parent(&name),
                addresses: vec![],
                gateway: gateways.get(&name).copied(),
                name,
            }
        });
        if let (Some(ip), Some(mask)) = (address.address.and_then(ip), address.netmask.and_then(ip))
            && let Ok(net) = IpNet::with_netmask(ip, mask)
        {
            interface.addresses.push(net);
        }
    }
    let mut interfaces: Vec<_> = found.into_values().collect();
    interfaces.sort_by_key(|it| it.index);
    interfaces
}

/// The subnets of this host's container bridges.
pub fn bridge_subnets(interfaces: Vec<Interface>) -> Vec<IpNet> {
    let bridges = interfaces.into_iter().filter(|it| CONTAINER_BRIDGES.contains(&it.name.as_str()));
    bridges.flat_map(|it| it.addresses).map(|it| it.trunc()).collect()
}

/// What a machine tells the controller of its addresses: no link-local ones, none of its container bridges.
///
/// `own` is the one address that a machine has for itself where it shares its host's network (provider `local`).
pub fn machine_addresses(interfaces: &[Interface], own: Option<IpAddr>) -> Vec<Address> {
    if let Some(own) = own {
        return vec![Address { scope: "local-cloud".to_owned(), ..address(IpNet::from(own)) }];
    }
    let bridges = bridge_subnets(interfaces.to_vec());
    let all = interfaces.iter().flat_map(|it| it.addresses.iter().copied());
    all.filter(|it| !is_link_local(it.addr()) && !bridges.iter().any(|bridge| bridge.contains(&it.addr())))
        .map(address)
        .collect()
}

/// The devices as `SetObservedNetworkConfig` wants them.
pub fn observed(interfaces: &[Interface], own: Option<IpAddr>) -> Vec<NetworkConfig> {
    interfaces.iter().filter(|it| own.is_none() || it.loopback).map(|it| observed_one(it, own)).collect()
}

fn observed_one(interface: &Interface, own: Option<IpAddr>) -> NetworkConfig {
    let nets: Vec<IpNet> = match own {
        Some(own) => vec![IpNet::from(own)],
        None => interface.addresses.clone(),
    };
    let shown = nets.into_iter().filter(|it| !(it.addr().is_ipv6() && is_link_local(it.addr())));
    let config_type = match (interface.loopback, interface.addresses.is_empty()) {
        (true, _) if own.is_none() => "loopback",
        (_, false) => "static",
        _ => "manual",
    };
    let addresses: Vec<_> = shown
        .map(|it| {
            let scope = if own.is_some() { "local-cloud".to_owned() } else { scope(it.addr()).to_owned() };
            Address { config_type: config_type.to_owned(), scope, ..address(it) }
        })
        .collect();
    let first = addresses.first();
    NetworkConfig {
        device_index: interface.index,
        mac_address: interface.mac.clone(),
        mtu: interface.mtu,
        interface_name: interface.name.clone(),
        interface_type: interface.kind.to_owned(),
        parent_interface_name: interface.parent.clone(),
        disabled: !interface.up,
        no_auto_start: !interface.up,
        config_type: config_type.to_owned(),
        address: first.map(|it| it.value.clone()).unwrap_or_default(),
        cidr: first.map(|it| it.cidr.clone()).unwrap_or_default(),
        is_default_gateway: interface.gateway.is_some(),
        gateway_address: interface.gateway.map(|it| it.to_string()).unwrap_or_default(),
        origin: "machine".to_owned(),
        addresses,
        ..NetworkConfig::default()
    }
}

fn address(net: IpNet) -> Address {
    Address {
        value: net.addr().to_string(),
        cidr: net.trunc().to_string(),
        type_: if net.addr().is_ipv6() { "ipv6" } else { "ipv4" }.to_owned(),
        scope: scope(net.addr()).to_owned(),
        ..Address::default()
    }
}

/// The scope that Juju derives from an address itself.
fn scope(ip: IpAddr) -> &'static str {
    const PRIVATE_V6: u16 = 0xfc00;
    match ip {
        it if it.is_loopback() => "local-machine",
        it if is_link_local(it) => "link-local",
        IpAddr::V4(it) if it.is_private() => "local-cloud",
        // Fan addresses, as Juju draws them from the class E space.
        IpAddr::V4(it) if it.octets()[0] >= 240 => "local-fan",
        IpAddr::V6(it) if it.segments()[0] & 0xfe00 == PRIVATE_V6 => "local-cloud",
        _ => "public",
    }
}

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(it) => it.is_link_local(),
        IpAddr::V6(it) => it.segments()[0] & 0xffc0 == 0xfe80,
    }
}

fn ip(address: SockaddrStorage) -> Option<IpAddr> {
    if let Some(v4) = address.as_sockaddr_in() {
        return Some(v4.ip().into());
    }
    address.as_sockaddr_in6().map(|it| it.ip().into())
}

fn kind(name: &str, loopback: bool) -> &'static str {
    let has = |entry: &str| fs::exists(format!("/sys/class/net/{name}/{entry}")).unwrap_or(false);
    let vlan = || fs::exists(format!("/proc/net/vlan/{name}")).unwrap_or(false);
    match () {
        () if loopback => "loopback",
        () if has("bridge") => "bridge",
        () if has("bonding") => "bond",
        () if vlan() => "802.1q",
        () if read(name, "uevent").is_some_and(|it| it.lines().any(|line| line == "DEVTYPE=vxlan")) => {
            "vxlan"
        }
        () => "ethernet",
    }
}

fn parent(name: &str) -> String {
    let link = fs::read_link(format!("/sys/class/net/{name}/master")).ok();
    link.and_then(|it| it.file_name().map(|name| name.to_string_lossy().into_owned())).unwrap_or_default()
}

fn read(name: &str, entry: &str) -> Option<String> {
    Some(fs::read_to_string(format!("/sys/class/net/{name}/{entry}")).ok()?.trim().to_owned())
}

fn number(name: &str, entry: &str) -> i64 {
    read(name, entry).and_then(|it| it.parse().ok()).unwrap_or_default()
}

/// Device to gateway of each default route in the text of `/proc/net/route`.
fn default_routes(table: &str) -> BTreeMap<String, IpAddr> {
    let mut found = BTreeMap::new();
    for line in table.lines().skip(1) {
        let fields: Vec<_> = line.split_whitespace().collect();
        if let [name, "00000000", gateway, ..] = fields.as_slice()
            && let Ok(bits) = u32::from_str_radix(gateway, 16)
        {
            found.insert((*name).to_owned(), Ipv4Addr::from(bits.to_le_bytes()).into());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(name: &str, addresses: &[&str]) -> Interface {
        Interface {
            name: name.into(),
            index: 1,
            mtu: 1500,
            mac: "00:16:3e:00:00:01".into(),
            up: true,
            loopback: name == "lo",
            kind: if name == "lo" { "loopback" } else { "ethernet" },
            parent: String::new(),
            addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
            gateway: None,
        }
    }

    #[test]
    fn scopes_follow_the_address() {
        for (ip, expected) in [
            ("127.0.0.1", "local-machine"),
            ("::1", "local-machine"),
            ("169.254.1.1", "link-local"),
            ("fe80::1", "link-local"),
            ("10.1.2.3", "local-cloud"),
            ("192.168.0.1", "local-cloud"),
            ("fd12::1", "local-cloud"),
            ("252.0.0.1", "local-fan"),
            ("8.8.8.8", "public"),
            ("2001:db8::1", "public"),
        ] {
            assert_eq!(scope(ip.parse().unwrap()), expected, "{ip}");
        }
    }

    #[test]
    fn link_local_and_bridge_addresses_are_not_reported() {
        let interfaces = [
            interface("lo", &["127.0.0.1/8"]),
            interface("eth0", &["10.0.0.4/24", "fe80::4/64"]),
            interface("lxdbr0", &["10.9.1.1/24"]),
        ];
        let values: Vec<_> =
            machine_addresses(&interfaces, None).into_iter().map(|it| (it.value, it.cidr)).collect();
        let expected = [("127.0.0.1", "127.0.0.0/8"), ("10.0.0.4", "10.0.0.0/24")];
        assert_eq!(values, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn a_machine_of_the_local_provider_has_its_own_address_only() {
        let own = "127.3.2.1".parse().unwrap();
        let found = machine_addresses(&[interface("eth0", &["10.0.0.4/24"])], Some(own));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].value.as_str(), found[0].scope.as_str()), ("127.3.2.1", "local-cloud"));
        let devices =
            observed(&[interface("lo", &["127.0.0.1/8"]), interface("eth0", &["10.0.0.4/24"])], Some(own));
        assert_eq!(devices.len(), 1);
        assert_eq!(devices[0].addresses[0].value, "127.3.2.1");
    }

    #[test]
    fn the_default_route_is_read_from_the_kernels_table() {
        let table = "Iface\tDestination\tGateway\tFlags\neth0\t00000000\t0100000A\t0003\neth0\t0000000A\t00000000\t0001\n";
        assert_eq!(default_routes(table), BTreeMap::from([("eth0".to_owned(), "10.0.0.1".parse().unwrap())]));
        assert!(default_routes("").is_empty());
    }

    #[test]
    fn this_host_has_a_loopback_device() {
        let found = interfaces();
        assert!(found.iter().any(|it| it.loopback && it.kind == "loopback"), "{found:?}");
    }
}
