//! In which space each endpoint of an application is.
//!
//! There is one space, `alpha`, until spaces can be made; what is bound is checked, kept and told all the same.

use std::collections::BTreeMap;

use juju_charm::Charm;
use juju_core::{ApplicationName, ModelUuid, SpaceName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Error, Key, Model, Result, Tx, V, application, charm, model};

/// The spaces by endpoint; that of `""` is the default of those not named.
pub type Bindings = BTreeMap<String, SpaceName>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BindingsDoc {
    pub v: V<1>,
    pub bindings: Bindings,
}

impl Doc for BindingsDoc {
    const KIND: &'static str = "endpoint bindings";
}

pub(crate) fn key(m: &ModelUuid, name: &ApplicationName) -> Key<BindingsDoc> {
    model::key_in(m, format_args!("bind/{name}"))
}

pub fn read(image: &Image, m: &ModelUuid, name: &ApplicationName) -> Result<Bindings> {
    Ok(key(m, name).read(image)?.map(|it| it.bindings.clone()).unwrap_or_default())
}

/// The bindings of an application with the charm: those given, and the default for the rest.
fn complete(charm: &Charm, name: &ApplicationName, given: &BTreeMap<String, String>) -> Result<Bindings> {
    let mut bindings = Bindings::new();
    for (endpoint, space) in given {
        let bad = || Error::not_valid(format!("space {space:?} not found"));
        let space: SpaceName =
            if space.is_empty() { SpaceName::alpha() } else { space.parse().map_err(|_| bad())? };
        if space != SpaceName::alpha() {
            return Err(bad());
        }
        bindings.insert(endpoint.clone(), space);
    }
    let default = bindings.entry(String::new()).or_insert_with(SpaceName::alpha).clone();
    let endpoints = charm::endpoints(charm, name);
    let known: Vec<&str> =
        endpoints.iter().map(|it| it.name.as_str()).chain(charm::extra_bindings(charm)).collect();
    if let Some(unknown) = bindings.keys().find(|it| !it.is_empty() && !known.contains(&it.as_str())) {
        return Err(Error::not_valid(format!("endpoint {unknown:?} not found")));
    }
    for endpoint in known {
        // The implicit endpoint cannot be bound unless somebody does.
        if endpoint != "juju-info" {
            bindings.entry(endpoint.to_owned()).or_insert_with(|| default.clone());
        }
    }
    Ok(bindings)
}

/// Binds the endpoints of a new application.
pub(crate) fn create(
    tx: &Tx,
    m: &ModelUuid,
    name: &ApplicationName,
    charm: &Charm,
    given: &BTreeMap<String, String>,
) -> Result<()> {
    let bindings = complete(charm, name, given)?;
    key(m, name).put(tx, &BindingsDoc { v: V, bindings })
}

/// Binds some endpoints anew; those that the charm no longer has are forgotten.
pub(crate) async fn merge(
    tx: &Tx,
    m: &ModelUuid,
    name: &ApplicationName,
    charm: &Charm,
    given: &BTreeMap<String, String>,
) -> Result<()> {
    let known: Vec<String> = charm::endpoints(charm, name)
        .iter()
        .map(|it| it.name.to_string())
        .chain(charm::extra_bindings(charm).map(str::to_owned))
        .chain([String::new()])
        .collect();
    let old = key(m, name).get(tx).await?.map(|it| it.bindings.clone()).unwrap_or_default();
    let mut all: BTreeMap<String, String> = old
        .into_iter()
        .filter(|(it, _)| known.contains(it))
        .map(|(it, space)| (it, space.to_string()))
        .collect();
    all.extend(given.clone());
    create(tx, m, name, charm, &all)
}

pub(crate) fn delete(tx: &Tx, m: &ModelUuid, name: &ApplicationName) {
    key(m, name).delete(tx);
}

impl Model {
    pub fn bindings(&self, name: &ApplicationName) -> Result<Bindings> {
        read(&self.image(), self.uuid(), name)
    }

    pub async fn merge_bindings(
        &self,
        name: &ApplicationName,
        given: &BTreeMap<String, String>,
    ) -> Result<()> {
        let merge = async |tx: Tx| {
            let application = application::get_alive(&tx, self.uuid(), name).await?;
            let charm = charm::get(&tx, self.uuid(), &application.charm_url).await?;
            merge(&tx, self.uuid(), name, &charm, given).await
        };
        self.transact(merge).await
    }
}
