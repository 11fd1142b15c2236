//! Which model a path is about.

use std::{collections::HashMap, sync::Arc};

use axum::{
    extract::{FromRequestParts, Path},
    http::{StatusCode, request::Parts},
    response::Response,
};

use super::reply;
use crate::{connection::Place, server::Shared};

/// The model in the path, `/model/<uuid>/…` or `/model-<uuid>/…`; a path without one is the controller's.
pub(super) struct At(pub(super) Place);

impl FromRequestParts<Arc<Shared>> for At {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<Shared>) -> Result<Self, Response> {
        let params = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
        let Path(params) = params.unwrap_or_else(|_| Path(HashMap::new()));
        let uuid = match (params.get("uuid"), params.get("model")) {
            (Some(uuid), _) => uuid.as_str(),
            (None, Some(tag)) => tag.strip_prefix("model-").ok_or_else(|| {
                reply::text(StatusCode::NOT_FOUND, format_args!("{:?} not found", parts.uri.path()))
            })?,
            (None, None) => return Ok(At(Place::Controller)),
        };
        match uuid.parse() {
            Ok(uuid) => Ok(At(Place::Model(uuid))),
            Err(_) => Err(reply::text(StatusCode::BAD_REQUEST, format_args!("invalid model UUID {uuid:?}"))),
        }
    }
}
