//! The controller itself: what it is, with what it serves, and how it begins.

use std::{fmt, sync::Arc};

use juju_core::{CloudName, ControllerName, ControllerUuid, ModelUuid};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Result, State, Tx, V,
    watch::{self, Watcher},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControllerDoc {
    pub v: V<1>,
    pub uuid: ControllerUuid,
    pub name: ControllerName,
    /// The model whose machines it runs on.
    pub model: ModelUuid,
    pub cloud: CloudName,
    /// PEM. Its own certificates are signed by this one, and by it clients know it.
    pub ca_cert: String,
}

impl Doc for ControllerDoc {
    const KIND: &'static str = "controller";
}

/// Secret: the keys with which it serves.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ServingDoc {
    pub v: V<1>,
    pub api_port: u16,
    /// PEM, as the keys are.
    pub cert: String,
    pub key: String,
    pub ca_key: String,
    #[serde(default)]
    pub shared_secret: String,
    /// The ssh key with which controllers reach each other.
    #[serde(default)]
    pub system_identity: String,
}

impl Doc for ServingDoc {
    const KIND: &'static str = "serving info";
}

impl fmt::Debug for ServingDoc {
    /// Leaves the keys out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServingDoc").field("api_port", &self.api_port).finish_non_exhaustive()
    }
}

pub(crate) fn key() -> Key<ControllerDoc> {
    Key::new("c/info".into())
}

fn serving_key() -> Key<ServingDoc> {
    Key::new("c/serving".into())
}

fn missing() -> Error {
    Error::NotFound("controller".into())
}

/// The controller; not found in a store that was not initialised.
pub fn read(image: &Image) -> Result<Arc<ControllerDoc>> {
    key().read(image)?.ok_or_else(missing)
}

pub(crate) async fn get(tx: &Tx) -> Result<Arc<ControllerDoc>> {
    key().get(tx).await?.ok_or_else(missing)
}

pub(crate) fn put_serving(tx: &Tx, doc: &ServingDoc) -> Result<()> {
    serving_key().put(tx, doc)
}

impl State {
    pub fn controller(&self) -> Result<Arc<ControllerDoc>> {
        read(&self.image())
    }

    /// The model whose machines the controller runs on.
    pub fn controller_model(&self) -> Result<Model> {
        self.model(&self.controller()?.model)
    }

    pub fn serving(&self) -> Result<Arc<ServingDoc>> {
        serving_key().read(&self.image())?.ok_or_else(missing)
    }

    pub async fn set_serving(&self, doc: &ServingDoc) -> Result<()> {
        self.transact(async |tx| put_serving(&tx, doc)).await
    }

    pub fn watch_serving(&self) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(serving_key().path()))
    }
}
