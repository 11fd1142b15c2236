//! Agent binaries: `/tools/<version>` to everyone, uploads from superusers.

use std::sync::Arc;

use axum::{
    Json,
    body::Body,
    extract::{Path, RawQuery, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use juju_core::Binary;
use juju_wire::code;
use serde_json::json;
use std::collections::HashMap;
use tokio_util::io::ReaderStream;

use super::{auth, body};
use crate::{Error, Result, server::Shared};

const CONTENT_TYPE: &str = "application/x-tar-gz";

/// No login is asked for: an agent that is to be started has none yet.
pub(super) async fn download(
    State(shared): State<Arc<Shared>>,
    Path(params): Path<HashMap<String, String>>,
) -> Result<Response> {
    let version = params.get("version").map(String::as_str).unwrap_or_default();
    let binary: Binary = version
        .parse()
        .map_err(|_| Error::bad_request(format_args!("invalid agent binary version {version:?}")))?;
    let missing = || Error::not_found(format_args!("agent binaries {binary}"));
    let tools = shared.tools.get(&binary).await?.ok_or_else(missing)?;
    let opened = shared.objects.get(&tools.sha256).await;
    let found = opened.map_err(|err| Error::internal("cannot read agent binaries", &err))?;
    let (file, size) = found.ok_or_else(missing)?;
    let headers =
        [(header::CONTENT_TYPE, CONTENT_TYPE.to_owned()), (header::CONTENT_LENGTH, size.to_string())];
    Ok((headers, Body::from_stream(ReaderStream::new(file))).into_response())
}

/// Takes an agent binary. Juju lets a model's administrator do so for that model; here all models share the binaries,
/// the controller's own among them, so only a superuser may.
pub(super) async fn upload(
    State(shared): State<Arc<Shared>>,
    _: auth::Caller<auth::Superuser>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Request,
) -> Response {
    store(&shared, query.as_deref().unwrap_or_default(), &headers, request.into_body()).await.into_response()
}

async fn store(shared: &Shared, query: &str, headers: &HeaderMap, sent: Body) -> Result<Response> {
    let version = url::form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "binaryVersion");
    let Some((_, version)) = version else {
        return Err(Error::bad_request("expected binaryVersion argument"));
    };
    let binary: Binary = version
        .parse()
        .map_err(|_| Error::bad_request(format_args!("invalid agent binaries version {version:?}")))?;
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    if content_type != CONTENT_TYPE {
        let why = format_args!("expected Content-Type: {CONTENT_TYPE}, got: {content_type}");
        return Err(Error::bad_request(why));
    }
    let upload = body::receive(shared, sent, shared.limits.tools_bytes).await?;
    if upload.size() == 0 {
        return Err(Error::new(code::BAD_REQUEST, "no agent binaries uploaded"));
    }
    let stored = shared.objects.keep(upload).await.map_err(body::failed)?;
    shared.tools.put(&binary, &stored).await?;
    let tools = json!({ "tools": [{
        "version": binary.to_string(),
        "url": format!("/tools/{binary}"),
        "sha256": stored.sha256,
        "size": stored.size,
    }] });
    Ok((StatusCode::OK, Json(tools)).into_response())
}
