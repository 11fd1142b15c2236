//! Network addresses as Juju classes them, and which one to use.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

/// What an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddressType {
    Hostname,
    Ipv4,
    Ipv6,
}

impl AddressType {
    pub const fn as_str(self) -> &'static str {
        match self {
            AddressType::Hostname => "hostname",
            AddressType::Ipv4 => "ipv4",
            AddressType::Ipv6 => "ipv6",
        }
    }

    /// What a text is: an IP address of some version, else a host's name.
    pub fn of(value: &str) -> Self {
        match value.parse() {
            Ok(IpAddr::V4(_)) => AddressType::Ipv4,
            Ok(IpAddr::V6(_)) => AddressType::Ipv6,
            Err(_) => AddressType::Hostname,
        }
    }
}

/// From where an address can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    #[default]
    #[serde(rename = "")]
    Unknown,
    Public,
    /// Inside the cloud.
    LocalCloud,
    /// Between the containers of a model.
    LocalFan,
    LocalMachine,
    LinkLocal,
}

impl Scope {
    pub const ALL: [Scope; 6] = [
        Scope::Unknown,
        Scope::Public,
        Scope::LocalCloud,
        Scope::LocalFan,
        Scope::LocalMachine,
        Scope::LinkLocal,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Unknown => "",
            Scope::Public => "public",
            Scope::LocalCloud => "local-cloud",
            Scope::LocalFan => "local-fan",
            Scope::LocalMachine => "local-machine",
            Scope::LinkLocal => "link-local",
        }
    }

    /// What an address says of itself. A host's name says nothing, `localhost` aside.
    pub fn of(value: &str) -> Self {
        match value.parse() {
            Ok(IpAddr::V4(it)) if it.is_loopback() => Scope::LocalMachine,
            Ok(IpAddr::V4(it)) if it.is_link_local() => Scope::LinkLocal,
            Ok(IpAddr::V4(it)) if it.is_private() => Scope::LocalCloud,
            Ok(IpAddr::V4(it)) if it.octets()[0] >= 240 && it != Ipv4Addr::BROADCAST => Scope::LocalFan,
            Ok(IpAddr::V4(it)) if it.is_unspecified() || it.is_multicast() => Scope::Unknown,
            Ok(IpAddr::V6(it)) if it.is_loopback() => Scope::LocalMachine,
            Ok(IpAddr::V6(it)) if it.is_unicast_link_local() => Scope::LinkLocal,
            Ok(IpAddr::V6(it)) if it.is_unique_local() => Scope::LocalCloud,
            Ok(IpAddr::V6(it)) if it.is_unspecified() || it.is_multicast() => Scope::Unknown,
            Ok(_) => Scope::Public,
            Err(_) if value == "localhost" => Scope::LocalMachine,
            Err(_) => Scope::Unknown,
        }
    }
}

/// A text that is no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("address scope {0:?} not valid")]
pub struct ScopeError(pub String);

impl FromStr for Scope {
    type Err = ScopeError;
    fn from_str(text: &str) -> Result<Self, ScopeError> {
        Self::ALL.into_iter().find(|it| it.as_str() == text).ok_or_else(|| ScopeError(text.to_owned()))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for AddressType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An address with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Address {
    pub value: String,
    #[serde(rename = "type")]
    pub kind: AddressType,
    pub scope: Scope,
    /// The subnet it is in, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cidr: Option<String>,
}

impl Address {
    /// An address classed by what it says of itself.
    pub fn new(value: &str) -> Self {
        let value = value.trim_start_matches('[').trim_end_matches(']');
        Address { value: value.to_owned(), kind: AddressType::of(value), scope: Scope::of(value), cidr: None }
    }

    #[must_use]
    pub fn with_scope(self, scope: Scope) -> Self {
        Address { scope, ..self }
    }
}

/// An address and a port: `10.0.0.1:17070`, `[fd00::1]:17070`, `host:17070`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostPort {
    #[serde(flatten)]
    pub address: Address,
    pub port: u16,
}

impl HostPort {
    pub fn new(address: Address, port: u16) -> Self {
        HostPort { address, port }
    }
}

/// A text that is no address with a port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot parse {0:?} as address:port")]
pub struct HostPortError(pub String);

impl FromStr for HostPort {
    type Err = HostPortError;
    fn from_str(text: &str) -> Result<Self, HostPortError> {
        if let Ok(socket) = text.parse::<SocketAddr>() {
            return Ok(HostPort::new(Address::new(&socket.ip().to_string()), socket.port()));
        }
        let error = || HostPortError(text.to_owned());
        let (host, port) = text.rsplit_once(':').ok_or_else(error)?;
        let named =
            !host.is_empty() && host.bytes().all(|it| it.is_ascii_alphanumeric() || b".-_".contains(&it));
        let digits = port.bytes().all(|it| it.is_ascii_digit());
        match port.parse() {
            Ok(port) if named && digits => Ok(HostPort::new(Address::new(host), port)),
            _ => Err(error()),
        }
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address.kind {
            AddressType::Ipv6 => write!(f, "[{}]:{}", self.address.value, self.port),
            _ => write!(f, "{}:{}", self.address.value, self.port),
        }
    }
}

/// The address by which the outside reaches a machine: a public one, else what the cloud itself uses.
pub fn preferred_public(addresses: &[Address]) -> Option<&Address> {
    best(addresses, |scope| match scope {
        Scope::Public => Some(0),
        Scope::LocalCloud | Scope::Unknown => Some(1),
        Scope::LocalFan => Some(2),
        Scope::LocalMachine | Scope::LinkLocal => None,
    })
}

/// The address by which the machines of a cloud reach each other.
pub fn preferred_private(addresses: &[Address]) -> Option<&Address> {
    best(addresses, |scope| match scope {
        Scope::LocalCloud => Some(0),
        Scope::LocalFan => Some(1),
        Scope::Public | Scope::Unknown => Some(2),
        Scope::LocalMachine | Scope::LinkLocal => None,
    })
}

/// The first address of the best rank; of equals, IPv4 before names before IPv6.
fn best(addresses: &[Address], rank: impl Fn(Scope) -> Option<u8>) -> Option<&Address> {
    let kind = |it: &Address| match it.kind {
        AddressType::Ipv4 => 0,
        AddressType::Hostname => 1,
        AddressType::Ipv6 => 2,
    };
    addresses
        .iter()
        .filter_map(|it| Some(((rank(it.scope)?, kind(it)), it)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, address)| address)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn classes() {
        for (value, kind, scope) in [
            ("10.1.2.3", AddressType::Ipv4, Scope::LocalCloud),
            ("192.168.0.1", AddressType::Ipv4, Scope::LocalCloud),
            ("172.16.0.1", AddressType::Ipv4, Scope::LocalCloud),
            ("172.32.0.1", AddressType::Ipv4, Scope::Public),
            ("127.3.2.1", AddressType::Ipv4, Scope::LocalMachine),
            ("169.254.1.1", AddressType::Ipv4, Scope::LinkLocal),
            ("252.0.1.1", AddressType::Ipv4, Scope::LocalFan),
            ("8.8.8.8", AddressType::Ipv4, Scope::Public),
            ("0.0.0.0", AddressType::Ipv4, Scope::Unknown),
            ("::1", AddressType::Ipv6, Scope::LocalMachine),
            ("fe80::1", AddressType::Ipv6, Scope::LinkLocal),
            ("fd00::1", AddressType::Ipv6, Scope::LocalCloud),
            ("2001:db8::1", AddressType::Ipv6, Scope::Public),
            ("localhost", AddressType::Hostname, Scope::LocalMachine),
            ("node.maas", AddressType::Hostname, Scope::Unknown),
        ] {
            let address = Address::new(value);
            assert_eq!((address.kind, address.scope), (kind, scope), "{value}");
        }
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
            assert_eq!(serde_json::to_string(&scope).unwrap(), format!("{:?}", scope.as_str()));
        }
    }

    #[test]
    fn host_ports() {
        for (text, value, port) in [
            ("10.0.0.1:17070", "10.0.0.1", 17070),
            ("[fd00::1]:17070", "fd00::1", 17070),
            ("node-1.maas:80", "node-1.maas", 80),
        ] {
            let parsed: HostPort = text.parse().unwrap();
            assert_eq!((parsed.address.value.as_str(), parsed.port), (value, port));
            assert_eq!(parsed.to_string(), text);
        }
        for bad in [
            "",
            "10.0.0.1",
            ":80",
            "host:",
            "host:x",
            "host:70000",
            "fd00::1:80",
            "a b:80",
            "host:+80",
            "[x]:80",
        ] {
            assert_eq!(
                bad.parse::<HostPort>().unwrap_err().to_string(),
                format!("cannot parse {bad:?} as address:port")
            );
        }
        let json = serde_json::to_string(&"10.0.0.1:80".parse::<HostPort>().unwrap()).unwrap();
        assert_eq!(json, r#"{"value":"10.0.0.1","type":"ipv4","scope":"local-cloud","port":80}"#);
    }

    #[test]
    fn which_to_use() {
        let of = |values: &[&str]| values.iter().map(|it| Address::new(it)).collect::<Vec<_>>();
        for (values, public, private) in [
            (&["127.0.0.1", "10.0.0.1", "8.8.8.8"][..], Some("8.8.8.8"), Some("10.0.0.1")),
            (&["fd00::1", "10.0.0.1", "10.0.0.2"], Some("10.0.0.1"), Some("10.0.0.1")),
            (&["252.0.1.1", "8.8.8.8"], Some("8.8.8.8"), Some("252.0.1.1")),
            (&["8.8.8.8"], Some("8.8.8.8"), Some("8.8.8.8")),
            (&["node.maas"], Some("node.maas"), Some("node.maas")),
            (&["127.0.0.1", "fe80::1"], None, None),
            (&[], None, None),
        ] {
            let addresses = of(values);
            assert_eq!(preferred_public(&addresses).map(|it| it.value.as_str()), public, "{values:?}");
            assert_eq!(preferred_private(&addresses).map(|it| it.value.as_str()), private, "{values:?}");
        }
        // A machine of the `local` provider says itself that its loopback address is the cloud's.
        let own = Address::new("127.1.2.3").with_scope(Scope::LocalCloud);
        assert_eq!(preferred_public(std::slice::from_ref(&own)), Some(&own));
    }

    proptest! {
        #[test]
        fn socket_addresses_round_trip(socket: SocketAddr) {
            // A scope id or flow label is no part of an address here.
            let socket = SocketAddr::new(socket.ip(), socket.port());
            let parsed: HostPort = socket.to_string().parse().unwrap();
            prop_assert_eq!(parsed.to_string(), socket.to_string());
        }
    }
}
