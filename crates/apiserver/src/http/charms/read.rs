//! `GET`: an archive, a list of its files, one of them.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json,
    body::Body,
    extract::{Path, RawQuery, State},
    http::header,
    response::{IntoResponse as _, Response},
};
use juju_core::CharmUrl;
use juju_state::{Model, charm};
use serde_json::json;
use tokio_util::io::ReaderStream;

use super::{
    super::{auth, body},
    archive, refuse,
};
use crate::{Error, Result, server::Shared};

/// Shown for a charm that has no icon.
const DEFAULT_ICON: &str = concat!(
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">"#,
    r##"<rect width="96" height="96" rx="20" fill="#5b6770"/>"##,
    r##"<circle cx="48" cy="48" r="22" fill="none" stroke="#fff" stroke-width="6"/></svg>"##
);

/// `/model-<uuid>/charms/<name>-<first 7 digits of its hash>`
pub(in super::super) async fn download(
    State(shared): State<Arc<Shared>>,
    caller: auth::Caller<auth::Read>,
    Path(params): Path<HashMap<String, String>>,
) -> Response {
    let object = params.get("object").map(String::as_str).unwrap_or_default();
    let found = async { whole(&shared, &by_object(&caller.place.model(&shared)?, object)?).await };
    found.await.unwrap_or_else(|err| refuse("retrieve", &err))
}

/// `/model/<uuid>/charms?url=<charm-url>[&file=<path>|*][&icon=1]`
pub(in super::super) async fn read(
    State(shared): State<Arc<Shared>>,
    caller: auth::Caller<auth::Read>,
    RawQuery(query): RawQuery,
) -> Response {
    let found = async { answer(&shared, &caller.place.model(&shared)?, &query.unwrap_or_default()).await };
    found.await.unwrap_or_else(|err| refuse("retrieve", &err))
}

async fn answer(shared: &Shared, model: &Model, query: &str) -> Result<Response> {
    let query: HashMap<_, _> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let url = query.get("url").filter(|it| !it.is_empty());
    let url = url.ok_or_else(|| Error::bad_request("expected url=CharmURL query argument"))?;
    let url: CharmUrl = url.parse().map_err(Error::bad_request)?;
    let sha256 = model.charm_archive(&url)?.to_string();
    let path = shared.objects.path(&sha256);
    match query.get("file").map(String::as_str).unwrap_or_default() {
        "*" => whole(shared, &sha256).await,
        "" if query.get("icon").is_some_and(|it| it == "1") => {
            let icon = match archive::file(path, "icon.svg".to_owned()).await {
                Ok(icon) => icon,
                Err(err) if err.code() == juju_wire::code::NOT_FOUND => DEFAULT_ICON.into(),
                Err(err) => return Err(err),
            };
            Ok(([(header::CONTENT_TYPE, "image/svg+xml")], icon).into_response())
        }
        "" => Ok(Json(json!({ "files": archive::list(path).await? })).into_response()),
        file => {
            let content = archive::file(path, file.to_owned()).await?;
            Ok(([(header::CONTENT_TYPE, content_type(file))], content).into_response())
        }
    }
}

async fn whole(shared: &Shared, sha256: &str) -> Result<Response> {
    let found = shared.objects.get(sha256).await.map_err(body::failed)?;
    let missing =
        || Error::new(juju_wire::code::NOT_YET_AVAILABLE, "the archive is not on this controller yet");
    let (file, size) = found.ok_or_else(missing)?;
    let headers =
        [(header::CONTENT_TYPE, "application/zip".to_owned()), (header::CONTENT_LENGTH, size.to_string())];
    Ok((headers, Body::from_stream(ReaderStream::new(file))).into_response())
}

/// The digest of the archive that an object's name means.
fn by_object(model: &Model, object: &str) -> Result<String> {
    let missing = || Error::not_found(format_args!("charm {object:?}"));
    let (name, hash) = object.rsplit_once('-').filter(|(_, hash)| !hash.is_empty()).ok_or_else(missing)?;
    let charms = charm::all(&model.image(), model.uuid())?;
    let archives = charms.iter().filter(|it| it.url.name() == name).filter_map(|it| it.sha256.as_ref());
    let mut found = archives.map(ToString::to_string).filter(|it| it.starts_with(hash));
    found.next().ok_or_else(missing)
}

fn content_type(file: &str) -> &'static str {
    let extension = file.rsplit_once('.').map(|(_, it)| it.to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "html" => "text/html; charset=utf-8",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "md" | "txt" | "py" | "sh" | "" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
