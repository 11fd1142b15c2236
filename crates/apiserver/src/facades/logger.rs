//! `Logger`: the logging configuration of the caller's model (Juju 3.6 `apiserver/facades/agent/logger`).

use juju_wire::{facade::logger::call, params::*};

use super::caller;
use crate::{
    Ctx, Result, Router,
    bulk::{FromResults as _, each, tags},
    from_state,
};

pub(super) fn register(router: &mut Router) {
    router.on::<call::LoggingConfig>(logging_config).on::<call::WatchLoggingConfig>(watch);
}

async fn logging_config(ctx: Ctx, args: Entities) -> Result<StringResults> {
    let one = async |tag: String| {
        caller::own(&ctx, &tag)?;
        Ok(ctx.model().config()?.text("logging-config").to_owned())
    };
    Ok(StringResults::from_results(each(tags(args), one).await))
}

async fn watch(ctx: Ctx, args: Entities) -> Result<NotifyWatchResults> {
    let one = async |tag: String| {
        caller::own(&ctx, &tag)?;
        let watcher = ctx.model().watch_config()?;
        ctx.watchers().add(from_state(watcher, |()| ()))
    };
    Ok(NotifyWatchResults::from_results(each(tags(args), one).await))
}
