//! The unit's log, as far as charms write to it.
//!
//! What a hook prints and what `juju-log` says goes under module names that only exist at run time
//! (`unit.shop/0.install`), so it does not go through `tracing` but to a [`LogSink`], which whoever runs the unit
//! connects to the unit's log file and to the controller.

use std::{fmt, sync::Arc};

/// Juju's levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warning,
    Error,
    Critical,
}

impl Level {
    /// A level by its name, in any case; `WARN` is one too.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "TRACE" => Level::Trace,
            "DEBUG" => Level::Debug,
            "INFO" => Level::Info,
            "WARN" | "WARNING" => Level::Warning,
            "ERROR" => Level::Error,
            "CRITICAL" => Level::Critical,
            _ => return None,
        })
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Level::Trace => "TRACE",
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warning => "WARNING",
            Level::Error => "ERROR",
            Level::Critical => "CRITICAL",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Takes lines; called from within tasks, so it must not block for long.
pub type LogSink = Arc<dyn Fn(Level, &str, &str) + Send + Sync>;

/// A sink that makes events of the lines, with the module as a field.
pub fn tracing_sink() -> LogSink {
    Arc::new(|level, module, message| match level {
        Level::Trace => tracing::trace!(target: "unit", module, "{message}"),
        Level::Debug => tracing::debug!(target: "unit", module, "{message}"),
        Level::Info => tracing::info!(target: "unit", module, "{message}"),
        Level::Warning => tracing::warn!(target: "unit", module, "{message}"),
        Level::Error | Level::Critical => tracing::error!(target: "unit", module, "{message}"),
    })
}
