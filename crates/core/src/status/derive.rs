//! What is shown, from what is stored and who is connected. Pure: presence and time are arguments.

use serde_json::{Map, Value};

use super::{Status, StatusInfo};
use crate::{Life, ids::UnitName};

/// What is said of an agent that is not connected.
pub const AGENT_LOST: &str = "agent is not communicating with the server";

const INSTALL_HOOK: &str = "running install hook";
const INSTALLING_CHARM: &str = "installing charm software";
const AGENT_INITIALISING: &str = "agent initialising";

/// Whether a live connection of the agent is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentPresence {
    Alive,
    Missing,
}

/// The two statuses of a unit as they are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitStatus {
    pub agent: StatusInfo,
    pub workload: StatusInfo,
}

/// A unit as it is shown. A failed hook is stored with the agent and shown with the workload.
pub fn unit_display(
    unit: &UnitName,
    agent: &StatusInfo,
    workload: &StatusInfo,
    presence: AgentPresence,
) -> UnitStatus {
    let mut shown = UnitStatus { agent: agent.clone(), workload: workload.clone() };
    if agent.status == Status::Error {
        shown.workload = agent.clone();
        shown.agent =
            StatusInfo { status: Status::Idle, message: String::new(), data: Map::new(), since: agent.since };
    }
    if presence == AgentPresence::Alive || may_be_absent(&shown) {
        return shown;
    }
    if !matches!(shown.workload.status, Status::Error | Status::Terminated) {
        shown.workload.status = Status::Unknown;
        shown.workload.message = format!("agent lost, see 'juju show-status-log {unit}'");
        shown.workload.data = Map::new();
    }
    shown.agent.status = Status::Lost;
    shown.agent.message = AGENT_LOST.to_owned();
    shown.agent.data = Map::new();
    shown
}

/// A machine's agent as it is shown.
pub fn machine_display(agent: &StatusInfo, life: Life, presence: AgentPresence) -> StatusInfo {
    let expected = !matches!(agent.status, Status::Pending | Status::Stopped) && !life.is_dead();
    if presence == AgentPresence::Alive || !expected {
        return agent.clone();
    }
    StatusInfo { status: Status::Down, message: AGENT_LOST.to_owned(), data: Map::new(), since: agent.since }
}

/// An application as it is shown: what its leader said, else the worst of what its units show (the first of equals).
pub fn shown_application<'a>(
    stored: &StatusInfo,
    units: impl IntoIterator<Item = &'a StatusInfo>,
) -> StatusInfo {
    if stored.status != Status::Unset {
        return stored.clone();
    }
    let worst = units
        .into_iter()
        .reduce(|worst, it| if severity(it.status) > severity(worst.status) { it } else { worst });
    match worst {
        Some(unit) => unit.clone(),
        None => StatusInfo { status: Status::Unknown, ..stored.clone() },
    }
}

/// How bad a workload's status is: of several, the worst is shown.
pub fn severity(status: Status) -> u8 {
    match status {
        Status::Error => 100,
        Status::Blocked => 90,
        Status::Maintenance => 80,
        Status::Waiting => 70,
        Status::Active => 60,
        Status::Terminated => 50,
        Status::Unknown => 40,
        _ => 0,
    }
}

/// A model as it is shown; `invalid_credential` is why its credential is not valid, when it is not.
pub fn model_display(stored: &StatusInfo, invalid_credential: Option<&str>) -> StatusInfo {
    let Some(reason) = invalid_credential else { return stored.clone() };
    StatusInfo {
        status: Status::Suspended,
        message: "suspended since cloud credential is not valid".to_owned(),
        data: [("reason".to_owned(), Value::from(reason))].into_iter().collect(),
        since: stored.since,
    }
}

/// What a controller's machine shows of its vote in the cluster.
pub fn shown_member_status(has_vote: bool, wants_vote: bool) -> &'static str {
    match (has_vote, wants_vote) {
        (true, true) => "has-vote",
        (false, true) => "adding-vote",
        (true, false) => "removing-vote",
        (false, false) => "no-vote",
    }
}

/// Whether a unit is still being installed, so that its agent need not be there yet.
fn may_be_absent(unit: &UnitStatus) -> bool {
    let (agent, workload) = (&unit.agent, &unit.workload);
    match agent.status {
        Status::Allocating | Status::Running => return true,
        Status::Executing if agent.message == INSTALL_HOOK => return true,
        _ => {}
    }
    match workload.status {
        Status::Maintenance => workload.message == INSTALLING_CHARM,
        Status::Waiting => workload.message == AGENT_INITIALISING,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(status: Status, message: &str) -> StatusInfo {
        StatusInfo::new(status, message, jiff::Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn unit() {
        use Status::*;
        let lost = "agent lost, see 'juju show-status-log db/0'";
        for (agent, workload, present, shown_agent, shown_workload) in [
            ((Idle, ""), (Active, "ready"), true, (Idle, ""), (Active, "ready")),
            ((Idle, ""), (Active, "ready"), false, (Lost, AGENT_LOST), (Unknown, lost)),
            (
                (Error, "hook failed: \"start\""),
                (Active, ""),
                true,
                (Idle, ""),
                (Error, "hook failed: \"start\""),
            ),
            (
                (Error, "hook failed: \"start\""),
                (Active, ""),
                false,
                (Lost, AGENT_LOST),
                (Error, "hook failed: \"start\""),
            ),
            ((Idle, ""), (Terminated, ""), false, (Lost, AGENT_LOST), (Terminated, "")),
            (
                (Allocating, ""),
                (Waiting, "waiting for machine"),
                false,
                (Allocating, ""),
                (Waiting, "waiting for machine"),
            ),
            (
                (Executing, INSTALL_HOOK),
                (Maintenance, "x"),
                false,
                (Executing, INSTALL_HOOK),
                (Maintenance, "x"),
            ),
            ((Executing, "running start hook"), (Active, ""), false, (Lost, AGENT_LOST), (Unknown, lost)),
            ((Idle, ""), (Maintenance, INSTALLING_CHARM), false, (Idle, ""), (Maintenance, INSTALLING_CHARM)),
            ((Idle, ""), (Maintenance, "backing up"), false, (Lost, AGENT_LOST), (Unknown, lost)),
            ((Idle, ""), (Waiting, AGENT_INITIALISING), false, (Idle, ""), (Waiting, AGENT_INITIALISING)),
            ((Idle, ""), (Waiting, "for the database"), false, (Lost, AGENT_LOST), (Unknown, lost)),
        ] {
            let presence = if present { AgentPresence::Alive } else { AgentPresence::Missing };
            let (agent, workload) = (info(agent.0, agent.1), info(workload.0, workload.1));
            let shown = unit_display(&"db/0".parse().unwrap(), &agent, &workload, presence);
            let expected = UnitStatus {
                agent: info(shown_agent.0, shown_agent.1),
                workload: info(shown_workload.0, shown_workload.1),
            };
            assert_eq!(shown, expected, "{agent:?} {workload:?} {present}");
        }
    }

    #[test]
    fn machine() {
        use Status::*;
        for (status, life, present, shown) in [
            (Started, Life::Alive, true, Started),
            (Started, Life::Alive, false, Down),
            (Started, Life::Dying, false, Down),
            (Error, Life::Alive, false, Down),
            (Started, Life::Dead, false, Started),
            (Pending, Life::Alive, false, Pending),
            (Stopped, Life::Alive, false, Stopped),
        ] {
            let presence = if present { AgentPresence::Alive } else { AgentPresence::Missing };
            let shown_info = machine_display(&info(status, ""), life, presence);
            let message = if shown == Down { AGENT_LOST } else { "" };
            assert_eq!(shown_info, info(shown, message), "{status} {life} {present}");
        }
    }

    #[test]
    fn application() {
        use Status::*;
        for (stored, units, shown) in [
            (Unset, &[][..], (Unknown, "")),
            (Unset, &[(Active, "a"), (Active, "b")], (Active, "a")),
            (Unset, &[(Active, ""), (Waiting, "w"), (Unknown, "")], (Waiting, "w")),
            (Unset, &[(Blocked, "b"), (Maintenance, ""), (Error, "e")], (Error, "e")),
            (Unset, &[(Terminated, ""), (Unknown, "")], (Terminated, "")),
            (Blocked, &[(Active, "")], (Blocked, "said")),
            (Active, &[(Error, "e")], (Active, "said")),
        ] {
            let units: Vec<_> = units.iter().map(|it| info(it.0, it.1)).collect();
            let message = if stored == Unset { "" } else { "said" };
            assert_eq!(shown_application(&info(stored, message), &units), info(shown.0, shown.1));
        }
    }

    #[test]
    fn model() {
        let stored = info(Status::Available, "");
        assert_eq!(model_display(&stored, None), stored);
        let shown = model_display(&stored, Some("expired"));
        assert_eq!(
            (shown.status, shown.message.as_str()),
            (Status::Suspended, "suspended since cloud credential is not valid")
        );
        assert_eq!(shown.data["reason"], "expired");
    }

    #[test]
    fn the_same_whenever_it_was_said() {
        let one = info(Status::Active, "x");
        let later = StatusInfo { since: Some(jiff::Timestamp::MAX), ..one.clone() };
        assert!(one.same_as(&later) && !one.same_as(&info(Status::Active, "y")));
        let json = serde_json::to_string(&one).unwrap();
        assert_eq!(json, r#"{"status":"active","message":"x","since":"1970-01-01T00:00:00Z"}"#);
        assert_eq!(serde_json::from_str::<StatusInfo>(&json).unwrap(), one);
    }
}
