//! The Juju 3.6 API as data: frozen parameter types, facade declarations, error codes.
//!
//! Read [`method`] first: one declaration a facade gives the server's routes, the client's typed calls, the access
//! table and the published schema. Types here are plain, exactly as Juju sends them; no domain type stands in
//! them and nothing here does I/O. What a key or a value means on the wire is in [`codec`].

// The derive names this crate by its outer name, here too.
extern crate self as juju_wire;

pub mod codec;
pub mod error;
pub mod facade;
pub mod method;
pub mod params;
pub mod schema;

pub use codec::{Bytes, Time, Wire};
pub use error::{Error, code};
pub use method::{Info, Method, Need, Place, Who};
