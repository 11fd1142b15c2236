//! `RetryStrategy`: how failed hooks are tried again (Juju 3.6 `apiserver/facades/agent/retrystrategy`).

use juju_wire::{
    facade::retry_strategy::{RetryStrategy, RetryStrategyResult, RetryStrategyResults, call},
    params::*,
};

use super::caller;
use crate::{
    Ctx, Result, Router,
    bulk::{FromResults as _, each, tags},
    from_state,
};

/// Nanoseconds, as durations travel.
const MIN_RETRY: i64 = 5_000_000_000;
const MAX_RETRY: i64 = 5 * 60 * 1_000_000_000;
const FACTOR: i64 = 2;

pub(super) fn register(router: &mut Router) {
    router.on::<call::RetryStrategy>(strategy).on::<call::WatchRetryStrategy>(watch);
}

async fn strategy(ctx: Ctx, args: Entities) -> Result<RetryStrategyResults> {
    let one = |tag: String| {
        caller::own(&ctx, &tag)?;
        let should_retry = ctx.model().config()?.flag("automatically-retry-hooks");
        Ok(RetryStrategy {
            should_retry,
            min_retry_time: MIN_RETRY,
            max_retry_time: MAX_RETRY,
            jitter_retry_time: true,
            retry_time_factor: FACTOR,
        })
    };
    let turn = |result: Result<RetryStrategy>| match result {
        Ok(it) => RetryStrategyResult { result: Some(it), error: None },
        Err(err) => RetryStrategyResult { result: None, error: Some(err.into()) },
    };
    Ok(RetryStrategyResults { results: tags(args).map(|tag| turn(one(tag))).collect() })
}

async fn watch(ctx: Ctx, args: Entities) -> Result<NotifyWatchResults> {
    let one = async |tag: String| {
        caller::own(&ctx, &tag)?;
        let watcher = ctx.model().watch_config()?;
        ctx.watchers().add(from_state(watcher, |()| ()))
    };
    Ok(NotifyWatchResults::from_results(each(tags(args), one).await))
}
