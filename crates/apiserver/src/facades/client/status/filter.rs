//! Which parts of a model a status shows, when patterns are given (Juju 3.6
//! `apiserver/facades/client/client/filtering.go`).
//!
//! A pattern is the name of a unit, an application or a machine (`*` stands for any characters), `app/leader`, a
//! status, `exposed` or `not exposed`, the beginning of a port range, an address or a subnet. What matches one of them
//! is shown, with its machine, its application, and all units of that machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
};

use ipnet::IpNet;
use juju_core::{ApplicationName, MachineId, Status, UnitName, network::AddressType};

use super::snapshot::Snapshot;

/// What patterns are held against.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) machines: Vec<MachineFacts>,
    pub(super) units: Vec<UnitFacts>,
    pub(super) applications: Vec<ApplicationFacts>,
    /// By application.
    pub(super) leaders: BTreeMap<String, UnitName>,
}

pub(super) struct MachineFacts {
    pub(super) id: MachineId,
    pub(super) status: Status,
    pub(super) addresses: Vec<String>,
}

pub(super) struct UnitFacts {
    pub(super) name: UnitName,
    pub(super) machine: Option<MachineId>,
    pub(super) principal: Option<UnitName>,
    pub(super) subordinates: Vec<UnitName>,
    pub(super) agent: Status,
    pub(super) workload: Status,
    pub(super) ports: Vec<String>,
}

pub(super) struct ApplicationFacts {
    pub(super) name: ApplicationName,
    pub(super) exposed: bool,
}

/// What is shown.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Kept {
    pub(super) machines: BTreeSet<MachineId>,
    pub(super) units: BTreeSet<UnitName>,
    pub(super) applications: BTreeSet<ApplicationName>,
}

impl Kept {
    pub(super) fn everything(all: &Snapshot) -> Kept {
        Kept {
            machines: all.machines.iter().map(|it| it.id.clone()).collect(),
            units: all.units.keys().cloned().collect(),
            applications: all.applications.keys().cloned().collect(),
        }
    }
}

pub(super) fn select(facts: &Facts, patterns: &[String]) -> Kept {
    let patterns = Patterns::new(patterns, facts);
    let by_name: BTreeMap<&UnitName, &UnitFacts> = facts.units.iter().map(|it| (&it.name, it)).collect();
    let exposed: BTreeMap<&ApplicationName, bool> =
        facts.applications.iter().map(|it| (&it.name, it.exposed)).collect();
    let matches = |it: &UnitFacts| {
        let exposed = exposed.get(it.name.app()).copied().unwrap_or_default();
        patterns.match_unit(it, exposed)
    };

    let direct = facts.machines.iter().filter(|it| patterns.match_machine(it)).map(|it| &it.id);
    let mut machines: BTreeSet<MachineId> = direct.cloned().collect();
    let mut kept = Kept::default();
    for unit in facts.units.iter().filter(|it| it.principal.is_none()) {
        // A principal that matches takes its subordinates along, and one of them that does the principal.
        let whole = matches(unit);
        let subordinates = unit.subordinates.iter().filter_map(|it| by_name.get(it).copied());
        let own: Vec<&UnitFacts> = subordinates.filter(|it| whole || matches(it)).collect();
        if !whole && own.is_empty() {
            continue;
        }
        machines.extend(unit.machine.clone());
        for it in own.into_iter().chain([unit]) {
            kept.units.insert(it.name.clone());
            kept.applications.insert(it.name.app().clone());
        }
    }
    // Whatever else is on the machines that are shown is shown with them.
    for unit in &facts.units {
        if unit.machine.as_ref().is_some_and(|it| machines.contains(it)) {
            kept.units.insert(unit.name.clone());
            kept.applications.insert(unit.name.app().clone());
        }
    }
    let applications = facts.applications.iter().filter(|it| {
        let mut own = facts.units.iter().filter(|unit| *unit.name.app() == it.name);
        patterns.match_application(it) || own.any(&matches)
    });
    kept.applications.extend(applications.map(|it| it.name.clone()));
    // A machine is shown for what is in its containers.
    let shown = |id: &MachineId| machines.iter().any(|it| it == id || is_inside(it, id));
    kept.machines = facts.machines.iter().map(|it| &it.id).filter(|it| shown(it)).cloned().collect();
    kept
}

fn is_inside(id: &MachineId, host: &MachineId) -> bool {
    std::iter::successors(id.parent(), MachineId::parent).any(|it| it == *host)
}

struct Patterns {
    all: Vec<String>,
    /// Those for units; none if one of them cannot be a unit's, which then spoils them all.
    units: Option<Vec<String>>,
}

impl Patterns {
    fn new(patterns: &[String], facts: &Facts) -> Patterns {
        let resolve = |it: &String| match it.strip_suffix("/leader").and_then(|it| facts.leaders.get(it)) {
            Some(leader) => leader.to_string(),
            None => it.clone(),
        };
        let all: Vec<String> = patterns.iter().map(resolve).collect();
        let units = all.iter().map(|it| unit_pattern(it)).collect();
        Patterns { all, units }
    }

    fn match_unit(&self, unit: &UnitFacts, exposed: bool) -> bool {
        let has = |status: Status, known: &[Status]| {
            known.contains(&status) && self.all.iter().any(|it| it == status.as_str())
        };
        self.names_unit(unit)
            || has(unit.agent, AGENT_STATUSES)
            || has(unit.workload, WORKLOAD_STATUSES)
            || self.match_exposure(exposed)
            || unit.ports.iter().any(|port| self.all.iter().any(|it| port.starts_with(it.as_str())))
    }

    /// By its own name, its principal's, or that of one of its subordinates.
    fn names_unit(&self, unit: &UnitFacts) -> bool {
        let Some(patterns) = &self.units else { return false };
        let named = |name: &UnitName| patterns.iter().any(|it| glob(it, &name.to_string()));
        named(&unit.name) || unit.principal.as_ref().is_some_and(named) || unit.subordinates.iter().any(named)
    }

    fn match_application(&self, application: &ApplicationFacts) -> bool {
        self.all.iter().any(|it| it.eq_ignore_ascii_case(application.name.as_str()))
            || self.match_exposure(application.exposed)
    }

    fn match_machine(&self, machine: &MachineFacts) -> bool {
        let is = |it: &String| {
            it == machine.id.as_str()
                || (it == machine.status.as_str() && AGENT_STATUSES.contains(&machine.status))
        };
        self.all.iter().any(is) || machine.addresses.iter().any(|it| self.match_address(it))
    }

    fn match_address(&self, address: &str) -> bool {
        let ip: Option<IpAddr> = address.parse().ok();
        self.all.iter().any(|pattern| match (ip, pattern.parse::<IpNet>()) {
            (Some(ip), Ok(net)) => net.contains(&ip),
            _ => AddressType::of(pattern) == AddressType::of(address) && pattern == address,
        })
    }

    fn match_exposure(&self, exposed: bool) -> bool {
        match self.all.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["exposed", ..] => exposed,
            ["not", "exposed", ..] => !exposed,
            _ => false,
        }
    }
}

const AGENT_STATUSES: &[Status] =
    &[Status::Allocating, Status::Error, Status::Failed, Status::Rebooting, Status::Executing, Status::Idle];

const WORKLOAD_STATUSES: &[Status] = &[
    Status::Blocked,
    Status::Maintenance,
    Status::Waiting,
    Status::Active,
    Status::Unknown,
    Status::Terminated,
    Status::Error,
];

/// The pattern of units that is meant; an application's name stands for all of its units.
fn unit_pattern(text: &str) -> Option<String> {
    let fields: Vec<&str> = text.split('/').collect();
    let valid = |it: &&str| {
        let allowed = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-' || it == b'*';
        !it.is_empty() && it.bytes().all(allowed)
    };
    match fields.as_slice() {
        [application] if valid(application) => Some(format!("{application}/*")),
        [application, number] if valid(application) && valid(number) => Some(text.to_owned()),
        _ => None,
    }
}

/// Whether a pattern, in which `*` stands for any characters but `/`, is met by the whole text.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => {
            let Some(tail) = text.strip_prefix(head) else { return false };
            let stop = tail.find('/').unwrap_or(tail.len());
            (0..=stop).any(|at| tail.is_char_boundary(at) && glob(rest, &tail[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
        text.parse().unwrap()
    }

    fn unit(name: &str, machine: &str, agent: Status, workload: Status) -> UnitFacts {
        UnitFacts {
            name: id(name),
            machine: Some(machine).filter(|it| !it.is_empty()).map(id),
            principal: None,
            subordinates: vec![],
            agent,
            workload,
            ports: vec![],
        }
    }

    /// web on 0 and 1, with log beside each; db on 2/lxd/0, exposed; old without units.
    fn facts() -> Facts {
        use Status::*;
        let mut units = vec![
            unit("db/0", "2/lxd/0", Idle, Error),
            unit("log/0", "0", Idle, Active),
            unit("log/1", "1", Executing, Active),
            unit("web/0", "0", Idle, Active),
            unit("web/1", "1", Idle, Blocked),
            unit("web/2", "", Allocating, Waiting),
        ];
        units[0].ports = vec!["5432/tcp".into()];
        for (subordinate, principal) in [(1, 3), (2, 4)] {
            units[subordinate].principal = Some(units[principal].name.clone());
            let name = units[subordinate].name.clone();
            units[principal].subordinates.push(name);
        }
        let machine = |name: &str, address: &str| MachineFacts {
            id: id(name),
            status: Started,
            addresses: vec![address.to_owned()],
        };
        let application = |name: &str, exposed| ApplicationFacts { name: id(name), exposed };
        Facts {
            machines: vec![
                machine("0", "10.0.0.10"),
                machine("1", "10.0.1.11"),
                machine("2", "10.0.2.12"),
                machine("2/lxd/0", "10.1.0.1"),
                machine("3", "box.example"),
            ],
            units,
            applications: vec![
                application("db", true),
                application("log", false),
                application("old", false),
                application("web", false),
            ],
            leaders: [("web".to_owned(), id("web/1"))].into(),
        }
    }

    fn show(patterns: &[&str]) -> String {
        let patterns: Vec<String> = patterns.iter().map(|it| (*it).to_owned()).collect();
        let kept = select(&facts(), &patterns);
        fn join<T: ToString>(it: impl IntoIterator<Item = T>) -> String {
            it.into_iter().map(|it| it.to_string()).collect::<Vec<_>>().join(" ")
        }
        format!("{} | {} | {}", join(&kept.machines), join(&kept.applications), join(&kept.units))
    }

    #[test]
    fn patterns_choose() {
        for (patterns, expected) in [
            (&["web/0"][..], "0 | log web | log/0 web/0"),
            (&["web"], "0 1 | log web | log/0 log/1 web/0 web/1 web/2"),
            (&["w*"], "0 1 | log web | log/0 log/1 web/0 web/1 web/2"),
            (&["*/1"], "1 | log web | log/1 web/1"),
            (&["web/leader"], "1 | log web | log/1 web/1"),
            (&["log/0"], "0 | log web | log/0 web/0"),
            (&["db"], "2 2/lxd/0 | db | db/0"),
            (&["OLD"], " | old | "),
            (&["2"], "2 |  | "),
            (&["0"], "0 | log web | log/0 web/0"),
            (&["3"], "3 |  | "),
            (&["blocked"], "1 | log web | log/1 web/1"),
            (&["error"], "2 2/lxd/0 | db | db/0"),
            (&["allocating"], " | web | web/2"),
            (&["executing"], "1 | log web | log/1 web/1"),
            (&["exposed"], "2 2/lxd/0 | db | db/0"),
            (&["not", "exposed"], "0 1 | log old web | log/0 log/1 web/0 web/1 web/2"),
            (&["5432"], "2 2/lxd/0 | db | db/0"),
            (&["10.0.0.10"], "0 | log web | log/0 web/0"),
            (&["10.0.0.0/16"], "0 1 2 | log web | log/0 log/1 web/0 web/1"),
            (&["box.example"], "3 |  | "),
            (&["nothing"], " |  | "),
            (&["a/b/c", "web/0"], " |  | "),
            (&["web/0", "db"], "0 2 2/lxd/0 | db log web | db/0 log/0 web/0"),
        ] {
            assert_eq!(show(patterns), expected, "{patterns:?}");
        }
    }

    #[test]
    fn globs() {
        for (pattern, text, expected) in [
            ("web/*", "web/0", true),
            ("*/0", "web/0", true),
            ("*", "web/0", false),
            ("*/*", "web/10", true),
            ("w*b/0", "web/0", true),
            ("w*x/0", "web/0", false),
            ("web/0", "web/01", false),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
