//! Deploying a charm: the first, or another.

use super::{Executor, OperationError, Outcome};
use crate::{
    charm::DeployError,
    hook::Hook,
    remote::RemoteState,
    resolver::{Charm, Deploy},
    state::{Op, Step},
};

impl Executor {
    pub(super) async fn deploy(
        &mut self,
        charm: &str,
        how: Deploy,
        seen: &RemoteState,
    ) -> Result<Outcome, OperationError> {
        let interrupted = match &self.local.state.op {
            Op::Upgrade { interrupted, .. } => interrupted.clone(),
            Op::RunHook { hook, step: Step::Pending } => Some(hook.clone()),
            _ => None,
        };
        let op = |step| match how {
            Deploy::Install => Op::Install { charm: charm.to_owned(), step },
            _ => Op::Upgrade { charm: charm.to_owned(), step, interrupted: interrupted.clone() },
        };
        // An agent that ended after the last file has only the next state to save.
        if self.local.state.op != op(Step::Done) {
            let sha256 = self.api.charm_sha256(charm).await?;
            self.deployer.stage(charm, &sha256).await?;
            // Before the state names the charm: until the unit has said that it uses it, the controller may drop it.
            self.api.set_charm_url(charm).await?;
            let pending = self.local.state.with(op(Step::Pending));
            self.save(pending).await?;
            match self.deployer.deploy(charm).await {
                Ok(()) => {}
                Err(DeployError::Conflict { deployed, source }) => {
                    tracing::error!("cannot replace charm {deployed:?} by {charm:?}: {}", chain(&*source));
                    self.local.memory.conflicted = true;
                    self.set_status("error", "upgrade failed", Default::default()).await?;
                    return Ok(Outcome::Done);
                }
                Err(err) => return Err(err.into()),
            }
            let done = self.local.state.with(op(Step::Done));
            self.save(done).await?;
        }
        let next = match (how, interrupted.clone()) {
            // The hook that failed is run again, by the new charm, which gets neither `upgrade-charm` nor
            // `config-changed` for that.
            (_, Some(hook)) => Op::RunHook { hook, step: Step::Pending },
            (Deploy::Install, None) => Op::RunHook { hook: Hook::Install, step: Step::Queued },
            (_, None) => Op::RunHook { hook: Hook::UpgradeCharm, step: Step::Queued },
        };
        let next = self.local.state.with(next);
        self.save(next).await?;
        let modified = seen.charm.as_ref().filter(|it| it.url == charm).map_or(0, |it| it.modified);
        let memory = &mut self.local.memory;
        memory.charm = Some(Charm { url: charm.to_owned(), modified });
        memory.conflicted = false;
        memory.redeployed = true;
        Ok(Outcome::Done)
    }
}

/// An error with its causes.
pub(crate) fn chain(err: &(dyn std::error::Error + 'static)) -> String {
    let mut text = err.to_string();
    let mut source = err.source();
    while let Some(err) = source {
        text.push_str(&format!(": {err}"));
        source = err.source();
    }
    text
}
