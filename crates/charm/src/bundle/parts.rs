//! The documents of a bundle, and how overlays change it: maps merge by key, scalars and lists replace, relations are
//! added, an application or offer from elsewhere that is null goes with its relations.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Bundle, BundleApplication, BundleMachine, ExposedEndpoint, Offer, Saas};

/// One document. What it does not say is absent.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(super) struct Part {
    bundle: Option<String>,
    description: Option<String>,
    default_base: Option<String>,
    series: Option<String>,
    #[serde(alias = "services")]
    applications: Option<BTreeMap<String, Option<AppPart>>>,
    machines: Option<BTreeMap<String, Option<BundleMachine>>>,
    relations: Option<Vec<Vec<String>>>,
    saas: Option<BTreeMap<String, Option<Saas>>>,
}

/// A map that is absent, or null (which clears it), or there.
type MapPart<T> = Option<Option<BTreeMap<String, T>>>;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct AppPart {
    charm: Option<String>,
    channel: Option<String>,
    revision: Option<i64>,
    base: Option<String>,
    series: Option<String>,
    #[serde(rename = "num_units", alias = "scale")]
    num_units: Option<i64>,
    to: Option<Vec<String>>,
    #[serde(deserialize_with = "present")]
    options: MapPart<Value>,
    constraints: Option<String>,
    #[serde(deserialize_with = "present")]
    storage: MapPart<String>,
    #[serde(deserialize_with = "present")]
    devices: MapPart<String>,
    #[serde(deserialize_with = "present")]
    bindings: MapPart<String>,
    #[serde(deserialize_with = "present")]
    resources: MapPart<Value>,
    #[serde(deserialize_with = "present")]
    annotations: MapPart<String>,
    expose: Option<bool>,
    #[serde(deserialize_with = "present")]
    exposed_endpoints: MapPart<ExposedEndpoint>,
    #[serde(deserialize_with = "present")]
    offers: MapPart<Offer>,
    trust: Option<bool>,
}

/// Tells a key without a value from a key that is not there.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<MapPart<T>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// The first document with all further ones laid over it.
pub(super) fn merge(parts: Vec<Part>) -> Result<Bundle, String> {
    let mut bundle = Bundle::default();
    for (at, part) in parts.into_iter().enumerate() {
        if at == 0 {
            check_base(&part)?;
        }
        apply(&mut bundle, part);
    }
    Ok(bundle)
}

fn check_base(part: &Part) -> Result<(), String> {
    let mut errors = vec![];
    for (name, app) in part.applications.iter().flatten() {
        let Some(app) = app else { return Err(format!("base application {name:?} has no body")) };
        for (there, key) in
            [(app.exposed_endpoints.is_some(), "exposed-endpoints"), (app.offers.is_some(), "offers")]
        {
            if there {
                errors.push(format!("applications.{name}.{key} can only appear in an overlay section"));
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

fn apply(bundle: &mut Bundle, part: Part) {
    replace(&mut bundle.kind, part.bundle);
    replace(&mut bundle.description, part.description);
    replace(&mut bundle.default_base, part.default_base);
    replace(&mut bundle.series, part.series);
    for (name, app) in part.applications.unwrap_or_default() {
        match app {
            Some(app) => apply_app(bundle.applications.entry(name).or_default(), app),
            None => {
                bundle.applications.remove(&name);
                forget_relations(bundle, &name);
            }
        }
    }
    for (name, saas) in part.saas.unwrap_or_default() {
        match saas {
            Some(saas) => drop(bundle.saas.insert(name, saas)),
            None => {
                bundle.saas.remove(&name);
                forget_relations(bundle, &name);
            }
        }
    }
    if let Some(machines) = part.machines {
        bundle.machines = machines.into_iter().map(|(id, it)| (id, it.unwrap_or_default())).collect();
    }
    bundle.relations.extend(part.relations.unwrap_or_default());
}

fn apply_app(app: &mut BundleApplication, part: AppPart) {
    replace(&mut app.charm, part.charm);
    replace(&mut app.channel, part.channel);
    app.revision = part.revision.or(app.revision);
    replace(&mut app.base, part.base);
    replace(&mut app.series, part.series);
    replace(&mut app.num_units, part.num_units);
    replace(&mut app.to, part.to);
    merge_map(&mut app.options, part.options);
    replace(&mut app.constraints, part.constraints);
    merge_map(&mut app.storage, part.storage);
    merge_map(&mut app.devices, part.devices);
    merge_map(&mut app.bindings, part.bindings);
    merge_map(&mut app.resources, part.resources);
    merge_map(&mut app.annotations, part.annotations);
    replace(&mut app.expose, part.expose);
    merge_map(&mut app.exposed_endpoints, part.exposed_endpoints);
    merge_map(&mut app.offers, part.offers);
    replace(&mut app.trust, part.trust);
}

fn replace<T>(value: &mut T, by: Option<T>) {
    if let Some(by) = by {
        *value = by;
    }
}

fn merge_map<T>(map: &mut BTreeMap<String, T>, by: MapPart<T>) {
    match by {
        None => {}
        Some(Some(by)) if !by.is_empty() => map.extend(by),
        Some(_) => map.clear(),
    }
}

fn forget_relations(bundle: &mut Bundle, app: &str) {
    let names = |endpoint: &String| endpoint.split(':').next() == Some(app);
    bundle.relations.retain(|it| !it.iter().any(names));
}
