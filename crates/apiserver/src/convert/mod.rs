//! From the wire's types to the domain's and back, where several facades need the same.

mod machine;
mod network;
mod status;

pub(crate) use machine::{base_from_wire, base_to_wire, constraints_from_wire, constraints_to_wire};
pub(crate) use network::{address_from_wire, host_ports, network_addresses};
pub(crate) use status::{new_status, status_result};
