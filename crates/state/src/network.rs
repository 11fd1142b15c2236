//! The network devices of machines, and what of them a unit is told for an endpoint.

use std::sync::Arc;

use juju_core::{Address, MachineId, ModelUuid, RelationId, UnitName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Result, Tx, V, address, bindings, machine, model, model_config, relation,
    relation::scope::host_network, unit,
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DevicesDoc {
    pub v: V<1>,
    pub devices: Vec<Device>,
}

impl Doc for DevicesDoc {
    const KIND: &'static str = "network devices";
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    pub name: String,
    /// `ethernet`, `bridge`, `loopback`, ….
    pub kind: String,
    #[serde(default)]
    pub mac: String,
    #[serde(default)]
    pub mtu: u32,
    /// The bridge or bond that it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub parent: String,
    #[serde(default)]
    pub disabled: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gateway: String,
    #[serde(default)]
    pub is_default_gateway: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dns_servers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dns_search: Vec<String>,
    /// Each with the network that it is in, where known.
    #[serde(default)]
    pub addresses: Vec<Address>,
}

/// What a unit is told of the network for one of its endpoints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EndpointNetwork {
    /// The device that has the addresses to bind to; empty where the machine has not said.
    pub device: String,
    pub mac: String,
    pub bind: Vec<Address>,
    /// What others use to reach it.
    pub ingress: Vec<String>,
    /// From where its own traffic comes.
    pub egress: Vec<String>,
}

fn key(m: &ModelUuid, id: &MachineId) -> Key<DevicesDoc> {
    model::key_in(m, format_args!("net/{id}"))
}

pub(crate) fn delete(tx: &Tx, m: &ModelUuid, id: &MachineId) {
    key(m, id).delete(tx);
}

pub fn read(image: &Image, m: &ModelUuid, id: &MachineId) -> Result<Arc<DevicesDoc>> {
    Ok(key(m, id).read(image)?.unwrap_or_default())
}

/// There is one space, so that every endpoint is where the machine's own address is.
fn of_endpoint(
    devices: &DevicesDoc,
    addresses: &address::AddressesDoc,
    egress: &str,
) -> Result<EndpointNetwork> {
    let private = addresses.private.as_ref().ok_or(Error::NoAddressSet("private"))?.address.clone();
    let device = devices.devices.iter().find(|it| it.addresses.iter().any(|it| it.value == private.value));
    let known = device.and_then(|it| it.addresses.iter().find(|it| it.value == private.value));
    let bind =
        Address { cidr: private.cidr.clone().or_else(|| known.and_then(|it| it.cidr.clone())), ..private };
    let egress = match egress.is_empty() {
        true => vec![host_network(&bind.value)],
        false => egress.split(',').map(|it| it.trim().to_owned()).collect(),
    };
    Ok(EndpointNetwork {
        device: device.map(|it| it.name.clone()).unwrap_or_default(),
        mac: device.map(|it| it.mac.clone()).unwrap_or_default(),
        ingress: vec![bind.value.clone()],
        egress: egress.into_iter().filter(|it| !it.is_empty()).collect(),
        bind: vec![bind],
    })
}

impl Model {
    pub fn devices(&self, id: &MachineId) -> Result<Arc<DevicesDoc>> {
        let image = self.image();
        machine::read(&image, self.uuid(), id)?;
        read(&image, self.uuid(), id)
    }

    /// Takes note of the devices that a machine's agent has found.
    pub async fn set_devices(&self, id: &MachineId, devices: &[Device]) -> Result<()> {
        let doc = DevicesDoc { v: V, devices: devices.to_vec() };
        let set = async |tx: Tx| {
            if machine::get(&tx, self.uuid(), id).await?.life.is_dead() {
                return Err(Error::Dead(format!("machine {id}")));
            }
            key(self.uuid(), id).put(&tx, &doc)
        };
        self.transact(set).await
    }

    /// The network of a unit's endpoint, or of another name that its charm binds.
    pub fn endpoint_network(&self, name: &UnitName, endpoint: &str) -> Result<EndpointNetwork> {
        let (image, m) = (self.image(), self.uuid());
        let unit = unit::read(&image, m, name)?;
        // The one endpoint that every charm has is bound to nothing of its own.
        if endpoint != "juju-info" && !bindings::read(&image, m, name.app())?.contains_key(endpoint) {
            return Err(Error::not_valid(format!("undefined for unit charm: endpoint {endpoint:?}")));
        }
        let machine = unit::read_machine_of(&image, m, &unit)?;
        let machine = machine.ok_or_else(|| Error::NotAssigned(name.to_string()))?;
        let config = model_config::read(&image, m)?;
        let (devices, addresses) = (read(&image, m, &machine)?, address::read(&image, m, &machine)?);
        of_endpoint(&devices, &addresses, config.text("egress-subnets"))
    }

    /// The endpoint that a unit has in a relation, by which its network there is asked for.
    pub fn relation_endpoint(&self, id: RelationId, name: &UnitName) -> Result<String> {
        let relation = relation::read(&self.image(), self.uuid(), id)?;
        Ok(relation.endpoint(name.app())?.name.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{AddressesDoc, Preferred};

    #[test]
    fn the_private_address_is_what_is_bound() {
        let address = Address::new("10.0.0.5");
        let found = Address { cidr: Some("10.0.0.0/24".into()), ..address.clone() };
        let device = Device {
            name: "eth0".into(),
            mac: "00:16:3e:00:00:01".into(),
            addresses: vec![found],
            ..Device::default()
        };
        let devices = DevicesDoc { v: V, devices: vec![Device::default(), device] };
        let private = Some(Preferred { address, by_provider: false });
        let addresses = AddressesDoc { private, ..AddressesDoc::default() };
        let network = of_endpoint(&devices, &addresses, "").unwrap();
        assert_eq!((network.device.as_str(), network.mac.as_str()), ("eth0", "00:16:3e:00:00:01"));
        assert_eq!(network.bind[0].cidr.as_deref(), Some("10.0.0.0/24"));
        assert_eq!(
            (network.ingress, network.egress),
            (vec!["10.0.0.5".to_owned()], vec!["10.0.0.5/32".to_owned()])
        );
        let network = of_endpoint(&DevicesDoc::default(), &addresses, "10.1.0.0/16, 10.2.0.0/16").unwrap();
        assert_eq!(
            (network.device.as_str(), network.egress),
            ("", vec!["10.1.0.0/16".into(), "10.2.0.0/16".into()])
        );
        let error = of_endpoint(&devices, &AddressesDoc::default(), "").unwrap_err();
        assert!(matches!(error, Error::NoAddressSet("private")));
    }
}
