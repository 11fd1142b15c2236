//! The local provider and its supervisor with real processes: a shell script stands in for `jujud`.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod host;
mod provider;
mod supervisor;

use std::path::Path;
use std::time::Duration;

use juju_provider::local::dirs::Dirs;
use juju_provider::local::supervisor::{Config, Timing, run};

/// Not a test: it is how the tests get a process that is nothing but a supervisor.
#[test]
#[ignore = "a supervisor's process, started by the tests"]
fn be_a_supervisor() {
    let Some(dir) = std::env::var_os(host::SUPERVISE) else { return };
    tracing_subscriber::fmt().with_ansi(false).with_writer(std::io::stderr).init();
    let dirs = Dirs::open(Path::new(&dir)).unwrap();
    let timing = Timing {
        restart: Duration::from_millis(50),
        restart_max: Duration::from_millis(400),
        grace: Duration::from_millis(300),
        adopted: Duration::from_millis(20),
        socket: Duration::from_millis(50),
        ..Timing::default()
    };
    let config = Config { timing, ..Config::new(&dirs) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(run(config, tokio_util::sync::CancellationToken::new())).unwrap();
}
