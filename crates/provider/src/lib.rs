//! Where machines come from: the Provider trait and the local provider.

pub mod local;
