//! Charms over HTTP: `/model-<uuid>/charms/<object>`, and `/model/<uuid>/charms` as older clients have it.
//!
//! Errors here are flat, unlike everywhere else: `{"error": "text", "error-code": "…"}`.

mod archive;
mod read;
mod upload;

pub(super) use read::{download, read};
pub(super) use upload::{upload, upload_legacy};

use axum::{
    Json,
    response::{IntoResponse as _, Response},
};
use juju_charm::CharmError;
use serde_json::{Map, Value, json};

use super::reply;
use crate::Error;

/// What could not be done, and why.
fn refuse(doing: &str, error: &Error) -> Response {
    let mut body = Map::new();
    body.insert("error".into(), format!("cannot {doing} charm: {error}").into());
    if !error.code().is_empty() {
        body.insert("error-code".into(), error.code().into());
    }
    if !error.wire().info.is_empty() {
        body.insert("error-info".into(), json!(error.wire().info));
    }
    (reply::status(error), Json(Value::Object(body))).into_response()
}

/// What is wrong with an archive. Where it lies on the server concerns nobody.
fn bad_charm(err: CharmError) -> Error {
    match err {
        CharmError::NotAnArchive(_) => Error::bad_request("the archive is not a zip file"),
        CharmError::NoMetadata(_) => Error::bad_request("the archive holds no metadata.yaml"),
        CharmError::Io { .. } | CharmError::NotThere(_) => {
            Error::internal("the archive cannot be read", &err)
        }
        other => Error::bad_request(other),
    }
}
