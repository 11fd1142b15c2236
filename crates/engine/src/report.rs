//! What an engine or a runner says about itself: data, printed as YAML for people and JSON for tools.
//!
//! Keys and words are those of Juju 3.6 `worker/dependency`, in its order; `waiting-for` and `next-start` are
//! ours. A worker that waits in its back-off is `stopped` and says when it starts next, where Juju says
//! `starting`.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::{engine::Handle, runner::Control};

/// The state of an engine, all its workers included.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The fatal error for which it stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub manifolds: BTreeMap<String, WorkerReport>,
    /// `started`, `stopping` or `stopped`.
    pub state: &'static str,
}

/// The state of a runner.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunnerReport {
    pub workers: BTreeMap<String, WorkerReport>,
}

/// The state of one worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WorkerReport {
    /// Its last error, or why it cannot start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Absent in a runner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<&'static str>>,
    /// When it is started next (UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_start: Option<String>,
    /// What it says itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Value>,
    /// How often it was started.
    #[serde(skip_serializing_if = "is_zero")]
    pub start_count: u64,
    /// When it was started last (UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// `starting`, `started`, `stopping` or `stopped`.
    pub state: &'static str,
    /// The inputs that it lacks, or the fortresses that are locked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting_for: Vec<&'static str>,
}

impl Report {
    pub fn to_yaml(&self) -> String {
        to_yaml(self)
    }

    pub fn to_json(&self) -> Value {
        to_json(self)
    }
}

impl RunnerReport {
    pub fn to_yaml(&self) -> String {
        to_yaml(self)
    }

    pub fn to_json(&self) -> Value {
        to_json(self)
    }
}

/// What [`Scope::set_report`](crate::Scope::set_report) takes.
pub trait IntoReport {
    #[doc(hidden)]
    fn into_report(self) -> Source;
}

impl IntoReport for Value {
    fn into_report(self) -> Source {
        Source(Arc::new(move || self.clone()))
    }
}

impl<R: Fn() -> Value + Send + Sync + 'static> IntoReport for R {
    fn into_report(self) -> Source {
        Source(Arc::new(self))
    }
}

impl IntoReport for Handle {
    fn into_report(self) -> Source {
        (move || self.report().to_json()).into_report()
    }
}

impl<K> IntoReport for Control<K> {
    fn into_report(self) -> Source {
        let view = self.view();
        (move || view.report().to_json()).into_report()
    }
}

/// Where a worker's own report comes from. It is asked by whoever reads the report, never by the engine.
#[derive(Clone)]
pub struct Source(Arc<dyn Fn() -> Value + Send + Sync>);

impl Source {
    /// A broken report must not break the others, nor the reader.
    fn ask(&self) -> Value {
        std::panic::catch_unwind(AssertUnwindSafe(|| (self.0)()))
            .unwrap_or_else(|_| Value::from("the worker's report panicked"))
    }
}

/// A worker at one moment, as the task that owns it leaves it for readers.
#[derive(Clone, Default)]
pub(crate) struct View {
    pub(crate) state: &'static str,
    pub(crate) error: Option<String>,
    pub(crate) inputs: Option<Arc<[&'static str]>>,
    pub(crate) next_start: Option<Timestamp>,
    pub(crate) start_count: u64,
    pub(crate) started: Option<Timestamp>,
    pub(crate) waiting_for: Vec<&'static str>,
    pub(crate) source: Option<watch::Receiver<Option<Source>>>,
}

impl View {
    pub(crate) fn report(&self) -> WorkerReport {
        let source = self.source.as_ref().and_then(|it| it.borrow().clone());
        WorkerReport {
            error: self.error.clone(),
            inputs: self.inputs.as_ref().map(|it| it.to_vec()),
            next_start: self.next_start.map(utc),
            report: source.map(|it| it.ask()),
            start_count: self.start_count,
            started: self.started.map(utc),
            state: self.state,
            waiting_for: self.waiting_for.clone(),
        }
    }
}

fn utc(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn to_yaml<T: Serialize>(report: &T) -> String {
    serde_saphyr::to_string(report).unwrap_or_else(|err| format!("error: {:?}\n", err.to_string()))
}

fn to_json<T: Serialize>(report: &T) -> Value {
    serde_json::to_value(report).unwrap_or_else(|err| serde_json::json!({ "error": err.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_jujus_does() {
        let agent = View {
            state: "started",
            inputs: Some(Arc::new([])),
            start_count: 1,
            started: Some("2024-05-06T07:08:09.5Z".parse().expect("a time")),
            source: Some(watch::channel(Some(serde_json::json!({ "agent": "machine-4" }).into_report())).1),
            ..View::default()
        };
        let state = View {
            state: "stopped",
            error: Some("\"state-config-watcher\" not running: dependency not available".to_owned()),
            inputs: Some(Arc::new(["agent", "state-config-watcher"])),
            waiting_for: vec!["state-config-watcher"],
            ..View::default()
        };
        let manifolds =
            [("agent", agent), ("state", state)].map(|(name, view)| (name.to_owned(), view.report()));
        let report = Report { error: None, manifolds: manifolds.into(), state: "started" };
        assert_eq!(
            report.to_yaml(),
            "\
manifolds:
  agent:
    inputs: []
    report:
      agent: machine-4
    start-count: 1
    started: \"2024-05-06 07:08:09\"
    state: started
  state:
    error: \"\\\"state-config-watcher\\\" not running: dependency not available\"
    inputs:
    - agent
    - state-config-watcher
    state: stopped
    waiting-for:
    - state-config-watcher
state: started
"
        );
        assert_eq!(report.to_json()["manifolds"]["agent"]["started"], "2024-05-06 07:08:09");
    }

    #[test]
    fn a_report_that_panics_says_so() {
        let broken = (|| -> Value { panic!("on purpose") }).into_report();
        assert_eq!(broken.ask(), "the worker's report panicked");
    }
}
