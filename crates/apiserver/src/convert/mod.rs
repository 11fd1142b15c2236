//! From the wire's types to the domain's and back, where several facades need the same.

mod charm;
mod machine;
mod network;
mod status;
mod tag;

pub(crate) use charm::{channel_text, endpoint_to_wire, origin_from_wire, origin_to_wire, relation_to_wire};
pub(crate) use machine::{
    base_from_wire, base_to_wire, constraints_from_wire, constraints_to_wire, hardware_from_wire,
    hardware_text, hardware_to_wire, placement_from_wire,
};
pub(crate) use network::{address_from_wire, address_to_wire, host_ports, network_addresses};
pub(crate) use status::{entity_status, new_status, status_result};
pub(crate) use tag::{application_name, application_tag, bad_tag, charm_url, machine_tag, unit_tag};
