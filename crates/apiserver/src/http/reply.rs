//! How failures look over HTTP: a status, and JSON that clients read the code from.

use axum::{
    Json,
    http::{Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use juju_wire::{code, params::ErrorResult};

use crate::Error;

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = status(&self);
        (status, Json(ErrorResult { error: Some(self.into()) })).into_response()
    }
}

pub(super) fn status(error: &Error) -> StatusCode {
    StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A text and nothing else, as for what is wrong before anybody is known.
pub(super) fn text(status: StatusCode, why: impl std::fmt::Display) -> Response {
    (status, format!("{why}\n")).into_response()
}

pub(super) async fn no_such_path(uri: Uri) -> Error {
    Error::not_found(format_args!("{:?}", uri.path()))
}

pub(super) async fn method_not_allowed(method: Method) -> Error {
    Error::new(code::METHOD_NOT_ALLOWED, format_args!("unsupported method: \"{method}\""))
}
