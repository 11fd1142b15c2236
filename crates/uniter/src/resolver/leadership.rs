//! Leadership is taken when the unit is idle and given up at once (Juju 3.6 `worker/uniter/leadership`).

use super::{Action, LocalState, run};
use crate::{
    hook::Hook,
    remote::{Life, RemoteState},
};

pub(super) fn next(local: &LocalState, remote: &RemoteState) -> Option<Action> {
    let state = &local.state;
    if !state.installed {
        return None;
    }
    let (alive, idle) = (remote.life == Life::Alive, state.is_idle());
    if state.leader && !(remote.leader && alive) {
        return Some(Action::ResignLeadership);
    }
    if !state.leader && remote.leader && alive && idle {
        return Some(Action::AcceptLeadership);
    }
    let news = local.memory.leader_settings != remote.leader_settings;
    (!state.leader && news && alive && idle).then(|| run(Hook::LeaderSettingsChanged))
}
