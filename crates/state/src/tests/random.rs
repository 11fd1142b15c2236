//! Random steps of users, agents and workers, in any order: what the documents say of each other stays true, and in the
//! end everything can go.

use std::collections::BTreeSet;

use juju_core::{ApplicationName, Life, UnitName};
use proptest::prelude::*;

use crate::{
    Error, Model, Result,
    cleanup::How,
    testing::{DB, Fixture, LOG, WEB, id},
};

/// One step; the numbers choose among what there is.
#[derive(Clone, Debug)]
enum Step {
    AddUnit(usize),
    Relate(usize, usize),
    Start(usize),
    DestroyUnit(usize, bool),
    StopUnit(usize),
    DestroyRelation(usize),
    DestroyApplication(usize),
    Deploy(usize),
    EndMachine(usize),
    CleanUp,
    Pass,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let some = 0..8usize;
    let step = prop_oneof![
        1 => some.clone().prop_map(Step::AddUnit),
        1 => (some.clone(), some.clone()).prop_map(|(a, b)| Step::Relate(a, b)),
        4 => some.clone().prop_map(Step::Start),
        2 => (some.clone(), any::<bool>()).prop_map(|(a, b)| Step::DestroyUnit(a, b)),
        3 => some.clone().prop_map(Step::StopUnit),
        1 => some.clone().prop_map(Step::DestroyRelation),
        1 => some.clone().prop_map(Step::DestroyApplication),
        1 => some.clone().prop_map(Step::Deploy),
        2 => some.prop_map(Step::EndMachine),
        2 => Just(Step::CleanUp),
        1 => Just(Step::Pass),
    ];
    proptest::collection::vec(step, 1..60)
}

fn pick<T: Clone>(all: &[T], at: usize) -> Option<T> {
    all.get(at % all.len().max(1)).cloned()
}

async fn run(fixture: &Fixture, model: &Model, step: &Step) -> Result<()> {
    let names = ["db", "web", "log"].map(id::<ApplicationName>);
    let units: Vec<UnitName> = model.units()?.iter().map(|it| it.name.clone()).collect();
    match *step {
        Step::AddUnit(at) => model.add_units(&names[at % 3], 1, &[]).await.map(drop),
        Step::Relate(a, b) => {
            model.add_relation(names[a % 3].as_str(), names[b % 3].as_str()).await.map(drop)
        }
        Step::Start(at) => match pick(&units, at) {
            Some(name) => try_start(model, &name).await,
            None => Ok(()),
        },
        Step::DestroyUnit(at, force) => {
            let how = if force { How::forced(None) } else { How::GENTLY };
            match pick(&units, at) {
                Some(name) => model.destroy_unit(&name, how).await,
                None => Ok(()),
            }
        }
        Step::StopUnit(at) => match pick(&units, at) {
            Some(name) if model.unit(&name)?.life != Life::Alive => model.stop(&name).await,
            _ => Ok(()),
        },
        Step::DestroyRelation(at) => match pick(&model.relations()?, at) {
            Some(relation) => model.destroy_relation(relation.id, How::GENTLY).await,
            None => Ok(()),
        },
        Step::DestroyApplication(at) => model.destroy_application(&names[at % 3], How::GENTLY).await,
        Step::Deploy(at) => {
            if model.application(&names[at % 3]).is_err() {
                model.deploy_charm([DB, WEB, LOG][at % 3], 0).await;
            }
            Ok(())
        }
        Step::EndMachine(at) => match pick(&model.machines()?, at) {
            Some(machine) if machine.life == Life::Alive => {
                model.destroy_machine(&machine.id, How::GENTLY).await
            }
            Some(machine) if machine.life == Life::Dying => model.ensure_machine_dead(&machine.id).await,
            Some(machine) => model.remove_machine(&machine.id).await,
            None => Ok(()),
        },
        Step::CleanUp => model.run_cleanups().await.map(drop),
        Step::Pass => {
            fixture.pass(60);
            Ok(())
        }
    }
}

/// As the workers and agents do, as far as they get.
async fn try_start(model: &Model, name: &UnitName) -> Result<()> {
    let unit = model.unit(name)?;
    if unit.principal.is_none() {
        let machine = model.assign_unit(name).await?;
        if model.instance(&machine).is_err() {
            model.provision(&machine).await;
        }
    }
    let url = model.application(name.app())?.charm_url.clone();
    model.set_unit_charm_url(name, &url).await?;
    model.set_agent_status(name, &crate::status::NewStatus::new(juju_core::Status::Idle, "")).await?;
    for (relation, inside) in model.unit_relations(name)? {
        if !inside {
            model.enter_scope(relation.id, name).await?;
        }
    }
    Ok(())
}

/// What must be true of the documents at any time.
fn check(model: &Model) {
    let keys: BTreeSet<String> = model.keys().into_iter().collect();
    let applications: BTreeSet<_> = model.applications().unwrap().iter().map(|it| it.name.clone()).collect();
    for unit in model.units().unwrap() {
        let name = &unit.name;
        assert!(applications.contains(name.app()), "{name} has no application");
        for status in [format!("status/agent/{name}"), format!("status/unit/{name}")] {
            assert!(keys.contains(&status), "{status} is missing");
        }
        if let Some(machine) = &unit.machine {
            assert!(
                model.machine(machine).unwrap().principals.contains(name),
                "{machine} does not know {name}"
            );
        }
        if let Some(principal) = &unit.principal {
            assert!(
                model.unit(principal).unwrap().subordinates.contains(name),
                "{principal} does not know {name}"
            );
        }
        for subordinate in &unit.subordinates {
            assert_eq!(model.unit(subordinate).unwrap().principal.as_ref(), Some(name));
        }
    }
    for machine in model.machines().unwrap() {
        for name in &machine.principals {
            assert_eq!(model.unit(name).unwrap().machine.as_ref(), Some(&machine.id));
        }
        assert!(machine.life != Life::Dead || machine.principals.is_empty());
    }
    for relation in model.relations().unwrap() {
        for endpoint in &relation.endpoints {
            assert!(applications.contains(&endpoint.application), "{} is without {endpoint}", relation.key);
        }
        let inside = keys.iter().filter(|it| it.starts_with(&format!("scope/{}/", relation.id))).count();
        assert!(relation.life == Life::Alive || inside > 0, "{} dies with nobody in it", relation.key);
    }
    for application in model.applications().unwrap() {
        let name = &application.name;
        let holds = !model.application_units(name).unwrap().is_empty()
            || !model.application_relations(name).unwrap().is_empty();
        assert!(application.life == Life::Alive || holds, "{name} dies without anything left");
    }
    for key in keys.iter().filter(|it| it.starts_with("scope/")) {
        let unit = crate::relation::scope::unit_of(key.strip_prefix("scope/").unwrap()).unwrap();
        assert!(model.has_unit(&unit), "{key} is of nobody");
    }
}

/// Everyone does what is his until everything is gone.
async fn wind_down(fixture: &Fixture, model: &Model) {
    for application in model.applications().unwrap() {
        model.destroy_application(&application.name, How::GENTLY).await.unwrap();
    }
    for _ in 0..20 {
        model.run_cleanups().await.unwrap();
        for unit in model.units().unwrap() {
            if unit.life != Life::Alive && unit.principal.is_none() {
                model.stop(&unit.name).await.unwrap();
            }
        }
        for unit in model.units().unwrap() {
            if unit.life != Life::Alive {
                model.stop(&unit.name).await.unwrap();
            }
        }
        for machine in model.machines().unwrap() {
            if machine.life == Life::Alive {
                model.destroy_machine(&machine.id, How::GENTLY).await.ok();
            } else if model.ensure_machine_dead(&machine.id).await.is_ok() {
                model.remove_machine(&machine.id).await.unwrap();
            }
        }
        fixture.pass(60);
    }
    let stays = ["seq/", "charm/", "config", "status/model"];
    let left: Vec<_> =
        model.keys().into_iter().filter(|it| !stays.iter().any(|stay| it.starts_with(stay))).collect();
    assert_eq!(left, Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn documents_agree(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let fixture = Fixture::new().await;
            let model = fixture.model("m").await;
            for metadata in [DB, WEB, LOG] {
                model.deploy_charm(metadata, 0).await;
            }
            for step in &steps {
                match run(&fixture, &model, step).await {
                    Err(Error::Store(err)) => panic!("{step:?}: {err:?}"),
                    Err(Error::Damaged(err)) => panic!("{step:?}: {err}"),
                    _ => {}
                }
                check(&model);
            }
            wind_down(&fixture, &model).await;
        });
    }
}
