//! Opened ports in little room: `80,443/tcp 53/udp icmp`.

use std::collections::{BTreeMap, BTreeSet};

/// Groups ports by protocol and joins neighbours to ranges, with the order Juju 3.6 shows them in.
///
/// Neighbours are looked for in the order of their texts, so that `9/tcp 10/tcp` stays apart; that is
/// how Juju does it.
pub(super) fn grouped<'a>(ports: impl IntoIterator<Item = &'a String>) -> String {
    let sorted: BTreeSet<&str> = ports.into_iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    let mut protocols: BTreeMap<&str, Vec<Range>> = BTreeMap::new();
    for port in sorted {
        let (number, protocol) = match port.find('/') {
            Some(slash) => port.split_at(slash),
            None => ("", port),
        };
        let ranges = protocols.entry(protocol).or_default();
        let value = number.parse::<u32>().ok();
        let before =
            value.and_then(|n| ranges.iter_mut().find(|it| it.last.is_some_and(|last| last + 1 == n)));
        match before {
            Some(range) => (range.last, range.last_text) = (value, number),
            None => ranges.push(Range { first: number, last: value, last_text: number }),
        }
    }
    let shown = protocols.into_iter().map(|(protocol, mut ranges)| {
        ranges.sort_by_key(|it| (it.first.len(), it.first));
        let ranges: Vec<_> = ranges.iter().map(Range::to_string).collect();
        ranges.join(",") + protocol
    });
    shown.collect::<Vec<_>>().join(" ")
}

struct Range<'a> {
    first: &'a str,
    last: Option<u32>,
    last_text: &'a str,
}

impl std::fmt::Display for Range<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.first == self.last_text {
            f.write_str(self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last_text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn ports_are_grouped() {
        for (ports, want) in [
            (&["8080/tcp"][..], "8080/tcp"),
            (&["443/tcp", "80/tcp"], "80,443/tcp"),
            (&["80/tcp", "81/tcp", "82/tcp", "90/tcp"], "80-82,90/tcp"),
            (&["8000-8010/tcp", "53/udp", "icmp"], "8000-8010/tcp 53/udp icmp"),
            (&["9/tcp", "10/tcp"], "9,10/tcp"),
            (&["icmp"], "icmp"),
            (&[], ""),
            (&[""], ""),
            (&["80/tcp", "80/udp"], "80/tcp 80/udp"),
        ] {
            let ports: Vec<_> = ports.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(grouped(&ports), want);
        }
    }
}
