//! `juju status`: from the controller's `FullStatus` to what people and programs read.
//!
//! [`convert`] makes a [`Status`] of the reply, which is the JSON and YAML output as it stands;
//! [`tabular`], [`oneline`] and [`summary`] make text of it. All of it is pure, so that the golden tests
//! need no controller.

mod convert;
mod model;
pub mod oneline;
mod ports;
pub mod storage;
pub mod summary;
pub mod tabular;

#[cfg(test)]
mod golden;

pub use convert::{Options, convert};
pub use model::*;
