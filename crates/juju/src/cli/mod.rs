//! From what was typed to a command that runs: environment, flags, the table of commands, help.

pub mod confirm;
pub mod definition;
pub mod duration;
pub mod env;
pub mod files;
pub mod flags;
pub mod help;
pub mod parse;
pub mod quote;
pub mod suggest;

pub use definition::{About, Command, Definition};
pub use env::Env;
