//! A dependency engine: runs a graph of workers, restarting each one whenever what it depends on changes.
//!
//! Everything fails, so a worker is written to be restarted: one async function that is given its inputs and a
//! [`Scope`], publishes a value when it is ready, ends when the scope is cancelled, and returns an error at the
//! first surprise. What it needs, what its errors mean to the process, and when it may run at all are said
//! outside it, in a [`Manifold`]; the [`Engine`] starts, stops and restarts it accordingly.
//!
//! ```
//! use juju_engine::{Config, Engine, Exit, Key, Manifold, Scope};
//! use tokio_util::sync::CancellationToken;
//!
//! const AGENT: Key<String> = Key::new("agent");
//! const MACHINER: Key<()> = Key::new("machiner");
//!
//! async fn machiner(tag: String, scope: Scope) -> anyhow::Result<()> {
//!     scope.set_report(serde_json::json!({ "machine": tag }));
//!     scope.cancelled().await;
//!     Ok(())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let engine = Engine::<std::convert::Infallible>::new(
//!     Config::juju(),
//!     vec![
//!         Manifold::value(AGENT, "machine-0".to_owned()),
//!         Manifold::new(MACHINER, (AGENT,), |(tag,), scope| machiner(tag, scope), Exit::of),
//!     ],
//! )
//! .expect("the graph is well formed");
//! let handle = engine.handle();
//! let cancel = CancellationToken::new();
//! let watch = async {
//!     handle.wait_for(|report| report.manifolds["machiner"].state == "started").await;
//!     cancel.cancel();
//! };
//! let (outcome, ()) = tokio::join!(engine.run(cancel.clone()), watch);
//! assert!(outcome.fatal.is_none() && outcome.late.is_empty());
//! # }
//! ```
//!
//! To read first: [`Manifold::new`], then [`Scope`], then [`Exit`]. Where the set of workers changes while the
//! process runs (one a unit, one a model), there is the [`Runner`].
//!
//! What this crate does not do: it knows nothing of Juju, persists nothing, and never polls: each start has a
//! cause that can be named. The numbers in [`Config::juju`] are those of Juju 3.6 `worker/dependency`.
//!
//! What workers must keep to: end soon once the scope is cancelled, and never block a thread. One that does is
//! named in the log and in the [`Outcome`], but it cannot be ended, and on a busy thread it may hold up its
//! engine.
//!
//! Rules that hold throughout: one task owns an engine's state and everything reaches it as an event; whoever
//! spawns a task joins it; a worker that is told to stop is started again, so no change is ever lost.

mod alone;
mod backoff;
mod config;
mod engine;
mod exit;
mod fortress;
mod gate;
mod graph;
mod inputs;
mod key;
mod life;
mod manifold;
mod node;
mod report;
mod runner;
mod scope;
mod stop;

pub mod flag;
pub mod value;

pub use alone::{Alone, alone};
pub use config::Config;
pub use engine::{Engine, Handle, Outcome};
pub use exit::{Exit, Panicked, Request, Transient, TransientExt, find_error, is_transient};
pub use flag::Flag;
pub use fortress::{Fortress, Guard, Guest, Visit};
pub use gate::Gate;
pub use graph::GraphError;
pub use inputs::{Input, Inputs, Need, Outputs};
pub use key::{Key, Name, Optional};
pub use manifold::Manifold;
pub use report::{IntoReport, Report, RunnerReport, WorkerReport};
pub use runner::{Control, Runner};
pub use scope::Scope;
pub use stop::Stop;
