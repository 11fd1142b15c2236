//! Doing what the resolver says, and saving the unit's state between the steps.
//!
//! Every operation prepares, executes and commits, and the state that each step leads to is saved on the controller
//! before the next begins. An agent that ends anywhere finds there what to do: a hook that is `pending` may have
//! run in part and counts as failed, one that is `done` has only to be committed.

mod commit;
mod deploy;
pub(crate) mod hook;
mod scope;

use std::{collections::BTreeMap, sync::Arc};

use juju_agent::machine_lock::{MachineLock, MachineLockError};
use juju_wire::facade::uniter::SetUnitStateArg;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    api::Api,
    charm::{DeployError, Deployer},
    context::Services,
    hook::Hook,
    link::ApiError,
    relations,
    remote::{RemoteState, Snapshot},
    resolver::{Action, LocalState},
    state::{InvalidState, State},
    unit::Config,
};
pub(crate) use commit::committed;
pub(crate) use deploy::chain;

/// Why an operation did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum OperationError {
    #[error("{0}")]
    Api(#[from] ApiError),
    #[error("{0}")]
    Deploy(#[from] DeployError),
    #[error("{0}")]
    State(#[from] InvalidState),
    #[error("{0}")]
    Relation(#[from] relations::RelationError),
    #[error("{0}")]
    Lock(#[from] MachineLockError),
    #[error("cannot serve hook tools")]
    Server(#[source] juju_agent::sockets::SocketError),
    #[error("hook {hook} does not fit the unit's state: {why}")]
    OutOfOrder { hook: Hook, why: String },
}

/// What is read once an agent's life, as it does not change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    pub(crate) model_name: String,
    pub(crate) model_uuid: String,
    pub(crate) machine: String,
    pub(crate) availability_zone: String,
    /// Empty unless the unit is a subordinate.
    pub(crate) principal: String,
    pub(crate) sla: String,
    pub(crate) cloud_api_version: String,
}

/// Carries out operations on one unit.
pub(crate) struct Executor {
    pub(crate) config: Arc<Config>,
    pub(crate) api: Api,
    pub(crate) services: Services,
    pub(crate) facts: Facts,
    pub(crate) deployer: Deployer,
    pub(crate) lock: MachineLock,
    pub(crate) local: LocalState,
    /// What the controller has of the unit's state.
    pub(crate) saved: Saved,
    /// The agent status that was sent last.
    pub(crate) status: Option<Status>,
    /// Cancelled when the agent has to stop.
    pub(crate) stop: CancellationToken,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Status {
    status: &'static str,
    message: String,
    data: BTreeMap<String, Value>,
}

#[derive(Debug, Default)]
pub(crate) struct Saved {
    pub(crate) state: String,
    pub(crate) relations: BTreeMap<String, String>,
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// A hook failed; the state says which.
    HookFailed,
    /// The agent is stopping, or the machine lock was not to be had before it did.
    Stopped,
    /// Nothing can be done until the unit has changed.
    Wait,
}

impl Executor {
    /// Does one thing. `seen` is what it was decided upon.
    pub(crate) async fn run(
        &mut self,
        action: Action,
        seen: &RemoteState,
        snapshot: &Snapshot,
    ) -> Result<Outcome, OperationError> {
        match action {
            Action::RunHook { hook, resolved } => {
                if resolved {
                    self.clear_resolved(snapshot).await?;
                }
                self.run_hook(hook, seen).await
            }
            Action::SkipHook { hook, resolved } => {
                if resolved {
                    self.clear_resolved(snapshot).await?;
                }
                self.commit_hook(&hook, seen).await?;
                Ok(Outcome::Done)
            }
            Action::Deploy { charm, how } => {
                if how == crate::resolver::Deploy::Resolved {
                    self.clear_resolved(snapshot).await?;
                }
                self.deploy(&charm, how, seen).await
            }
            Action::AcceptLeadership => {
                let op =
                    crate::state::Op::RunHook { hook: Hook::LeaderElected, step: crate::state::Step::Queued };
                let next = State { leader: true, ..self.local.state.with(op) };
                self.save(next).await?;
                Ok(Outcome::Done)
            }
            Action::ResignLeadership => {
                tracing::warn!("we should run a leader-deposed hook here, but we can't yet");
                self.save(State { leader: false, ..self.local.state.clone() }).await?;
                Ok(Outcome::Done)
            }
            Action::EnterScope { relation } => self.enter_scope(relation, seen).await,
            Action::LeaveScope { relation } => self.leave_scope(relation).await,
            Action::ForgetRelation { relation } => self.forget_relation(relation).await,
            Action::DestroySelf => {
                self.api.destroy().await?;
                self.local.memory.end_requested = true;
                Ok(Outcome::Done)
            }
            Action::DestroySubordinates => {
                self.api.destroy_all_subordinates().await?;
                self.local.memory.subordinates_told = true;
                Ok(Outcome::Done)
            }
            // These are the loop's.
            Action::End | Action::Restart | Action::AwaitRetry { .. } => Ok(Outcome::Wait),
        }
    }

    /// Makes `next` the unit's state, here and on the controller.
    pub(crate) async fn save(&mut self, next: State) -> Result<(), OperationError> {
        self.save_all(next, false).await
    }

    /// The same, with the states of its relations, in one step.
    async fn save_all(&mut self, next: State, with_relations: bool) -> Result<(), OperationError> {
        let text = next.to_yaml()?;
        let relations = if with_relations { Some(relations::to_save(&self.local.relations)?) } else { None };
        let arg = SetUnitStateArg {
            uniter_state: (text != self.saved.state).then(|| text.clone()),
            relation_state: relations.clone().filter(|it| *it != self.saved.relations),
            ..SetUnitStateArg::default()
        };
        if arg.uniter_state.is_some() || arg.relation_state.is_some() {
            self.api.set_state(arg).await?;
        }
        self.saved.state = text;
        if let Some(relations) = relations {
            self.saved.relations = relations;
        }
        self.local.state = next;
        Ok(())
    }

    /// Tells what the agent is at, unless that is what it said last.
    pub(crate) async fn set_status(
        &mut self,
        status: &'static str,
        message: impl Into<String>,
        data: BTreeMap<String, Value>,
    ) -> Result<(), ApiError> {
        let wanted = Status { status, message: message.into(), data };
        if self.status.as_ref() != Some(&wanted) {
            self.api.set_agent_status(status, &wanted.message, wanted.data.clone()).await?;
            self.status = Some(wanted);
        }
        Ok(())
    }

    async fn clear_resolved(&self, snapshot: &Snapshot) -> Result<(), ApiError> {
        self.api.clear_resolved().await?;
        snapshot.clear_resolved();
        Ok(())
    }
}
