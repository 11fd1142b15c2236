//! Types about relation that several facades share.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use super::*;

/// Part of [`ApplicationResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ExposedEndpoint {
    #[wire(omit)]
    pub expose_to_cidrs: Vec<String>,
    #[wire(omit)]
    pub expose_to_spaces: Vec<String>,
}

/// Part of [`ConsumeApplicationArgV5`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RemoteEndpoint {
    pub interface: String,
    pub limit: i64,
    pub name: String,
    pub role: String,
}
