//! `Client.FullStatus`.

use juju_state::{
    agent::Agent,
    ports::EndpointPorts,
    status::{NewStatus, StatusOf},
};
use juju_wire::facade::{
    application::{self, AddRelation, ApplicationExpose},
    client::{self, DetailedStatus, FullStatus, StatusParams},
};

use crate::{
    common::id,
    world::{World, app},
};

async fn status(world: &World, patterns: &[&str]) -> FullStatus {
    let patterns = patterns.iter().map(|it| (*it).into()).collect();
    let args = StatusParams { patterns, include_storage: true };
    world.user.call::<client::call::FullStatus>(args).await.unwrap()
}

fn short(it: &DetailedStatus) -> String {
    format!("{}: {}", it.status, it.info)
}

fn keys<T>(map: &std::collections::BTreeMap<String, T>) -> Vec<&str> {
    map.keys().map(String::as_str).collect()
}

#[tokio::test]
async fn an_empty_model() {
    let world = World::new().await;
    world.model.set_agent_version(&id("3.6.28")).await.unwrap();
    let got = status(&world, &[]).await;
    let model = &got.model;
    assert_eq!(
        (model.name.as_str(), model.type_.as_str(), model.cloud_tag.as_str(), model.region.as_str()),
        ("demo", "iaas", "cloud-local", "localhost")
    );
    assert_eq!((model.version.as_str(), model.sla.as_str()), ("3.6.28", "unsupported"));
    assert_eq!(short(&model.model_status), "available: ");
    assert!(model.model_status.since.0.is_some() && got.controller_timestamp.0.is_some());
    assert!(got.machines.is_empty() && got.applications.is_empty() && got.relations.is_empty());
    world.stop().await;
}

#[tokio::test]
async fn a_running_model() {
    let world = World::running().await;
    let args = AddRelation { endpoints: vec!["web".into(), "pg".into()], via_cidrs: vec![] };
    world.user.call::<application::call::AddRelation>(args).await.unwrap();
    let args = ApplicationExpose { application: "web".into(), ..ApplicationExpose::default() };
    world.user.call::<application::call::Expose>(args).await.unwrap();
    world.lead("web/1").await;
    world.model.set_workload_version(&id("web/1"), "1.2").await.unwrap();
    let open = EndpointPorts { endpoint: String::new(), range: id("8000-8010/tcp") };
    world.model.change_ports(&id("web/1"), &[open], &[]).await.unwrap();
    for (agent, version) in
        [(Agent::Unit(id("web/1")), "3.6.27-ubuntu-amd64"), (Agent::Machine(id("1")), "3.6.26-ubuntu-amd64")]
    {
        world.model.set_agent_binary(&agent, &id(version)).await.unwrap();
    }
    let agents = [world.unit_agent("web/1").await, world.machine_agent(&id("1")).await];

    let got = status(&world, &[]).await;
    assert_eq!((keys(&got.machines), keys(&got.applications)), (vec!["0", "1", "2"], vec!["pg", "web"]));
    let machine = &got.machines["1"];
    assert_eq!(
        (short(&machine.agent_status).as_str(), machine.agent_status.version.as_str()),
        ("started: ", "3.6.26")
    );
    assert_eq!(
        (short(&machine.instance_status).as_str(), short(&machine.modification_status).as_str()),
        ("pending: ", "idle: ")
    );
    assert_eq!(
        (machine.instance_id.as_str(), machine.dns_name.as_str(), machine.hardware.as_str()),
        ("i-1", "10.0.0.11", "arch=amd64 cores=2 mem=3814M")
    );
    assert_eq!(
        (machine.ip_addresses.as_slice(), machine.jobs.as_slice()),
        (&["10.0.0.11".to_owned()][..], &["JobHostUnits".to_owned()][..])
    );
    assert_eq!((machine.base.name.as_str(), machine.base.channel.as_str()), ("ubuntu", "22.04/stable"));
    // Its agent is not connected.
    assert_eq!(short(&got.machines["0"].agent_status), "down: agent is not communicating with the server");

    let web = &got.applications["web"];
    assert_eq!(
        (web.charm.as_str(), web.charm_version.as_str(), web.charm_rev),
        ("local:web-0", "v1-3-gabc", None)
    );
    assert_eq!((web.exposed, web.life.as_str(), web.workload_version.as_str()), (true, "", "1.2"));
    assert_eq!(web.exposed_endpoints[""].expose_to_cidrs, ["0.0.0.0/0", "::/0"]);
    assert_eq!(short(&web.status), "active: ready");
    assert_eq!(
        (web.relations["db"].as_slice(), web.relations["ring"].as_slice()),
        (&["pg".to_owned()][..], &["web".to_owned()][..])
    );
    assert_eq!(web.endpoint_bindings["db"], "alpha");
    let unit = &web.units["web/1"];
    assert_eq!(
        (short(&unit.workload_status).as_str(), short(&unit.agent_status).as_str()),
        ("active: ready", "idle: ")
    );
    assert_eq!(
        (unit.machine.as_str(), unit.public_address.as_str(), unit.leader, unit.charm.as_str()),
        ("1", "10.0.0.11", true, "")
    );
    assert_eq!(
        (unit.opened_ports.as_slice(), unit.agent_status.version.as_str()),
        (&["8000-8010/tcp".to_owned()][..], "3.6.27")
    );
    let lost = &web.units["web/0"];
    assert_eq!(
        (short(&lost.workload_status).as_str(), short(&lost.agent_status).as_str(), lost.leader),
        (
            "unknown: agent lost, see 'juju show-status-log web/0'",
            "lost: agent is not communicating with the server",
            false
        )
    );

    let relation = got.relations.iter().find(|it| it.key == "web:db pg:db").unwrap();
    assert_eq!(
        (relation.interface.as_str(), relation.scope.as_str(), short(&relation.status).as_str()),
        ("pgsql", "global", "joining: ")
    );
    let ends: Vec<_> = relation
        .endpoints
        .iter()
        .map(|it| format!("{}:{} {} {}", it.application, it.name, it.role, it.subordinate))
        .collect();
    assert_eq!(ends, ["web:db requirer false", "pg:db provider false"]);
    assert_eq!(got.relations.len(), 2);
    for agent in agents {
        agent.close().await;
    }
    world.stop().await;
}

#[tokio::test]
async fn what_is_not_there_yet_and_what_goes() {
    let world = World::with_charms().await;
    world.deploy(application::ApplicationDeploy { num_units: 1, ..app("web", "local:web-0") }).await.unwrap();
    let got = status(&world, &[]).await;
    let unit = &got.applications["web"].units["web/0"];
    assert_eq!(
        (short(&unit.workload_status).as_str(), short(&unit.agent_status).as_str()),
        ("waiting: waiting for machine", "allocating: ")
    );
    assert_eq!((unit.machine.as_str(), unit.public_address.as_str()), ("", ""));
    // The worst of its units.
    assert_eq!(short(&got.applications["web"].status), "waiting: waiting for machine");

    world.model.assign_unit(&id("web/0")).await.unwrap();
    let got = status(&world, &[]).await;
    assert_eq!(
        (got.machines["0"].instance_id.as_str(), short(&got.machines["0"].agent_status).as_str()),
        ("pending", "pending: ")
    );
    assert_eq!(got.applications["web"].units["web/0"].machine, "0");

    world.start("web/0").await;
    world.say("web/0", "error", "active", "hook failed: \"install\"").await;
    let _agent = world.unit_agent("web/0").await;
    let got = status(&world, &[]).await;
    let unit = &got.applications["web"].units["web/0"];
    assert_eq!(
        (short(&unit.workload_status).as_str(), short(&unit.agent_status).as_str()),
        ("error: hook failed: \"install\"", "idle: ")
    );
    assert_eq!(short(&got.applications["web"].status), "error: hook failed: \"install\"");
    world.model.destroy_application(&id("web"), juju_state::cleanup::How::GENTLY).await.unwrap();
    world.model.run_cleanups().await.unwrap();
    let got = status(&world, &[]).await;
    let web = &got.applications["web"];
    assert_eq!((web.life.as_str(), web.units["web/0"].agent_status.life.as_str()), ("dying", "dying"));
    world.stop().await;
}

#[tokio::test]
async fn subordinates_stand_with_their_principals() {
    let world = World::running().await;
    world.deploy(app("log", "local:log-0")).await.unwrap();
    let args = AddRelation { endpoints: vec!["log".into(), "web".into()], via_cidrs: vec![] };
    world.user.call::<application::call::AddRelation>(args).await.unwrap();
    let relation = world.model.application_relations(&id("log")).unwrap()[0].id;
    world.model.enter_scope(relation, &id("web/0")).await.unwrap();
    let got = status(&world, &[]).await;
    let log = &got.applications["log"];
    assert_eq!((log.subordinate_to.as_slice(), log.units.len()), (&["web".to_owned()][..], 0));
    assert_eq!(log.relations["info"], ["web"]);
    let web = &got.applications["web"];
    assert_eq!(web.relations["juju-info"], ["log"]);
    let subordinate = &web.units["web/0"].subordinates["log/0"];
    assert_eq!((subordinate.machine.as_str(), subordinate.public_address.as_str()), ("", "10.0.0.10"));
    assert!(web.units["web/1"].subordinates.is_empty());
    let relation = got.relations.iter().find(|it| it.scope == "container").unwrap();
    assert!(relation.endpoints.iter().any(|it| it.application == "log" && it.subordinate));

    let filtered = status(&world, &["log/0"]).await;
    assert_eq!((keys(&filtered.applications), keys(&filtered.machines)), (vec!["log", "web"], vec!["0"]));
    assert_eq!(keys(&filtered.applications["web"].units), ["web/0"]);
    world.stop().await;
}

#[tokio::test]
async fn patterns_leave_out_the_rest() {
    let world = World::running().await;
    world.lead("web/1").await;
    let got = status(&world, &["web/leader"]).await;
    assert_eq!((keys(&got.applications), keys(&got.machines)), (vec!["web"], vec!["1"]));
    assert_eq!(keys(&got.applications["web"].units), ["web/1"]);
    let got = status(&world, &["pg"]).await;
    assert_eq!((keys(&got.applications), keys(&got.machines)), (vec!["pg"], vec!["2"]));
    let got = status(&world, &["nothing"]).await;
    assert!(got.applications.is_empty() && got.machines.is_empty());
    assert_eq!(got.model.name, "demo");
    world.stop().await;
}

#[tokio::test]
async fn containers_stand_in_their_hosts() {
    let world = World::new().await;
    let machine = juju_state::machine::NewMachine::new(id("ubuntu@22.04"));
    let host = world.model.add_machine(&machine).await.unwrap();
    world.model.add_container(Some(&host), "lxd", &machine).await.unwrap();
    let inner = world.model.add_container(Some(&id("0/lxd/0")), "lxd", &machine).await.unwrap();
    assert_eq!(inner.to_string(), "0/lxd/0/lxd/0");
    let got = status(&world, &[]).await;
    assert_eq!(keys(&got.machines), ["0"]);
    assert_eq!(keys(&got.machines["0"].containers), ["0/lxd/0"]);
    assert_eq!(keys(&got.machines["0"].containers["0/lxd/0"].containers), ["0/lxd/0/lxd/0"]);
    world.stop().await;
}

#[tokio::test]
async fn the_controller_s_own_model() {
    let world = World::new().await;
    let home = world.it.controller_model();
    let user = world.it.admin(Some(home.uuid())).await;
    let got = user.call::<client::call::FullStatus>(StatusParams::default()).await.unwrap();
    let machine = &got.machines["0"];
    assert_eq!(
        (machine.has_vote, machine.wants_vote, machine.primary_controller_machine),
        (true, true, false)
    );
    assert_eq!(machine.jobs, ["JobHostUnits", "JobManageModel"]);
    // Only what says which relation it is about is kept of the data of others.
    let mut said = NewStatus::new(id("error"), "broken");
    said.data.insert("secret".into(), "x".into());
    said.data.insert("relation-id".into(), 3.into());
    home.set_machine_status(&id("0"), &said).await.unwrap();
    let _agent = world.it.machine_0(None).await;
    let got = user.call::<client::call::FullStatus>(StatusParams::default()).await.unwrap();
    assert_eq!(home.status(&StatusOf::Machine(id("0"))).unwrap().info.data.len(), 2);
    assert_eq!(got.machines["0"].agent_status.data.keys().collect::<Vec<_>>(), ["relation-id"]);
    world.stop().await;
}

#[tokio::test]
async fn a_controller_at_work_is_nobody_s_machine() {
    let world = World::running().await;
    let agent = world.it.machine_0(Some(world.model.uuid())).await;
    let seen = async |world: &World| status(world, &[]).await.machines["0"].agent_status.status.clone();
    assert_eq!(seen(&world).await, "down", "it is another machine 0");
    let own = world.machine_agent(&id("0")).await;
    assert_eq!(seen(&world).await, "started");
    agent.close().await;
    own.close().await;
    world.stop().await;
}
