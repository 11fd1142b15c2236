//! Bundles: sets of applications to deploy together (Juju 3.6 `juju/charm`).

use std::collections::{BTreeMap, BTreeSet};

use juju_core::{ApplicationName, Constraints};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CharmError, Result, yaml};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Bundle {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub bundle: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub default_base: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub series: String,
    #[serde(alias = "services")]
    pub applications: BTreeMap<String, Option<BundleApplication>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub machines: BTreeMap<String, Option<BundleMachine>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Vec<String>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub saas: BTreeMap<String, Option<Value>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct BundleApplication {
    pub charm: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub channel: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub series: String,
    #[serde(rename = "num_units", alias = "scale", skip_serializing_if = "Option::is_none")]
    pub num_units: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bindings: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expose: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct BundleMachine {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub series: String,
}

/// Where a unit goes: `(<container>:)?(new|<machine>|<app>|<app>/<n>)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitPlacement {
    /// `lxd` or `kvm`; empty for the machine itself.
    pub container: String,
    pub target: Target,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    New,
    Machine(String),
    /// The unit of the same number, or this one.
    Application {
        name: String,
        unit: Option<u64>,
    },
}

impl std::str::FromStr for UnitPlacement {
    type Err = String;
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bad = || format!("invalid placement syntax {text:?}");
        let (container, target) = text.split_once(':').unwrap_or(("", text));
        if !["", "lxd", "kvm"].contains(&container) || (container.is_empty() && text.contains(':')) {
            return Err(bad());
        }
        let target = match target {
            "new" => Target::New,
            it if !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit()) => Target::Machine(it.to_owned()),
            it => {
                let (name, unit) = match it.split_once('/') {
                    Some((name, number)) => (name, Some(number.parse().map_err(|_| bad())?)),
                    None => (it, None),
                };
                if !ApplicationName::is_valid(name) {
                    return Err(bad());
                }
                Target::Application { name: name.to_owned(), unit }
            }
        };
        Ok(UnitPlacement { container: container.to_owned(), target })
    }
}

impl Bundle {
    /// Reads one document; overlays are merged by whoever has them.
    pub fn parse(text: &str) -> Result<Bundle> {
        let bundle: Option<Bundle> =
            yaml::from_str(text).map_err(|err| CharmError::Parse { file: "bundle", why: err.to_string() })?;
        Ok(bundle.unwrap_or_default())
    }

    /// All that is wrong with it, in a stable order; empty if nothing is.
    pub fn verify(&self) -> Vec<String> {
        let mut errors = vec![];
        if self.applications.is_empty() {
            errors.push("at least one application must be specified".to_owned());
        }
        let mut used = BTreeSet::new();
        for (name, application) in &self.applications {
            self.verify_application(name, application.as_ref(), &mut used, &mut errors);
        }
        for (name, machine) in &self.machines {
            if name.parse::<u64>().is_err() {
                errors.push(format!("invalid machine id {name:?} found in machines"));
            } else if !used.contains(name) {
                errors.push(format!("machine {name:?} is not referred to by a placement directive"));
            }
            let constraints = machine.as_ref().map(|it| it.constraints.parse::<Constraints>());
            if let Some(Err(err)) = constraints {
                errors.push(format!("invalid constraints in machine {name:?}: {err}"));
            }
        }
        self.verify_relations(&mut errors);
        errors
    }

    fn verify_application(
        &self,
        name: &str,
        application: Option<&BundleApplication>,
        used: &mut BTreeSet<String>,
        errors: &mut Vec<String>,
    ) {
        if !ApplicationName::is_valid(name) {
            errors.push(format!("invalid application name {name:?} found in applications"));
        }
        let Some(it) = application.filter(|it| !it.charm.is_empty()) else {
            errors.push(format!("empty charm path for application {name:?}"));
            return;
        };
        if let Err(err) = it.constraints.parse::<Constraints>() {
            errors.push(format!("invalid constraints in application {name:?}: {err}"));
        }
        if it.num_units.is_some_and(|units| (it.to.len() as u64) > units) {
            let (placed, units) = (it.to.len(), it.num_units.unwrap_or_default());
            errors.push(format!(
                "too many units placed on application {name:?}: {placed} placed, {units} wanted"
            ));
        }
        for text in &it.to {
            match text.parse::<UnitPlacement>() {
                Err(why) => errors.push(why),
                Ok(UnitPlacement { target: Target::Machine(machine), .. }) => {
                    if !self.machines.is_empty() && !self.machines.contains_key(&machine) {
                        errors.push(format!(
                            "placement {text:?} refers to a machine not defined in this bundle"
                        ));
                    }
                    used.insert(machine);
                }
                Ok(UnitPlacement { target: Target::Application { name: other, .. }, .. }) => {
                    if !self.applications.contains_key(&other) {
                        errors.push(format!(
                            "placement {text:?} refers to an application not defined in this bundle"
                        ));
                    }
                }
                Ok(_) => {}
            }
        }
    }

    fn verify_relations(&self, errors: &mut Vec<String>) {
        let mut seen = BTreeSet::new();
        for relation in &self.relations {
            let [first, second] = relation.as_slice() else {
                errors.push(format!("relation {relation:?} has {} endpoint(s), not 2", relation.len()));
                continue;
            };
            for endpoint in [first, second] {
                let application = endpoint.split(':').next().unwrap_or_default();
                if !self.applications.contains_key(application) && !self.saas.contains_key(application) {
                    let text = format!(
                        "relation {relation:?} refers to application {application:?} not defined in this bundle"
                    );
                    errors.push(text);
                }
            }
            let mut pair = [first, second];
            pair.sort();
            if !seen.insert(pair) {
                errors.push(format!("relation {relation:?} is defined more than once"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "
applications:
  web: {charm: ./web, num_units: 2, to: ['0', 'lxd:db/0'], options: {port: 80}, constraints: mem=2G, expose: true}
  db: {charm: ./db, scale: 1}
machines: {'0': {constraints: cores=2}}
relations: [['web:db', db]]
";

    #[test]
    fn a_good_bundle_has_no_errors() {
        let bundle = Bundle::parse(GOOD).unwrap();
        assert_eq!(bundle.verify(), [""; 0]);
        assert_eq!(bundle.applications["db"].as_ref().unwrap().num_units, Some(1));
    }

    #[test]
    fn all_that_is_wrong_is_told() {
        let bundle = Bundle::parse(
            "applications:\n  Web: {charm: x}\n  db:\n  a: {charm: y, to: [zzz-9, '7', 'lxd:nope'], num_units: 1, constraints: mem=x}\nmachines: {'1': }\nrelations: [[a], [a, b], [a, db], [db, a]]\n",
        )
        .unwrap();
        assert_eq!(
            bundle.verify(),
            [
                "invalid application name \"Web\" found in applications",
                "invalid constraints in application \"a\": bad \"mem\" constraint: must be a non-negative float with optional M/G/T/P suffix",
                "too many units placed on application \"a\": 3 placed, 1 wanted",
                "invalid placement syntax \"zzz-9\"",
                "placement \"7\" refers to a machine not defined in this bundle",
                "placement \"lxd:nope\" refers to an application not defined in this bundle",
                "empty charm path for application \"db\"",
                "machine \"1\" is not referred to by a placement directive",
                "relation [\"a\"] has 1 endpoint(s), not 2",
                "relation [\"a\", \"b\"] refers to application \"b\" not defined in this bundle",
                "relation [\"db\", \"a\"] is defined more than once",
            ]
        );
        assert_eq!(Bundle::parse("").unwrap().verify(), ["at least one application must be specified"]);
        assert!(Bundle::parse("applications: [").is_err());
    }
}
