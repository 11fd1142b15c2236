//! What is done once every worker has stopped (Juju 3.6 `cmd/jujud/agent`, `AgentDone`).

use anyhow::Context as _;

use super::{Agent, Fatal, binary_version};

/// Ok means exit code 0, after which the service is not started again; an error means 1, after which it is.
pub(super) async fn act(agent: &Agent, fatal: Option<Fatal>) -> anyhow::Result<()> {
    match fatal {
        // Told to stop by whoever runs it.
        None => {
            tracing::info!("agent stopped");
            Ok(())
        }
        Some(Fatal::Terminate) => {
            tracing::info!("agent terminating");
            Ok(())
        }
        Some(ref restart @ Fatal::Restart) => {
            tracing::warn!("agent restarting");
            Err(restart.clone().into())
        }
        Some(ref upgrade @ Fatal::UpgradeReady { ref to, .. }) => {
            let binary = juju_core::Binary { number: to.clone(), ..binary_version() };
            let switched = juju_agent::tools::switch(agent.paths(), &agent.tag(), &binary.to_string());
            switched.context("cannot change agent binaries")?;
            Err(upgrade.clone().into())
        }
        Some(fatal @ (Fatal::Reboot | Fatal::Shutdown)) => {
            anyhow::bail!("{fatal}: machines are not rebooted by this build yet")
        }
    }
}
