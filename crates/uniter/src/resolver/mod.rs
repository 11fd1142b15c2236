//! What to do next: a pure function of what the unit has done and what the controller wants.
//!
//! [`next`] is called in a loop, whenever either side has changed. Its rules are in Juju's order (Juju 3.6
//! `worker/uniter/resolver.go`), and the first that has something to do wins. Rules of what this release does not run
//! (series upgrades, workloads, secrets, actions, `juju-exec`, storage) are marked where they belong.

mod leadership;
mod relations;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::{
    hook::Hook,
    remote::{Life, RemoteState, Resolved},
    state::{Op, RelationState, State, Step},
};

/// What the agent knows of its unit.
#[derive(Debug, Clone)]
pub struct LocalState {
    /// The unit's name.
    pub unit: String,
    /// What is saved on the controller.
    pub state: State,
    /// What is forgotten when the agent ends.
    pub memory: Memory,
    pub relations: BTreeMap<i64, Relation>,
    /// The principal's application, if the unit is a subordinate.
    pub principal_application: Option<String>,
}

/// What an agent learns anew at each start, and with each new charm.
///
/// So a unit that does not lead sees one `leader-settings-changed` after each start, but no `config-changed`, whose
/// hashes are saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// The charm whose files are in place.
    pub charm: Option<Charm>,
    /// Files could not be replaced; a user has to look.
    pub conflicted: bool,
    /// The charm has been replaced since the watchers were started.
    pub redeployed: bool,
    /// The machine was rebooted since the agent last ran.
    pub rebooted: bool,
    /// The last seen values of counters of [`RemoteState`].
    pub leader_settings: u64,
    pub update_status: u64,
    pub retries: u64,
    /// The unit's subordinates have been told to go.
    pub subordinates_told: bool,
    /// This subordinate has asked for its own end.
    pub end_requested: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Charm {
    pub url: String,
    /// Counts changes of the charm and of the application's resources.
    pub modified: i64,
}

/// A relation that the agent has dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// Not for this unit: its charm has no such endpoint, or the controller would not let it in. It is looked at again
    /// once the relation has ended or was suspended.
    PassedOver,
    Entered(EnteredRelation),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredRelation {
    /// `shop:db mysql:server`.
    pub key: String,
    pub endpoint: String,
    pub peer: bool,
    /// The endpoint is Juju's own `juju-info`, for which a charm has no hooks.
    pub implicit: bool,
    /// The relation is between a subordinate and its principal.
    pub container: bool,
    /// The application on the other side; among peers the unit's own.
    pub application: String,
    pub state: RelationState,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The unit has come to its end.
    End,
    /// Start anew with the watchers, which are the old charm's.
    Restart,
    Deploy {
        charm: String,
        how: Deploy,
    },
    RunHook {
        hook: Hook,
        resolved: bool,
    },
    /// Commit the hook without running it.
    SkipHook {
        hook: Hook,
        resolved: bool,
    },
    /// Report a failed hook, and see to it that it is tried again in a while.
    AwaitRetry {
        hook: Hook,
    },
    AcceptLeadership,
    ResignLeadership,
    EnterScope {
        relation: i64,
    },
    /// Leave an implicit relation, which has no hooks to end it.
    LeaveScope {
        relation: i64,
    },
    /// Forget a relation that the controller has forgotten.
    ForgetRelation {
        relation: i64,
    },
    /// A subordinate without a principal asks for its own end.
    DestroySelf,
    /// The units that live by this one have to go first.
    DestroySubordinates,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deploy {
    Install,
    Upgrade,
    /// A user has resolved the conflict of files; deploy the same charm over them.
    Resolved,
    /// A user has forced another charm onto a unit in conflict.
    Revert,
}

/// What to do next, or nothing until something changes.
pub fn next(local: &LocalState, remote: &RemoteState) -> Option<Action> {
    let State { op, .. } = &local.state;
    // 1. The end.
    if remote.life == Life::Dead || local.state.removed {
        return Some(Action::End);
    }
    // 2. Series upgrades: not in this release.
    // 3. `start` is how a charm learns that its machine was rebooted.
    if local.memory.rebooted && local.state.started && local.state.is_idle() && remote.life == Life::Alive {
        return Some(run(Hook::Start));
    }
    // 4. An upgrade that was cut short.
    if let Op::Upgrade { charm, .. } = op {
        return interrupted_upgrade(local, remote, charm);
    }
    // 5. A charm that was just deployed is watched anew.
    if local.memory.redeployed {
        return Some(Action::Restart);
    }
    // 6. The retry timer rests unless a hook has failed: see [`Action::AwaitRetry`].
    // 7., 8. Relations come into being, leadership is taken and given up.
    if let Some(action) = relations::created(local, remote).or_else(|| leadership::next(local, remote)) {
        return Some(action);
    }
    // 9. to 13. Workloads, secrets, actions, commands, storage: not in this release.
    match op {
        // 14. The hook that is under way.
        Op::RunHook { hook, step } => match step {
            Step::Pending => Some(failed_hook(local, remote, hook)),
            // A dying unit need not be installed first.
            Step::Queued if *hook == Hook::Install => idle(local, remote),
            Step::Queued => Some(run(hook.clone())),
            Step::Done => Some(Action::SkipHook { hook: hook.clone(), resolved: false }),
        },
        // The first deployment precedes the watchers; one that was cut short is taken up where it began.
        Op::Install { charm, .. } => Some(Action::Deploy { charm: charm.clone(), how: Deploy::Install }),
        Op::Upgrade { .. } => None,
        // 15. All the rest.
        Op::Idle => idle(local, remote),
    }
}

fn run(hook: Hook) -> Action {
    Action::RunHook { hook, resolved: false }
}

fn charm_differs(local: &LocalState, remote: &RemoteState) -> bool {
    let installed = local.memory.charm.as_ref();
    remote.charm.is_some() && installed != remote.charm.as_ref()
}

/// An upgrade that stopped half-way goes on with the charm of now; one in conflict waits for a user.
fn interrupted_upgrade(local: &LocalState, remote: &RemoteState, charm: &str) -> Option<Action> {
    let wanted = remote.charm.as_ref().map_or(charm, |it| &it.url).to_owned();
    if !local.memory.conflicted {
        return Some(Action::Deploy { charm: wanted, how: Deploy::Upgrade });
    }
    if remote.resolved != Resolved::None {
        return Some(Action::Deploy { charm: charm.to_owned(), how: Deploy::Resolved });
    }
    let forced = remote.force_charm_upgrade && wanted != charm;
    forced.then_some(Action::Deploy { charm: wanted, how: Deploy::Revert })
}

/// A hook that failed, or whose agent ended while it ran.
fn failed_hook(local: &LocalState, remote: &RemoteState, hook: &Hook) -> Action {
    if remote.force_charm_upgrade && charm_differs(local, remote) {
        return upgrade(remote);
    }
    match remote.resolved {
        Resolved::RetryHooks => Action::RunHook { hook: hook.clone(), resolved: true },
        Resolved::NoHooks => Action::SkipHook { hook: hook.clone(), resolved: true },
        Resolved::None if remote.retries != local.memory.retries => run(hook.clone()),
        Resolved::None => Action::AwaitRetry { hook: hook.clone() },
    }
}

fn upgrade(remote: &RemoteState) -> Action {
    let charm = remote.charm.as_ref().map(|it| it.url.clone()).unwrap_or_default();
    Action::Deploy { charm, how: Deploy::Upgrade }
}

/// Nothing is under way, or only an `install` that has not begun.
fn idle(local: &LocalState, remote: &RemoteState) -> Option<Action> {
    let state = &local.state;
    if remote.life == Life::Dying {
        return Some(relations::next(local, remote).unwrap_or_else(|| {
            if state.started && !state.stopped {
                run(Hook::Stop)
            } else if state.installed && !state.removed {
                run(Hook::Remove)
            } else {
                Action::End
            }
        }));
    }
    if !state.installed && !state.started {
        return Some(run(Hook::Install));
    }
    if charm_differs(local, remote) {
        return Some(upgrade(remote));
    }
    if state.hashes != remote.hashes {
        return Some(run(Hook::ConfigChanged));
    }
    if let Some(action) = relations::next(local, remote) {
        return Some(action);
    }
    (local.memory.update_status != remote.update_status).then(|| run(Hook::UpdateStatus))
}
