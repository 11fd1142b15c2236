//! The command line: which of the program's faces is asked for, by the name it was called by and its arguments.

mod bootstrap_state;
mod dump_facades;
mod introspect;
mod local_supervisor;
mod machine;

use std::{ffi::OsString, io::Write as _, path::Path, process::ExitCode};

use clap::{Parser, Subcommand};

/// What the program says it is.
pub const VERSION: &str = "3.6.28";

/// Exit codes that the service manager and scripts know (Juju 3.6 `juju/cmd`).
pub const FAILURE: u8 = 1;
pub const USAGE: u8 = 2;

/// Juju's agents in one program.
#[derive(Parser)]
#[command(name = "jujud", version = VERSION, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a machine agent.
    Machine(machine::Args),
    /// Initialise the state of a new controller.
    BootstrapState(bootstrap_state::Args),
    /// Keep the agents of local machines running.
    LocalSupervisor(local_supervisor::Args),
    /// Print the facades that this build serves, as JSON Schema.
    DumpFacades,
    /// Ask a running agent about itself.
    Introspect(introspect::Args),
}

/// Runs what the arguments ask for; the process's exit code.
pub fn main(args: Vec<OsString>) -> ExitCode {
    let called =
        args.first().map(|it| Path::new(it).file_name().unwrap_or_default().to_string_lossy().into_owned());
    let args = match called.as_deref() {
        // Links to this program that agents keep in /usr/bin.
        Some("juju-introspect") => with_command(args, "introspect"),
        _ => args,
    };
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(err) => {
            // A broken pipe has nobody to tell.
            let _ = err.print();
            return ExitCode::from(if err.use_stderr() { USAGE } else { 0 });
        }
    };
    let done = match cli.command {
        Command::Machine(args) => machine::run(args),
        Command::BootstrapState(args) => bootstrap_state::run(&args),
        Command::LocalSupervisor(args) => local_supervisor::run(args),
        Command::DumpFacades => dump_facades::run(),
        Command::Introspect(args) => introspect::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "ERROR {:#}", failure.error);
            ExitCode::from(failure.code)
        }
    }
}

fn with_command(mut args: Vec<OsString>, command: &str) -> Vec<OsString> {
    args.insert(1, command.into());
    args
}

/// Why a command failed, and the exit code that says so.
pub struct Failure {
    pub error: anyhow::Error,
    pub code: u8,
}

impl Failure {
    pub fn usage(text: impl Into<String>) -> Self {
        Failure { error: anyhow::Error::msg(text.into()), code: USAGE }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure { error, code: FAILURE }
    }
}

/// A runtime for an agent. Few threads: an agent mostly waits, and each costs memory.
fn runtime(threads: usize) -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?)
}
