//! Clouds: where machines come from.

use std::{collections::BTreeMap, sync::Arc};

use juju_core::{CloudName, UserName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Prefix, Result, State, Tx, V,
    access::{self, Access, Object},
    model,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CloudDoc {
    pub v: V<1>,
    pub name: CloudName,
    /// The provider: `local`, `lxd`, `manual`, ….
    pub kind: String,
    pub auth_types: Vec<String>,
    #[serde(default)]
    pub endpoint: String,
    #[serde(default)]
    pub identity_endpoint: String,
    #[serde(default)]
    pub storage_endpoint: String,
    /// The first one is the default.
    #[serde(default)]
    pub regions: Vec<Region>,
    #[serde(default)]
    pub ca_certificates: Vec<String>,
    #[serde(default)]
    pub skip_tls_verify: bool,
    /// Model config that models on this cloud inherit.
    #[serde(default)]
    pub config: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    pub region_config: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Region {
    pub name: String,
    #[serde(default)]
    pub endpoint: String,
    #[serde(default)]
    pub identity_endpoint: String,
    #[serde(default)]
    pub storage_endpoint: String,
}

impl Doc for CloudDoc {
    const KIND: &'static str = "cloud";
}

impl CloudDoc {
    /// The region of this name, or the default one for an empty name. A cloud without regions has only the empty one.
    pub fn region(&self, name: &str) -> Result<Option<&Region>> {
        if name.is_empty() {
            return Ok(self.regions.first());
        }
        let found = self.regions.iter().find(|it| it.name == name);
        found.map(Some).ok_or_else(|| {
            let expected: Vec<String> = self.regions.iter().map(|it| format!("{:?}", it.name)).collect();
            Error::not_valid(format!("region {name:?} not found (expected one of [{}])", expected.join(" ")))
        })
    }
}

fn key(name: &CloudName) -> Key<CloudDoc> {
    Key::new(format!("c/cloud/{name}"))
}

/// Where a cloud's document stands, for those who watch what follows from it.
pub(crate) fn path(name: &CloudName) -> String {
    key(name).path().to_owned()
}

fn not_found(name: &CloudName) -> Error {
    Error::NotFound(format!("cloud {:?}", name.as_str()))
}

pub fn read(image: &Image, name: &CloudName) -> Result<Arc<CloudDoc>> {
    key(name).read(image)?.ok_or_else(|| not_found(name))
}

pub fn all(image: &Image) -> Result<Vec<Arc<CloudDoc>>> {
    let prefix = Prefix::<CloudDoc>::new("c/cloud/".into());
    prefix.read(image).map(|it| it.map(|(_, doc)| doc)).collect()
}

pub(crate) async fn get(tx: &Tx, name: &CloudName) -> Result<Arc<CloudDoc>> {
    key(name).get(tx).await?.ok_or_else(|| not_found(name))
}

pub(crate) fn put(tx: &Tx, cloud: &CloudDoc) -> Result<()> {
    key(&cloud.name).put(tx, cloud)
}

/// Adds a cloud, whose owner may do everything with it.
pub(crate) async fn add(tx: &Tx, cloud: &CloudDoc, owner: &UserName) -> Result<()> {
    let key = key(&cloud.name);
    if key.exists(tx).await? {
        return Err(Error::AlreadyExists(format!("cloud {:?}", cloud.name.as_str())));
    }
    if cloud.auth_types.is_empty() {
        return Err(Error::not_valid("empty auth-types not valid"));
    }
    key.put(tx, cloud)?;
    access::grant(tx, &Object::Cloud(cloud.name.clone()), owner, Access::Admin, owner).await
}

impl State {
    pub async fn add_cloud(&self, cloud: &CloudDoc, owner: &UserName) -> Result<()> {
        self.transact(async |tx| add(&tx, cloud, owner).await).await
    }

    pub async fn update_cloud(&self, cloud: &CloudDoc) -> Result<()> {
        let update = async |tx: Tx| {
            get(&tx, &cloud.name).await?;
            key(&cloud.name).put(&tx, cloud)
        };
        self.transact(update).await
    }

    /// Removes a cloud on which there is no model.
    pub async fn remove_cloud(&self, name: &CloudName) -> Result<()> {
        let remove = async |tx: Tx| {
            get(&tx, name).await?;
            let used = model::list(&tx).await?.iter().filter(|it| it.cloud == *name).count();
            if used > 0 {
                let models = if used == 1 { "model" } else { "models" };
                return Err(Error::not_valid(format!("cloud is used by {used} {models}")));
            }
            key(name).delete(&tx);
            access::forget(&tx, &Object::Cloud(name.clone())).await
        };
        self.transact(remove).await
    }
}
