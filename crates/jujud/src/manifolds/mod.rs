//! What runs where: one readable list an agent.
//!
//! Names and inputs are those of Juju 3.6 `cmd/jujud/agent/{machine,model}/manifolds.go`, so that a report reads as there.

pub mod controller;
pub mod machine;
pub mod model;
pub mod unit;

use juju_engine::{Exit, find_error};
use juju_workers::Ended;

use crate::machine::Fatal;

/// The numbers of every engine of the agent.
pub fn config() -> juju_engine::Config {
    juju_engine::Config::juju()
}

/// What a worker's end means to a machine agent.
fn exit(result: anyhow::Result<()>) -> Exit<Fatal> {
    let Err(err) = result else { return Exit::Done };
    if let Some(fatal) = find_error::<Fatal>(&err) {
        return Exit::Fatal(fatal.clone());
    }
    match find_error::<Ended>(&err) {
        Some(Ended::ConnectImpossible | Ended::MachineGone) => Exit::Fatal(Fatal::Terminate),
        Some(Ended::AddressesChanged | Ended::ConnectionBroken | Ended::LogStreamClosed) => Exit::Bounce,
        None => Exit::of(Err(err)),
    }
}
