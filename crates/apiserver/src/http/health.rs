//! `/health`: whether this controller serves.

use std::sync::Arc;

use axum::{
    extract::{Extension, State},
    http::StatusCode,
};

use crate::server::{Shared, Visit};

pub(super) async fn serve(
    State(shared): State<Arc<Shared>>,
    Extension(visit): Extension<Visit>,
) -> (StatusCode, &'static str) {
    if visit.stop.is_cancelled() || shared.state.view().is_closed() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else {
        (StatusCode::OK, "running\n")
    }
}
