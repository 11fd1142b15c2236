//! `Pinger`: shows that the peer lives. Agents that are silent for three minutes are dropped; users never are.

use juju_wire::facade::pinger::call;
use tokio::time::Instant;

use crate::{Ctx, Result, Router};

pub(super) fn register(router: &mut Router) {
    router.on::<call::Ping>(ping).on::<call::Stop>(stop);
}

async fn ping(ctx: Ctx, (): ()) -> Result<()> {
    ctx.session().touch(|at| *at = at.map(|_| Instant::now()));
    Ok(())
}

/// From now on silence is no reason to drop the connection.
async fn stop(ctx: Ctx, (): ()) -> Result<()> {
    ctx.session().touch(|at| *at = None);
    Ok(())
}
