//! The addresses of machines, and which of them others are told.
//!
//! A machine has those that its provider reports and those that its agent finds. Of each machine one address is
//! preferred for the public and one for the cloud; it changes only when it disappears, when the provider reports one
//! where only the agent had, or when there is one of a better scope, so that nothing flaps.

use std::sync::Arc;

use juju_core::{Address, MachineId, ModelUuid, network};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{Doc, Error, Key, Model, Result, Tx, V, machine, model, watch, watch::Watcher};

/// Whom an address is for.
#[derive(Clone, Copy)]
enum For {
    Public,
    Cloud,
}

impl For {
    fn best(self, addresses: &[Address]) -> Option<&Address> {
        match self {
            For::Public => network::preferred_public(addresses),
            For::Cloud => network::preferred_private(addresses),
        }
    }
}

/// The addresses of a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AddressesDoc {
    pub v: V<1>,
    /// As the provider reports them.
    #[serde(default)]
    pub provider: Vec<Address>,
    /// As the machine's agent finds them.
    #[serde(default)]
    pub machine: Vec<Address>,
    /// What the public is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<Preferred>,
    /// What others in the cloud are told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private: Option<Preferred>,
}

impl Doc for AddressesDoc {
    const KIND: &'static str = "addresses";
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preferred {
    pub address: Address,
    /// The provider reported it.
    pub by_provider: bool,
}

impl AddressesDoc {
    /// All of them, each once, the provider's first.
    pub fn all(&self) -> Vec<&Address> {
        let own = self.machine.iter().filter(|it| !self.provider.iter().any(|known| known.value == it.value));
        self.provider.iter().chain(own).collect()
    }

    /// Chooses anew what is preferred.
    fn choose(&mut self) {
        self.public = self.preferred(self.public.as_ref(), For::Public);
        self.private = self.preferred(self.private.as_ref(), For::Cloud);
    }

    fn preferred(&self, now: Option<&Preferred>, whom: For) -> Option<Preferred> {
        let (best, by_provider) = match (whom.best(&self.provider), whom.best(&self.machine)) {
            (Some(best), _) => (best, true),
            (None, Some(best)) => (best, false),
            (None, None) => return None,
        };
        let new = Preferred { address: best.clone(), by_provider };
        let Some(now) = now else { return Some(new) };
        let known = if now.by_provider { &self.provider } else { &self.machine };
        let Some(still) = known.iter().find(|it| it.value == now.address.value) else { return Some(new) };
        let improves = still.scope != best.scope && whom.best(&[still.clone(), best.clone()]) == Some(best);
        if improves || (by_provider && !now.by_provider) {
            return Some(new);
        }
        Some(Preferred { address: still.clone(), by_provider: now.by_provider })
    }
}

pub(crate) fn key(m: &ModelUuid, id: &MachineId) -> Key<AddressesDoc> {
    model::key_in(m, format_args!("addr/{id}"))
}

pub fn read(image: &Image, m: &ModelUuid, id: &MachineId) -> Result<Arc<AddressesDoc>> {
    Ok(key(m, id).read(image)?.unwrap_or_default())
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid, id: &MachineId) -> Result<AddressesDoc> {
    Ok(key(m, id).get(tx).await?.map(|it| AddressesDoc::clone(&it)).unwrap_or_default())
}

pub(crate) fn create(tx: &Tx, m: &ModelUuid, id: &MachineId, provider: &[Address]) -> Result<()> {
    let mut doc = AddressesDoc { provider: provider.to_vec(), ..AddressesDoc::default() };
    doc.choose();
    key(m, id).put(tx, &doc)
}

pub(crate) fn delete(tx: &Tx, m: &ModelUuid, id: &MachineId) {
    key(m, id).delete(tx);
}

impl Model {
    pub fn addresses(&self, id: &MachineId) -> Result<Arc<AddressesDoc>> {
        let image = self.image();
        machine::read(&image, self.uuid(), id)?;
        read(&image, self.uuid(), id)
    }

    pub async fn set_provider_addresses(&self, id: &MachineId, addresses: &[Address]) -> Result<()> {
        self.change_addresses(id, |doc| doc.provider = addresses.to_vec()).await
    }

    pub async fn set_machine_addresses(&self, id: &MachineId, addresses: &[Address]) -> Result<()> {
        self.change_addresses(id, |doc| doc.machine = addresses.to_vec()).await
    }

    /// Tells when the addresses of a machine change.
    pub fn watch_addresses(&self, id: &MachineId) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(self.uuid(), id).path()))
    }

    async fn change_addresses(&self, id: &MachineId, change: impl Fn(&mut AddressesDoc)) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            if machine::get(&tx, m, id).await?.life.is_dead() {
                return Err(Error::Dead(format!("machine {id}")));
            }
            let mut doc = get(&tx, m, id).await?;
            change(&mut doc);
            doc.choose();
            key(m, id).put(&tx, &doc)
        };
        self.transact(set).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_addresses() {
        let list = |it: &[&str]| it.iter().map(|it| Address::new(it)).collect::<Vec<_>>();
        let value =
            |it: &Option<Preferred>| it.as_ref().map(|it| it.address.value.clone()).unwrap_or_default();
        let mut doc = AddressesDoc::default();
        // Each step: what provider and machine report, what is then public and private.
        for (provider, machine, public, private) in [
            (&[][..], &["127.0.0.1"][..], "", ""),
            (&[], &["10.0.0.5", "fd00::1"], "10.0.0.5", "10.0.0.5"),
            (&[], &["10.0.0.4", "10.0.0.5"], "10.0.0.5", "10.0.0.5"),
            (&[], &["8.8.8.8", "10.0.0.4", "10.0.0.5"], "8.8.8.8", "10.0.0.5"),
            (&["10.0.0.9"], &["8.8.8.8", "10.0.0.5"], "10.0.0.9", "10.0.0.9"),
            (&["10.0.0.9", "9.9.9.9"], &["10.0.0.5"], "9.9.9.9", "10.0.0.9"),
            (&["9.9.9.9"], &["10.0.0.5"], "9.9.9.9", "9.9.9.9"),
            (&[], &["10.0.0.5"], "10.0.0.5", "10.0.0.5"),
            (&[], &[], "", ""),
        ] {
            (doc.provider, doc.machine) = (list(provider), list(machine));
            doc.choose();
            assert_eq!((value(&doc.public).as_str(), value(&doc.private).as_str()), (public, private));
        }
    }
}
