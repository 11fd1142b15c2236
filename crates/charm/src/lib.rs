//! Charm and bundle formats: metadata, config, actions, manifest, archives.
//!
//! Read [`Charm`] first: all that a charm says of itself, from a directory or a `.charm` archive, checked as it is read.
//! An archive is hostile until [`Archive`] has looked at every entry; [`unpack`] lays it out through directory handles
//! and never through a link, [`pack`] makes one of a directory. [`Bundle`] is a set of applications to deploy together.
//! All of YAML goes through one module, [`yaml`].
//!
//! What is not here: hooks are not run, nothing is fetched or stored, and what depends on a model is an argument.

pub mod actions;
pub mod archive;
pub mod assumes;
pub mod bases;
pub mod bundle;
mod charm;
pub mod config;
mod dir;
pub mod endpoints;
mod error;
pub mod hooks;
pub mod lxd_profile;
pub mod manifest;
pub mod meta;
pub mod pack;
mod schema;
pub mod unpack;
pub mod vcs;
pub mod yaml;

pub use actions::{ActionSpec, Actions};
pub use archive::Archive;
pub use assumes::Assumes;
pub use bundle::Bundle;
pub use charm::{Charm, Format};
pub use config::{Config, ConfigError, ConfigOption};
pub use endpoints::Endpoint;
pub use error::{CharmError, Result};
pub use lxd_profile::LxdProfile;
pub use manifest::Manifest;
pub use meta::{Meta, Relation, RelationScope, Role};
