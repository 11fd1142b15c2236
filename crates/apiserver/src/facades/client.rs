//! `Client`: the model as a whole (Juju 3.6 `apiserver/facades/client/client`).

mod history;
mod status;

use juju_wire::facade::client::call;

use super::all_watcher;
use crate::Router;

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::FullStatus>(status::full)
        .on::<call::StatusHistory>(history::status_history)
        .on::<call::WatchAll>(all_watcher::watch_all);
}
