//! The resolver's rules, a table each.

use super::*;
use crate::{
    hook::{RelationEvent, RelationHook},
    remote::RemoteRelation,
    state::Hashes,
};

fn hashes(config: &str) -> Hashes {
    Hashes { config: config.into(), trust: "t".into(), addresses: "a".into() }
}

fn charm(url: &str) -> Charm {
    Charm { url: url.into(), modified: 1 }
}

/// A unit that runs and has nothing to do.
fn settled() -> (LocalState, RemoteState) {
    let state = State {
        started: true,
        installed: true,
        status_set: true,
        op: Op::Idle,
        hashes: hashes("c"),
        ..State::new("local:shop-1")
    };
    let memory = Memory {
        charm: Some(charm("local:shop-1")),
        leader_settings: 1,
        update_status: 3,
        retries: 0,
        ..Memory::default()
    };
    let local = LocalState {
        unit: "shop/0".into(),
        state,
        memory,
        relations: BTreeMap::new(),
        principal_application: None,
    };
    let remote = RemoteState {
        charm: Some(charm("local:shop-1")),
        hashes: hashes("c"),
        leader_settings: 1,
        update_status: 3,
        ..RemoteState::default()
    };
    (local, remote)
}

/// A unit whose charm is in place and has not run yet.
fn fresh() -> (LocalState, RemoteState) {
    let (mut local, remote) = settled();
    local.state = State::new("local:shop-1").with(Op::RunHook { hook: Hook::Install, step: Step::Queued });
    local.memory = Memory { charm: Some(charm("local:shop-1")), ..Memory::default() };
    (local, remote)
}

fn failing(hook: Hook) -> (LocalState, RemoteState) {
    let (mut local, remote) = settled();
    local.state.op = Op::RunHook { hook, step: Step::Pending };
    (local, remote)
}

type Change = fn(&mut LocalState, &mut RemoteState);

/// Each case changes a copy of the start and names what comes next.
#[track_caller]
fn check(start: (LocalState, RemoteState), cases: &[(&str, Change, Option<Action>)]) {
    for (name, change, want) in cases {
        let (mut local, mut remote) = start.clone();
        change(&mut local, &mut remote);
        assert_eq!(next(&local, &remote), *want, "{name}");
    }
}

fn deploy(charm: &str, how: Deploy) -> Option<Action> {
    Some(Action::Deploy { charm: charm.into(), how })
}

#[test]
fn rule_1_the_end() {
    check(
        settled(),
        &[
            ("nothing to do", |_, _| {}, None),
            ("dead", |_, remote| remote.life = Life::Dead, Some(Action::End)),
            ("removed", |local, _| local.state.removed = true, Some(Action::End)),
            (
                "dead in the middle of a hook",
                |local, remote| {
                    local.state.op = Op::RunHook { hook: Hook::Start, step: Step::Pending };
                    remote.life = Life::Dead;
                },
                Some(Action::End),
            ),
        ],
    );
}

#[test]
fn rule_3_a_reboot_is_told_by_start() {
    check(
        settled(),
        &[
            ("rebooted", |local, _| local.memory.rebooted = true, Some(run(Hook::Start))),
            (
                "before config-changed",
                |local, remote| {
                    local.memory.rebooted = true;
                    remote.hashes = hashes("other");
                },
                Some(run(Hook::Start)),
            ),
            (
                "a failed hook is first",
                |local, _| {
                    local.memory.rebooted = true;
                    local.state.op = Op::RunHook { hook: Hook::Stop, step: Step::Pending };
                },
                Some(Action::AwaitRetry { hook: Hook::Stop }),
            ),
            (
                "not started yet",
                |local, _| {
                    local.memory.rebooted = true;
                    local.state.started = false;
                },
                None,
            ),
        ],
    );
}

#[test]
fn rule_4_an_upgrade_cut_short_goes_on_and_a_conflict_waits() {
    let (mut local, mut remote) = settled();
    local.state.op = Op::Upgrade { charm: "local:shop-2".into(), step: Step::Pending, interrupted: None };
    remote.charm = Some(charm("local:shop-2"));
    check(
        (local, remote),
        &[
            ("goes on", |_, _| {}, deploy("local:shop-2", Deploy::Upgrade)),
            (
                "with the charm of now",
                |_, remote| remote.charm = Some(charm("local:shop-3")),
                deploy("local:shop-3", Deploy::Upgrade),
            ),
            ("waits", |local, _| local.memory.conflicted = true, None),
            (
                "resolved",
                |local, remote| {
                    local.memory.conflicted = true;
                    remote.resolved = Resolved::RetryHooks;
                },
                deploy("local:shop-2", Deploy::Resolved),
            ),
            (
                "force alone does not help",
                |local, remote| {
                    local.memory.conflicted = true;
                    remote.force_charm_upgrade = true;
                },
                None,
            ),
            (
                "forced to another",
                |local, remote| {
                    local.memory.conflicted = true;
                    remote.force_charm_upgrade = true;
                    remote.charm = Some(charm("local:shop-3"));
                },
                deploy("local:shop-3", Deploy::Revert),
            ),
            (
                "another charm without force",
                |local, remote| {
                    local.memory.conflicted = true;
                    remote.charm = Some(charm("local:shop-3"));
                },
                None,
            ),
            ("leadership waits", |_, remote| remote.leader = true, deploy("local:shop-2", Deploy::Upgrade)),
        ],
    );
}

#[test]
fn rule_5_a_new_charm_is_watched_anew() {
    check(
        settled(),
        &[
            ("redeployed", |local, _| local.memory.redeployed = true, Some(Action::Restart)),
            (
                "its hook waits",
                |local, _| {
                    local.memory.redeployed = true;
                    local.state.op = Op::RunHook { hook: Hook::UpgradeCharm, step: Step::Queued };
                },
                Some(Action::Restart),
            ),
        ],
    );
}

#[test]
fn rule_8_leadership() {
    check(
        settled(),
        &[
            ("taken", |_, remote| remote.leader = true, Some(Action::AcceptLeadership)),
            ("kept", |local, remote| (local.state.leader, remote.leader) = (true, true), None),
            ("lost", |local, _| local.state.leader = true, Some(Action::ResignLeadership)),
            (
                "given up by a dying unit",
                |local, remote| {
                    (local.state.leader, remote.leader) = (true, true);
                    remote.life = Life::Dying;
                },
                Some(Action::ResignLeadership),
            ),
            (
                "given up in the middle of a failed hook",
                |local, _| {
                    local.state.leader = true;
                    local.state.op = Op::RunHook { hook: Hook::Start, step: Step::Pending };
                },
                Some(Action::ResignLeadership),
            ),
            (
                "not taken in the middle of a hook",
                |local, remote| {
                    remote.leader = true;
                    local.state.op = Op::RunHook { hook: Hook::Start, step: Step::Queued };
                },
                Some(run(Hook::Start)),
            ),
            (
                "followers learn of settings",
                |_, remote| remote.leader_settings = 2,
                Some(run(Hook::LeaderSettingsChanged)),
            ),
            (
                "after each start too",
                |local, _| local.memory.leader_settings = 0,
                Some(run(Hook::LeaderSettingsChanged)),
            ),
            (
                "before configuration",
                |_, remote| {
                    remote.leader_settings = 2;
                    remote.hashes = hashes("other");
                },
                Some(run(Hook::LeaderSettingsChanged)),
            ),
            (
                "leaders do not",
                |local, remote| {
                    (local.state.leader, remote.leader) = (true, true);
                    remote.leader_settings = 2;
                },
                None,
            ),
        ],
    );
    check(fresh(), &[("not before install", |_, remote| remote.leader = true, Some(run(Hook::Install)))]);
}

#[test]
fn rule_14_the_hook_under_way() {
    check(
        settled(),
        &[
            (
                "queued",
                |local, _| local.state.op = Op::RunHook { hook: Hook::Start, step: Step::Queued },
                Some(run(Hook::Start)),
            ),
            (
                "done",
                |local, _| local.state.op = Op::RunHook { hook: Hook::Start, step: Step::Done },
                Some(Action::SkipHook { hook: Hook::Start, resolved: false }),
            ),
            (
                "queued while dying",
                |local, remote| {
                    remote.life = Life::Dying;
                    local.state.op = Op::RunHook { hook: Hook::ConfigChanged, step: Step::Queued };
                },
                Some(run(Hook::ConfigChanged)),
            ),
            (
                "a first deploy cut short",
                |local, _| local.state.op = Op::Install { charm: "local:shop-1".into(), step: Step::Pending },
                deploy("local:shop-1", Deploy::Install),
            ),
        ],
    );
    check(
        fresh(),
        &[
            ("install", |_, _| {}, Some(run(Hook::Install))),
            (
                "a dying unit is not installed",
                |local, remote| {
                    remote.life = Life::Dying;
                    local.memory.subordinates_told = true;
                },
                Some(Action::End),
            ),
        ],
    );
}

#[test]
fn rule_14_a_failed_hook() {
    let retry = Some(Action::RunHook { hook: Hook::ConfigChanged, resolved: true });
    let skip = Some(Action::SkipHook { hook: Hook::ConfigChanged, resolved: true });
    let wait = Some(Action::AwaitRetry { hook: Hook::ConfigChanged });
    check(
        failing(Hook::ConfigChanged),
        &[
            ("waits", |_, _| {}, wait.clone()),
            ("resolved with retry", |_, remote| remote.resolved = Resolved::RetryHooks, retry),
            ("resolved without", |_, remote| remote.resolved = Resolved::NoHooks, skip),
            ("its time has come", |_, remote| remote.retries = 1, Some(run(Hook::ConfigChanged))),
            ("another charm", |_, remote| remote.charm = Some(charm("local:shop-2")), wait.clone()),
            (
                "another charm by force",
                |_, remote| {
                    remote.charm = Some(charm("local:shop-2"));
                    remote.force_charm_upgrade = true;
                    remote.resolved = Resolved::NoHooks;
                },
                deploy("local:shop-2", Deploy::Upgrade),
            ),
            ("force of the same charm", |_, remote| remote.force_charm_upgrade = true, wait.clone()),
            (
                "no other hook runs",
                |_, remote| {
                    remote.leader = true;
                    remote.leader_settings = 9;
                    remote.update_status = 9;
                    remote.hashes = hashes("other");
                },
                wait.clone(),
            ),
            ("removal waits", |_, remote| remote.life = Life::Dying, wait),
        ],
    );
}

#[test]
fn rule_15_the_order_of_an_idle_unit() {
    check(
        settled(),
        &[
            (
                "another charm",
                |_, remote| remote.charm = Some(charm("local:shop-2")),
                deploy("local:shop-2", Deploy::Upgrade),
            ),
            (
                "a resource of the charm",
                |_, remote| remote.charm = Some(Charm { modified: 2, ..charm("local:shop-1") }),
                deploy("local:shop-1", Deploy::Upgrade),
            ),
            (
                "a charm outranks configuration",
                |_, remote| {
                    remote.charm = Some(charm("local:shop-2"));
                    remote.hashes = hashes("other");
                },
                deploy("local:shop-2", Deploy::Upgrade),
            ),
            ("configuration", |_, remote| remote.hashes = hashes("other"), Some(run(Hook::ConfigChanged))),
            ("trust", |_, remote| remote.hashes.trust = "x".into(), Some(run(Hook::ConfigChanged))),
            ("addresses", |_, remote| remote.hashes.addresses = "x".into(), Some(run(Hook::ConfigChanged))),
            (
                "configuration outranks a tick",
                |_, remote| {
                    remote.update_status = 4;
                    remote.hashes = hashes("other");
                },
                Some(run(Hook::ConfigChanged)),
            ),
            ("a tick", |_, remote| remote.update_status = 4, Some(run(Hook::UpdateStatus))),
        ],
    );
}

#[test]
fn rule_15_the_end_of_a_unit() {
    let (mut local, mut remote) = settled();
    local.memory.subordinates_told = true;
    remote.life = Life::Dying;
    check(
        (local, remote),
        &[
            (
                "subordinates go first",
                |local, _| local.memory.subordinates_told = false,
                Some(Action::DestroySubordinates),
            ),
            ("stop", |_, _| {}, Some(run(Hook::Stop))),
            ("remove", |local, _| local.state.stopped = true, Some(run(Hook::Remove))),
            (
                "the end",
                |local, _| (local.state.stopped, local.state.removed) = (true, true),
                Some(Action::End),
            ),
            (
                "remove of a unit that never started",
                |local, _| local.state.started = false,
                Some(run(Hook::Remove)),
            ),
            (
                "the end of one that was never installed",
                |local, _| (local.state.started, local.state.installed) = (false, false),
                Some(Action::End),
            ),
            ("nothing new is begun", |_, remote| remote.hashes = hashes("other"), Some(run(Hook::Stop))),
        ],
    );
}

// Relations.

const DB: i64 = 4;

fn entered(members: &[(&str, i64)]) -> EnteredRelation {
    let mut state = RelationState::new(DB);
    state.application_members.insert("db".into(), 0);
    state.members = members.iter().map(|(unit, it)| (unit.to_string(), *it)).collect();
    EnteredRelation {
        key: "shop:db db:db".into(),
        endpoint: "db".into(),
        peer: false,
        implicit: false,
        container: false,
        application: "db".into(),
        state,
    }
}

fn seen(members: &[(&str, i64)]) -> RemoteRelation {
    RemoteRelation {
        key: "shop:db db:db".into(),
        members: members.iter().map(|(unit, it)| (unit.to_string(), *it)).collect(),
        application_members: [("db".into(), 0)].into(),
        ..RemoteRelation::default()
    }
}

/// A unit with one relation, whose two sides are given.
fn related(local_members: &[(&str, i64)], remote_members: &[(&str, i64)]) -> (LocalState, RemoteState) {
    let (mut local, mut remote) = settled();
    local.relations.insert(DB, Relation::Entered(entered(local_members)));
    remote.relations.insert(DB, seen(remote_members));
    (local, remote)
}

fn on_db(event: RelationEvent) -> Option<Action> {
    Some(run(Hook::Relation(RelationHook { relation: DB, application: "db".into(), event })))
}
fn created() -> Option<Action> {
    on_db(RelationEvent::Created)
}
fn joined(unit: &str, version: i64) -> Option<Action> {
    on_db(RelationEvent::Joined { unit: unit.into(), version })
}
fn changed(unit: Option<&str>, version: i64) -> Option<Action> {
    on_db(RelationEvent::Changed { unit: unit.map(str::to_owned), version })
}
fn departed(unit: &str, version: i64, departing: &str) -> Option<Action> {
    on_db(RelationEvent::Departed { unit: unit.into(), version, departing: Some(departing.into()) })
}

fn edit(local: &mut LocalState, id: i64, change: impl FnOnce(&mut EnteredRelation)) {
    let Some(Relation::Entered(it)) = local.relations.get_mut(&id) else { panic!("relation {id}") };
    change(it);
}

#[test]
fn rule_7_relations_come_into_being() {
    let enter = Some(Action::EnterScope { relation: DB });
    let (mut local, remote) = related(&[], &[("db/0", 1)]);
    local.relations.clear();
    check(
        (local.clone(), remote.clone()),
        &[
            ("entered", |_, _| {}, enter.clone()),
            (
                "before configuration and leadership",
                |_, remote| {
                    remote.hashes = hashes("other");
                    remote.leader = true;
                },
                enter,
            ),
            (
                "passed over",
                |local, _| {
                    local.relations.insert(DB, Relation::PassedOver);
                },
                None,
            ),
            ("not when it ends", |_, remote| remote.relations.get_mut(&DB).unwrap().life = Life::Dying, None),
            ("not when suspended", |_, remote| remote.relations.get_mut(&DB).unwrap().suspended = true, None),
            (
                "not by a dying unit",
                |local, remote| {
                    local.memory.subordinates_told = true;
                    remote.life = Life::Dying;
                },
                Some(run(Hook::Stop)),
            ),
            (
                "not beside a hook",
                |local, _| {
                    local.state.op = Op::RunHook { hook: Hook::Start, step: Step::Queued };
                },
                Some(run(Hook::Start)),
            ),
        ],
    );
    let (mut local, remote) = related(&[], &[("db/0", 1)]);
    edit(&mut local, DB, |it| it.state.application_members.clear());
    check(
        (local, remote),
        &[
            ("created", |_, _| {}, created()),
            ("before joined, before leadership", |_, remote| remote.leader = true, created()),
            ("implicit ones have no hooks", |local, _| edit(local, DB, |it| it.implicit = true), None),
            (
                "implicit ones are left when they end",
                |local, remote| {
                    edit(local, DB, |it| it.implicit = true);
                    remote.relations.get_mut(&DB).unwrap().life = Life::Dying;
                },
                Some(Action::LeaveScope { relation: DB }),
            ),
            (
                "broken without created",
                |_, remote| remote.relations.get_mut(&DB).unwrap().life = Life::Dying,
                on_db(RelationEvent::Broken),
            ),
        ],
    );
}

#[test]
fn rule_7_a_subordinate_without_principal_ends() {
    let (mut local, remote) = related(&[("db/0", 1)], &[("db/0", 1)]);
    local.principal_application = Some("db".into());
    edit(&mut local, DB, |it| it.container = true);
    check(
        (local, remote),
        &[
            ("tied", |_, _| {}, None),
            (
                "the relation ends",
                |_, remote| remote.relations.get_mut(&DB).unwrap().life = Life::Dying,
                Some(Action::DestroySelf),
            ),
            (
                "said once",
                |local, remote| {
                    local.memory.end_requested = true;
                    remote.relations.get_mut(&DB).unwrap().life = Life::Dying;
                },
                departed("db/0", 1, "db/0"),
            ),
            (
                "another relation does not tie",
                |local, _| edit(local, DB, |it| it.container = false),
                Some(Action::DestroySelf),
            ),
            (
                "nor does one to another",
                |local, _| edit(local, DB, |it| it.application = "x".into()),
                Some(Action::DestroySelf),
            ),
        ],
    );
}

#[test]
fn rule_15_one_relation_in_its_order() {
    check(
        related(&[], &[]),
        &[
            ("nothing", |_, _| {}, None),
            (
                "joined, sorted",
                |_, remote| {
                    remote.relations.insert(DB, seen(&[("db/1", 2), ("db/0", 7)]));
                },
                joined("db/0", 7),
            ),
            (
                "the application first",
                |_, remote| {
                    let mut it = seen(&[("db/1", 2)]);
                    it.application_members.insert("db".into(), 3);
                    remote.relations.insert(DB, it);
                },
                changed(None, 3),
            ),
            (
                "an application that never wrote",
                |_, remote| {
                    remote.relations.get_mut(&DB).unwrap().application_members.insert("other".into(), 0);
                },
                None,
            ),
            (
                "configuration outranks",
                |_, remote| {
                    remote.relations.insert(DB, seen(&[("db/1", 2)]));
                    remote.hashes = hashes("other");
                },
                Some(run(Hook::ConfigChanged)),
            ),
            (
                "ticks do not",
                |_, remote| {
                    remote.relations.insert(DB, seen(&[("db/1", 2)]));
                    remote.update_status = 9;
                },
                joined("db/1", 2),
            ),
        ],
    );
    check(
        related(&[("db/0", 1), ("db/1", 1)], &[("db/0", 1), ("db/1", 1)]),
        &[
            ("nothing", |_, _| {}, None),
            (
                "changed",
                |_, remote| {
                    remote.relations.insert(DB, seen(&[("db/0", 1), ("db/1", 5)]));
                },
                changed(Some("db/1"), 5),
            ),
            (
                "versions differ, not grow",
                |_, remote| {
                    remote.relations.insert(DB, seen(&[("db/0", 0), ("db/1", 1)]));
                },
                changed(Some("db/0"), 0),
            ),
            (
                "joined before changed",
                |_, remote| {
                    remote.relations.insert(DB, seen(&[("db/0", 9), ("db/1", 1), ("db/2", 4)]));
                },
                joined("db/2", 4),
            ),
            (
                "departed before joined",
                |_, remote| {
                    remote.relations.insert(DB, seen(&[("db/0", 9), ("db/2", 4)]));
                },
                departed("db/1", 1, "db/1"),
            ),
            (
                "who joined must change first",
                |local, remote| {
                    edit(local, DB, |it| it.state.changed_pending = Some("db/1".into()));
                    remote.relations.insert(DB, seen(&[("db/1", 6)]));
                },
                changed(Some("db/1"), 6),
            ),
            (
                "even if it is gone",
                |local, remote| {
                    edit(local, DB, |it| it.state.changed_pending = Some("db/1".into()));
                    remote.relations.insert(DB, seen(&[]));
                },
                changed(Some("db/1"), 0),
            ),
        ],
    );
}

#[test]
fn rule_15_relations_are_wound_down() {
    let (local, mut remote) = related(&[("db/0", 1), ("db/1", 3)], &[("db/0", 1), ("db/1", 3)]);
    check(
        (local.clone(), remote.clone()),
        &[
            (
                "the relation ends",
                |_, remote| remote.relations.get_mut(&DB).unwrap().life = Life::Dying,
                departed("db/0", 1, "db/0"),
            ),
            (
                "suspended",
                |_, remote| remote.relations.get_mut(&DB).unwrap().suspended = true,
                departed("db/0", 1, "db/0"),
            ),
            (
                "the application ends",
                |_, remote| {
                    remote.relations.get_mut(&DB).unwrap().life = Life::Dying;
                    remote.application_life = Life::Dying;
                },
                departed("db/0", 1, "shop/0"),
            ),
            (
                "the controller has forgotten it",
                |_, remote| remote.relations.clear(),
                Some(Action::ForgetRelation { relation: DB }),
            ),
        ],
    );
    remote.life = Life::Dying;
    let mut local = local;
    local.memory.subordinates_told = true;
    check(
        (local, remote),
        &[
            ("the unit ends", |_, _| {}, departed("db/0", 1, "shop/0")),
            (
                "one left",
                |local, _| {
                    edit(local, DB, |it| {
                        it.state.members.remove("db/0");
                    })
                },
                departed("db/1", 3, "shop/0"),
            ),
            (
                "none left",
                |local, _| edit(local, DB, |it| it.state.members.clear()),
                on_db(RelationEvent::Broken),
            ),
            (
                "peers are not broken",
                |local, _| {
                    edit(local, DB, |it| {
                        it.peer = true;
                        it.state.members.clear();
                    })
                },
                Some(run(Hook::Stop)),
            ),
            (
                "implicit ones are left to the controller",
                |local, _| edit(local, DB, |it| it.implicit = true),
                Some(run(Hook::Stop)),
            ),
            ("it is gone", |local, _| local.relations.clear(), Some(run(Hook::Stop))),
        ],
    );
}

#[test]
fn rule_15_peers_come_last() {
    let (mut local, mut remote) = related(&[], &[("db/0", 1)]);
    let mut peer = entered(&[]);
    (peer.peer, peer.endpoint, peer.application) = (true, "peers".into(), "shop".into());
    peer.state.id = 1;
    local.relations.insert(1, Relation::Entered(peer));
    let mut peers = seen(&[("shop/1", 1)]);
    peers.application_members = [("shop".into(), 0)].into();
    remote.relations.insert(1, peers);
    check(
        (local, remote),
        &[
            ("others first", |_, _| {}, joined("db/0", 1)),
            (
                "then peers",
                |_, remote| remote.relations.get_mut(&DB).unwrap().members.clear(),
                Some(run(Hook::Relation(RelationHook {
                    relation: 1,
                    application: "shop".into(),
                    event: RelationEvent::Joined { unit: "shop/1".into(), version: 1 },
                }))),
            ),
        ],
    );
}

/// From any state, doing what the resolver says ends in a unit that has nothing to do: it cannot go round in circles.
#[test]
fn a_unit_settles() {
    let (mut local, mut remote) = fresh();
    remote.leader = true;
    remote.relations.insert(DB, seen(&[("db/0", 3), ("db/1", 1)]));
    remote.relations.get_mut(&DB).unwrap().application_members.insert("db".into(), 2);
    let mut ran = vec![];
    while let Some(action) = next(&local, &remote) {
        apply(&mut local, &mut remote, action, &mut ran);
        assert!(ran.len() < 50, "{ran:?}");
    }
    assert_eq!(
        ran,
        [
            "install",
            "relation-created",
            "leader-elected",
            "config-changed",
            "start",
            "relation-changed",
            "relation-joined",
            "relation-changed",
            "relation-joined",
            "relation-changed",
        ]
    );
    remote.life = Life::Dying;
    ran.clear();
    while let Some(action) = next(&local, &remote) {
        if action == Action::End {
            break;
        }
        apply(&mut local, &mut remote, action, &mut ran);
    }
    assert_eq!(ran, ["relation-departed", "relation-departed", "relation-broken", "stop", "remove"]);
}

/// What operations do, without doing it.
fn apply(local: &mut LocalState, remote: &mut RemoteState, action: Action, ran: &mut Vec<&'static str>) {
    match action {
        Action::RunHook { hook, .. } => {
            ran.push(hook.kind());
            if let Hook::Relation(it) = &hook {
                if it.event == RelationEvent::Broken {
                    local.relations.remove(&it.relation);
                    remote.relations.remove(&it.relation);
                } else {
                    edit(local, it.relation, |entered| {
                        entered.state.validate(it).unwrap();
                        entered.state = entered.state.after(it);
                    });
                }
            }
            local.memory.update_status = remote.update_status;
            // A tick of the timer falls to the next hook, so a busy unit has no update-status.
            if hook == Hook::Start {
                remote.update_status += 1;
            }
            local.state = crate::operation::committed(&local.state, &hook, remote);
        }
        Action::AcceptLeadership => {
            local.state.leader = true;
            local.state.op = Op::RunHook { hook: Hook::LeaderElected, step: Step::Queued };
        }
        Action::ResignLeadership => local.state.leader = false,
        Action::EnterScope { relation } => {
            let mut it = entered(&[]);
            it.state.application_members.clear();
            local.relations.insert(relation, Relation::Entered(it));
        }
        Action::DestroySubordinates => local.memory.subordinates_told = true,
        other => panic!("{other:?}"),
    }
}
