//! Agent binaries: `/tools/<version>` to everyone, uploads from administrators.

use std::sync::Arc;

use axum::{
    Json,
    body::Body,
    extract::{Extension, Path, RawQuery, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use juju_core::Binary;
use juju_wire::code;
use serde_json::json;
use std::collections::HashMap;
use tokio_util::io::ReaderStream;

use super::{auth, path::At};
use crate::{
    Error, Result,
    server::{Shared, Visit},
};

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

/// Takes an agent binary for all models of the controller.
pub(super) async fn upload(
    State(shared): State<Arc<Shared>>,
    Extension(visit): Extension<Visit>,
    At(place): At,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let entity = match auth::authenticate(&shared, &place, &headers, &visit).await {
        Ok(entity) => entity,
        Err(refused) => return refused,
    };
    if let Err(refused) = auth::may_administer(&entity) {
        return refused;
    }
    store(&shared, query.as_deref().unwrap_or_default(), &headers, request.into_body()).await.into_response()
}

async fn store(shared: &Shared, query: &str, headers: &HeaderMap, body: Body) -> Result<Response> {
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
    let stored = super::charms::receive(shared, body, shared.limits.tools_bytes).await?;
    if stored.size == 0 {
        return Err(Error::new(code::BAD_REQUEST, "no agent binaries uploaded"));
    }
    shared.tools.put(&binary, &stored).await?;
    let tools = json!({ "tools": [{
        "version": binary.to_string(),
        "url": format!("/tools/{binary}"),
        "sha256": stored.sha256,
        "size": stored.size,
    }] });
    Ok((StatusCode::OK, Json(tools)).into_response())
}
