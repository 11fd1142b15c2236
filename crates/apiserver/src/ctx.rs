//! What a handler is given besides its parameters.

use std::sync::{Arc, Mutex, PoisonError};

use juju_core::ModelUuid;
use juju_state::{Model, State};
use tokio::time::Instant;

use crate::{Entity, Error, Leases, Logs, Objects, Result, Tools, User, Watchers, server::Shared};

/// The call's context: who asks, over which connection, for which object. Clones share it.
#[derive(Clone)]
pub struct Ctx {
    session: Arc<Session>,
    object: Arc<str>,
}

/// A connection on which somebody has logged in.
pub(crate) struct Session {
    pub(crate) shared: Arc<Shared>,
    pub(crate) entity: Entity,
    /// The connection's model; on one to the controller alone, the controller's own.
    pub(crate) model: Model,
    pub(crate) controller_only: bool,
    pub(crate) watchers: Watchers,
    /// When the peer last showed that it lives; `None` once it asked not to be watched.
    pub(crate) pinged: Mutex<Option<Instant>>,
    /// Counts an agent as present while the session is kept.
    pub(crate) _presence: Option<juju_state::presence::Connected>,
}

impl Ctx {
    pub(crate) fn new(session: Arc<Session>, object: &str) -> Self {
        Ctx { session, object: object.into() }
    }

    /// Who calls.
    pub fn entity(&self) -> &Entity {
        &self.session.entity
    }

    /// The user who calls; agents have no such permission.
    pub fn user(&self) -> Result<&User> {
        match self.entity() {
            Entity::User(user) => Ok(user),
            _ => Err(Error::unauthorized()),
        }
    }

    /// The state of the whole controller.
    pub fn state(&self) -> &State {
        &self.session.shared.state
    }

    /// The connection's model; on a connection to the controller alone, the controller's own.
    pub fn model(&self) -> &Model {
        &self.session.model
    }

    pub fn model_uuid(&self) -> &ModelUuid {
        self.session.model.uuid()
    }

    /// Whether the connection is to `/api`, not to a model.
    pub fn is_controller_only(&self) -> bool {
        self.session.controller_only
    }

    /// The object that the request names: a watcher's id; "" for most calls.
    pub fn object(&self) -> &str {
        &self.object
    }

    /// The watchers of this connection.
    pub fn watchers(&self) -> &Watchers {
        &self.session.watchers
    }

    /// Charms, agent binaries and resources by their digests.
    pub fn objects(&self) -> &Objects {
        &self.session.shared.objects
    }

    /// The agent binaries that this controller has.
    pub fn tools(&self) -> &Tools {
        &self.session.shared.tools
    }

    /// What the agents of the models log.
    pub fn logs(&self) -> &Logs {
        &self.session.shared.logs
    }

    /// Who leads which application.
    pub fn leases(&self) -> &Leases {
        &self.session.shared.leases
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }
}

impl Session {
    /// Reads or changes when the peer was last heard of.
    pub(crate) fn touch<T>(&self, change: impl FnOnce(&mut Option<Instant>) -> T) -> T {
        change(&mut self.pinged.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
