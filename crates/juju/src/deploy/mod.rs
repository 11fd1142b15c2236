//! Charms and bundles on their way into a model.
//!
//! [`source`] says what an argument names, [`archive`] makes a charm ready to be uploaded, [`charm`] deploys one and
//! [`bundle`] many. All of them work with a session, so that `deploy`, `refresh` and `try` share them.

pub mod archive;
pub mod bundle;
pub mod charm;
pub mod config;
pub mod constraints;
pub mod placement;
pub mod repository;
pub mod source;
