//! What is wrong with a bundle: all of it, in a stable order, in Juju's words.

use std::collections::{BTreeMap, BTreeSet};

use juju_core::{
    ApplicationName, Base, CharmUrl, Constraints, OptionType, StorageName, base::base_of_series,
};
use serde_json::Value;

use super::{Bundle, BundleApplication, Target, UnitPlacement};
use crate::{
    Charm, Relation, Role,
    endpoints::{self, EndpointSpec},
};

/// Everything that is wrong with a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the provided bundle has the following errors:\n{}", .0.join("\n"))]
pub struct BundleErrors(pub Vec<String>);

/// The charms of a bundle by what its applications call them.
pub type Charms = BTreeMap<String, Charm>;

impl Bundle {
    /// Checks what can be checked by the bundle alone.
    pub fn verify(&self) -> Result<(), BundleErrors> {
        self.verify_all(None)
    }

    /// Checks that it fits its charms too: options, endpoints, bindings, subordinates.
    pub fn verify_with(&self, charms: &Charms) -> Result<(), BundleErrors> {
        self.verify_all(Some(charms))
    }

    fn verify_all(&self, charms: Option<&Charms>) -> Result<(), BundleErrors> {
        let mut verifier = Verifier { bundle: self, charms, used: BTreeSet::new(), errors: vec![] };
        verifier.all();
        if verifier.errors.is_empty() { Ok(()) } else { Err(BundleErrors(verifier.errors)) }
    }
}

struct Verifier<'a> {
    bundle: &'a Bundle,
    charms: Option<&'a Charms>,
    /// The machines that some unit is placed on.
    used: BTreeSet<String>,
    errors: Vec<String>,
}

impl Verifier<'_> {
    fn all(&mut self) {
        let bundle = self.bundle;
        if !["", "kubernetes"].contains(&bundle.kind.as_str()) {
            self.error(format!("bundle has an invalid type {:?}", bundle.kind));
        }
        if !bundle.default_base.is_empty() && bundle.default_base.parse::<Base>().is_err() {
            self.error(format!("bundle declares an invalid base {:?}", bundle.default_base));
        }
        if !bundle.series.is_empty() && base_of_series(&bundle.series).is_err() {
            self.error(format!("bundle declares an invalid series {:?}", bundle.series));
        }
        self.machines();
        if bundle.applications.is_empty() {
            self.error("at least one application must be specified".to_owned());
        }
        for (name, app) in &bundle.applications {
            self.application(name, app);
        }
        self.relations();
        for (name, app) in &bundle.applications {
            self.fits_charm(name, app);
        }
        for id in bundle.machines.keys().filter(|it| !self.used.contains(*it)).cloned().collect::<Vec<_>>() {
            self.error(format!("machine {id:?} is not referred to by a placement directive"));
        }
    }

    fn error(&mut self, error: String) {
        self.errors.push(error);
    }

    fn machines(&mut self) {
        for (id, machine) in &self.bundle.machines {
            if !matches!(
                id.parse::<UnitPlacement>(),
                Ok(UnitPlacement { container: None, target: Target::Machine(_) })
            ) {
                self.error(format!("invalid machine id {id:?} found in machines"));
            }
            if let Err(error) = machine.constraints.parse::<Constraints>() {
                let constraints = &machine.constraints;
                self.error(format!("invalid constraints {constraints:?} in machine {id:?}: {error}"));
            }
            if !machine.base.is_empty() && machine.base.parse::<Base>().is_err() {
                self.error(format!("invalid base {:?} for machine {id:?}", machine.base));
            }
            if !machine.series.is_empty() && base_of_series(&machine.series).is_err() {
                self.error(format!("invalid series {} for machine {id:?}", machine.series));
            }
        }
    }

    fn application(&mut self, name: &str, app: &BundleApplication) {
        if !ApplicationName::is_valid(name) {
            self.error(format!("invalid application name {name:?}"));
        }
        if app.charm.is_empty() {
            self.error(format!("empty charm path for application {name:?}"));
        } else if !app.is_local() {
            if let Err(error) = app.charm.parse::<CharmUrl>() {
                self.error(format!("invalid charm URL in application {name:?}: {error}"));
            }
            if app.revision.is_some() && app.channel.is_empty() {
                self.error(format!(
                    "application {name:?} with a revision requires a channel for future upgrades, please use channel"
                ));
            }
        }
        if !app.base.is_empty() && app.base.parse::<Base>().is_err() {
            self.error(format!("invalid base {:?} for application {name:?}", app.base));
        }
        if !app.series.is_empty() && base_of_series(&app.series).is_err() {
            self.error(format!("invalid series {:?} for application {name:?}", app.series));
        }
        if let Err(error) = app.constraints.parse::<Constraints>() {
            self.error(format!("invalid constraints {:?} in application {name:?}: {error}", app.constraints));
        }
        for storage in app.storage.keys().filter(|it| !StorageName::is_valid(it)) {
            self.error(format!("invalid storage name {storage:?} in application {name:?}"));
        }
        for (resource, value) in &app.resources {
            if resource.is_empty() {
                self.error(format!("missing resource name on application {name:?}"));
            }
            if !(value.is_i64() || value.is_u64() || value.is_string()) {
                self.error(format!("resource revision {name:?} is not int or string"));
            }
        }
        if app.num_units < 0 {
            self.error(format!("negative number of units specified on application {name:?}"));
        } else if app.to.len() as i64 > app.num_units {
            self.error(format!("too many units specified in unit placement for application {name:?}"));
        }
        for text in &app.to {
            self.placement(text);
        }
    }

    fn placement(&mut self, text: &str) {
        match text.parse::<UnitPlacement>().map(|it| it.target) {
            Err(error) => self.error(error.to_string()),
            Ok(Target::New) => {}
            Ok(Target::Machine(number)) => {
                let id = number.to_string();
                if !self.bundle.machines.contains_key(&id) {
                    self.error(format!("placement {text:?} refers to a machine not defined in this bundle"));
                }
                self.used.insert(id);
            }
            Ok(Target::Unit { app, number }) => match self.bundle.applications.get(app.as_str()) {
                None => self
                    .error(format!("placement {text:?} refers to an application not defined in this bundle")),
                Some(other) if number.is_some_and(|it| i64::from(it) >= other.num_units) => {
                    let units = other.num_units;
                    self.error(format!(
                        "placement {text:?} specifies a unit greater than the {units} unit(s) started by the target application"
                    ));
                }
                Some(_) => {}
            },
        }
    }

    fn relations(&mut self) {
        let mut seen = BTreeSet::new();
        for relation in &self.bundle.relations {
            let shown = quoted(relation);
            let [first, second] = &relation[..] else {
                self.error(format!("relation {shown} has {} endpoint(s), not 2", relation.len()));
                continue;
            };
            let mut specs = vec![];
            for text in [first, second] {
                match EndpointSpec::parse(text) {
                    None => self.error(format!("invalid relation syntax {text:?}")),
                    Some(spec) => {
                        let name = spec.app.as_str();
                        if !self.bundle.applications.contains_key(name)
                            && !self.bundle.saas.contains_key(name)
                        {
                            self.error(format!(
                                "relation {shown} refers to application {name:?} not defined in this bundle"
                            ));
                        }
                        specs.push(spec);
                    }
                }
            }
            let [first, second] = &specs[..] else { continue };
            if first.app == second.app {
                self.error(format!("relation {shown} relates an application to itself"));
            }
            let mut pair = self.ends(first, second);
            pair.sort();
            if !seen.insert(pair) {
                self.error(format!("relation {shown} is defined more than once"));
            }
        }
    }

    /// The two ends with their endpoints, inferred where the charms are known, so that a relation that is written in
    /// two ways is found to be one.
    fn ends(&mut self, first: &EndpointSpec, second: &EndpointSpec) -> [EndpointSpec; 2] {
        let as_written = [first.clone(), second.clone()];
        let (Some(one), Some(other)) = (self.charm_of(first), self.charm_of(second)) else {
            return as_written;
        };
        if first.app == second.app {
            return as_written;
        }
        if first.endpoint.is_some() && second.endpoint.is_some() {
            let (one, other) = (one.clone(), other.clone());
            self.related(first, &one, second, &other);
            return as_written;
        }
        match endpoints::infer((first, &one.meta), (second, &other.meta)) {
            Err(error) => {
                self.error(format!("cannot infer endpoint between {first} and {second}: {error}"));
                as_written
            }
            Ok(pair) => [pair.requirer, pair.provider]
                .map(|it| EndpointSpec { app: it.app, endpoint: Some(it.relation.name) }),
        }
    }

    /// Checks a relation whose endpoints are both written out.
    fn related(&mut self, first: &EndpointSpec, one: &Charm, second: &EndpointSpec, other: &Charm) {
        let mut ends = vec![];
        for (spec, charm) in [(first, one), (second, other)] {
            let name = spec.endpoint.as_deref().unwrap_or_default();
            match charm.meta.relation(name).filter(|it| it.role != Role::Peer) {
                Some(relation) => ends.push(relation),
                None => {
                    let app = &spec.app;
                    let charm = self.bundle.applications.get(app.as_str()).map_or("", |it| it.charm.as_str());
                    let app = app.as_str();
                    self.error(format!(
                        "charm {charm:?} used by application {app:?} does not define relation {name:?}"
                    ));
                }
            }
        }
        let [one, other] = &ends[..] else { return };
        let [first, second] = [first, second].map(|it| format!("{:?}", it.to_string()));
        match (one.role, other.role) {
            (Role::Provider, Role::Provider) => {
                self.error(format!("relation {first} to {second} relates provider to provider"));
            }
            (Role::Requirer, Role::Requirer) => {
                self.error(format!("relation {first} to {second} relates requirer to requirer"));
            }
            _ if one.interface != other.interface => {
                let provider_first = one.role == Role::Provider;
                let mismatch = |provider: &Relation, requirer: &Relation, ends: (&str, &str)| {
                    let (provided, required) = (&provider.interface, &requirer.interface);
                    format!(
                        "mismatched interface between {} and {} ({provided:?} vs {required:?})",
                        ends.0, ends.1
                    )
                };
                self.error(if provider_first {
                    mismatch(one, other, (&first, &second))
                } else {
                    mismatch(other, one, (&second, &first))
                });
            }
            _ => {}
        }
    }

    fn charm_of(&self, spec: &EndpointSpec) -> Option<&Charm> {
        self.charms?.get(&self.bundle.applications.get(spec.app.as_str())?.charm)
    }

    fn fits_charm(&mut self, name: &str, app: &BundleApplication) {
        let Some(charms) = self.charms else { return };
        let Some(charm) = charms.get(&app.charm) else {
            return self.error(format!("application {name:?} refers to non-existent charm {:?}", app.charm));
        };
        if charm.meta.subordinate {
            if !app.to.is_empty() {
                self.error(format!("application {name:?} is subordinate but specifies unit placement"));
            }
            if app.num_units > 0 {
                self.error(format!("application {name:?} is subordinate but has non-zero num_units"));
            }
        }
        for (option, value) in &app.options {
            let Some(declared) = charm.config.options.get(option) else {
                let charm = &app.charm;
                self.error(format!(
                    "cannot validate application {name:?}: configuration option {option:?} not found in charm {charm:?}"
                ));
                continue;
            };
            // What is read from a file stands for itself; its text comes later.
            let from_file = value.as_str().is_some_and(|it| it.starts_with("include-"));
            if from_file && declared.option_type == OptionType::String || *value == Value::Null {
                continue;
            }
            if let Err(wrong) = declared.option_type.convert(value) {
                self.error(format!("cannot validate application {name:?}: option {option:?} {wrong}"));
            }
        }
        for (endpoint, space) in app.bindings.iter().filter(|(it, _)| !it.is_empty()) {
            if !charm.meta.bindable().contains(endpoint.as_str()) {
                self.error(format!(
                    "application {name:?} wants to bind endpoint {endpoint:?} to space {space:?}, but the endpoint is not \
                     defined by the charm"
                ));
            }
        }
    }
}

/// A list as Go quotes it: `["a" "b"]`.
fn quoted(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(" "))
}
