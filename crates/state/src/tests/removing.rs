//! What goes, goes with all that is known of it.

use juju_core::{Life, Placement};

use crate::{
    Error, Model,
    cleanup::How,
    machine::NewMachine,
    testing::{DB, Fixture, LOG, WEB, id},
};

/// What stays when everything in a model is gone: counters, charms, the model itself.
fn left(model: &Model) -> Vec<String> {
    let stays = ["seq/", "charm/", "config", "status/model", "conn/"];
    model.keys().into_iter().filter(|it| !stays.iter().any(|stay| it.starts_with(stay))).collect()
}

#[tokio::test]
async fn a_unit_that_has_not_begun_goes_at_once() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 3).await;
    model.destroy_unit(&id("db/0"), How::GENTLY).await.unwrap();
    assert!(!model.has_unit(&id("db/0")));
    assert_eq!(model.staged_units(), [id("db/1"), id("db/2")]);
    // One that has a machine takes that along.
    let machine = model.assign_unit(&id("db/1")).await.unwrap();
    model.destroy_unit(&id("db/1"), How::GENTLY).await.unwrap();
    assert!(!model.has_unit(&id("db/1")));
    assert_eq!(model.machine(&machine).unwrap().life, Life::Dying);
    model.start(&id("db/2")).await;
    model.destroy_unit(&id("db/2"), How::GENTLY).await.unwrap();
    assert_eq!(model.unit(&id("db/2")).unwrap().life, Life::Dying);
    let error = model.remove_unit(&id("db/2")).await.unwrap_err().to_string();
    assert_eq!(error, "cannot remove unit \"db/2\": unit is not dead");
    model.destroy_unit(&id("db/2"), How::GENTLY).await.unwrap();
}

#[tokio::test]
async fn an_application_goes_with_its_last_unit_and_relation() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 2).await;
    model.deploy_charm(WEB, 1).await;
    model.deploy_charm(LOG, 0).await;
    model.add_relation("web", "db").await.unwrap();
    model.add_relation("web", "log").await.unwrap();
    for unit in ["db/0", "db/1", "web/0", "log/0"] {
        model.start(&id(unit)).await;
    }
    for name in ["db", "web", "log"] {
        model.destroy_application(&id(name), How::GENTLY).await.unwrap();
    }
    model.run_cleanups().await.unwrap();
    assert!(model.units().unwrap().iter().all(|it| it.life == Life::Dying));
    let error = model.add_units(&id("db"), 1, &[]).await.unwrap_err().to_string();
    assert_eq!(error, "application \"db\" is not found or not alive");
    for unit in ["db/0", "web/0", "db/1"] {
        model.stop(&id(unit)).await.unwrap();
    }
    model.run_cleanups().await.unwrap();
    assert!(model.applications().unwrap().is_empty());
    assert!(model.relations().unwrap().is_empty());
    for machine in model.machines().unwrap() {
        assert_eq!(machine.life, Life::Dying);
        model.ensure_machine_dead(&machine.id).await.unwrap();
        model.mark_machines_for_removal(std::slice::from_ref(&machine.id)).await.unwrap();
        assert_eq!(model.machine_removals(), std::slice::from_ref(&machine.id));
        model.complete_machine_removals(std::slice::from_ref(&machine.id)).await.unwrap();
    }
    assert_eq!(left(&model), Vec::<String>::new());
    assert_eq!(model.dead_charms().unwrap().len(), 3);
}

#[tokio::test]
async fn an_application_without_units_goes_at_once() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 0).await;
    model.deploy_charm(WEB, 0).await;
    model.add_relation("web", "db").await.unwrap();
    model.destroy_application(&id("db"), How::GENTLY).await.unwrap();
    assert!(model.application(&id("db")).unwrap_err().is_not_found());
    assert!(model.relations().unwrap().is_empty());
    assert!(model.application(&id("web")).is_ok());
    model.deploy_charm(DB, 1).await;
    assert!(model.has_unit(&id("db/0")));
}

#[tokio::test]
async fn machines_hold_on_to_what_is_on_them() {
    let model = Fixture::new().await.model("m").await;
    model.deploy_charm(DB, 1).await;
    let machine = model.start(&id("db/0")).await;
    let error = model.destroy_machine(&machine, How::GENTLY).await.unwrap_err();
    assert!(matches!(error, Error::HasAssignedUnits { .. }));
    assert_eq!(error.to_string(), "machine 0 has unit \"db/0\" assigned");
    let container =
        model.add_container(Some(&machine), "lxd", &NewMachine::new(id("ubuntu@24.04"))).await.unwrap();
    let error = model.destroy_machine(&machine, How::GENTLY).await.unwrap_err().to_string();
    assert_eq!(error, "machine 0 is hosting containers \"0/lxd/0\"");
    let error = model.remove_machine(&machine).await.unwrap_err().to_string();
    assert_eq!(error, "cannot remove machine 0: machine is not dead");
    model.destroy_machine(&container, How::GENTLY).await.unwrap();
    model.ensure_machine_dead(&container).await.unwrap();
    model.remove_machine(&container).await.unwrap();
    model.destroy_unit(&id("db/0"), How::GENTLY).await.unwrap();
    let error = model.ensure_machine_dead(&machine).await.unwrap_err();
    assert!(matches!(error, Error::HasAssignedUnits { .. }));
    model.stop(&id("db/0")).await.unwrap();
    model.ensure_machine_dead(&machine).await.unwrap();

    let controller = Fixture::new().await.state.controller_model().unwrap();
    let error = controller.destroy_machine(&id("0"), How::GENTLY).await.unwrap_err().to_string();
    assert_eq!(error, "machine 0 is required by the model");
}

#[tokio::test]
async fn what_is_forced_goes_in_time() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    model.deploy_charm(DB, 2).await;
    model.deploy_charm(LOG, 0).await;
    model.deploy_charm(WEB, 1).await;
    model.add_relation("web", "log").await.unwrap();
    let web = model.start(&id("web/0")).await;
    model.start(&id("db/0")).await;
    model.add_units(&id("db"), 1, &[Placement::Machine(web.clone())]).await.unwrap();
    model.start(&id("db/2")).await;

    // A unit whose agent never answers.
    model.destroy_unit(&id("db/0"), How::forced(None)).await.unwrap();
    model.run_cleanups().await.unwrap();
    assert_eq!(model.unit(&id("db/0")).unwrap().life, Life::Dying);
    fixture.pass(60);
    model.run_cleanups().await.unwrap();
    assert_eq!(model.unit(&id("db/0")).unwrap().life, Life::Dead);
    fixture.pass(60);
    model.run_cleanups().await.unwrap();
    assert!(!model.has_unit(&id("db/0")));

    // A machine with all that is on it.
    model.destroy_machine(&web, How::forced(Some(std::time::Duration::ZERO))).await.unwrap();
    model.run_cleanups().await.unwrap();
    for unit in ["web/0", "log/0", "db/2"] {
        assert!(!model.has_unit(&id(unit)), "{unit}");
    }
    assert!(model.machine(&web).unwrap_err().is_not_found());
    model.destroy_application(&id("db"), How::forced(None)).await.unwrap();
    model.destroy_application(&id("web"), How::GENTLY).await.unwrap();
    model.destroy_application(&id("log"), How::GENTLY).await.unwrap();
    for _ in 0..4 {
        model.run_cleanups().await.unwrap();
        fixture.pass(60);
    }
    assert!(model.applications().unwrap().is_empty());
}
