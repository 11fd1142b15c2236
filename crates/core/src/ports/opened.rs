//! What one unit has open, by endpoint, and what may be opened beside it (Juju 3.6 `state/machine_ports.go`).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::PortRange;
use crate::ids::UnitName;

/// The ranges that a unit has open. The endpoint `""` stands for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnitPorts(BTreeMap<String, BTreeSet<PortRange>>);

impl UnitPorts {
    /// The name that stands for every endpoint.
    pub const ALL: &'static str = "";

    pub fn new() -> Self {
        Self::default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each endpoint with its ranges, in order.
    pub fn by_endpoint(&self) -> impl Iterator<Item = (&str, &BTreeSet<PortRange>)> {
        self.0.iter().map(|(endpoint, ranges)| (endpoint.as_str(), ranges))
    }

    /// Every range that is open for some endpoint, once, in order.
    pub fn ranges(&self) -> BTreeSet<PortRange> {
        self.0.values().flatten().copied().collect()
    }

    /// Opens a range for an endpoint; says whether that changed anything. What is open for all is open for each, and
    /// opening for all takes over the same range of single endpoints.
    pub fn open(&mut self, endpoint: &str, range: PortRange) -> bool {
        if self.has(Self::ALL, range) || self.has(endpoint, range) {
            return false;
        }
        if endpoint == Self::ALL {
            self.drop_everywhere(range);
        }
        self.0.entry(endpoint.to_owned()).or_default().insert(range)
    }

    /// Closes a range for an endpoint; says whether that changed anything. Closing for all closes everywhere; closing
    /// for one what is open for all leaves it open for each of the others of `endpoints`.
    pub fn close(&mut self, endpoint: &str, range: PortRange, endpoints: &[&str]) -> bool {
        if endpoint == Self::ALL {
            return self.drop_everywhere(range);
        }
        if !self.has(Self::ALL, range) {
            return self.drop_one(endpoint, range);
        }
        self.drop_one(Self::ALL, range);
        for other in endpoints.iter().filter(|it| **it != endpoint && **it != Self::ALL) {
            self.0.entry((*other).to_owned()).or_default().insert(range);
        }
        true
    }

    fn has(&self, endpoint: &str, range: PortRange) -> bool {
        self.0.get(endpoint).is_some_and(|it| it.contains(&range))
    }

    fn drop_one(&mut self, endpoint: &str, range: PortRange) -> bool {
        let Some(ranges) = self.0.get_mut(endpoint) else { return false };
        let changed = ranges.remove(&range);
        if ranges.is_empty() {
            self.0.remove(endpoint);
        }
        changed
    }

    fn drop_everywhere(&mut self, range: PortRange) -> bool {
        let before: usize = self.0.values().map(BTreeSet::len).sum();
        self.0.retain(|_, ranges| {
            ranges.remove(&range);
            !ranges.is_empty()
        });
        before != self.0.values().map(BTreeSet::len).sum::<usize>()
    }
}

impl<E: Into<String>> FromIterator<(E, PortRange)> for UnitPorts {
    fn from_iter<I: IntoIterator<Item = (E, PortRange)>>(items: I) -> Self {
        let mut ports = UnitPorts::new();
        for (endpoint, range) in items {
            ports.0.entry(endpoint.into()).or_default().insert(range);
        }
        ports
    }
}

/// A range cannot be opened beside one that is open on the same machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot open {wanted} (unit {unit:?}): port range conflicts with {open} (unit {holder:?})",
    unit = unit.to_string(), holder = holder.to_string())]
pub struct PortConflict {
    pub unit: UnitName,
    pub wanted: PortRange,
    pub holder: UnitName,
    pub open: PortRange,
}

/// What stands against `unit` opening `wanted` on a machine whose units have `open`: an overlapping range of another
/// unit, or another overlapping range of its own.
pub fn find_conflict<'a>(
    unit: &UnitName,
    wanted: PortRange,
    open: impl IntoIterator<Item = (&'a UnitName, &'a UnitPorts)>,
) -> Option<PortConflict> {
    for (holder, ports) in open {
        for range in ports.ranges() {
            if range.conflicts_with(&wanted) && !(holder == unit && range == wanted) {
                return Some(PortConflict {
                    unit: unit.clone(),
                    wanted,
                    holder: holder.clone(),
                    open: range,
                });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> PortRange {
        text.parse().unwrap()
    }

    fn ports(items: &[(&str, &str)]) -> UnitPorts {
        items.iter().map(|(endpoint, text)| (*endpoint, range(text))).collect()
    }

    #[test]
    fn opening() {
        for (before, endpoint, wanted, changed, after) in [
            (&[][..], "", "80", true, &[("", "80")][..]),
            (&[("", "80")], "", "80", false, &[("", "80")]),
            (&[("", "80")], "db", "80", false, &[("", "80")]),
            (&[("db", "80")], "db", "80", false, &[("db", "80")]),
            (&[("db", "80")], "web", "80", true, &[("db", "80"), ("web", "80")]),
            (&[("db", "80"), ("db", "81"), ("web", "80")], "", "80", true, &[("", "80"), ("db", "81")]),
        ] {
            let mut it = ports(before);
            assert_eq!(it.open(endpoint, range(wanted)), changed, "{before:?} + {endpoint}:{wanted}");
            assert_eq!(it, ports(after));
        }
    }

    #[test]
    fn closing() {
        for (before, endpoint, wanted, changed, after) in [
            (&[][..], "", "80", false, &[][..]),
            (&[("", "80")], "", "80", true, &[]),
            (&[("db", "80"), ("web", "80"), ("web", "81")], "", "80", true, &[("web", "81")]),
            (&[("db", "80")], "web", "80", false, &[("db", "80")]),
            (&[("db", "80")], "db", "80", true, &[]),
            (&[("", "80")], "db", "80", true, &[("web", "80"), ("juju-info", "80")]),
        ] {
            let mut it = ports(before);
            assert_eq!(it.close(endpoint, range(wanted), &["db", "web", "juju-info"]), changed, "{before:?}");
            assert_eq!(it, ports(after));
        }
    }

    #[test]
    fn conflicts() {
        let [shop, web]: [UnitName; 2] = ["shop/0", "web/0"].map(|it| it.parse().unwrap());
        let own = ports(&[("", "443"), ("db", "5000-5010")]);
        let other = ports(&[("", "85"), ("x", "53/udp")]);
        let check = |wanted: &str| {
            find_conflict(&shop, range(wanted), [(&shop, &own), (&web, &other)]).map(|it| it.to_string())
        };
        for free in ["80", "443", "5000-5010", "86-100", "53", "icmp"] {
            assert_eq!(check(free), None, "{free}");
        }
        assert_eq!(
            check("80-90").unwrap(),
            r#"cannot open 80-90/tcp (unit "shop/0"): port range conflicts with 85/tcp (unit "web/0")"#
        );
        assert_eq!(
            check("5005").unwrap(),
            r#"cannot open 5005/tcp (unit "shop/0"): port range conflicts with 5000-5010/tcp (unit "shop/0")"#
        );
        assert!(check("53/udp").is_some(), "the same range of another unit");
    }
}
