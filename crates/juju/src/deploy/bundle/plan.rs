//! Which changes a bundle takes, given what the model has. Pure.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use juju_charm::{
    Bundle,
    bundle::{BundleApplication, Target, UnitPlacement},
};
use juju_wire::facade::client::FullStatus;

/// One change, told as Juju does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Upload { charm: String, base: Option<String> },
    Deploy { application: String, charm: String, base: Option<String> },
    AddMachine { machine: String },
    SetOptions { application: String },
    Expose { application: String },
    Annotate { application: String },
    Relate { endpoints: [String; 2] },
    AddUnit { unit: Unit, place: Place },
}

/// A unit of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) application: String,
    pub(super) number: u64,
}

/// Where a unit goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    New,
    NewContainer {
        kind: String,
    },
    /// A machine of the bundle or of the model, or a container on it.
    Machine {
        key: String,
        kind: Option<String>,
    },
    Beside {
        unit: Unit,
        kind: Option<String>,
    },
}

/// What the model has already.
#[derive(Clone, Debug, Default)]
pub(super) struct Existing {
    /// Applications with the number of their units and whether they are exposed.
    applications: BTreeMap<String, (u64, bool)>,
}

impl Existing {
    pub(super) fn of(status: &FullStatus) -> Self {
        let facts = |it: &juju_wire::facade::client::ApplicationStatus| (it.units.len() as u64, it.exposed);
        Self {
            applications: status.applications.iter().map(|(name, it)| (name.clone(), facts(it))).collect(),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.application, self.number)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upload { charm, base: None } => write!(f, "upload charm {charm} from local"),
            Self::Upload { charm, base: Some(base) } => {
                write!(f, "upload charm {charm} from local for base {base}")
            }
            Self::Deploy { application, .. } => write!(f, "deploy application {application} from local"),
            Self::AddMachine { machine } => write!(f, "add new machine {machine}"),
            Self::SetOptions { application } => write!(f, "set application options for {application}"),
            Self::Expose { application } => write!(f, "expose all endpoints of {application}"),
            Self::Annotate { application } => write!(f, "set annotations for {application}"),
            Self::Relate { endpoints: [a, b] } => write!(f, "add relation {a} - {b}"),
            Self::AddUnit { unit, place } => write!(f, "add unit {unit} to {place}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New => f.write_str("a new machine"),
            Self::NewContainer { kind } => write!(f, "a new {kind} container on a new machine"),
            Self::Machine { key, kind: None } => write!(f, "machine {key}"),
            Self::Machine { key, kind: Some(kind) } => write!(f, "a new {kind} container on machine {key}"),
            Self::Beside { unit, kind: None } => write!(f, "the machine of {unit}"),
            Self::Beside { unit, kind: Some(kind) } => write!(f, "a new {kind} container beside {unit}"),
        }
    }
}

/// Decides. An error says what cannot be done.
pub(super) fn plan(bundle: &Bundle, existing: &Existing) -> Result<Vec<Change>, String> {
    let mut changes = vec![];
    let mut uploaded = BTreeSet::new();
    let applications: Vec<(&String, &BundleApplication)> = bundle.applications.iter().collect();
    for (name, application) in &applications {
        if existing.applications.contains_key(*name) {
            if !application.options.is_empty() {
                changes.push(Change::SetOptions { application: (*name).clone() });
            }
            continue;
        }
        let charm = application.charm.clone();
        if !application.is_local() {
            return Err(format!(
                "application {name}: charms from Charmhub cannot be part of a bundle yet; {charm:?} is not a path"
            ));
        }
        let wanted = [&application.base, &bundle.default_base].into_iter().find(|it| !it.is_empty());
        let base = wanted.cloned();
        if uploaded.insert((charm.clone(), base.clone())) {
            changes.push(Change::Upload { charm: charm.clone(), base: base.clone() });
        }
        changes.push(Change::Deploy { application: (*name).clone(), charm, base });
    }
    for (name, application) in &applications {
        let exposed = existing.applications.get(*name).is_some_and(|it| it.1);
        if application.expose && !exposed {
            changes.push(Change::Expose { application: (*name).clone() });
        }
        if !application.annotations.is_empty() {
            changes.push(Change::Annotate { application: (*name).clone() });
        }
    }
    let units = units(&applications, existing)?;
    let used: BTreeSet<_> = units
        .iter()
        .filter_map(|it| match &it.1 {
            Place::Machine { key, .. } => Some(key.clone()),
            _ => None,
        })
        .collect();
    let is_used = |machine: &&String| used.contains(*machine);
    changes
        .extend(bundle.machines.keys().filter(is_used).map(|it| Change::AddMachine { machine: it.clone() }));
    for pair in &bundle.relations {
        match pair.as_slice() {
            [a, b] => changes.push(Change::Relate { endpoints: [a.clone(), b.clone()] }),
            other => return Err(format!("a relation has two endpoints; {other:?} has {}", other.len())),
        }
    }
    changes.extend(units.into_iter().map(|(unit, place)| Change::AddUnit { unit, place }));
    Ok(changes)
}

/// The units that are missing, with their places: those without another unit in their place first, so that the
/// others find them.
fn units(
    applications: &[(&String, &BundleApplication)],
    existing: &Existing,
) -> Result<Vec<(Unit, Place)>, String> {
    let (mut first, mut then) = (vec![], vec![]);
    for (name, application) in applications {
        let have = existing.applications.get(*name).map_or(0, |it| it.0);
        for number in have..u64::try_from(application.num_units).unwrap_or(0) {
            let at = usize::try_from(number).unwrap_or(usize::MAX);
            let place = match application.placement(at) {
                None => Place::New,
                Some(text) => {
                    let placement = text.parse::<UnitPlacement>().map_err(|e| e.to_string())?;
                    place(&placement, number)
                }
            };
            let unit = Unit { application: (*name).clone(), number };
            match place {
                Place::Beside { .. } => then.push((unit, place)),
                _ => first.push((unit, place)),
            }
        }
    }
    first.extend(order(then)?);
    Ok(first)
}

/// Puts units behind those they are placed beside.
fn order(mut waiting: Vec<(Unit, Place)>) -> Result<Vec<(Unit, Place)>, String> {
    let mut ordered: Vec<(Unit, Place)> = vec![];
    while !waiting.is_empty() {
        let names: BTreeSet<_> = waiting.iter().map(|it| it.0.to_string()).collect();
        let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|it| match &it.1 {
            Place::Beside { unit, .. } => !names.contains(&unit.to_string()),
            _ => true,
        });
        if ready.is_empty() {
            let units: Vec<_> = rest.iter().map(|it| it.0.to_string()).collect();
            return Err(format!("units are placed beside each other in a circle: {}", units.join(", ")));
        }
        ordered.extend(ready);
        waiting = rest;
    }
    Ok(ordered)
}

fn place(placement: &UnitPlacement, number: u64) -> Place {
    let kind = placement.container.map(|it| it.to_string());
    match &placement.target {
        Target::New => kind.map_or(Place::New, |kind| Place::NewContainer { kind }),
        Target::Machine(key) => Place::Machine { key: key.to_string(), kind },
        Target::Unit { app, number: of } => {
            let unit = Unit { application: app.to_string(), number: of.map_or(number, u64::from) };
            Place::Beside { unit, kind }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, existing: &[(&str, u64)]) -> Result<Vec<String>, String> {
        let bundle = Bundle::parse(text).unwrap();
        bundle.verify().unwrap();
        let applications =
            existing.iter().map(|(name, units)| ((*name).to_owned(), (*units, false))).collect();
        plan(&bundle, &Existing { applications }).map(|it| it.iter().map(ToString::to_string).collect())
    }

    const BUNDLE: &str = "
default-base: ubuntu@24.04
applications:
  web: {charm: ./web, num_units: 2, expose: true, to: ['0', 'lxd:pg/0'], options: {port: 80}}
  pg: {charm: ./pg, base: ubuntu@22.04, num_units: 1}
  log: {charm: ./log}
  web2: {charm: ./web, num_units: 1, to: [web]}
machines: {'0': {}}
relations: [[web:db, pg]]
";

    #[test]
    fn changes_come_in_an_order_that_works() {
        assert_eq!(
            told(BUNDLE, &[]).unwrap(),
            [
                "upload charm ./log from local for base ubuntu@24.04",
                "deploy application log from local",
                "upload charm ./pg from local for base ubuntu@22.04",
                "deploy application pg from local",
                "upload charm ./web from local for base ubuntu@24.04",
                "deploy application web from local",
                "deploy application web2 from local",
                "expose all endpoints of web",
                "add new machine 0",
                "add relation web:db - pg",
                "add unit pg/0 to a new machine",
                "add unit web/0 to machine 0",
                "add unit web/1 to a new lxd container beside pg/0",
                "add unit web2/0 to the machine of web/0",
            ]
        );
    }

    #[test]
    fn what_is_there_is_not_made_again() {
        let changes = told(BUNDLE, &[("web", 1), ("pg", 1), ("log", 0), ("web2", 1)]).unwrap();
        assert_eq!(
            changes,
            [
                "set application options for web",
                "expose all endpoints of web",
                "add relation web:db - pg",
                "add unit web/1 to a new lxd container beside pg/0",
            ]
        );
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let hub = told("applications: {pg: {charm: postgresql, num_units: 1}}", &[]).unwrap_err();
        assert!(hub.contains("\"postgresql\" is not a path"), "{hub}");
        let circle = "applications:\n  a: {charm: ./a, num_units: 1, to: [b]}\n  b: {charm: ./b, num_units: 1, to: [a]}\n";
        assert!(told(circle, &[]).unwrap_err().contains("in a circle: a/0, b/0"));
    }
}
