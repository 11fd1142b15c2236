//! The machines that run the controller, and whether each has a say in its store.

use juju_core::MachineId;
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Key, Prefix, Result, State, Tx, V,
    watch::{self, Watcher},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeDoc {
    pub v: V<1>,
    /// A machine of the controller's model.
    pub machine: MachineId,
    /// Whether it is to have a vote.
    pub wants_vote: bool,
    /// Whether it has one.
    pub has_vote: bool,
}

impl Doc for NodeDoc {
    const KIND: &'static str = "controller node";
}

fn prefix() -> Prefix<NodeDoc> {
    Prefix::new("c/node/".into())
}

fn key(machine: &MachineId) -> Key<NodeDoc> {
    Key::new(format!("c/node/{machine}"))
}

/// The nodes, in the order of their machines.
pub fn all(image: &Image) -> Result<Vec<NodeDoc>> {
    let prefix = prefix();
    let nodes = prefix.read(image).map(|it| it.map(|(_, doc)| NodeDoc::clone(&doc)));
    let mut nodes = nodes.collect::<Result<Vec<_>>>()?;
    nodes.sort_by(|a, b| a.machine.cmp(&b.machine));
    Ok(nodes)
}

pub(crate) fn put(tx: &Tx, doc: &NodeDoc) -> Result<()> {
    key(&doc.machine).put(tx, doc)
}

impl State {
    pub fn controller_nodes(&self) -> Result<Vec<NodeDoc>> {
        all(&self.image())
    }

    /// Takes note of whether the node has its vote.
    pub async fn set_has_vote(&self, machine: &MachineId, has_vote: bool) -> Result<()> {
        let set = async |tx: Tx| match key(machine).get(&tx).await? {
            Some(doc) => put(&tx, &NodeDoc { has_vote, ..NodeDoc::clone(&doc) }),
            None => Err(crate::Error::NotFound(format!("controller node {machine}"))),
        };
        self.transact(set).await
    }

    pub fn watch_controller_nodes(&self) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::prefix(prefix().path()))
    }
}
