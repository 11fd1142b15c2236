//! What the end of a hook means for the unit's state (Juju 3.6 `worker/uniter/operation/runhook.go`).

use crate::{
    hook::Hook,
    remote::RemoteState,
    state::{Op, State, Step},
};

/// The state once a hook has been run, or skipped. `seen` is what the hook was decided upon: what changed while it ran is
/// news for the next.
pub(crate) fn committed(state: &State, hook: &Hook, seen: &RemoteState) -> State {
    let mut next = state.with(Op::Idle);
    let queue = |hook| Op::RunHook { hook, step: Step::Queued };
    match hook {
        Hook::Install => (next.installed, next.removed) = (true, false),
        Hook::Start => (next.started, next.stopped) = (true, false),
        Hook::Stop => next.stopped = true,
        Hook::Remove => next.removed = true,
        Hook::ConfigChanged => {
            next.hashes = seen.hashes.clone();
            if !state.started {
                next.op = queue(Hook::Start);
            }
        }
        Hook::UpgradeCharm => next.op = queue(Hook::ConfigChanged),
        Hook::UpdateStatus | Hook::LeaderElected | Hook::LeaderSettingsChanged | Hook::Relation(_) => {}
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_that_leave_a_trace() {
        let seen = RemoteState {
            hashes: crate::state::Hashes { config: "c2".into(), ..Default::default() },
            ..RemoteState::default()
        };
        let running = State { installed: true, started: true, op: Op::Idle, ..State::new("local:x-0") };
        let installed = State { started: false, ..running.clone() };
        let queued = |hook| Op::RunHook { hook, step: Step::Queued };
        for (before, hook, want) in [
            (State::new("local:x-0"), Hook::Install, State { started: false, ..running.clone() }),
            (installed.clone(), Hook::Start, running.clone()),
            (State { stopped: true, ..running.clone() }, Hook::Start, running.clone()),
            (
                installed.clone(),
                Hook::ConfigChanged,
                State { hashes: seen.hashes.clone(), op: queued(Hook::Start), ..installed },
            ),
            (running.clone(), Hook::ConfigChanged, State { hashes: seen.hashes.clone(), ..running.clone() }),
            (running.clone(), Hook::UpgradeCharm, running.with(queued(Hook::ConfigChanged))),
            (running.clone(), Hook::Stop, State { stopped: true, ..running.clone() }),
            (running.clone(), Hook::Remove, State { removed: true, ..running.clone() }),
            (running.clone(), Hook::UpdateStatus, running.clone()),
            (running.clone(), Hook::LeaderElected, running.clone()),
        ] {
            let before = before.with(Op::RunHook { hook: hook.clone(), step: Step::Done });
            assert_eq!(committed(&before, &hook, &seen), want, "{hook}");
        }
    }
}
