//! The watcher facades: `Next` and `Stop` of each kind, on the watchers of the connection.
//!
//! A kind is told by the type of its event, so that the id of a watcher of another kind is as unknown as any other.

use juju_wire::{
    Method,
    facade::{all_watcher, watchers as kinds},
};

use crate::{Ctx, Result, Router};

pub(super) fn register(router: &mut Router) {
    serve::<kinds::notify::call::Next, kinds::notify::call::Stop>(router);
    serve::<kinds::strings::call::Next, kinds::strings::call::Stop>(router);
    serve::<kinds::entities::call::Next, kinds::entities::call::Stop>(router);
    serve::<kinds::relation_units::call::Next, kinds::relation_units::call::Stop>(router);
    serve::<kinds::relation_status::call::Next, kinds::relation_status::call::Stop>(router);
    serve::<all_watcher::call::Next, all_watcher::call::Stop>(router);
}

fn serve<N: Method<Params = ()>, S: Method<Params = (), Reply = ()>>(router: &mut Router) {
    router.on::<N>(next::<N>).on::<S>(stop::<N>);
}

async fn next<N: Method<Params = ()>>(ctx: Ctx, (): ()) -> Result<N::Reply> {
    ctx.watchers().next::<N::Reply>(ctx.object()).await
}

async fn stop<N: Method<Params = ()>>(ctx: Ctx, (): ()) -> Result<()> {
    ctx.watchers().stop::<N::Reply>(ctx.object())
}
