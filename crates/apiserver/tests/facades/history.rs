//! `Client.StatusHistory`.

use juju_state::status::NewStatus;
use juju_wire::facade::client::{self, StatusHistoryFilter, StatusHistoryRequest, StatusHistoryRequests};

use crate::{
    common::id,
    world::{World, shown},
};

fn ask(kind: &str, tag: &str, filter: StatusHistoryFilter) -> StatusHistoryRequest {
    StatusHistoryRequest { history_kind: kind.into(), tag: tag.into(), filter, size: 0 }
}

fn newest(size: i64) -> StatusHistoryFilter {
    StatusHistoryFilter { size, ..StatusHistoryFilter::default() }
}

async fn history(world: &World, request: StatusHistoryRequest) -> Vec<String> {
    let args = StatusHistoryRequests { requests: vec![request] };
    let got = world.user.call::<client::call::StatusHistory>(args).await.unwrap().results.remove(0);
    assert_eq!(got.error, None);
    got.history.statuses.iter().map(|it| format!("{} {} {}", it.kind, it.status, it.info)).collect()
}

#[tokio::test]
async fn what_statuses_were_oldest_first() {
    let world = World::running().await;
    world.say("web/0", "executing", "maintenance", "busy").await;
    world.say("web/0", "idle", "active", "done").await;
    assert_eq!(
        history(&world, ask("workload", "unit-web-0", newest(3))).await,
        ["workload active ready", "workload maintenance busy", "workload active done"]
    );
    assert_eq!(
        history(&world, ask("juju-unit", "unit-web-0", newest(2))).await,
        ["juju-unit executing ", "juju-unit idle "]
    );
    let both = history(&world, ask("unit", "unit-web-0", newest(20))).await;
    assert_eq!((both.len(), both.last().unwrap().as_str()), (8, "workload active done"));
    assert_eq!(history(&world, ask("unit", "unit-web-0", newest(2))).await.len(), 2);
    let without = StatusHistoryFilter { exclude: vec!["busy".into()], ..newest(2) };
    assert_eq!(
        history(&world, ask("workload", "unit-web-0", without)).await,
        ["workload active ready", "workload active done"]
    );
    world.model.set_instance_status(&id("0"), &NewStatus::new(id("running"), "Running")).await.unwrap();
    assert_eq!(
        history(&world, ask("machine", "machine-0", newest(9))).await,
        ["machine pending ", "machine running Running"]
    );
    assert_eq!(
        history(&world, ask("juju-machine", "machine-0", newest(9))).await,
        ["juju-machine pending ", "juju-machine started "]
    );
    assert_eq!(
        history(&world, ask("application", "application-web", newest(9))).await,
        ["application unset "]
    );
    let tag = format!("model-{}", world.model.uuid());
    assert_eq!(history(&world, ask("model", &tag, newest(9))).await, ["model available "]);
    let lately = StatusHistoryFilter { delta: 3_600_000_000_000, ..StatusHistoryFilter::default() };
    assert_eq!(history(&world, ask("workload", "unit-web-0", lately)).await.len(), 4);
    world.stop().await;
}

#[tokio::test]
async fn what_cannot_be_asked() {
    let world = World::running().await;
    for (request, code, text) in [
        (
            ask("workload", "unit-web-0", StatusHistoryFilter::default()),
            "not valid",
            "cannot validate status history filter: missing filter parameters not valid",
        ),
        (
            ask("unit", "unit-web-9", newest(1)),
            "not found",
            "fetching status history for \"unit-web-9\": unit \"web/9\" not found",
        ),
        (
            ask("unit", "machine-0", newest(1)),
            "not valid",
            "fetching status history for \"machine-0\": \"unit\" requires a unit, got \"machine-0\"",
        ),
        (
            ask("nope", "machine-0", newest(1)),
            "not valid",
            "fetching status history for \"machine-0\": invalid status history kind \"nope\"",
        ),
    ] {
        let args = StatusHistoryRequests { requests: vec![request] };
        let got = world.user.call::<client::call::StatusHistory>(args).await.unwrap().results.remove(0);
        assert_eq!(shown(got.error.as_ref().unwrap()), (code, text));
    }
    world.stop().await;
}
