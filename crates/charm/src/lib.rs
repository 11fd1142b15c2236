//! Charm and bundle formats: metadata, config, actions, manifest, archives.
//!
//! Read [`Charm`] first: what a charm says about itself, from a directory or from a `.charm` archive. [`pack`] makes an
//! archive of a directory, [`unpack`] lays one out below a directory and trusts nothing in it, [`Bundle`] is a set
//! of applications to deploy. All of YAML goes through one module, [`yaml`]. What is not here: hooks are not run, and
//! nothing is fetched or stored.

pub mod actions;
pub mod archive;
pub mod bundle;
mod charm;
pub mod config;
mod error;
mod files;
mod ignore;
pub mod lxd_profile;
pub mod manifest;
pub mod meta;
pub mod pack;
pub mod unpack;
pub mod yaml;

pub use actions::Actions;
pub use bundle::Bundle;
pub use charm::Charm;
pub use config::Config;
pub use error::{CharmError, Result};
pub use lxd_profile::LxdProfile;
pub use manifest::Manifest;
pub use meta::{Meta, Relation, RelationScope, Role};
