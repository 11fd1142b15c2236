//! `MachineManager`.

use juju_core::{Life, Status};
use juju_state::{
    constraints::Of,
    status::{NewStatus, StatusOf},
};
use juju_wire::{
    facade::machine_manager::{
        self, AddMachineParams, AddMachines, DestroyMachinesParams, RetryProvisioningArgs,
    },
    params::{Address, Base, Constraints, HardwareCharacteristics, Placement},
};

use crate::{
    common::id,
    world::{World, shown},
};

fn machine() -> AddMachineParams {
    AddMachineParams { jobs: vec!["JobHostUnits".into()], ..AddMachineParams::default() }
}

#[tokio::test]
async fn machines_are_added() {
    let world = World::new().await;
    let zone = Placement { scope: world.model.uuid().to_string(), directive: "zone=a".into() };
    let manual = AddMachineParams {
        instance_id: "manual:host".into(),
        nonce: "manual:host:1".into(),
        hardware_characteristics: HardwareCharacteristics {
            cpu_cores: Some(4),
            ..HardwareCharacteristics::default()
        },
        addresses: vec![Address {
            value: "10.0.0.50".into(),
            type_: "ipv4".into(),
            scope: "local-cloud".into(),
            ..Address::default()
        }],
        ..machine()
    };
    let params = vec![
        AddMachineParams {
            base: Some(Base { name: "ubuntu".into(), channel: "22.04/stable".into() }),
            constraints: Constraints { mem: Some(4096), ..Constraints::default() },
            ..machine()
        },
        AddMachineParams { placement: Some(zone), ..machine() },
        AddMachineParams { container_type: "lxd".into(), parent_id: "0".into(), ..machine() },
        AddMachineParams {
            placement: Some(Placement { scope: "lxd".into(), directive: String::new() }),
            ..machine()
        },
        manual,
        AddMachineParams { jobs: vec!["JobManageModel".into()], ..machine() },
        AddMachineParams { parent_id: "0".into(), ..machine() },
        AddMachineParams { container_type: "lxd".into(), parent_id: "9".into(), ..machine() },
    ];
    let got = world.user.call::<machine_manager::call::AddMachines>(AddMachines { params }).await.unwrap();
    let added: Vec<_> = got.machines.iter().map(|it| it.machine.as_str()).collect();
    assert_eq!(added, ["0", "1", "0/lxd/0", "2/lxd/0", "3", "", "", ""]);
    let errors: Vec<_> = got.machines.iter().filter_map(|it| it.error.as_ref()).map(shown).collect();
    assert_eq!(
        errors,
        [
            ("not valid", "invalid machine job: \"JobManageModel\""),
            ("", "parent machine specified without container type"),
            ("not found", "machine 9 not found"),
        ]
    );
    let model = &world.model;
    assert_eq!(model.machine(&id("0")).unwrap().base.display(), "ubuntu@22.04");
    assert_eq!(model.constraints(Of::Machine(&id("0"))).unwrap().to_string(), "mem=4096M");
    let zoned = model.machine(&id("1")).unwrap();
    assert_eq!((zoned.placement.as_str(), zoned.base.display().as_str()), ("zone=a", "ubuntu@24.04"));
    let manual = model.instance(&id("3")).unwrap();
    assert_eq!(
        (manual.instance_id.as_str(), manual.is_manual(), manual.hardware.cores),
        ("manual:host", true, Some(4))
    );
    assert_eq!(model.addresses(&id("3")).unwrap().public.as_ref().unwrap().address.value, "10.0.0.50");
    world.stop().await;
}

#[tokio::test]
async fn machines_are_removed() {
    let world = World::running().await;
    let destroy = async |args| {
        let got = world.user.call::<machine_manager::call::DestroyMachineWithParams>(args).await.unwrap();
        got.results.into_iter().next().unwrap()
    };
    let args = |tag: &str| DestroyMachinesParams {
        machine_tags: vec![tag.into()],
        ..DestroyMachinesParams::default()
    };
    let busy = destroy(args("machine-0")).await.error.unwrap();
    assert_eq!(shown(&busy), ("machine has assigned units", "machine 0 has unit \"web/0\" assigned"));

    let asked = destroy(DestroyMachinesParams { force: true, dry_run: true, ..args("machine-0") })
        .await
        .info
        .unwrap();
    assert_eq!((asked.machine_id.as_str(), asked.destroyed_units[0].tag.as_str()), ("0", "unit-web-0"));
    assert_eq!(world.model.machine(&id("0")).unwrap().life, Life::Alive);

    let forced = DestroyMachinesParams { force: true, max_wait: Some(0), keep: true, ..args("machine-0") };
    assert_eq!(destroy(forced).await.error, None);
    assert!(world.model.instance(&id("0")).unwrap().keep);
    world.model.run_cleanups().await.unwrap();
    assert!(world.model.machine(&id("0")).unwrap_err().is_not_found());
    assert!(world.model.unit(&id("web/0")).unwrap_err().is_not_found());

    let got = world
        .user
        .call::<machine_manager::call::AddMachines>(AddMachines { params: vec![machine()] })
        .await
        .unwrap();
    let tag = format!("machine-{}", got.machines[0].machine);
    assert_eq!(destroy(args(&tag)).await.error, None);
    assert_eq!(world.model.machine(&id(&got.machines[0].machine)).unwrap().life, Life::Dying);
    let missing = destroy(args("machine-99")).await.error.unwrap();
    assert_eq!(shown(&missing), ("not found", "machine 99 not found"));
    world.stop().await;
}

#[tokio::test]
async fn failed_machines_are_tried_again() {
    let world = World::new().await;
    let params = vec![machine(), machine()];
    world.user.call::<machine_manager::call::AddMachines>(AddMachines { params }).await.unwrap();
    let failed = NewStatus::new(Status::ProvisioningError, "no space");
    world.model.set_instance_status(&id("0"), &failed).await.unwrap();
    let transient = |machine: &str| {
        let status = world.model.status(&StatusOf::Instance(id(machine))).unwrap();
        assert!(status.info.data.get("transient").is_none_or(serde_json::Value::is_boolean));
        status.info.data.contains_key("transient")
    };
    let args = RetryProvisioningArgs { machines: vec!["machine-0".into(), "machine-1".into()], all: false };
    let got = world.user.call::<machine_manager::call::RetryProvisioning>(args).await.unwrap();
    assert_eq!(got.results[0].error, None);
    assert_eq!(got.results[1].error.as_ref().unwrap().message, "machine 1 is not in an error state");
    assert_eq!((transient("0"), transient("1")), (true, false));
    let status = world.model.status(&StatusOf::Instance(id("0"))).unwrap();
    assert_eq!((status.info.status, status.info.message.as_str()), (Status::ProvisioningError, "no space"));

    world.model.set_instance_status(&id("1"), &failed).await.unwrap();
    let args = RetryProvisioningArgs { all: true, ..RetryProvisioningArgs::default() };
    world.user.call::<machine_manager::call::RetryProvisioning>(args).await.unwrap();
    assert!(transient("1"));
    world.stop().await;
}
