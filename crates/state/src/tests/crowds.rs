//! Many at once: nobody is told that others were in the way.

use std::time::Duration;

use juju_core::{Life, UnitName};
use tokio::task::JoinSet;

use crate::{
    Model, Result,
    cleanup::How,
    lease::{LeaseId, LeaseManager},
    testing::{DB, Fixture, WEB, id},
};

const MANY: u32 = 60;

/// Runs one thing for each unit, all at once, and expects all to succeed.
async fn all_at_once<F>(model: &Model, units: &[UnitName], act: impl Fn(Model, UnitName) -> F)
where
    F: Future<Output = Result<()>> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    for unit in units {
        tasks.spawn(act(model.clone(), unit.clone()));
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn units_come_and_go_together() {
    let model = Fixture::new().await.model("m").await;
    let mut units = model.deploy_charm(DB, MANY).await;
    units.extend(model.deploy_charm(WEB, 2).await);
    let relation = model.add_relation("web", "db").await.unwrap().id;
    model.run_cleanups().await.unwrap();
    all_at_once(&model, &units, |model, unit| async move {
        model.start(&unit).await;
        Ok(())
    })
    .await;
    assert_eq!(model.machines().unwrap().len(), units.len());
    assert_eq!(model.relation_members(relation, &id("web/0")).unwrap().len(), MANY as usize);

    for name in ["db", "web"] {
        model.destroy_application(&id(name), How::GENTLY).await.unwrap();
    }
    model.run_cleanups().await.unwrap();
    assert!(model.units().unwrap().iter().all(|it| it.life == Life::Dying));
    all_at_once(&model, &units, |model, unit| async move { model.stop(&unit).await }).await;
    model.run_cleanups().await.unwrap();
    assert!(model.units().unwrap().is_empty());
    assert!(model.applications().unwrap().is_empty());
    assert!(model.relations().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_leads() {
    let fixture = Fixture::new().await;
    let model = fixture.model("m").await;
    let leases = LeaseManager::new(fixture.state.clone(), "0", Duration::ZERO);
    let lease = LeaseId::leadership(model.uuid(), &id("db"));
    let mut tasks = JoinSet::new();
    for number in 0..MANY {
        let (leases, lease, unit) = (leases.clone(), lease.clone(), format!("db/{number}"));
        tasks.spawn(async move {
            leases.claim(&lease, &unit, Duration::from_secs(60), Duration::ZERO).await.map(|()| unit)
        });
    }
    let mut leaders = Vec::new();
    while let Some(done) = tasks.join_next().await {
        leaders.extend(done.unwrap());
    }
    let leader = crate::lease::leader(&fixture.state.image(), model.uuid(), &id("db")).unwrap().unwrap();
    assert_eq!(leaders, [leader.to_string()]);
}
