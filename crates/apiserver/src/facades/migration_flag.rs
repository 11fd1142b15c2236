//! `MigrationFlag`: whether the model migrates (Juju 3.6 `apiserver/facades/agent/migrationflag`).
//!
//! Models do not migrate yet, so the phase is `NONE`, and the watcher never has anything to tell.

use juju_core::Tag;
use juju_wire::{
    facade::migration_flag::{PhaseResult, PhaseResults, call},
    params::*,
};

use crate::{
    Ctx, Error, Result, Router,
    bulk::{FromResults as _, each, tags},
};

pub(super) fn register(router: &mut Router) {
    router.on::<call::Phase>(phase).on::<call::Watch>(watch);
}

async fn phase(ctx: Ctx, args: Entities) -> Result<PhaseResults> {
    let turn = |tag: String| match check(&ctx, &tag) {
        Ok(()) => PhaseResult { phase: "NONE".to_owned(), error: None },
        Err(err) => PhaseResult { phase: String::new(), error: Some(err.into()) },
    };
    Ok(PhaseResults { results: tags(args).map(turn).collect() })
}

async fn watch(ctx: Ctx, args: Entities) -> Result<NotifyWatchResults> {
    let one = async |tag: String| {
        check(&ctx, &tag)?;
        ctx.watchers().add(Never)
    };
    Ok(NotifyWatchResults::from_results(each(tags(args), one).await))
}

/// Only of the caller's own model.
fn check(ctx: &Ctx, tag: &str) -> Result<()> {
    match tag.parse() {
        Ok(Tag::Model(uuid)) if uuid == *ctx.model_uuid() => Ok(()),
        _ => Err(Error::unauthorized()),
    }
}

struct Never;

impl crate::Events<()> for Never {
    fn next(&mut self) -> futures_util::future::BoxFuture<'_, Result<()>> {
        Box::pin(std::future::pending())
    }
}
