//! `Admin.Login`.

use std::sync::Mutex;

use juju_wire::facade::admin::{AuthUserInfo, LoginRequest, LoginResult};
use tokio::time::Instant;

use crate::{
    Entity, Error, Result, SERVER_VERSION, Watchers,
    auth::{self, Credentials},
    backend,
    connection::{Api, Place},
    ctx::Session,
};

/// Proves who is there, and what they will find.
pub(crate) async fn log_in(api: &Api, request: LoginRequest) -> Result<(Session, LoginResult)> {
    let shared = &api.shared;
    let credentials =
        Credentials { tag: &request.auth_tag, password: &request.credentials, nonce: &request.nonce };
    let entity = auth::authenticate_login(shared, &api.place, credentials).await?;
    // What was committed before the login is to be seen after it, on whichever controller it was.
    shared.state.view().catch_up().await.map_err(juju_state::Error::from)?;
    let model = api.place.model(shared)?;
    let controller_only = api.place == Place::Controller;

    let user_info = match &entity {
        Entity::User(user) => {
            backend::note_connection(shared, &user.name, (!controller_only).then(|| model.uuid().clone()));
            let text = |access: Option<juju_state::access::Access>| access.map(|it| it.as_str().to_owned());
            Some(AuthUserInfo {
                identity: request.auth_tag.clone(),
                display_name: user.display_name.clone(),
                controller_access: text(user.controller).unwrap_or_default(),
                model_access: text(user.model).filter(|_| !controller_only).unwrap_or_default(),
                ..AuthUserInfo::default()
            })
        }
        _ => None,
    };
    let result = LoginResult {
        servers: backend::api_servers(&shared.state, entity.is_user())?,
        model_tag: if controller_only { String::new() } else { format!("model-{}", model.uuid()) },
        controller_tag: backend::controller_tag(&shared.state)?,
        user_info,
        facades: shared.router.listed(controller_only),
        server_version: SERVER_VERSION.to_owned(),
        ..LoginResult::default()
    };
    tracing::info!(
        connection = api.number,
        entity = %entity,
        model = %model.uuid(),
        client = request.client_version,
        "logged in"
    );
    // A controller's agent that works in another model is not that model's machine of its number.
    let lives_in = if entity.is_controller() { &shared.state.controller()?.model } else { model.uuid() };
    let presence = (!entity.is_user()).then(|| shared.state.presence().connect(lives_in, entity.tag()));
    let session = Session {
        shared: shared.clone(),
        entity,
        model,
        controller_only,
        watchers: Watchers::default(),
        pinged: Mutex::new(Some(Instant::now())),
        _presence: presence,
    };
    Ok((session, result))
}

pub(crate) fn already_logged_in() -> Error {
    Error::other("already logged in")
}

/// No model has moved away from here.
pub(crate) fn not_redirected() -> Error {
    Error::other("not redirected")
}
