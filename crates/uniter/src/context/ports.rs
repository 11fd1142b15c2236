//! The ports that a hook opens and closes, checked against what the units of its machine have open.

use std::collections::{BTreeMap, BTreeSet};

use juju_core::PortRange;
use juju_wire::facade::uniter::OpenUnitPortRangesByEndpoint;

/// Open ports, each for an endpoint; the empty one stands for all.
type Ranges = BTreeSet<(String, PortRange)>;

pub(crate) struct Ports {
    unit: String,
    /// Of every unit on the machine, as the controller has them.
    machine: BTreeMap<String, Ranges>,
    opened: Ranges,
    closed: Ranges,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {verb} {range} (unit {unit:?}): port range conflicts with {other} (unit {owner:?}){when}")]
pub(crate) struct PortConflict {
    verb: &'static str,
    range: PortRange,
    unit: String,
    other: PortRange,
    owner: String,
    when: &'static str,
}

impl Ports {
    pub(super) fn new(unit: &str, machine: &BTreeMap<String, Vec<OpenUnitPortRangesByEndpoint>>) -> Self {
        let ranges = |groups: &Vec<OpenUnitPortRangesByEndpoint>| {
            let of = |group: &OpenUnitPortRangesByEndpoint| {
                let endpoint = group.endpoint.clone();
                let ranges: Vec<_> = group
                    .port_ranges
                    .iter()
                    // What this agent does not know it cannot conflict with.
                    .filter_map(|it| PortRange::new(it.from_port, it.to_port, it.protocol.parse().ok()?).ok())
                    .map(move |range| (endpoint.clone(), range))
                    .collect();
                ranges
            };
            groups.iter().flat_map(of).collect()
        };
        let machine = machine.iter().map(|(unit, groups)| (unit.clone(), ranges(groups))).collect();
        Ports { unit: unit.to_owned(), machine, opened: Ranges::new(), closed: Ranges::new() }
    }

    pub(super) fn open(&mut self, endpoint: &str, range: PortRange) -> Result<(), PortConflict> {
        let wanted = (endpoint.to_owned(), range);
        if self.closed.remove(&wanted) {
            return Ok(());
        }
        self.check("open", &wanted, &self.unit, &self.opened, " requested earlier")?;
        for (owner, ranges) in &self.machine {
            self.check("open", &wanted, owner, ranges, "")?;
        }
        if !self.own().contains(&wanted) {
            self.opened.insert(wanted);
        }
        Ok(())
    }

    pub(super) fn close(&mut self, endpoint: &str, range: PortRange) -> Result<(), PortConflict> {
        let wanted = (endpoint.to_owned(), range);
        if self.opened.remove(&wanted) {
            return Ok(());
        }
        self.check("close", &wanted, &self.unit, &self.closed, " requested earlier")?;
        for (owner, ranges) in &self.machine {
            self.check("close", &wanted, owner, ranges, "")?;
        }
        // One open for all endpoints may be closed for one of them, which is the controller's to work out.
        if self.own().iter().any(|(_, it)| *it == range) {
            self.closed.insert(wanted);
        }
        Ok(())
    }

    pub(super) fn opened(&self) -> Vec<(String, PortRange)> {
        self.own().union(&self.opened).filter(|it| !self.closed.contains(*it)).cloned().collect()
    }

    /// What to open and what to close.
    pub(super) fn changes(&self) -> (&Ranges, &Ranges) {
        (&self.opened, &self.closed)
    }

    fn own(&self) -> &Ranges {
        static NONE: Ranges = Ranges::new();
        self.machine.get(&self.unit).unwrap_or(&NONE)
    }

    /// Ports of another unit must not overlap; those of one's own must be the same.
    fn check(
        &self,
        verb: &'static str,
        (_, range): &(String, PortRange),
        owner: &str,
        ranges: &Ranges,
        when: &'static str,
    ) -> Result<(), PortConflict> {
        let conflict =
            ranges.iter().find(|(_, it)| it.conflicts_with(range) && (owner != self.unit || it != range));
        match conflict {
            Some((_, other)) => Err(PortConflict {
                verb,
                range: *range,
                unit: self.unit.clone(),
                other: *other,
                owner: owner.to_owned(),
                when,
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use juju_wire::facade::uniter::PortRange as WireRange;

    use super::*;

    fn range(text: &str) -> PortRange {
        text.parse().unwrap()
    }

    fn group(endpoint: &str, ranges: &[(i64, i64, &str)]) -> OpenUnitPortRangesByEndpoint {
        let one = |(from, to, protocol): &(i64, i64, &str)| WireRange {
            from_port: *from,
            to_port: *to,
            protocol: (*protocol).to_owned(),
        };
        OpenUnitPortRangesByEndpoint {
            endpoint: endpoint.into(),
            port_ranges: ranges.iter().map(one).collect(),
        }
    }

    /// `shop/0` has 80/tcp open for all and 443/tcp for an endpoint, `web/0` 85/tcp.
    fn ports() -> Ports {
        let machine = [
            ("shop/0".to_owned(), vec![group("", &[(80, 80, "tcp")]), group("admin", &[(443, 443, "tcp")])]),
            ("web/0".to_owned(), vec![group("", &[(85, 85, "tcp"), (1, 1, "sctp")])]),
        ];
        Ports::new("shop/0", &machine.into())
    }

    fn shown(ports: &Ports) -> Vec<String> {
        ports.opened().iter().map(|(endpoint, it)| format!("{it} {endpoint}")).collect()
    }

    #[test]
    fn what_is_opened_shows_at_once_and_is_taken_back() {
        let mut ports = ports();
        ports.open("", range("icmp")).unwrap();
        ports.open("", range("8000-8010/udp")).unwrap();
        ports.open("", range("80")).unwrap();
        ports.open("public", range("443")).unwrap();
        assert_eq!(shown(&ports), ["icmp ", "80/tcp ", "8000-8010/udp ", "443/tcp admin", "443/tcp public"]);
        assert_eq!(ports.changes().0.len(), 3);
        ports.close("", range("icmp")).unwrap();
        ports.close("", range("80")).unwrap();
        ports.close("", range("9999")).unwrap();
        assert_eq!(shown(&ports), ["8000-8010/udp ", "443/tcp admin", "443/tcp public"]);
        assert_eq!(ports.changes().1.len(), 1);
        ports.open("", range("80")).unwrap();
        assert!(ports.changes().1.is_empty());
    }

    #[test]
    fn conflicts_are_told_in_the_hook() {
        let mut ports = ports();
        ports.open("", range("8000-8010")).unwrap();
        for (open, text, want) in [
            (
                true,
                "84-90",
                "cannot open 84-90/tcp (unit \"shop/0\"): port range conflicts with 85/tcp (unit \"web/0\")",
            ),
            (
                true,
                "85",
                "cannot open 85/tcp (unit \"shop/0\"): port range conflicts with 85/tcp (unit \"web/0\")",
            ),
            (
                true,
                "79-81",
                "cannot open 79-81/tcp (unit \"shop/0\"): port range conflicts with 80/tcp (unit \"shop/0\")",
            ),
            (
                true,
                "8005",
                "cannot open 8005/tcp (unit \"shop/0\"): port range conflicts with 8000-8010/tcp (unit \"shop/0\") \
                 requested earlier",
            ),
            (
                false,
                "85",
                "cannot close 85/tcp (unit \"shop/0\"): port range conflicts with 85/tcp (unit \"web/0\")",
            ),
        ] {
            let result = if open { ports.open("", range(text)) } else { ports.close("", range(text)) };
            assert_eq!(result.unwrap_err().to_string(), want);
        }
        ports.open("", range("85/udp")).unwrap();
    }
}
