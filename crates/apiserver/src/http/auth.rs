//! Who asks over HTTP: Basic, with the entity's tag as the name; a machine's nonce in a header of its own.

use std::{marker::PhantomData, sync::Arc};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use juju_state::access::Access;
use juju_wire::code;

use super::{path::At, reply};
use crate::{
    Entity, Error, auth,
    auth::Credentials,
    connection::Place,
    server::{Shared, Visit},
};

/// Somebody who may do what the path is for; a handler that has one needs no further check.
pub(super) struct Caller<R> {
    pub(super) entity: Entity,
    pub(super) place: Place,
    pub(super) visit: Visit,
    right: PhantomData<R>,
}

/// What a path asks of whoever uses it.
pub(super) trait Right: Send + 'static {
    fn has(entity: &Entity) -> bool;
}

/// Users who may read the model, and all of its agents.
pub(super) enum Read {}
impl Right for Read {
    fn has(entity: &Entity) -> bool {
        !matches!(entity, Entity::User(user) if !user.may(Access::Read))
    }
}

/// Users who may write to the model.
pub(super) enum Write {}
impl Right for Write {
    fn has(entity: &Entity) -> bool {
        matches!(entity, Entity::User(user) if user.may(Access::Write))
    }
}

/// Users who may do everything.
pub(super) enum Superuser {}
impl Right for Superuser {
    fn has(entity: &Entity) -> bool {
        matches!(entity, Entity::User(user) if user.is_superuser())
    }
}

/// Users who may read the model, and controllers.
pub(super) enum ReadLogs {}
impl Right for ReadLogs {
    fn has(entity: &Entity) -> bool {
        if entity.is_user() { Read::has(entity) } else { entity.is_controller() }
    }
}

/// Agents.
pub(super) enum Log {}
impl Right for Log {
    fn has(entity: &Entity) -> bool {
        !entity.is_user()
    }
}

impl<R: Right> FromRequestParts<Arc<Shared>> for Caller<R> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, Response> {
        let At(place) = At::from_request_parts(parts, shared).await?;
        let Some(visit) = parts.extensions.get::<Visit>().cloned() else {
            return Err(Error::other("the connection is not known").into_response());
        };
        let entity = identify(shared, &place, &parts.headers).await.map_err(refuse)?;
        if !R::has(&entity) {
            return Err(refuse(Error::unauthorized()));
        }
        // A stranger no more.
        visit.door.admit();
        Ok(Caller { entity, place, visit, right: PhantomData })
    }
}

async fn identify(shared: &Shared, place: &Place, headers: &HeaderMap) -> crate::Result<Entity> {
    let (tag, password) = basic(headers).unwrap_or_default();
    let nonce = headers.get("x-juju-nonce").and_then(|it| it.to_str().ok()).unwrap_or_default();
    auth::authenticate(shared, place, Credentials { tag: &tag, password: &password, nonce }).await
}

fn refuse(error: Error) -> Response {
    match error.code() {
        // Known, but not let in there.
        code::UNAUTHORIZED if error == Error::unauthorized() => {
            reply::text(StatusCode::FORBIDDEN, format_args!("authorization failed: {error}"))
        }
        code::UNAUTHORIZED | code::NO_CREDS | code::NOT_PROVISIONED => {
            let why = format_args!("authentication failed: {error}");
            let mut response = reply::text(StatusCode::UNAUTHORIZED, why);
            let realm = HeaderValue::from_static("Basic realm=\"juju\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, realm);
            response
        }
        _ => error.into_response(),
    }
}

fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, pair) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(STANDARD.decode(pair.trim()).ok()?).ok()?;
    let (tag, password) = pair.split_once(':')?;
    Some((tag.to_owned(), password.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(value: &str) -> Option<(String, String)> {
        let value = HeaderValue::from_str(value).unwrap();
        basic(&HeaderMap::from_iter([(header::AUTHORIZATION, value)]))
    }

    #[test]
    fn basic_credentials() {
        let pair = STANDARD.encode("user-admin:a:b");
        assert_eq!(header(&format!("Basic {pair}")), Some(("user-admin".into(), "a:b".into())));
        assert_eq!(header(&format!("basic {pair}")), Some(("user-admin".into(), "a:b".into())));
        for bad in ["Basic", "Basic %%%", "Bearer abc", &format!("Basic {}", STANDARD.encode("nocolon"))] {
            assert_eq!(header(bad), None, "{bad}");
        }
        assert_eq!(basic(&HeaderMap::new()), None);
    }
}
