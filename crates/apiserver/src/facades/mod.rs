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

// What several of them need.
mod caller;
mod how;

// Of agents.
mod agent;
mod deployer;
mod leadership_service;
mod logger;
mod machiner;
mod migration_flag;
mod provisioner;
mod retry_strategy;
mod uniter;

// Of users.
mod all_watcher;
mod annotations;
mod application;
mod block;
mod charms;
mod client;
mod cloud;
mod controller;
mod machine_manager;
mod model_config;
mod model_manager;
mod user_manager;

// Of both.
mod admin;
mod pinger;
mod watchers;

/// All that is served.
pub fn register_all(router: &mut Router) {
    agent::register(router);
    deployer::register(router);
    leadership_service::register(router);
    logger::register(router);
    machiner::register(router);
    migration_flag::register(router);
    provisioner::register(router);
    retry_strategy::register(router);
    uniter::register(router);

    annotations::register(router);
    application::register(router);
    block::register(router);
    charms::register(router);
    client::register(router);
    cloud::register(router);
    controller::register(router);
    machine_manager::register(router);
    model_config::register(router);
    model_manager::register(router);
    user_manager::register(router);

    admin::register(router);
    pinger::register(router);
    watchers::register(router);
}
