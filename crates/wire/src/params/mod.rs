//! The types that several facades share, by topic; all are re-exported here.

mod application;
mod charm;
mod common;
mod log;
mod machine;
mod model;
mod network;
mod relation;
mod status;
mod storage;
mod watch;

pub use application::*;
pub use charm::*;
pub use common::*;
pub use log::*;
pub use machine::*;
pub use model::*;
pub use network::*;
pub use relation::*;
pub use status::*;
pub use storage::*;
pub use watch::*;
