//! Charms.
use std::sync::Arc;

use axum::{body::Body, extract::State};

use crate::{Error, ObjectError, Result, Stored, server::Shared};

pub(super) async fn read(State(_): State<Arc<Shared>>) -> Error {
    Error::not_supported("x")
}
pub(super) async fn upload_legacy(State(_): State<Arc<Shared>>) -> Error {
    Error::not_supported("x")
}
pub(super) async fn download(State(_): State<Arc<Shared>>) -> Error {
    Error::not_supported("x")
}
pub(super) async fn upload(State(_): State<Arc<Shared>>) -> Error {
    Error::not_supported("x")
}
pub(super) async fn receive(shared: &Shared, body: Body, limit: u64) -> Result<Stored> {
    shared.objects.put(body.into_data_stream(), limit).await.map_err(|err| match err {
        ObjectError::TooLarge { .. } | ObjectError::Cut(_) => Error::bad_request(err),
        _ => Error::internal(&err, &err),
    })
}
