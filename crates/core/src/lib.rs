//! Domain types and pure rules of a Juju model: ids and tags, life, status, constraints, bases, ports, versions.
//!
//! Nothing here does I/O, waits, or knows how a value is stored or sent. Each kind of id has a type of its own, whose
//! `FromStr` checks it and whose `Display` is the id's text; [`Tag`] is any of them as the wire names it. Every other
//! crate speaks in these types.

pub mod arch;
pub mod base;
pub mod config;
pub mod constraints;
pub mod hash;
pub mod ids;
pub mod life;
pub mod network;
pub mod placement;
pub mod ports;
pub mod status;
pub mod tag;
pub mod version;

pub use arch::Arch;
pub use base::Base;
pub use config::{ConfigValue, OptionType, Settings};
pub use constraints::{ConstraintRules, Constraints};
pub use hash::{Sha256, Sha384};
pub use ids::*;
pub use life::Life;
pub use network::{Address, HostPort};
pub use placement::{ContainerType, Placement};
pub use ports::{PortRange, UnitPorts};
pub use status::{Status, StatusInfo, StatusKind};
pub use tag::{Tag, TagError, TagId, TagKind};
pub use version::{Binary, Version};
