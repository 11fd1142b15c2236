//! The operation a unit is in, and how far it got (`uniter-state`).

use serde::{Deserialize, Serialize};

use super::{InvalidState, from_yaml, to_yaml};
use crate::hook::Hook;

/// A unit's progress. It is saved between the steps of every operation, so that an agent that starts in the middle of
/// one knows what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The unit has accepted leadership, or is about to run `leader-elected` for it.
    pub leader: bool,
    pub started: bool,
    pub stopped: bool,
    pub installed: bool,
    pub removed: bool,
    /// The charm has set the unit's status itself, so the agent no longer does.
    pub status_set: bool,
    pub op: Op,
    /// What the last `config-changed` has seen.
    pub hashes: Hashes,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// The first charm is being deployed.
    Install {
        charm: String,
        step: Step,
    },
    /// Another charm is being deployed, perhaps while a hook of the old one waits to be run again.
    Upgrade {
        charm: String,
        step: Step,
        interrupted: Option<Hook>,
    },
    RunHook {
        hook: Hook,
        step: Step,
    },
    /// Nothing is under way.
    Idle,
}

/// How far an operation got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// It has not begun.
    Queued,
    /// It has begun; it may have failed, or been cut short.
    Pending,
    /// It has been done and has yet to be committed.
    Done,
}

/// Digests of what `config-changed` is about; only whether they are equal matters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hashes {
    pub config: String,
    pub trust: String,
    pub addresses: String,
}

impl State {
    /// Where a new unit starts.
    pub fn new(charm: impl Into<String>) -> Self {
        State {
            leader: false,
            started: false,
            stopped: false,
            installed: false,
            removed: false,
            status_set: false,
            op: Op::Install { charm: charm.into(), step: Step::Queued },
            hashes: Hashes::default(),
        }
    }

    pub fn with(&self, op: Op) -> Self {
        State { op, ..self.clone() }
    }

    pub fn is_idle(&self) -> bool {
        self.op == Op::Idle
    }

    /// The hook that failed or was cut short and waits to be run again.
    pub fn failed_hook(&self) -> Option<&Hook> {
        match &self.op {
            Op::RunHook { hook, step: Step::Pending } => Some(hook),
            _ => None,
        }
    }

    pub fn parse(text: &str) -> Result<Self, InvalidState> {
        from_yaml::<Saved>(text)?.try_into()
    }

    pub fn to_yaml(&self) -> Result<String, InvalidState> {
        to_yaml(&Saved::from(self.clone()))
    }
}

/// The YAML of Juju 3.6 `worker/uniter/operation`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Saved {
    leader: bool,
    started: bool,
    stopped: bool,
    installed: bool,
    removed: bool,
    status_set: bool,
    op: String,
    opstep: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook: Option<Hook>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_step: Option<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    charm: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    config_hash: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    trust_hash: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    addresses_hash: String,
}

impl TryFrom<Saved> for State {
    type Error = InvalidState;

    fn try_from(saved: Saved) -> Result<Self, InvalidState> {
        let invalid = |why: &str| InvalidState::Invalid(format!("{why} (operation {:?})", saved.op));
        let step = saved.opstep.unwrap_or(Step::Pending);
        let charm =
            || saved.charm.clone().filter(|it| !it.is_empty()).ok_or_else(|| invalid("missing charm URL"));
        let op = match saved.op.as_str() {
            "install" => Op::Install { charm: charm()?, step },
            "upgrade" => Op::Upgrade { charm: charm()?, step, interrupted: saved.hook.clone() },
            "run-hook" => {
                let hook = saved.hook.clone().ok_or_else(|| invalid("missing hook information"))?;
                Op::RunHook { hook, step: saved.hook_step.unwrap_or(step) }
            }
            // An agent of Juju was in the middle of an action. What it remembers of a hook counts as run.
            "run-action" => match saved.hook.clone() {
                Some(hook) => Op::RunHook { hook, step: Step::Done },
                None => Op::Idle,
            },
            "continue" | "remote-init" => Op::Idle,
            _ => return Err(invalid("unknown operation")),
        };
        Ok(State {
            leader: saved.leader,
            started: saved.started,
            stopped: saved.stopped,
            installed: saved.installed,
            removed: saved.removed,
            status_set: saved.status_set,
            op,
            hashes: Hashes {
                config: saved.config_hash,
                trust: saved.trust_hash,
                addresses: saved.addresses_hash,
            },
        })
    }
}

impl From<State> for Saved {
    fn from(state: State) -> Self {
        let mut saved = Saved {
            leader: state.leader,
            started: state.started,
            stopped: state.stopped,
            installed: state.installed,
            removed: state.removed,
            status_set: state.status_set,
            config_hash: state.hashes.config,
            trust_hash: state.hashes.trust,
            addresses_hash: state.hashes.addresses,
            ..Saved::default()
        };
        let (op, step) = match state.op {
            Op::Install { charm, step } => {
                saved.charm = Some(charm);
                ("install", step)
            }
            Op::Upgrade { charm, step, interrupted } => {
                saved.charm = Some(charm);
                saved.hook = interrupted;
                ("upgrade", step)
            }
            Op::RunHook { hook, step } => {
                saved.hook = Some(hook);
                ("run-hook", step)
            }
            Op::Idle => ("continue", Step::Pending),
        };
        saved.op = op.to_owned();
        saved.opstep = Some(step);
        saved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::{RelationEvent, RelationHook};

    fn hooks() -> Vec<Hook> {
        let relation = |event| Hook::Relation(RelationHook { relation: 4, application: "db".into(), event });
        let mut hooks = crate::hook::PLAIN.to_vec();
        hooks.extend([
            relation(RelationEvent::Created),
            relation(RelationEvent::Joined { unit: "db/0".into(), version: 0 }),
            relation(RelationEvent::Changed { unit: Some("db/0".into()), version: 6 }),
            relation(RelationEvent::Changed { unit: None, version: 2 }),
            relation(RelationEvent::Departed {
                unit: "db/0".into(),
                version: 3,
                departing: Some("shop/0".into()),
            }),
            relation(RelationEvent::Departed { unit: "db/0".into(), version: 3, departing: None }),
            relation(RelationEvent::Broken),
        ]);
        hooks
    }

    #[test]
    fn what_is_saved_is_what_is_read() {
        let charm = || "ch:amd64/noble/shop-7".to_owned();
        let mut ops = vec![Op::Idle];
        for step in [Step::Queued, Step::Pending, Step::Done] {
            ops.push(Op::Install { charm: charm(), step });
            ops.push(Op::Upgrade { charm: charm(), step, interrupted: None });
            for hook in hooks() {
                ops.push(Op::Upgrade { charm: charm(), step, interrupted: Some(hook.clone()) });
                ops.push(Op::RunHook { hook, step });
            }
        }
        for (number, op) in ops.into_iter().enumerate() {
            let bit = |of: usize| number >> of & 1 == 1;
            let state = State {
                leader: bit(0),
                started: bit(1),
                stopped: bit(2),
                installed: bit(3),
                removed: bit(4),
                status_set: bit(5),
                op,
                hashes: Hashes {
                    config: format!("{number}e7"),
                    trust: String::new(),
                    addresses: "0x1f".into(),
                },
            };
            let text = state.to_yaml().unwrap();
            assert_eq!(State::parse(&text).unwrap(), state, "{text}");
        }
    }

    #[test]
    fn states_of_jujus_agents_are_understood() {
        let state = State::parse(
            "leader: true\nstarted: true\nstopped: false\ninstalled: true\nremoved: false\nstatus-set: true\n\
             op: run-hook\nopstep: pending\nhook:\n  kind: relation-changed\n  relation-id: 4\n  remote-unit: db/1\n  \
             remote-application: db\n  change-version: 6\nhook-step: done\nconfig-hash: 4b1c\n",
        )
        .unwrap();
        let event = RelationEvent::Changed { unit: Some("db/1".into()), version: 6 };
        let hook = Hook::Relation(RelationHook { relation: 4, application: "db".into(), event });
        assert_eq!(state.op, Op::RunHook { hook, step: Step::Done });
        assert!(state.leader && state.started && state.installed && state.status_set);
        assert_eq!(state.hashes.config, "4b1c");

        for (text, want) in [
            ("op: continue\nopstep: pending\n", Op::Idle),
            ("op: run-action\nopstep: pending\naction-id: \"12\"\n", Op::Idle),
            (
                "op: run-hook\nopstep: queued\nhook:\n  kind: relation-broken\n",
                Op::RunHook {
                    hook: Hook::Relation(RelationHook {
                        relation: 0,
                        application: String::new(),
                        event: RelationEvent::Broken,
                    }),
                    step: Step::Queued,
                },
            ),
        ] {
            assert_eq!(State::parse(text).unwrap().op, want, "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "op: dance\n",
            "op: install\nopstep: queued\n",
            "op: run-hook\nopstep: queued\n",
            "op: run-hook\nopstep: maybe\nhook: {kind: start}\n",
            "op: run-hook\nopstep: queued\nhook: {kind: frob}\n",
            "op: run-hook\nopstep: queued\nhook: {kind: relation-joined, relation-id: 1, remote-application: a}\n",
            "op: run-hook\nopstep: queued\nhook: {kind: relation-joined, relation-id: 1, remote-unit: a/0}\n",
            "[a]",
        ] {
            assert!(State::parse(text).is_err(), "{text}");
        }
    }
}
