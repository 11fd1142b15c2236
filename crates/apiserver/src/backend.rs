//! The few things that the server itself, as opposed to its handlers, needs of the state.

use std::sync::Arc;

use juju_core::{ModelUuid, UserName};
use juju_state::State;
use juju_wire::params::HostPort;

use crate::{Result, server::Shared};

pub(crate) fn controller_tag(state: &State) -> Result<String> {
    Ok(format!("controller-{}", state.controller()?.uuid))
}

/// Whether users without access to the controller may use the models that they have access to.
pub(crate) fn allow_model_access(state: &State) -> Result<bool> {
    Ok(state.controller_config()?.flag("allow-model-access"))
}

/// Where the API servers are, as users are told or as agents are: a list for each of the controller's machines.
pub(crate) fn api_servers(state: &State, for_user: bool) -> Result<Vec<Vec<HostPort>>> {
    let addresses = state.api_addresses()?;
    let servers = if for_user { addresses.clients } else { addresses.agents };
    Ok(servers.iter().map(|it| it.iter().map(host_port).collect()).collect())
}

/// An address with its port as it travels.
pub fn host_port(it: &juju_core::HostPort) -> HostPort {
    HostPort {
        value: it.address.value.clone(),
        type_: it.address.kind.as_str().to_owned(),
        scope: it.address.scope.as_str().to_owned(),
        cidr: it.address.cidr.clone().unwrap_or_default(),
        port: it.port.into(),
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
