//! What the port serves besides calls: the paths of HTTP, a file each.

mod api;
mod auth;
mod body;
mod charms;
mod debug_log;
mod health;
mod logsink;
mod path;
mod reply;
mod stream;
mod tools;
mod upgrade;

use std::sync::Arc;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    routing::{any, get, post},
};

use crate::server::Shared;

/// The table of paths. Those without a model mean the controller's own.
pub(crate) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", any(api::controller))
        .route("/api", any(api::controller))
        .route("/model/{uuid}/api", any(api::model))
        .route("/log", any(debug_log::serve))
        .route("/model/{uuid}/log", any(debug_log::serve))
        .route("/logsink", any(logsink::serve))
        .route("/model/{uuid}/logsink", any(logsink::serve))
        .route("/charms", get(charms::read).post(charms::upload_legacy))
        .route("/model/{uuid}/charms", get(charms::read).post(charms::upload_legacy))
        .route("/{model}/charms/{object}", get(charms::download).put(charms::upload))
        .route("/tools", post(tools::upload))
        .route("/model/{uuid}/tools", post(tools::upload))
        .route("/tools/{version}", get(tools::download))
        .route("/model/{uuid}/tools/{version}", get(tools::download))
        .route("/health", get(health::serve))
        .fallback(reply::no_such_path)
        .method_not_allowed_fallback(reply::method_not_allowed)
        // Each upload has a limit of its own.
        .layer(DefaultBodyLimit::disable())
        .with_state(shared)
}
