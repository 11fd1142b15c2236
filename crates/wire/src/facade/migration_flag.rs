//! The `MigrationFlag` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "MigrationFlag" 1..=1, on Model, for [Controller, Machine, Unit] {
        Phase(Entities) -> PhaseResults, Login;
        Watch(Entities) -> NotifyWatchResults, Login;
    }
}

/// Part of [`PhaseResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct PhaseResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub phase: String,
}

/// Result of `MigrationFlag.Phase`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct PhaseResults {
    pub results: Vec<PhaseResult>,
}
