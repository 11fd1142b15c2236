//! Changing sets of workers.

use std::time::Duration;

use anyhow::{anyhow, bail};
use juju_engine::{Control, Request, Runner, Scope, find_error};
use tokio::{task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::common::{Log, config, pass};

struct Background {
    control: Control<u32>,
    cancel: CancellationToken,
    task: JoinHandle<anyhow::Result<()>>,
    log: Log,
}

/// A runner whose workers log their start and end, and in between do `work`.
fn run<W>(work: impl Fn(u32, Scope) -> W + Send + Sync + 'static) -> Background
where
    W: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let log = Log::default();
    let seen = log.clone();
    let (control, runner) = Runner::new(config(), move |key: u32, scope| {
        seen.add(format!("+{key}"));
        let end = seen.at_end(&format!("-{key}"));
        let work = work(key, scope);
        async move {
            let _end = end;
            work.await
        }
    });
    let runner = runner.fatal(|err| find_error::<Fatal>(err).map(|it| it.0));
    let cancel = CancellationToken::new();
    let task = tokio::spawn(runner.run(cancel.clone()));
    Background { control, cancel, task, log }
}

#[derive(Debug, thiserror::Error)]
#[error("fatal {1}")]
struct Fatal(u32, &'static str);

async fn stay(_: u32, scope: Scope) -> anyhow::Result<()> {
    scope.cancelled().await;
    Ok(())
}

impl Background {
    async fn stop(self) -> anyhow::Result<()> {
        self.cancel.cancel();
        self.task.await.unwrap()
    }

    fn lines(&self) -> String {
        let mut lines = self.log.take();
        lines.sort();
        lines.join(" ")
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_wanted_runs_and_nothing_else() {
    let runner = run(stay);
    runner.control.want([1, 2]);
    pass(1).await;
    assert_eq!(runner.lines(), "+1 +2");
    runner.control.want([2, 3]);
    pass(1).await;
    assert_eq!(runner.lines(), "+3 -1");
    runner.control.want([2, 3]);
    pass(1).await;
    assert_eq!(runner.lines(), "");
    let names: Vec<String> = runner.control.report().workers.keys().cloned().collect();
    assert_eq!(names, ["2", "3"]);
    let (control, log) = (runner.control.clone(), runner.log.clone());
    runner.stop().await.unwrap();
    assert_eq!(log.take().len(), 2);
    control.want([4]);
    control.stop(2).await;
    pass(10).await;
    assert_eq!(log.take(), [] as [&str; 0], "it has ended: nothing has any effect");
    assert!(control.report().workers.is_empty());
}

#[tokio::test(start_paused = true)]
async fn one_that_ended_well_is_forgotten_until_it_is_wanted_anew() {
    for how in [|| Ok(()), || Err(Request::Uninstall.into())] {
        let runner = run(move |_, _| async move {
            pass(100).await;
            how()
        });
        runner.control.want([1]);
        pass(500).await;
        assert_eq!(runner.lines(), "+1 -1");
        assert!(runner.control.report().workers.is_empty());
        runner.control.want([1]);
        pass(500).await;
        assert_eq!(runner.lines(), "", "the same set, said again");
        runner.control.want([]);
        runner.control.want([1]);
        pass(500).await;
        assert_eq!(runner.lines(), "+1 -1", "it went and came back");
        runner.control.start(1);
        pass(500).await;
        assert_eq!(runner.lines(), "+1 -1", "it was named");
        runner.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn failures_are_retried_with_a_growing_delay() {
    let begin = Instant::now();
    let log = Log::default();
    let seen = log.clone();
    let runner = run(move |key, scope: Scope| {
        let log = seen.clone();
        async move {
            log.add(begin.elapsed().as_millis().to_string());
            if key == 2 {
                scope.spawn(async { panic!("on purpose") });
                scope.cancelled().await;
            }
            bail!("broken")
        }
    });
    for (key, error) in [(1, "broken"), (2, "panic resulted in: on purpose")] {
        let start = begin.elapsed().as_millis();
        runner.control.want([key]);
        pass(7000).await;
        let expected = [0, 3000, 6600].map(|it| (start + it).to_string());
        assert_eq!(log.take(), expected);
        let report = runner.control.report().workers[&key.to_string()].clone();
        assert_eq!((report.state, report.error.as_deref(), report.start_count), ("stopped", Some(error), 3));
        assert!(report.next_start.is_some() && report.inputs.is_none());
    }
    // One that waits for its next start needs no time to stop.
    runner.control.stop(2).await;
    assert!(runner.control.report().workers.is_empty());
    pass(20_000).await;
    assert_eq!(log.take(), [] as [&str; 0]);
    runner.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn bounces_and_waits_are_quiet_restarts() {
    for (request, by) in [(Request::Bounce, 10), (Request::Waiting("no disk".to_owned()), 3000)] {
        let runner = run(move |_, _| {
            let request = request.clone();
            async move { Err(request.into()) }
        });
        runner.control.want([1]);
        pass(by - 1).await;
        assert_eq!(runner.lines(), "+1 -1");
        pass(2).await;
        assert_eq!(runner.lines(), "+1 -1");
        runner.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn single_workers_are_started_and_stopped_and_joined() {
    let runner = run(|_, scope: Scope| async move {
        scope.cancelled().await;
        pass(1000).await;
        Ok(())
    });
    let control = &runner.control;
    control.start(1);
    control.start(1);
    pass(1).await;
    assert_eq!(runner.lines(), "+1");
    let begin = Instant::now();
    tokio::join!(control.stop(1), control.stop(1));
    assert_eq!(begin.elapsed(), Duration::from_secs(1));
    assert_eq!(runner.lines(), "-1");
    control.stop(7).await;

    // Wanted again while it stops: it stops, then starts.
    control.start(1);
    pass(1).await;
    let stopped = control.stop(1);
    control.start(1);
    stopped.await;
    pass(1).await;
    assert_eq!(runner.log.take(), ["+1", "-1", "+1"]);
    runner.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_fatal_error_stops_all_and_the_most_important_rises() {
    let runner = run(|key, scope: Scope| async move {
        match key {
            1 => {
                pass(100).await;
                Err(anyhow!(Fatal(2, "first")).context("unit failed"))
            }
            2 => {
                scope.cancelled().await;
                pass(10).await;
                Err(Fatal(2, "as important").into())
            }
            3 => {
                scope.cancelled().await;
                pass(20).await;
                Err(Fatal(3, "more important").into())
            }
            _ => stay(key, scope).await,
        }
    });
    runner.control.want([1, 2, 4]);
    pass(1000).await;
    let err = runner.task.await.unwrap().expect_err("it rises");
    assert_eq!(format!("{err:#}"), "unit failed: fatal first");

    let runner = run(|key, scope: Scope| async move {
        scope.until_cancelled(pass(100 * u64::from(key))).await;
        Err(Fatal(key, "by key").into())
    });
    runner.control.want([1, 3, 2]);
    let err = runner.task.await.unwrap().expect_err("it rises");
    assert_eq!(find_error::<Fatal>(&err).map(|it| it.0), Some(3));
}

#[tokio::test(start_paused = true)]
async fn late_workers_are_aborted_and_joined() {
    let runner = run(|_, scope: Scope| async move {
        scope.spawn(std::future::pending());
        std::future::pending().await
    });
    runner.control.want([1, 2]);
    pass(1).await;
    let log = runner.log.clone();
    let begin = Instant::now();
    runner.stop().await.unwrap();
    assert_eq!(begin.elapsed(), config().stop_timeout);
    let mut lines = log.take();
    lines.sort();
    assert_eq!(lines, ["+1", "+2", "-1", "-2"]);
}

#[tokio::test(start_paused = true)]
async fn it_reports_its_workers_and_their_reports() {
    let runner = run(|key, scope: Scope| async move {
        scope.set_report(serde_json::json!({ "unit": key }));
        scope.cancelled().await;
        Ok(())
    });
    runner.control.want([1]);
    let report =
        runner.control.wait_for(|it| it.workers.get("1").is_some_and(|it| it.state == "started")).await;
    let mut json = report.unwrap().to_json();
    json["workers"]["1"].as_object_mut().unwrap().remove("started").unwrap();
    let expected = serde_json::json!({
        "workers": { "1": { "report": { "unit": 1 }, "start-count": 1, "state": "started" } }
    });
    assert_eq!(json, expected);
    assert!(runner.control.report().to_yaml().starts_with("workers:\n  "));
    runner.stop().await.unwrap();
}
