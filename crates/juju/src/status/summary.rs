//! `status --format summary`: subnets, ports and counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    net::Ipv4Addr,
};

use tabwriter::{Alignment, TabWriter};

use super::{model::*, tabular::machine_state};
use crate::output::natural;

/// Ports in one line.
const PORTS_A_LINE: usize = 3;

pub fn render(status: &Status) -> String {
    let seen = Seen::of(status);
    let mut head = Layout::new(Alignment::Left);
    head.pair("Running on subnets:", &seen.subnets.join(", "));
    let ports: Vec<_> = seen.ports.iter().copied().collect();
    let lines: Vec<_> = ports.chunks(PORTS_A_LINE).map(|it| it.join(", ")).collect();
    head.pair(" Utilizing ports:", lines.first().map_or("", String::as_str));
    for line in lines.iter().skip(1) {
        head.pair("", line);
    }

    let mut body = Layout::new(Alignment::Right);
    body.count("# Machines:", status.machines.len());
    body.states(&seen.machines);
    body.count("# Units:", seen.units.values().sum());
    body.states(&seen.units);
    body.count("# Applications:", status.applications.len());
    for name in natural::sorted(status.applications.keys()) {
        let exposed = usize::from(status.applications[name].exposed);
        body.line(&[name, &format!("{exposed}/1"), "exposed"]);
    }
    body.line(&[" "]);
    body.count("# Remote:", status.remote_applications.len());
    for name in natural::sorted(status.remote_applications.keys()) {
        body.line(&[name, "", &status.remote_applications[name].url]);
    }
    format!("{}\n{}", head.text(), body.text())
}

/// What there is, counted.
#[derive(Default)]
struct Seen<'a> {
    subnets: Vec<String>,
    ports: BTreeSet<&'a str>,
    machines: BTreeMap<String, usize>,
    units: BTreeMap<String, usize>,
}

impl<'a> Seen<'a> {
    fn of(status: &'a Status) -> Self {
        let mut seen = Self::default();
        for name in natural::sorted(status.machines.keys()) {
            let machine = &status.machines[name];
            seen.address(&machine.dns_name);
            let state = match machine_state(machine).0 {
                "" => "pending",
                state => state,
            };
            *seen.machines.entry(state.to_owned()).or_default() += 1;
        }
        for application in natural::sorted(status.applications.keys()) {
            let units = &status.applications[application].units;
            for name in natural::sorted(units.keys()) {
                let unit = &units[name].value;
                seen.unit(unit);
                each_subordinate(unit, 1, &mut |_, unit, _| seen.unit(unit));
            }
        }
        seen
    }

    fn unit(&mut self, unit: &'a Unit) {
        self.address(&unit.public_address);
        self.ports.extend(unit.opened_ports.iter().map(String::as_str).filter(|it| !it.is_empty()));
        *self.units.entry(unit.workload_status.current.clone()).or_default() += 1;
    }

    /// Notes the classful net of an address; names are not looked up.
    fn address(&mut self, address: &str) {
        let Ok(ip) = address.parse::<Ipv4Addr>() else { return };
        let prefix = match ip.octets()[0] {
            ..128 => 8,
            128..192 => 16,
            192.. => 24,
        };
        let mask = u32::MAX << (32 - prefix);
        let is_known = self.subnets.iter().any(|it| {
            let (net, length) = it.split_once('/').expect("written below");
            length == prefix.to_string()
                && net.parse::<Ipv4Addr>().is_ok_and(|net| u32::from(net) & mask == u32::from(ip) & mask)
        });
        if !is_known {
            self.subnets.push(format!("{ip}/{prefix}"));
        }
    }
}

struct Layout(TabWriter<Vec<u8>>);

impl Layout {
    fn new(alignment: Alignment) -> Self {
        Self(TabWriter::new(Vec::new()).minwidth(0).padding(2).alignment(alignment))
    }

    fn line(&mut self, cells: &[&str]) {
        let line = cells.iter().map(|it| format!("{it}\t")).collect::<String>() + "\n";
        self.0.write_all(line.as_bytes()).expect("a vector takes all");
    }

    fn pair(&mut self, key: &str, value: &str) {
        self.line(&[key, value]);
    }

    fn count(&mut self, key: &str, n: usize) {
        self.line(&[key, &format!("({n})")]);
    }

    fn states(&mut self, states: &BTreeMap<String, usize>) {
        for state in natural::sorted(states.keys()) {
            self.line(&[&format!("{state}:"), &format!(" {} ", states[state])]);
        }
        self.line(&[" "]);
    }

    fn text(self) -> String {
        let text = self.0.into_inner().expect("a vector takes all");
        String::from_utf8(text).expect("made of strings")
    }
}
