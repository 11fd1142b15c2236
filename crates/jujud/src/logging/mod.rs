//! Where log records go: the agent's file or standard error, and the buffer that is sent to the controller.
//!
//! A process runs the workers of several agents: the machine's, those of its units and, on a controller, those of
//! models. Each agent's workers run inside a span that names it (field `agent`), and the [`Router`] hands a record to
//! the [`Sink`] of the nearest such span, or to the process's own. Levels are an agent's own too: `logging-config` of
//! a model reaches just its agents.

mod config;
mod line;
mod router;

pub use config::{LevelConfig, parse};
pub use router::{Router, Sink, agent_span};
