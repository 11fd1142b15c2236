//! Port ranges as charms write them, and which of them get in each other's way.

use std::{fmt, str::FromStr};

/// Ports of one protocol. The order is that of `opened-ports`: by protocol, then by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortRange {
    pub protocol: Protocol,
    /// Both ends are part of it; for ICMP both are -1.
    pub from: i64,
    pub to: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    Icmp,
    Tcp,
    Udp,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPorts {
    #[error("invalid port {0:?}: strconv.Atoi: parsing {0:?}: invalid syntax")]
    Port(String),
    #[error("invalid port range {0:?}")]
    Range(String),
    #[error("invalid port range {from}-{to}/{protocol}")]
    Backwards { from: i64, to: i64, protocol: Protocol },
    #[error("invalid protocol {0:?}, expected \"tcp\", \"udp\", or \"icmp\"")]
    Protocol(String),
    #[error("port range bounds must be between 0 and 65535, got {from}-{to}")]
    Bounds { from: i64, to: i64 },
    #[error("protocol \"icmp\" doesn't support any ports; got \"{0}\"")]
    Icmp(i64),
}

impl Protocol {
    pub fn as_str(self) -> &'static str {
        match self {
            Protocol::Icmp => "icmp",
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
        }
    }
}

impl FromStr for Protocol {
    type Err = InvalidPorts;

    fn from_str(text: &str) -> Result<Self, InvalidPorts> {
        [Protocol::Icmp, Protocol::Tcp, Protocol::Udp]
            .into_iter()
            .find(|it| it.as_str() == text)
            .ok_or_else(|| InvalidPorts::Protocol(text.to_owned()))
    }
}

impl PortRange {
    pub fn new(protocol: Protocol, from: i64, to: i64) -> Result<Self, InvalidPorts> {
        match protocol {
            Protocol::Icmp if (from, to) == (-1, -1) => {}
            Protocol::Icmp => return Err(InvalidPorts::Icmp(from)),
            _ if from > to => return Err(InvalidPorts::Backwards { from, to, protocol }),
            _ if from < 0 || to > 65535 => return Err(InvalidPorts::Bounds { from, to }),
            _ => {}
        }
        Ok(PortRange { protocol, from, to })
    }

    /// Whether both cannot be open at the same time on one machine, unless they are the same.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.protocol == other.protocol && self.from <= other.to && other.from <= self.to
    }
}

impl FromStr for PortRange {
    type Err = InvalidPorts;

    fn from_str(text: &str) -> Result<Self, InvalidPorts> {
        let (ports, protocol) = text.split_once('/').unwrap_or((text, "tcp"));
        if text == "icmp" {
            return PortRange::new(Protocol::Icmp, -1, -1);
        }
        let port = |text: &str| text.parse::<i64>().map_err(|_| InvalidPorts::Port(text.to_owned()));
        let (from, to) = match ports.split('-').collect::<Vec<_>>()[..] {
            [one] => (port(one)?, port(one)?),
            [from, to] => (port(from)?, port(to)?),
            _ => return Err(InvalidPorts::Range(ports.to_owned())),
        };
        PortRange::new(protocol.parse()?, from, to)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.protocol {
            Protocol::Icmp => f.write_str("icmp"),
            protocol if self.from == self.to => write!(f, "{}/{protocol}", self.from),
            protocol => write!(f, "{}-{}/{protocol}", self.from, self.to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_shown() {
        for (text, want) in [
            ("80", Ok("80/tcp")),
            ("80/udp", Ok("80/udp")),
            ("8000-8010/udp", Ok("8000-8010/udp")),
            ("0", Ok("0/tcp")),
            ("icmp", Ok("icmp")),
            ("8000-8000", Ok("8000/tcp")),
            ("x", Err("invalid port \"x\": strconv.Atoi: parsing \"x\": invalid syntax")),
            ("", Err("invalid port \"\": strconv.Atoi: parsing \"\": invalid syntax")),
            ("1-2-3", Err("invalid port range \"1-2-3\"")),
            ("80/sctp", Err("invalid protocol \"sctp\", expected \"tcp\", \"udp\", or \"icmp\"")),
            ("70000", Err("port range bounds must be between 0 and 65535, got 70000-70000")),
            ("80-70/tcp", Err("invalid port range 80-70/tcp")),
            ("8/icmp", Err("protocol \"icmp\" doesn't support any ports; got \"8\"")),
        ] {
            let got = text.parse::<PortRange>();
            assert_eq!(
                got.map(|it| it.to_string()).map_err(|it| it.to_string()),
                want.map(str::to_owned).map_err(str::to_owned),
                "{text}"
            );
        }
    }

    #[test]
    fn order_and_overlap() {
        let range = |text: &str| text.parse::<PortRange>().unwrap();
        let mut ranges = ["53/udp", "8000-8010/tcp", "icmp", "80/tcp"].map(range);
        ranges.sort();
        assert_eq!(ranges.map(|it| it.to_string()), ["icmp", "80/tcp", "8000-8010/tcp", "53/udp"]);
        for (one, other, want) in [
            ("80", "80", true),
            ("80", "80/udp", false),
            ("80-90", "85", true),
            ("80-90", "91", false),
            ("icmp", "icmp", true),
        ] {
            assert_eq!(range(one).overlaps(&range(other)), want, "{one} {other}");
        }
    }
}
