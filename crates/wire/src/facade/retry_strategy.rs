//! The `RetryStrategy` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "RetryStrategy" 1..=1, on Model, for [Controller, Machine, Unit] {
        RetryStrategy(Entities) -> RetryStrategyResults, Login;
        WatchRetryStrategy(Entities) -> NotifyWatchResults, Login;
    }
}

/// Part of [`RetryStrategyResult`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RetryStrategy {
    pub jitter_retry_time: bool,
    pub max_retry_time: i64,
    pub min_retry_time: i64,
    pub retry_time_factor: i64,
    pub should_retry: bool,
}

/// Part of [`RetryStrategyResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RetryStrategyResult {
    #[wire(omit)]
    pub error: Option<Error>,
    #[wire(omit)]
    pub result: Option<RetryStrategy>,
}

/// Result of `RetryStrategy.RetryStrategy`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct RetryStrategyResults {
    pub results: Vec<RetryStrategyResult>,
}
