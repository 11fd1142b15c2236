//! The handlers, a file a facade.
//!
//! To serve a method:
//!
//! 1. It is declared in `juju_wire::facade::<snake>`, with its versions, place, callers and what users need. If it is
//!    not, declare it there first.
//! 2. Write `facades/<snake>.rs` with `pub fn register(router: &mut Router)` that names each method and its handler:
//!    `router.on::<call::Life>(life);`, and add the file to the two lists below.
//! 3. The handler is `async fn life(ctx: Ctx, args: Entities) -> Result<LifeResults>`: check what only it can check (is
//!    this the caller's own machine?), convert what came to domain types, act through [`Ctx::model`](crate::Ctx::model)
//!    or [`Ctx::state`](crate::Ctx::state), convert back. Calls for many things map a `one_life` over them and put each
//!    failure into its own result; [`bulk`](crate::bulk) has the loops. `?` gives any error of the state its code.
//! 4. One that starts a watcher adds it to [`Ctx::watchers`](crate::Ctx::watchers) and answers id and first event; see
//!    [`from_state`](crate::from_state).
//! 5. Test it over a connection with `TestServer` of `tests/common`: what it stored, or the value it answers.

use crate::Router;

mod admin;
mod pinger;
mod watchers;

/// All that is served.
pub fn register_all(router: &mut Router) {
    admin::register(router);
    pinger::register(router);
    watchers::register(router);
}
