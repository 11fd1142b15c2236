//! Who asks over HTTP: Basic, with the entity's tag as the name; a machine's nonce in a header of its own.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use juju_state::access::Access;
use juju_wire::code;

use super::reply;
use crate::{
    Entity, Error, auth,
    auth::Credentials,
    connection::Place,
    server::{Shared, Visit},
};

/// Finds out who that is; a stranger no more if it is somebody.
pub(super) async fn authenticate(
    shared: &Shared,
    place: &Place,
    headers: &HeaderMap,
    visit: &Visit,
) -> Result<Entity, Response> {
    let (tag, password) = basic(headers).unwrap_or_default();
    let nonce = headers.get("x-juju-nonce").and_then(|it| it.to_str().ok()).unwrap_or_default();
    let credentials = Credentials { tag: &tag, password: &password, nonce };
    let entity = auth::authenticate(shared, place, credentials).await.map_err(refuse)?;
    visit.door.admit();
    Ok(entity)
}

/// Those who may write to the model.
pub(super) fn may_write(entity: &Entity) -> Result<(), Response> {
    check(matches!(entity, Entity::User(user) if user.may(Access::Write)))
}

/// Those who may read the model's logs: users who may read it, and controllers.
pub(super) fn may_read_logs(entity: &Entity) -> Result<(), Response> {
    check(match entity {
        Entity::User(user) => user.may(Access::Read),
        other => other.is_controller(),
    })
}

/// Users who may read the model, and all of its agents.
pub(super) fn may_read(entity: &Entity) -> Result<(), Response> {
    check(match entity {
        Entity::User(user) => user.may(Access::Read),
        _ => true,
    })
}

pub(super) fn may_administer(entity: &Entity) -> Result<(), Response> {
    check(matches!(entity, Entity::User(user) if user.may(Access::Admin)))
}

pub(super) fn is_agent(entity: &Entity) -> Result<(), Response> {
    check(!entity.is_user())
}

fn check(may: bool) -> Result<(), Response> {
    if may { Ok(()) } else { Err(forbidden(&Error::unauthorized())) }
}

fn forbidden(error: &Error) -> Response {
    reply::text(StatusCode::FORBIDDEN, format_args!("authorization failed: {error}"))
}

fn refuse(error: Error) -> Response {
    match error.code() {
        // Known, but not let in there.
        code::UNAUTHORIZED if error == Error::unauthorized() => forbidden(&error),
        code::UNAUTHORIZED | code::NO_CREDS | code::NOT_PROVISIONED => {
            let mut response =
                reply::text(StatusCode::UNAUTHORIZED, format_args!("authentication failed: {error}"));
            let realm = HeaderValue::from_static("Basic realm=\"juju\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, realm);
            response
        }
        _ => axum::response::IntoResponse::into_response(error),
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
