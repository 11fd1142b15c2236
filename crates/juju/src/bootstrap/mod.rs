//! Making a controller, and taking it away again.
//!
//! The client decides everything about a new controller ([`plan`]): identities, keys, password, port,
//! configuration. [`local`] makes it of this host: a directory, a supervisor, and `jujud` to fill the store and to be
//! machine 0. Until it answers, the supervisor holds a lifeline to this process: whatever ends it, nothing of
//! the controller is left behind.

pub mod jujud;
pub mod local;
pub mod plan;
pub mod ssh_keys;

pub use plan::Plan;
