//! `PUT` and `POST`: local charms.
//!
//! The controller gives each a revision that was not used before and writes it into the archive, so what is stored is
//! not byte for byte what came.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Json,
    extract::{Path, RawQuery, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use juju_charm::{Archive, Charm, CharmError, archive::rewrite};
use juju_core::CharmUrl;
use juju_state::Model;
use serde_json::json;

use super::{
    super::{auth, body},
    bad_charm, refuse,
};
use crate::{Error, ObjectError, Result, Upload, server::Shared};

const CURL: &str = "juju-curl";

/// `PUT /model-<uuid>/charms/<name>-<hash>`, with the URL that is asked for in a header.
pub(in super::super) async fn upload(
    State(shared): State<Arc<Shared>>,
    caller: auth::Caller<auth::Write>,
    Path(params): Path<HashMap<String, String>>,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let object = params.get("object").map(String::as_str).unwrap_or_default();
    let stored = async {
        let model = caller.place.model(&shared)?;
        let url = headers.get(CURL).and_then(|it| it.to_str().ok()).unwrap_or_default();
        let wanted = Wanted::of_url(url)?;
        check_content_type(&headers)?;
        let hash = object.rsplit_once('-').map(|(_, hash)| hash).filter(|it| it.len() >= 7);
        let hash =
            hash.ok_or_else(|| Error::bad_request(format_args!("{object:?} is not a valid charm object")))?;
        let upload = body::receive(&shared, request.into_body(), shared.limits.charm_bytes).await?;
        if !upload.sha256().starts_with(hash) {
            let sha = &upload.sha256()[..hash.len().min(64)];
            let why = format_args!("Uploaded charm sha256 ({sha}) does not match sha in url ({hash})");
            return Err(Error::bad_request(why));
        }
        store(&shared, &model, wanted, upload).await
    };
    answer(stored.await)
}

/// `POST /model/<uuid>/charms?series=<s>&schema=local&revision=<n>&name=<n>&arch=<a>`, all of it optional.
pub(in super::super) async fn upload_legacy(
    State(shared): State<Arc<Shared>>,
    caller: auth::Caller<auth::Write>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let stored = async {
        let model = caller.place.model(&shared)?;
        let wanted = Wanted::of_query(&query.unwrap_or_default())?;
        check_content_type(&headers)?;
        let upload = body::receive(&shared, request.into_body(), shared.limits.charm_bytes).await?;
        store(&shared, &model, wanted, upload).await
    };
    answer(stored.await)
}

fn answer(stored: Result<CharmUrl>) -> Response {
    let url = match stored {
        Ok(url) => url.to_string(),
        Err(err) => return refuse("upload", &err),
    };
    let mut response = (StatusCode::OK, Json(json!({ "charm-url": url }))).into_response();
    if let Ok(value) = HeaderValue::from_str(&url) {
        response.headers_mut().insert(CURL, value);
    }
    response
}

fn check_content_type(headers: &HeaderMap) -> Result<()> {
    let got = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    if got == "application/zip" {
        return Ok(());
    }
    Err(Error::bad_request(format_args!("expected Content-Type: application/zip, got: {got}")))
}

/// What an uploader asks for.
#[derive(Debug, PartialEq)]
struct Wanted {
    /// The charm's own name if it is not given.
    name: Option<String>,
    series: Option<String>,
    /// The archive's own if it is not given.
    revision: Option<u32>,
}

impl Wanted {
    fn of_url(text: &str) -> Result<Wanted> {
        let url: CharmUrl = text.parse().map_err(Error::bad_request)?;
        if !url.is_local() {
            return Err(not_local());
        }
        Ok(Wanted { name: Some(url.name().to_owned()), series: url.series.clone(), revision: url.revision })
    }

    fn of_query(query: &str) -> Result<Wanted> {
        let query: HashMap<_, _> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let given = |key: &str| query.get(key).filter(|it| !it.is_empty()).cloned();
        if given("schema").is_some_and(|it| it != "local") {
            return Err(not_local());
        }
        let revision = match given("revision").as_deref() {
            None | Some("-1") => None,
            Some(text) => Some(
                text.parse()
                    .map_err(|_| Error::not_valid(format_args!("revision {text:?} is not a number")))?,
            ),
        };
        Ok(Wanted { name: given("name"), series: given("series"), revision })
    }

    /// The URL of a charm, in the revision that is asked for.
    fn url(self, charm: &Charm) -> Result<CharmUrl> {
        let name = self.name.as_deref().unwrap_or(charm.name());
        let url = match &self.series {
            Some(series) => format!("local:{series}/{name}").parse(),
            None => CharmUrl::local(name),
        };
        let own = u32::try_from(charm.revision).ok();
        let revision = self.revision.or(own).unwrap_or_default();
        Ok(url.map_err(Error::bad_request)?.with_revision(revision))
    }
}

fn not_local() -> Error {
    Error::bad_request("non-local charms may only be uploaded during model migration import")
}

/// Checks the archive, takes a revision, and keeps the archive with it.
async fn store(shared: &Shared, model: &Model, wanted: Wanted, upload: Upload) -> Result<CharmUrl> {
    let version = model.config()?.agent_version();
    let check = move || -> Result<_> {
        let charm = Archive::open(upload.path()).and_then(|mut it| it.charm()).map_err(bad_charm)?;
        if let Some(version) = &version {
            charm.check_min_version(version).map_err(bad_charm)?;
        }
        Ok((upload, charm))
    };
    let checked = tokio::task::spawn_blocking(check).await;
    let (upload, charm) = checked.map_err(|err| Error::internal("the archive cannot be read", &err))??;

    let url = model.reserve_charm(&wanted.url(&charm)?).await?;
    let revision = u64::from(url.revision.unwrap_or_default());
    let upload = shared.objects.rewrite::<Failed>(upload, move |from, to| {
        rewrite(from, to, revision).map(drop).map_err(Failed::Charm)
    });
    let upload = upload.await?;
    let sha256 = upload.sha256().parse().map_err(|err| Error::internal("the archive has no digest", &err))?;
    let size = upload.size();
    shared.objects.keep(upload).await.map_err(body::failed)?;
    model.set_charm_uploaded(&url, Charm { revision, ..charm }, &sha256, size).await?;
    Ok(url)
}

/// What rewriting fails with.
enum Failed {
    Charm(CharmError),
    Object(ObjectError),
}

impl From<ObjectError> for Failed {
    fn from(err: ObjectError) -> Self {
        Failed::Object(err)
    }
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Charm(err) => bad_charm(err),
            Failed::Object(err) => body::failed(err),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(name: Option<&str>, series: Option<&str>, revision: Option<u32>) -> Wanted {
        Wanted { name: name.map(Into::into), series: series.map(Into::into), revision }
    }

    #[test]
    fn what_clients_ask_for() {
        assert_eq!(Wanted::of_url("local:web-3").unwrap(), wanted(Some("web"), None, Some(3)));
        assert_eq!(Wanted::of_url("local:jammy/web-0").unwrap(), wanted(Some("web"), Some("jammy"), Some(0)));
        assert_eq!(Wanted::of_query("").unwrap(), wanted(None, None, None));
        // python-libjuju sends no more than this.
        assert_eq!(Wanted::of_query("series=").unwrap(), wanted(None, None, None));
        assert_eq!(Wanted::of_query("series=jammy").unwrap(), wanted(None, Some("jammy"), None));
        let all = "series=&schema=local&revision=-1&name=web&arch=amd64";
        assert_eq!(Wanted::of_query(all).unwrap(), wanted(Some("web"), None, None));
        assert_eq!(Wanted::of_query("revision=7").unwrap().revision, Some(7));
        for bad in ["", "ch:web-3", "local:", "local:Bad_Name-1"] {
            assert_eq!(Wanted::of_url(bad).unwrap_err().code(), "bad request", "{bad}");
        }
        assert!(Wanted::of_query("revision=x").is_err());
        assert_eq!(Wanted::of_query("schema=ch").unwrap_err(), not_local());
    }
}
