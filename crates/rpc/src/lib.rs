//! The websocket JSON-RPC connection that both ends of the API share.
//!
//! A client numbers its requests, the server runs each in a task of its own and answers in the order in which they end;
//! the server never asks anything. Whoever calls starts with [`Connection`]: dial, log in, call typed methods,
//! follow [`Watcher`]s. Whoever serves starts with [`serve`] and a [`Service`].
//!
//! Both run over any [`Transport`]: TLS from [`dial`], an upgraded server connection ([`websocket`]), or two ends in
//! memory ([`memory`]), which is how workers inside a controller reach their own API server, and how tests keep
//! their time paused. What a request means, who may make it and what a watcher reports is not known here.

pub mod frame;
pub mod memory;
pub mod transport;
pub mod websocket;

mod client;
mod dial;
mod server;
pub mod stream;

pub use client::{CallError, Closed, Connection, Watcher};
pub use dial::{DialConfig, DialError, Timeouts};
pub use memory::memory;
pub use server::{End, Options, Request, Service, serve};
pub use transport::{Message, Transport, TransportError};

/// What a frame may hold after login, on both ends.
pub const MAX_FRAME: usize = 64 << 20;
/// What a frame may hold before login.
pub const MAX_FRAME_BEFORE_LOGIN: usize = 64 << 10;
