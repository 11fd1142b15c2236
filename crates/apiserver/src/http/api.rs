//! `/api` and `/model/<uuid>/api`: API connections.

use std::sync::Arc;

use axum::{
    extract::{Extension, Request, State},
    response::Response,
};
use juju_rpc::{MAX_FRAME_BEFORE_LOGIN, websocket::Limit};

use super::{path::At, upgrade::upgrade};
use crate::{
    connection::{self, Place},
    server::{Shared, Visit},
};

pub(super) async fn controller(
    State(shared): State<Arc<Shared>>,
    Extension(visit): Extension<Visit>,
    request: Request,
) -> Response {
    open(shared, visit, Place::Controller, request)
}

/// A model that does not exist is upgraded like any other: it is the requests that fail.
pub(super) async fn model(
    State(shared): State<Arc<Shared>>,
    Extension(visit): Extension<Visit>,
    At(place): At,
    request: Request,
) -> Response {
    open(shared, visit, place, request)
}

fn open(shared: Arc<Shared>, visit: Visit, place: Place, request: Request) -> Response {
    let limit = Limit::new(MAX_FRAME_BEFORE_LOGIN);
    let (raised, door, stop) = (limit.clone(), visit.door.clone(), visit.stop.clone());
    upgrade(&visit, request, limit, |socket| connection::run(shared, place, socket, raised, door, stop))
}
