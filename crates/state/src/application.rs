//! Applications: the record of each. How they are deployed, configured, refreshed and ended stands in files beside this
//! one.

use std::{collections::BTreeMap, sync::Arc};

use juju_core::{ApplicationName, Base, CharmUrl, Constraints, Life, ModelUuid};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V, constraints, lease, model,
    status::{self, NewStatus, StatusOf},
    watch::{self, Watcher},
};

pub mod config;
pub(crate) use config::clean_config;
mod deploy;
pub use deploy::NewApplication;
mod destroy;
pub(crate) use destroy::{clean, clean_left, clean_units, destroy, remove_if_left};
mod leader_settings;
mod origin;
pub use origin::{CharmOrigin, Platform};
mod refresh;
pub use refresh::Refresh;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApplicationDoc {
    pub v: V<1>,
    pub name: ApplicationName,
    pub life: Life,
    pub charm_url: CharmUrl,
    pub charm_origin: CharmOrigin,
    /// Counts the changes of its charm and resources, which is what its units watch.
    pub charm_modified_version: u32,
    /// Its units take up the charm even while a hook has failed.
    #[serde(default)]
    pub force_charm: bool,
    /// What its units run on.
    pub base: Base,
    #[serde(default)]
    pub subordinate: bool,
    #[serde(default)]
    pub exposed: bool,
    /// To whom each endpoint is exposed; all of them stand under `""`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
    /// How it is to go once it has no units and relations left.
    #[serde(default)]
    pub min_units: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExposedEndpoint {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spaces: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cidrs: Vec<String>,
}

impl Doc for ApplicationDoc {
    const KIND: &'static str = "application";
}

pub(crate) fn key(m: &ModelUuid, name: &ApplicationName) -> Key<ApplicationDoc> {
    model::key_in(m, format_args!("app/{name}"))
}

pub(crate) fn prefix(m: &ModelUuid) -> Prefix<ApplicationDoc> {
    model::prefix_in(m, "app/")
}

fn not_found(name: &ApplicationName) -> Error {
    Error::NotFound(format!("application \"{name}\""))
}

pub fn read(image: &Image, m: &ModelUuid, name: &ApplicationName) -> Result<Arc<ApplicationDoc>> {
    key(m, name).read(image)?.ok_or_else(|| not_found(name))
}

pub fn all(image: &Image, m: &ModelUuid) -> Result<Vec<Arc<ApplicationDoc>>> {
    let prefix = prefix(m);
    prefix.read(image).map(|it| it.map(|(_, doc)| doc)).collect()
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid, name: &ApplicationName) -> Result<Arc<ApplicationDoc>> {
    key(m, name).get(tx).await?.ok_or_else(|| not_found(name))
}

pub(crate) async fn get_alive(tx: &Tx, m: &ModelUuid, name: &ApplicationName) -> Result<Arc<ApplicationDoc>> {
    let doc = get(tx, m, name).await?;
    match doc.life {
        Life::Alive => Ok(doc),
        _ => Err(Error::NotAlive(format!("application \"{name}\""))),
    }
}

pub(crate) fn put(tx: &Tx, m: &ModelUuid, doc: &ApplicationDoc) -> Result<()> {
    key(m, &doc.name).put(tx, doc)
}

impl Model {
    pub fn application(&self, name: &ApplicationName) -> Result<Arc<ApplicationDoc>> {
        read(&self.image(), self.uuid(), name)
    }

    pub fn applications(&self) -> Result<Vec<Arc<ApplicationDoc>>> {
        all(&self.image(), self.uuid())
    }

    /// Lets the world in, to the endpoints named, from the networks and spaces named for each. Without any, all of it to all.
    pub async fn expose(
        &self,
        name: &ApplicationName,
        endpoints: &BTreeMap<String, ExposedEndpoint>,
    ) -> Result<()> {
        let expose = async |tx: Tx| {
            let mut doc = ApplicationDoc::clone(&*get_alive(&tx, self.uuid(), name).await?);
            let known = crate::bindings::key(self.uuid(), name).get(&tx).await?;
            for (endpoint, to) in endpoints {
                if !endpoint.is_empty()
                    && !known.as_ref().is_some_and(|it| it.bindings.contains_key(endpoint))
                {
                    return Err(Error::NotFound(format!("endpoint {endpoint:?}")));
                }
                if let Some(bad) = to.cidrs.iter().find(|it| !crate::attributes::is_network(it)) {
                    return Err(Error::not_valid(format!("cannot parse {bad:?} as a CIDR")));
                }
            }
            doc.exposed = true;
            if endpoints.is_empty() {
                let world =
                    ExposedEndpoint { spaces: vec![], cidrs: vec!["0.0.0.0/0".into(), "::/0".into()] };
                doc.exposed_endpoints = BTreeMap::from([(String::new(), world)]);
            }
            doc.exposed_endpoints.extend(endpoints.clone());
            put(&tx, self.uuid(), &doc)
        };
        self.transact(expose).await
    }

    /// Shuts the endpoints named, or all.
    pub async fn unexpose(&self, name: &ApplicationName, endpoints: &[String]) -> Result<()> {
        let unexpose = async |tx: Tx| {
            let mut doc = ApplicationDoc::clone(&*get_alive(&tx, self.uuid(), name).await?);
            for endpoint in endpoints {
                if doc.exposed_endpoints.remove(endpoint).is_none() {
                    return Err(Error::NotFound(format!("exposed endpoint {endpoint:?}")));
                }
            }
            if endpoints.is_empty() {
                doc.exposed_endpoints.clear();
            }
            doc.exposed = !doc.exposed_endpoints.is_empty();
            put(&tx, self.uuid(), &doc)
        };
        self.transact(unexpose).await
    }

    pub async fn set_application_constraints(
        &self,
        name: &ApplicationName,
        cons: &Constraints,
    ) -> Result<()> {
        let set = async |tx: Tx| {
            if get_alive(&tx, self.uuid(), name).await?.subordinate {
                return Err(Error::NotSupported(
                    "constraints do not apply to subordinate applications".into(),
                ));
            }
            constraints::put(&tx, self.uuid(), constraints::Of::Application(name), cons)
        };
        self.transact(set).await
    }

    /// Sets the status of an application; where a unit does, it must lead.
    pub async fn set_application_status(
        &self,
        name: &ApplicationName,
        by: Option<&juju_core::UnitName>,
        new: &NewStatus,
    ) -> Result<()> {
        let set = async |tx: Tx| {
            get(&tx, self.uuid(), name).await?;
            if let Some(unit) = by {
                lease::guard_leader(&tx, self.uuid(), unit).await?;
            }
            status::set(&tx, self.uuid(), &StatusOf::Application(name.clone()), new, true).await
        };
        self.transact(set).await
    }

    /// Tells when the application changes: its life, its charm, and what is exposed.
    pub fn watch_application(&self, name: &ApplicationName) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(self.uuid(), name).path()))
    }

    /// Reports applications by their lives.
    pub fn watch_applications(&self) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let (m, all) = (self.uuid().clone(), prefix(self.uuid()));
        let path = all.path().to_owned();
        let id = move |key: &str| all.name_in(key).map(str::to_owned);
        let life = move |image: &Image, id: &str| {
            let Ok(name) = id.parse() else { return Ok(None) };
            Ok(key(&m, &name).read(image)?.map(|it| it.life))
        };
        watch::lives_under(self.view(), &path, id, life)
    }
}
