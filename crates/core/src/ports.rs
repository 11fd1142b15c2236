//! Port ranges, and the rules of opening and closing them.

mod opened;

use std::{fmt, str::FromStr};

pub use opened::{PortConflict, UnitPorts, find_conflict};

/// What a range is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    Icmp,
    Tcp,
    Udp,
}

impl Protocol {
    pub const fn as_str(self) -> &'static str {
        match self {
            Protocol::Icmp => "icmp",
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Protocol {
    type Err = PortError;
    fn from_str(text: &str) -> Result<Self, PortError> {
        match text.to_ascii_lowercase().as_str() {
            "icmp" => Ok(Protocol::Icmp),
            "tcp" => Ok(Protocol::Tcp),
            "udp" => Ok(Protocol::Udp),
            other => Err(PortError::Protocol(other.to_owned())),
        }
    }
}

/// A range of ports, `80/tcp`, `100-200/udp`, or `icmp`, which has none. Ranges order by protocol, then by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRange {
    protocol: Protocol,
    from: i32,
    to: i32,
}

impl PortRange {
    /// `icmp` as a range: its port is -1, as on the wire.
    pub const ICMP: PortRange = PortRange { protocol: Protocol::Icmp, from: -1, to: -1 };

    pub fn new(from: i64, to: i64, protocol: Protocol) -> Result<Self, PortError> {
        if protocol == Protocol::Icmp {
            return if (from, to) == (-1, -1) { Ok(Self::ICMP) } else { Err(PortError::Icmp(from)) };
        }
        if from > to {
            return Err(PortError::Backwards { from, to, protocol });
        }
        let port = |it: i64| u16::try_from(it).map(i32::from).map_err(|_| PortError::Bounds { from, to });
        Ok(PortRange { protocol, from: port(from)?, to: port(to)? })
    }

    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The first port; -1 for `icmp`.
    pub fn from_port(&self) -> i64 {
        self.from.into()
    }

    /// The last port; -1 for `icmp`.
    pub fn to_port(&self) -> i64 {
        self.to.into()
    }

    /// Whether the two have a port in common.
    pub fn conflicts_with(&self, other: &PortRange) -> bool {
        self.protocol == other.protocol && self.to >= other.from && other.to >= self.from
    }
}

/// A text or pair of numbers that is no range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    #[error(r#"invalid protocol {0:?}, expected "tcp", "udp", or "icmp""#)]
    Protocol(String),
    #[error(r#"protocol "icmp" doesn't support any ports; got "{0}""#)]
    Icmp(i64),
    #[error("invalid port range {from}-{to}/{protocol}")]
    Backwards { from: i64, to: i64, protocol: Protocol },
    #[error("port range bounds must be between 0 and 65535, got {from}-{to}")]
    Bounds { from: i64, to: i64 },
    #[error("invalid port range {0:?}")]
    Form(String),
    // The rest of the text is Go's, as charm authors know it.
    #[error("invalid port {0:?}: strconv.Atoi: parsing {0:?}: invalid syntax")]
    Port(String),
}

/// Without a protocol it is tcp.
impl FromStr for PortRange {
    type Err = PortError;
    fn from_str(text: &str) -> Result<Self, PortError> {
        let (ports, protocol) = match text.split_once('/') {
            Some((ports, protocol)) => (ports, protocol),
            None => (text, "tcp"),
        };
        if ports.eq_ignore_ascii_case("icmp") {
            return Ok(Self::ICMP);
        }
        // Decimal digits with an optional sign and nothing else; what is too large is out of bounds, whatever its size.
        let port = |it: &str| -> Result<i64, PortError> {
            let digits = it.strip_prefix('+').unwrap_or(it);
            if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
                return Err(PortError::Port(it.to_owned()));
            }
            Ok(digits.parse().unwrap_or(i64::MAX))
        };
        let (from, to) = match ports.split_once('-') {
            None => (port(ports)?, port(ports)?),
            Some((_, rest)) if rest.contains('-') => return Err(PortError::Form(ports.to_owned())),
            Some((from, to)) => (port(from)?, port(to)?),
        };
        Self::new(from, to, protocol.parse()?)
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

impl fmt::Debug for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PortRange({self})")
    }
}

crate::ids::text_serde!(PortRange);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn good() {
        for (text, full) in [
            ("80", "80/tcp"),
            ("80/tcp", "80/tcp"),
            ("80/TCP", "80/tcp"),
            ("0", "0/tcp"),
            ("65535/udp", "65535/udp"),
            ("100-200/udp", "100-200/udp"),
            ("80-80", "80/tcp"),
            ("8000-8010", "8000-8010/tcp"),
            ("icmp", "icmp"),
            ("ICMP", "icmp"),
        ] {
            assert_eq!(text.parse::<PortRange>().map(|it| it.to_string()), Ok(full.to_owned()), "{text}");
        }
    }

    #[test]
    fn bad() {
        for (text, error) in [
            ("", r#"invalid port "": strconv.Atoi: parsing "": invalid syntax"#),
            ("http", r#"invalid port "http": strconv.Atoi: parsing "http": invalid syntax"#),
            ("80-", r#"invalid port "": strconv.Atoi: parsing "": invalid syntax"#),
            ("-80", r#"invalid port "": strconv.Atoi: parsing "": invalid syntax"#),
            ("1-2-3", r#"invalid port range "1-2-3""#),
            ("80/sctp", r#"invalid protocol "sctp", expected "tcp", "udp", or "icmp""#),
            ("80/", r#"invalid protocol "", expected "tcp", "udp", or "icmp""#),
            ("70000", "port range bounds must be between 0 and 65535, got 70000-70000"),
            ("90-80", "invalid port range 90-80/tcp"),
            ("8/icmp", r#"protocol "icmp" doesn't support any ports; got "8""#),
        ] {
            assert_eq!(text.parse::<PortRange>().unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn conflicts() {
        for (a, b, expected) in [
            ("80", "80", true),
            ("80", "80/udp", false),
            ("80-90", "90-100", true),
            ("80-89", "90-100", false),
            ("1-1000", "500", true),
            ("icmp", "icmp", true),
            ("icmp", "0", false),
        ] {
            let [a, b]: [PortRange; 2] = [a, b].map(|it| it.parse().unwrap());
            assert_eq!((a.conflicts_with(&b), b.conflicts_with(&a)), (expected, expected), "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn round_trip(from: u16, to: u16, udp: bool) {
            let protocol = if udp { Protocol::Udp } else { Protocol::Tcp };
            let range = PortRange::new(from.min(to).into(), from.max(to).into(), protocol).unwrap();
            prop_assert_eq!(range.to_string().parse(), Ok(range));
        }

        #[test]
        fn anything_is_read_or_refused(text in "\\PC{0,20}") {
            if let Ok(range) = text.parse::<PortRange>() {
                prop_assert_eq!(range.to_string().parse(), Ok(range));
            }
        }
    }
}
