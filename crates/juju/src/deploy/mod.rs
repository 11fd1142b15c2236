//! Charms and bundles on their way into a model.

pub mod constraints;
pub mod placement;
