//! The `UnitAssigner` facade.

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "UnitAssigner" 1..=1, on Model, for [Controller, Machine, Unit] {
        AssignUnits(Entities) -> ErrorResults, Login;
        SetAgentStatus(SetStatus) -> ErrorResults, Login;
        WatchUnitAssignments(()) -> StringsWatchResult, Login;
    }
}
