//! Where the API is served: one list for clients, one for agents, each grouped by controller.

use juju_core::HostPort;
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Key, Result, State, Tx, V,
    watch::{self, Watcher},
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApiAddressesDoc {
    pub v: V<1>,
    /// One list a controller.
    pub clients: Vec<Vec<HostPort>>,
    /// Those that agents are to use; where a management space is set, only what is in it.
    pub agents: Vec<Vec<HostPort>>,
}

impl Doc for ApiAddressesDoc {
    const KIND: &'static str = "API addresses";
}

fn key() -> Key<ApiAddressesDoc> {
    Key::new("c/api".into())
}

pub fn read(image: &Image) -> Result<ApiAddressesDoc> {
    Ok(key().read(image)?.map(|it| ApiAddressesDoc::clone(&it)).unwrap_or_default())
}

pub(crate) fn put(tx: &Tx, doc: &ApiAddressesDoc) -> Result<()> {
    key().put(tx, doc)
}

impl State {
    pub fn api_addresses(&self) -> Result<ApiAddressesDoc> {
        read(&self.image())
    }

    pub async fn set_api_addresses(&self, clients: &[Vec<HostPort>], agents: &[Vec<HostPort>]) -> Result<()> {
        let doc = ApiAddressesDoc { v: V, clients: clients.to_vec(), agents: agents.to_vec() };
        self.transact(async |tx| put(&tx, &doc)).await
    }

    pub fn watch_api_addresses(&self) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key().path()))
    }
}
