//! What machine and unit agents ask: `Agent`, `Machiner`, `Deployer`, `Logger`, `LeadershipService`, `RetryStrategy`,
//! `MigrationFlag`.

use std::time::Duration;

use juju_core::Life;
use juju_state::{agent::Agent, lease, status::StatusOf};
use juju_wire::{
    facade::{
        agent, deployer,
        leadership_service::{self, ApplicationTag, ClaimLeadershipBulkParams, ClaimLeadershipParams},
        logger,
        machiner::{
            self, MachineAddresses, RecordAgentStartInformationArg, RecordAgentStartInformationArgs,
            SetMachinesAddresses,
        },
        migration_flag, retry_strategy,
    },
    params::{
        Address, EntityPassword, EntityPasswords, EntityStatusArgs, Error as WireError, NetworkConfig,
        SetMachineNetworkConfig, SetStatus,
    },
};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    common::{AGENT_PASSWORD, id},
    world::{World, entities, failed, only, pair},
};

const SOON: Duration = Duration::from_secs(20);
const DENIED: (&str, &str) = ("unauthorized access", "permission denied");

fn code(error: &Option<WireError>) -> (&str, &str) {
    error.as_ref().map_or(("", ""), |it| (&it.code, &it.message))
}

fn password(tag: &str, password: &str) -> EntityPasswords {
    EntityPasswords { changes: vec![EntityPassword { tag: tag.into(), password: password.into() }] }
}

fn status(tag: &str, status: &str, info: &str) -> SetStatus {
    let it = EntityStatusArgs {
        tag: tag.into(),
        status: status.into(),
        info: info.into(),
        ..EntityStatusArgs::default()
    };
    SetStatus { entities: vec![it] }
}

fn address(value: &str) -> Address {
    Address { value: value.into(), type_: "ipv4".into(), scope: "local-cloud".into(), ..Address::default() }
}

#[tokio::test]
async fn every_agent_asks_about_itself() {
    let world = World::running().await;
    let (machine, unit) = (world.machine_agent(&id("0")).await, world.unit_agent("web/0").await);
    let got = machine
        .call::<agent::call::GetEntities>(entities(&["machine-0", "machine-1"]))
        .await
        .unwrap()
        .entities;
    assert_eq!((got[0].life.as_str(), got[0].jobs.as_slice()), ("alive", &["JobHostUnits".to_owned()][..]));
    assert_eq!(code(&got[1].error), DENIED);
    let got = unit
        .call::<agent::call::GetEntities>(entities(&["unit-web-0", "unit-web-1"]))
        .await
        .unwrap()
        .entities;
    assert_eq!((got[0].life.as_str(), got[0].jobs.len(), code(&got[1].error)), ("alive", 0, DENIED));

    let new = "zyxwvutsrqponmlkjihgfedc";
    only(unit.call::<agent::call::SetPasswords>(password("unit-web-0", AGENT_PASSWORD)).await.unwrap())
        .unwrap();
    only(unit.call::<agent::call::SetPasswords>(password("unit-web-0", new)).await.unwrap()).unwrap();
    assert!(world.model.agent_password_matches(&Agent::Unit(id("web/0")), new).unwrap());
    let theirs = only(unit.call::<agent::call::SetPasswords>(password("unit-web-1", new)).await.unwrap());
    assert_eq!(theirs.unwrap_err().code, DENIED.0);

    let config = unit.call::<agent::call::ModelConfig>(()).await.unwrap().config;
    assert_eq!(config["name"], json!("demo"));
    let config = machine.call::<agent::call::ControllerConfig>(()).await.unwrap().config;
    assert_eq!(config["controller-name"], json!("test"));
    let id = machine.call::<agent::call::WatchForModelConfigChanges>(()).await.unwrap().notify_watcher_id;
    let mut watcher = machine.notify_watcher(id);
    world.model.update_config(&[("development".to_owned(), json!(true))].into(), &[]).await.unwrap();
    timeout(SOON, watcher.next()).await.unwrap().unwrap();

    // The controller's keys, and its word on who is first, are for controllers alone.
    assert_eq!(failed(machine.call::<agent::call::StateServingInfo>(()).await), pair(DENIED.0, DENIED.1));
    assert_eq!(failed(machine.call::<agent::call::IsMaster>(()).await), pair(DENIED.0, DENIED.1));
    let controller = world.it.machine_0(Some(world.it.controller_model().uuid())).await;
    let serving = controller.call::<agent::call::StateServingInfo>(()).await.unwrap();
    assert_eq!((serving.api_port, serving.private_key.as_str()), (i64::from(world.it.address.port()), "key"));
    assert!(controller.call::<agent::call::IsMaster>(()).await.unwrap().master);
    world.stop().await;
}

#[tokio::test]
async fn a_machine_agent_tells_of_its_machine() {
    let world = World::running().await;
    let agent = world.machine_agent(&id("0")).await;
    let lives =
        agent.call::<machiner::call::Life>(entities(&["machine-0", "machine-1"])).await.unwrap().results;
    assert_eq!((lives[0].life.as_str(), code(&lives[1].error)), ("alive", DENIED));
    let jobs =
        agent.call::<machiner::call::Jobs>(entities(&["machine-0", "machine-1"])).await.unwrap().results;
    assert_eq!((jobs[0].jobs.as_slice(), code(&jobs[1].error)), (&["JobHostUnits".to_owned()][..], DENIED));

    only(agent.call::<machiner::call::SetStatus>(status("machine-0", "stopped", "bye")).await.unwrap())
        .unwrap();
    let said = world.model.status(&StatusOf::Machine(id("0"))).unwrap();
    assert_eq!((said.info.status.as_str(), said.info.message.as_str()), ("stopped", "bye"));
    let bad = only(agent.call::<machiner::call::SetStatus>(status("machine-0", "frob", "")).await.unwrap());
    assert_eq!(bad.unwrap_err().message, "cannot set invalid status \"frob\"");

    let addresses = MachineAddresses { tag: "machine-0".into(), addresses: vec![address("10.0.0.99")] };
    let args = SetMachinesAddresses { machine_addresses: vec![addresses] };
    only(agent.call::<machiner::call::SetMachineAddresses>(args).await.unwrap()).unwrap();
    assert_eq!(world.model.addresses(&id("0")).unwrap().machine[0].value, "10.0.0.99");
    let device = |kind: &str, value: &str| NetworkConfig {
        config_type: kind.into(),
        addresses: vec![address(value)],
        ..NetworkConfig::default()
    };
    let args = SetMachineNetworkConfig {
        tag: "machine-0".into(),
        config: vec![device("loopback", "127.0.0.1"), device("static", "10.0.0.98")],
    };
    agent.call::<machiner::call::SetObservedNetworkConfig>(args).await.unwrap();
    let known: Vec<_> =
        world.model.addresses(&id("0")).unwrap().machine.iter().map(|it| it.value.clone()).collect();
    assert_eq!(known, ["10.0.0.98"]);

    only(agent.call::<machiner::call::RecordAgentStartTime>(entities(&["machine-0"])).await.unwrap())
        .unwrap();
    let host = world.model.host(&id("0")).unwrap();
    assert!(host.started.is_some() && host.hostname.is_empty());
    let info = RecordAgentStartInformationArg { tag: "machine-0".into(), hostname: "box".into() };
    let args = RecordAgentStartInformationArgs { args: vec![info] };
    only(agent.call::<machiner::call::RecordAgentStartInformation>(args).await.unwrap()).unwrap();
    assert_eq!(world.model.host(&id("0")).unwrap().hostname, "box");

    let here = world.it.address.to_string();
    assert_eq!(agent.call::<machiner::call::APIAddresses>(()).await.unwrap().result, [here]);
    let servers = agent.call::<machiner::call::APIHostPorts>(()).await.unwrap().servers;
    assert_eq!(
        (servers[0][0].value.as_str(), servers[0][0].port),
        ("127.0.0.1", i64::from(world.it.address.port()))
    );
    let servers = agent.call::<machiner::call::WatchAPIHostPorts>(()).await.unwrap().notify_watcher_id;
    let mut servers = agent.notify_watcher(servers);
    let moved = vec![vec![id("10.9.9.9:17070")]];
    world.it.state.set_api_addresses(&moved, &moved).await.unwrap();
    timeout(SOON, servers.next()).await.unwrap().unwrap();

    let watch =
        agent.call::<machiner::call::Watch>(entities(&["machine-0"])).await.unwrap().results.remove(0);
    let mut watcher = agent.notify_watcher(watch.notify_watcher_id);
    let busy = only(agent.call::<machiner::call::EnsureDead>(entities(&["machine-0"])).await.unwrap());
    assert_eq!(busy.unwrap_err().code, "machine has assigned units");
    world
        .model
        .destroy_unit(&id("web/0"), juju_state::cleanup::How::forced(Some(Duration::ZERO)))
        .await
        .unwrap();
    world.model.run_cleanups().await.unwrap();
    timeout(SOON, watcher.next()).await.unwrap().unwrap();
    only(agent.call::<machiner::call::EnsureDead>(entities(&["machine-0"])).await.unwrap()).unwrap();
    assert_eq!(world.model.machine(&id("0")).unwrap().life, Life::Dead);
    world.stop().await;
}

#[tokio::test]
async fn a_machine_agent_deploys_its_units() {
    let world = World::running().await;
    let agent = world.machine_agent(&id("0")).await;
    let watch = agent
        .call::<deployer::call::WatchUnits>(entities(&["machine-0", "machine-1"]))
        .await
        .unwrap()
        .results;
    assert_eq!((watch[0].changes.as_slice(), code(&watch[1].error)), (&["web/0".to_owned()][..], DENIED));
    let mut watcher = agent.strings_watcher(watch[0].watcher_id.clone());
    let lives =
        agent.call::<deployer::call::Life>(entities(&["unit-web-0", "unit-web-1"])).await.unwrap().results;
    assert_eq!((lives[0].life.as_str(), code(&lives[1].error)), ("alive", DENIED));
    only(agent.call::<deployer::call::SetPasswords>(password("unit-web-0", AGENT_PASSWORD)).await.unwrap())
        .unwrap();
    assert!(world.model.agent_password_matches(&Agent::Unit(id("web/0")), AGENT_PASSWORD).unwrap());
    only(
        agent
            .call::<deployer::call::SetStatus>(status("unit-web-0", "waiting", "installing agent"))
            .await
            .unwrap(),
    )
    .unwrap();
    assert_eq!(
        world.model.status(&StatusOf::Workload(id("web/0"))).unwrap().info.message,
        "installing agent"
    );
    assert_eq!(
        agent.call::<deployer::call::ModelUUID>(()).await.unwrap().result,
        world.model.uuid().as_str()
    );
    let here = world.it.address.to_string();
    assert_eq!(
        agent.call::<deployer::call::ConnectionInfo>(()).await.unwrap().api_addresses,
        std::slice::from_ref(&here)
    );
    assert_eq!(agent.call::<deployer::call::APIAddresses>(()).await.unwrap().result, [here]);
    assert_eq!(agent.call::<deployer::call::APIHostPorts>(()).await.unwrap().servers.len(), 1);
    let servers = agent.call::<deployer::call::WatchAPIHostPorts>(()).await.unwrap().notify_watcher_id;
    let mut servers = agent.notify_watcher(servers);
    let moved = vec![vec![id("10.9.9.9:17070")]];
    world.it.state.set_api_addresses(&moved, &moved).await.unwrap();
    timeout(SOON, servers.next()).await.unwrap().unwrap();

    let alive =
        only(agent.call::<deployer::call::Remove>(entities(&["unit-web-0"])).await.unwrap()).unwrap_err();
    assert_eq!(alive.message, "cannot remove unit \"web/0\": unit is not dead");
    world.model.destroy_unit(&id("web/0"), juju_state::cleanup::How::GENTLY).await.unwrap();
    assert_eq!(timeout(SOON, watcher.next()).await.unwrap().unwrap(), ["web/0"]);
    world.model.ensure_unit_dead(&id("web/0")).await.unwrap();
    only(agent.call::<deployer::call::Remove>(entities(&["unit-web-0"])).await.unwrap()).unwrap();
    assert!(world.model.unit(&id("web/0")).unwrap_err().is_not_found());
    world.stop().await;
}

#[tokio::test]
async fn how_agents_log_and_try_again() {
    let world = World::running().await;
    let agent = world.unit_agent("web/0").await;
    let both = || entities(&["unit-web-0", "unit-web-1"]);
    let got = agent.call::<logger::call::LoggingConfig>(both()).await.unwrap().results;
    assert_eq!((got[0].result.as_str(), code(&got[1].error)), ("<root>=INFO", DENIED));
    let watch = agent.call::<logger::call::WatchLoggingConfig>(both()).await.unwrap().results;
    let mut logging = agent.notify_watcher(watch[0].notify_watcher_id.clone());
    assert_eq!(code(&watch[1].error), DENIED);

    let got = agent.call::<retry_strategy::call::RetryStrategy>(both()).await.unwrap().results;
    let strategy = got[0].result.as_ref().unwrap();
    assert_eq!(
        (strategy.should_retry, strategy.min_retry_time, strategy.max_retry_time, strategy.retry_time_factor),
        (true, 5_000_000_000, 300_000_000_000, 2)
    );
    assert_eq!(code(&got[1].error), DENIED);
    let watch = agent.call::<retry_strategy::call::WatchRetryStrategy>(both()).await.unwrap().results;
    let mut retries = agent.notify_watcher(watch[0].notify_watcher_id.clone());
    let change = [
        ("logging-config".to_owned(), json!("<root>=DEBUG")),
        ("automatically-retry-hooks".to_owned(), json!(false)),
    ];
    world.model.update_config(&change.into(), &[]).await.unwrap();
    timeout(SOON, logging.next()).await.unwrap().unwrap();
    timeout(SOON, retries.next()).await.unwrap().unwrap();
    let got = agent.call::<logger::call::LoggingConfig>(both()).await.unwrap().results;
    assert_eq!(got[0].result, "<root>=DEBUG");
    let got = agent.call::<retry_strategy::call::RetryStrategy>(both()).await.unwrap().results;
    assert!(!got[0].result.as_ref().unwrap().should_retry);

    let model = format!("model-{}", world.model.uuid());
    let phase =
        agent.call::<migration_flag::call::Phase>(entities(&[&model, "model-x"])).await.unwrap().results;
    assert_eq!((phase[0].phase.as_str(), code(&phase[1].error)), ("NONE", DENIED));
    let watch =
        agent.call::<migration_flag::call::Watch>(entities(&[&model, "model-x"])).await.unwrap().results;
    assert_eq!((watch[0].notify_watcher_id.is_empty(), code(&watch[1].error)), (false, DENIED));
    let mut migration = agent.notify_watcher(watch[0].notify_watcher_id.clone());
    assert!(timeout(Duration::from_millis(50), migration.next()).await.is_err(), "no model migrates");
    world.stop().await;
}

#[tokio::test]
async fn units_claim_to_lead() {
    let world = World::running().await;
    let (first, second) = (world.unit_agent("web/0").await, world.unit_agent("web/1").await);
    let claim = |application: &str, unit: &str, duration| ClaimLeadershipBulkParams {
        params: vec![ClaimLeadershipParams {
            application_tag: application.into(),
            unit_tag: unit.into(),
            duration,
        }],
    };
    let args = claim("application-web", "unit-web-0", 60.0);
    let got = first.call::<leadership_service::call::ClaimLeadership>(args).await.unwrap().results;
    assert_eq!(got[0].error, None);
    let leader = || lease::leader(&world.it.state.image(), world.model.uuid(), &id("web")).unwrap();
    assert_eq!(leader().unwrap().to_string(), "web/0");
    for (args, expected) in [
        (claim("application-web", "unit-web-1", 60.0), "leadership claim denied"),
        (claim("application-pg", "unit-web-1", 60.0), "unauthorized access"),
        (claim("application-web", "unit-web-0", 60.0), "unauthorized access"),
    ] {
        let got = second.call::<leadership_service::call::ClaimLeadership>(args).await.unwrap().results;
        assert_eq!(code(&got[0].error).0, expected);
    }
    let negative = claim("application-web", "unit-web-1", -1.0);
    let got = second.call::<leadership_service::call::ClaimLeadership>(negative).await.unwrap().results;
    assert_eq!(code(&got[0].error), ("not valid", "duration of -1 seconds"));

    let wait = second.call::<leadership_service::call::BlockUntilLeadershipReleased>(ApplicationTag {
        name: "application-web".into(),
    });
    tokio::pin!(wait);
    assert!(timeout(Duration::from_millis(50), &mut wait).await.is_err(), "it is led");
    let lease = lease::LeaseId::leadership(world.model.uuid(), &id("web"));
    let leases = lease::LeaseManager::new(world.it.state.clone(), "0", Duration::ZERO);
    leases.revoke(&lease, "web/0").await.unwrap();
    assert_eq!(timeout(SOON, wait).await.unwrap().unwrap().error, None);
    let other = ApplicationTag { name: "application-pg".into() };
    let denied = second.call::<leadership_service::call::BlockUntilLeadershipReleased>(other).await.unwrap();
    assert_eq!(code(&denied.error), DENIED);
    world.stop().await;
}
