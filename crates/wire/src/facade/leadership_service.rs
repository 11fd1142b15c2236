//! The `LeadershipService` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "LeadershipService" 2..=2, on Model, for [Controller, Machine, Unit] {
        BlockUntilLeadershipReleased(ApplicationTag) -> ErrorResult, Login;
        ClaimLeadership(ClaimLeadershipBulkParams) -> ClaimLeadershipBulkResults, Login;
    }
}

/// Parameters of `LeadershipService.BlockUntilLeadershipReleased`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ApplicationTag {
    #[wire("Name")]
    pub name: String,
}

/// Parameters of `LeadershipService.ClaimLeadership`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ClaimLeadershipBulkParams {
    pub params: Vec<ClaimLeadershipParams>,
}

/// Result of `LeadershipService.ClaimLeadership`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ClaimLeadershipBulkResults {
    pub results: Vec<ErrorResult>,
}

/// Part of [`ClaimLeadershipBulkParams`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ClaimLeadershipParams {
    pub application_tag: String,
    pub duration: f64,
    pub unit_tag: String,
}
