//! Who may come in, over websockets and over HTTP alike.
//!
//! Texts and codes are those of Juju 3.6 `apiserver/admin.go`. An agent ends for good on `unauthorized access` and on
//! `not provisioned`, so these are given for what is wrong with the credentials and for nothing else.

use juju_core::{ModelUuid, Tag, UserName};
use juju_state::{
    State,
    access::{self, Access, Object},
    agent::{self, Agent},
    machine,
};
use juju_wire::code;

use crate::{Entity, Error, Result, User, backend, connection::Place, server::Shared};

/// What somebody says who wants in.
#[derive(Clone, Copy)]
pub(crate) struct Credentials<'a> {
    pub(crate) tag: &'a str,
    pub(crate) password: &'a str,
    pub(crate) nonce: &'a str,
}

/// As [`authenticate`], for a login: agents are let in at a limited rate.
pub(crate) async fn authenticate_login(
    shared: &Shared,
    place: &Place,
    credentials: Credentials<'_>,
) -> Result<Entity> {
    let is_user = credentials.tag.is_empty() || credentials.tag.starts_with("user-");
    if !is_user && !shared.agent_logins.try_take() {
        return Err(Error::new(code::TRY_AGAIN, "try again"));
    }
    authenticate(shared, place, credentials).await
}

/// Finds out who that is and what they may do there.
pub(crate) async fn authenticate(
    shared: &Shared,
    place: &Place,
    credentials: Credentials<'_>,
) -> Result<Entity> {
    if credentials.tag.is_empty() {
        // Juju would go on with macaroons.
        return Err(Error::new(code::NO_CREDS, "no credentials provided"));
    }
    let model = place.model(shared)?.uuid().clone();
    match credentials.tag.parse() {
        Ok(Tag::User(name)) => {
            let display_name = check_user(shared, &name, credentials.password).await?;
            admit_user(&shared.state, place, &model, name, display_name).map(Entity::User)
        }
        Ok(tag) => check_agent(&shared.state, &model, tag, credentials),
        Err(_) => Err(bad_credentials()),
    }
}

/// Answers the user's display name.
async fn check_user(shared: &Shared, name: &UserName, password: &str) -> Result<String> {
    if !name.is_local() {
        return Err(bad_credentials());
    }
    let _turn =
        shared.hashing.acquire().await.map_err(|err| Error::internal("cannot check the password", &err))?;
    match shared.state.authenticate_user(name, password).await {
        Ok(user) => Ok(user.display_name.clone()),
        Err(juju_state::Error::Unauthorized) => Err(bad_credentials()),
        Err(other) => Err(other.into()),
    }
}

fn admit_user(
    state: &State,
    place: &Place,
    model: &ModelUuid,
    name: UserName,
    display_name: String,
) -> Result<User> {
    let image = state.image();
    let user = User {
        controller: access::of(&image, &Object::Controller, &name)?,
        model: access::of(&image, &Object::Model(model.clone()), &name)?,
        name,
        display_name,
    };
    let to_model = matches!(place, Place::Model(_));
    let may_enter = match (user.controller, user.model) {
        (None, None) => false,
        (None, Some(_)) => to_model && backend::allow_model_access(state)?,
        (Some(Access::Superuser), _) => true,
        (Some(_), model) => !to_model || model.is_some(),
    };
    if may_enter { Ok(user) } else { Err(Error::unauthorized()) }
}

fn check_agent(state: &State, model: &ModelUuid, tag: Tag, credentials: Credentials<'_>) -> Result<Entity> {
    let image = state.image();
    match tag {
        Tag::Unit(name) => {
            let agent = Agent::Unit(name.clone());
            let right = agent::password_matches(&image, model, &agent, credentials.password)?;
            if right { Ok(Entity::Unit(name)) } else { Err(bad_credentials()) }
        }
        Tag::Machine(id) => {
            let home = state.controller()?.model.clone();
            let agent = Agent::Machine(id.clone());
            let its_own = agent::password_matches(&image, model, &agent, credentials.password)?;
            // The agents of a controller's machines work in every model, as who they are at home.
            let lives_in = if its_own {
                model
            } else if *model != home && agent::password_matches(&image, &home, &agent, credentials.password)?
            {
                &home
            } else {
                return Err(bad_credentials());
            };
            let doc = match machine::read(&image, lives_in, &id) {
                Ok(doc) => doc,
                Err(err) if err.is_not_found() => return Err(bad_credentials()),
                Err(err) => return Err(err.into()),
            };
            let controller = *lives_in == home && doc.is_controller();
            if lives_in != model && !controller {
                return Err(bad_credentials());
            }
            match state.model(lives_in)?.instance(&id) {
                Ok(instance) if instance.nonce == credentials.nonce => Ok(Entity::Machine { id, controller }),
                // It was given up for another, or is not known yet.
                Ok(_) | Err(juju_state::Error::NotProvisioned(_)) => {
                    Err(Error::new(code::NOT_PROVISIONED, format_args!("machine {id} not provisioned")))
                }
                Err(other) => Err(other.into()),
            }
        }
        _ => Err(bad_credentials()),
    }
}

/// One answer for whatever is wrong, so that nobody learns who exists.
fn bad_credentials() -> Error {
    Error::new(code::UNAUTHORIZED, "invalid entity name or password")
}
