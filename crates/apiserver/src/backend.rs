//! The few things that the server itself, as opposed to its handlers, needs of the state.

use std::sync::Arc;

use juju_core::{Address, ModelUuid, UserName};
use juju_state::State;
use juju_wire::params::HostPort;

use crate::{Result, server::Shared};

pub(crate) fn controller_tag(state: &State) -> Result<String> {
    Ok(format!("controller-{}", state.controller()?.uuid))
}

/// Whether users without access to the controller may use the models that they have access to.
///
/// There is no controller setting for it yet; Juju's default is no.
pub(crate) fn allow_model_access(_: &State) -> Result<bool> {
    Ok(false)
}

/// Where the API servers are: a list for each of the controller's machines. Machines have no records yet.
pub(crate) fn api_servers() -> Vec<Vec<HostPort>> {
    vec![]
}

/// An address as it travels.
pub fn host_port(it: &Address, port: i64) -> HostPort {
    HostPort {
        value: it.value.clone(),
        type_: it.kind.as_str().to_owned(),
        scope: it.scope.as_str().to_owned(),
        cidr: it.cidr.clone().unwrap_or_default(),
        port,
        ..HostPort::default()
    }
}

/// Takes note that a user was here. Nobody waits for it, and its failure is nobody's.
pub(crate) fn note_connection(shared: &Arc<Shared>, user: &UserName, model: Option<ModelUuid>) {
    let (state, user) = (shared.state.clone(), user.clone());
    shared.tasks.spawn(async move {
        if let Err(err) = state.record_connection(&user, model.as_ref()).await {
            tracing::debug!(%err, "cannot record a user's connection");
        }
    });
}
