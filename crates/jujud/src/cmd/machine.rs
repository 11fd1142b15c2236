//! `jujud machine`: flags, their checks and texts (Juju 3.6 `cmd/jujud/agent`).

use std::ffi::OsString;

use juju_core::MachineId;

use super::{Failure, USAGE};
use crate::machine::{self, Config};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the machine to run, containers too (0/lxd/1)
    #[arg(long, default_value = "")]
    machine_id: String,
    /// Id of a controller agent on Kubernetes
    #[arg(long, default_value = "")]
    controller_id: String,
    /// Directory for juju data
    // As text of the system's: a path would be refused by the parser when it is empty, in words that are not Juju's.
    #[arg(long, default_value = "/var/lib/juju")]
    data_dir: OsString,
    /// Log to standard error instead of the agent's file
    #[arg(long)]
    log_to_stderr: bool,
    /// Log from DEBUG on until the controller says otherwise
    #[arg(long)]
    debug: bool,
    /// Levels by module, as <root>=INFO;juju.worker=DEBUG
    #[arg(long, default_value = "")]
    logging_config: String,
    /// Log to standard error as well; kept for the service files of Juju
    #[arg(long)]
    show_log: bool,
    #[arg(hide = true)]
    rest: Vec<String>,
}

pub(super) fn run(args: Args) -> Result<(), Failure> {
    let config = check(args)?;
    machine::main(config)
}

/// The checks, in the order in which Juju makes them.
fn check(args: Args) -> Result<Config, Failure> {
    if args.machine_id.is_empty() && args.controller_id.is_empty() {
        return Err(Failure::usage("either machine-id or controller-id must be set"));
    }
    if args.machine_id.is_empty() {
        return Err(Failure::usage(match args.controller_id.parse::<u32>() {
            Ok(_) => "controller agents on Kubernetes are not implemented",
            Err(_) => "--controller-id option must be a non-negative integer",
        }));
    }
    let machine_id: MachineId = args
        .machine_id
        .parse()
        .map_err(|_| Failure::usage("--machine-id option must be a non-negative integer"))?;
    if args.data_dir.is_empty() {
        return Err(Failure::usage("--data-dir option must be set"));
    }
    if !args.rest.is_empty() {
        return Err(Failure::usage(format!("unrecognized args: {:?}", args.rest)));
    }
    let levels = match args.logging_config.as_str() {
        "" if args.debug => crate::logging::LevelConfig::debug(),
        text => crate::logging::parse(text).map_err(|err| Failure { error: err.into(), code: USAGE })?,
    };
    Ok(Config { machine_id, data_dir: args.data_dir.into(), log_to_stderr: args.log_to_stderr, levels })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn bad_arguments_are_refused_in_jujus_words() {
        for (args, text) in [
            (vec![], "either machine-id or controller-id must be set"),
            (vec!["--machine-id", "x"], "--machine-id option must be a non-negative integer"),
            (vec!["--machine-id", "-1"], "--machine-id option must be a non-negative integer"),
            (vec!["--controller-id", "x"], "--controller-id option must be a non-negative integer"),
            (vec!["--machine-id", "0", "--data-dir", ""], "--data-dir option must be set"),
            (vec!["--machine-id", "0", "x"], "unrecognized args: [\"x\"]"),
        ] {
            let args = args.into_iter().map(|it| if it == "-1" { "--machine-id=-1" } else { it });
            let args = std::iter::once("machine").chain(args.clone().filter(|it| {
                // `--machine-id -1` is one argument to clap.
                *it != "--machine-id" || !args.clone().any(|it| it == "--machine-id=-1")
            }));
            let failure = check(Cli::parse_from(args).args).err().expect("they are bad");
            assert_eq!((failure.error.to_string().as_str(), failure.code), (text, USAGE));
        }
    }

    #[test]
    fn containers_are_machines() {
        let cli = Cli::parse_from(["machine", "--machine-id", "0/lxd/1", "--debug"]);
        let config = check(cli.args).ok().expect("they are good");
        assert_eq!(config.machine_id.as_str(), "0/lxd/1");
        assert_eq!(config.levels, crate::logging::LevelConfig::debug());
    }
}
