//! `Provisioner`.

use std::time::Duration;

use juju_core::Life;
use juju_rpc::Connection;
use juju_state::{agent::Agent, machine::NewMachine, status::StatusOf};
use juju_wire::{
    facade::provisioner::{self, InstanceInfo, InstancesInfo, MachineContainers, MachineContainersParams},
    params::{
        Address, EntityPassword, EntityPasswords, EntityStatusArgs, HardwareCharacteristics, NetworkConfig,
        SetStatus,
    },
};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    common::{AGENT_PASSWORD, id},
    world::{World, entities, failed, only, pair},
};

const SOON: Duration = Duration::from_secs(20);

struct Provisioner {
    world: World,
    /// The agent of the controller's machine, connected to the model.
    agent: Connection,
}

async fn provisioner() -> Provisioner {
    let world = World::new().await;
    let agent = world.it.machine_0(Some(world.model.uuid())).await;
    Provisioner { world, agent }
}

fn status(status: &str, info: &str, transient: bool) -> SetStatus {
    let it = EntityStatusArgs {
        tag: "machine-0".into(),
        status: status.into(),
        info: info.into(),
        data: [("transient".to_owned(), json!(transient))].into(),
    };
    SetStatus { entities: vec![it] }
}

fn instance() -> InstancesInfo {
    let device = NetworkConfig {
        addresses: vec![Address {
            value: "10.0.0.5".into(),
            type_: "ipv4".into(),
            scope: "local-cloud".into(),
            ..Address::default()
        }],
        ..NetworkConfig::default()
    };
    InstancesInfo {
        machines: vec![InstanceInfo {
            tag: "machine-0".into(),
            instance_id: "i-1".into(),
            nonce: "machine-0:1".into(),
            display_name: "juju-0".into(),
            characteristics: HardwareCharacteristics {
                arch: "amd64".into(),
                ..HardwareCharacteristics::default()
            },
            network_config: vec![device],
            ..InstanceInfo::default()
        }],
    }
}

#[tokio::test]
async fn a_machine_from_its_wish_to_its_end() {
    let Provisioner { world, agent } = provisioner().await;
    let watch = agent.call::<provisioner::call::WatchModelMachines>(()).await.unwrap();
    assert!(watch.changes.is_empty());
    let mut machines = agent.strings_watcher(watch.watcher_id);
    let starts = agent.call::<provisioner::call::WatchModelMachineStartTimes>(()).await.unwrap();
    let mut starts = agent.strings_watcher(starts.watcher_id);
    let wanted = NewMachine {
        constraints: id("mem=2G"),
        placement: "zone=a".into(),
        ..NewMachine::new(id("ubuntu@22.04"))
    };
    world.model.add_machine(&wanted).await.unwrap();
    assert_eq!(timeout(SOON, machines.next()).await.unwrap().unwrap(), ["0"]);

    let it = || entities(&["machine-0"]);
    let life = agent.call::<provisioner::call::Life>(it()).await.unwrap().results.remove(0);
    assert_eq!(life.life, "alive");
    let none = agent.call::<provisioner::call::InstanceId>(it()).await.unwrap().results.remove(0);
    assert_eq!(none.error.unwrap().code, "not provisioned");
    let info =
        agent.call::<provisioner::call::ProvisioningInfo>(it()).await.unwrap().results.remove(0).result;
    assert_eq!(
        (info.base.channel.as_str(), info.placement.as_str(), info.jobs.as_slice()),
        ("22.04/stable", "zone=a", &["JobHostUnits".to_owned()][..])
    );
    assert_eq!(
        (info.constraints.mem, &info.controller_config["controller-name"]),
        (Some(2048), &json!("test"))
    );
    let constraints = agent.call::<provisioner::call::Constraints>(it()).await.unwrap().results.remove(0);
    assert_eq!(constraints.constraints.mem, Some(2048));

    let args = EntityPasswords {
        changes: vec![EntityPassword { tag: "machine-0".into(), password: AGENT_PASSWORD.into() }],
    };
    only(agent.call::<provisioner::call::SetPasswords>(args).await.unwrap()).unwrap();
    assert!(world.model.agent_password_matches(&Agent::Machine(id("0")), AGENT_PASSWORD).unwrap());
    only(agent.call::<provisioner::call::SetInstanceInfo>(instance()).await.unwrap()).unwrap();
    let stored = world.model.instance(&id("0")).unwrap();
    assert_eq!(
        (stored.instance_id.as_str(), stored.nonce.as_str(), stored.hardware.arch.as_deref()),
        ("i-1", "machine-0:1", Some("amd64"))
    );
    assert_eq!(world.model.addresses(&id("0")).unwrap().provider[0].value, "10.0.0.5");
    let got = agent.call::<provisioner::call::InstanceId>(it()).await.unwrap().results.remove(0);
    assert_eq!(got.result, "i-1");
    let keep = agent.call::<provisioner::call::KeepInstance>(it()).await.unwrap().results.remove(0);
    assert!(!keep.result);
    world.model.set_keep_instance(&id("0"), true).await.unwrap();
    assert!(agent.call::<provisioner::call::KeepInstance>(it()).await.unwrap().results.remove(0).result);

    let containers =
        MachineContainers { machine_tag: "machine-0".into(), container_types: vec!["lxd".into()] };
    let args = MachineContainersParams { params: vec![containers] };
    only(agent.call::<provisioner::call::SetSupportedContainers>(args).await.unwrap()).unwrap();
    assert_eq!(world.model.host(&id("0")).unwrap().containers.as_deref(), Some(&["lxd".to_owned()][..]));
    world.model.record_agent_start(&id("0"), None).await.unwrap();
    assert_eq!(timeout(SOON, starts.next()).await.unwrap().unwrap(), ["0"]);

    let early = only(agent.call::<provisioner::call::Remove>(it()).await.unwrap()).unwrap_err();
    assert_eq!(early.message, "cannot remove machine 0: machine is not dead");
    only(agent.call::<provisioner::call::EnsureDead>(it()).await.unwrap()).unwrap();
    assert_eq!(world.model.machine(&id("0")).unwrap().life, Life::Dead);
    only(agent.call::<provisioner::call::MarkMachinesForRemoval>(it()).await.unwrap()).unwrap();
    assert_eq!(world.model.machine_removals(), [id("0")]);
    only(agent.call::<provisioner::call::Remove>(it()).await.unwrap()).unwrap();
    assert!(world.model.machine(&id("0")).unwrap_err().is_not_found());
    world.stop().await;
}

#[tokio::test]
async fn failures_to_start_machines() {
    let Provisioner { world, agent } = provisioner().await;
    world.model.add_machine(&NewMachine::new(id("ubuntu@22.04"))).await.unwrap();
    let it = || entities(&["machine-0"]);
    let failing =
        async || agent.call::<provisioner::call::MachinesWithTransientErrors>(()).await.unwrap().results;
    let set =
        async |args| only(agent.call::<provisioner::call::SetInstanceStatus>(args).await.unwrap()).unwrap();
    set(status("provisioning error", "no space", false)).await;
    assert!(failing().await.is_empty(), "nobody said that it may pass");
    set(status("provisioning error", "no space", true)).await;
    let found = failing().await;
    assert_eq!(
        (found[0].id.as_str(), found[0].status.as_str(), found[0].info.as_str()),
        ("0", "provisioning error", "no space")
    );
    let got = agent.call::<provisioner::call::InstanceStatus>(it()).await.unwrap().results.remove(0);
    assert_eq!((got.status.as_str(), &got.data["transient"]), ("provisioning error", &json!(true)));

    only(agent.call::<provisioner::call::SetStatus>(status("error", "no space", false)).await.unwrap())
        .unwrap();
    assert_eq!(world.model.status(&StatusOf::Machine(id("0"))).unwrap().info.message, "no space");
    let got = agent.call::<provisioner::call::Status>(it()).await.unwrap().results.remove(0);
    assert_eq!((got.id.as_str(), got.life.as_str(), got.status.as_str()), ("0", "alive", "error"));
    world.stop().await;
}

#[tokio::test]
async fn what_holds_for_all_machines() {
    let Provisioner { world, agent } = provisioner().await;
    assert_eq!(
        agent.call::<provisioner::call::ModelUUID>(()).await.unwrap().result,
        world.model.uuid().as_str()
    );
    assert_eq!(agent.call::<provisioner::call::ModelConfig>(()).await.unwrap().config["name"], json!("demo"));
    let config = agent.call::<provisioner::call::ControllerConfig>(()).await.unwrap().config;
    assert_eq!(config["controller-name"], json!("test"));
    let here = world.it.address.to_string();
    assert_eq!(agent.call::<provisioner::call::APIAddresses>(()).await.unwrap().result, [here]);
    assert_eq!(agent.call::<provisioner::call::APIHostPorts>(()).await.unwrap().servers.len(), 1);
    use base64::Engine as _;
    let cert = agent.call::<provisioner::call::CACert>(()).await.unwrap().result;
    let cert = base64::engine::general_purpose::STANDARD.decode(cert).unwrap();
    assert_eq!(String::from_utf8(cert).unwrap(), world.it.ca);

    let config =
        agent.call::<provisioner::call::WatchForModelConfigChanges>(()).await.unwrap().notify_watcher_id;
    let mut config = agent.notify_watcher(config);
    world.model.update_config(&[("development".to_owned(), json!(true))].into(), &[]).await.unwrap();
    timeout(SOON, config.next()).await.unwrap().unwrap();
    let servers = agent.call::<provisioner::call::WatchAPIHostPorts>(()).await.unwrap().notify_watcher_id;
    let mut servers = agent.notify_watcher(servers);
    let moved = vec![vec![id("10.9.9.9:17070")]];
    world.it.state.set_api_addresses(&moved, &moved).await.unwrap();
    timeout(SOON, servers.next()).await.unwrap().unwrap();
    world.stop().await;
}

#[tokio::test]
async fn a_machine_s_own_agent_sees_itself_alone() {
    let world = World::running().await;
    let agent = world.machine_agent(&id("0")).await;
    let got =
        agent.call::<provisioner::call::Life>(entities(&["machine-0", "machine-1"])).await.unwrap().results;
    assert_eq!(
        (got[0].life.as_str(), got[1].error.as_ref().unwrap().code.as_str()),
        ("alive", "unauthorized access")
    );
    let denied = pair("unauthorized access", "permission denied");
    assert_eq!(failed(agent.call::<provisioner::call::WatchModelMachines>(()).await), denied);
    assert_eq!(failed(agent.call::<provisioner::call::WatchModelMachineStartTimes>(()).await), denied);
    assert_eq!(failed(agent.call::<provisioner::call::MachinesWithTransientErrors>(()).await), denied);
    world.stop().await;
}
