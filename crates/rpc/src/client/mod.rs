//! The calling end: one connection, many calls at once.

mod connection;
mod error;
mod ping;
mod session;
mod watcher;

pub use connection::Connection;
pub use error::{CallError, Closed};
pub use watcher::Watcher;
