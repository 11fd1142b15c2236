//! Flags that many commands share.

use std::path::PathBuf;

use clap::Args;

use super::About;
use crate::{
    error::{Error, Result},
    output::Format,
    printer::Output,
};

/// Flags of every command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Global Options")]
pub struct Global {
    /// Show everything that is logged on standard error
    #[arg(long)]
    pub debug: bool,
    /// Show this text
    #[arg(long, short = 'h')]
    pub help: bool,
    /// Log to this file
    #[arg(long, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    /// What to log, such as <root>=INFO;juju.rpc=DEBUG
    #[arg(long, value_name = "LEVELS")]
    pub logging_config: Option<String>,
    /// Do not look at the user's aliases
    #[arg(long)]
    pub no_alias: bool,
    /// Show no informative messages
    #[arg(long, short)]
    pub quiet: bool,
    /// Show what is logged on standard error
    #[arg(long)]
    pub show_log: bool,
    /// Show more
    #[arg(long, short)]
    pub verbose: bool,
}

/// Arguments without a flag, in order.
#[derive(Args, Clone, Debug, Default)]
pub struct Positional {
    #[arg(value_name = "ARGS", num_args = 0.., hide = true)]
    pub args: Vec<String>,
}

/// `-m`.
#[derive(Args, Clone, Debug, Default)]
pub struct ModelFlags {
    /// Model to work in, as [<controller>:]<model>
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,
    #[command(flatten)]
    pub login: LoginFlags,
}

/// `-c`.
#[derive(Args, Clone, Debug, Default)]
pub struct ControllerFlags {
    /// Controller to work in
    #[arg(long, short, value_name = "CONTROLLER")]
    pub controller: Option<String>,
    #[command(flatten)]
    pub login: LoginFlags,
}

/// `-B`.
#[derive(Args, Clone, Debug, Default)]
pub struct LoginFlags {
    /// Do not open a web browser for logging in
    #[arg(long, short = 'B')]
    pub no_browser_login: bool,
}

/// `--format` and `-o`.
#[derive(Args, Clone, Debug, Default)]
pub struct OutputFlags {
    /// Form of the output
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Write the output to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `--color` and `--no-color`.
#[derive(Args, Clone, Debug, Default)]
pub struct ColorFlags {
    /// Use colours even where there is no terminal
    #[arg(long)]
    pub color: bool,
    /// Use no colours
    #[arg(long)]
    pub no_color: bool,
}

impl OutputFlags {
    /// What is asked for, of what the command offers.
    pub fn check(self, about: &About) -> Result<Output> {
        let name = self.format.as_deref().or(about.formats.first().copied()).unwrap_or("smart");
        let format = Format::from_name(name).filter(|_| about.formats.contains(&name)).ok_or_else(|| {
            Error::usage(format!("invalid value {name:?} for option --format: unknown format {name:?}"))
        })?;
        Ok(Output { format, file: self.output })
    }
}

impl ColorFlags {
    pub fn apply(&self, settings: &mut crate::printer::Settings) -> Result {
        if self.color && self.no_color {
            return Err(Error::usage("cannot mix --no-color and --color"));
        }
        settings.force_color |= self.color;
        settings.no_color |= self.no_color;
        if self.color {
            settings.no_color = false;
        }
        Ok(())
    }
}

impl Positional {
    /// No arguments at all.
    pub fn none(self) -> Result {
        no_more(&self.args)
    }

    /// One at most.
    pub fn at_most_one(self) -> Result<Option<String>> {
        no_more(self.args.get(1..).unwrap_or_default())?;
        Ok(self.args.into_iter().next())
    }

    /// Exactly one; `missing` is said if there is none.
    pub fn one(self, missing: &str) -> Result<String> {
        self.at_most_one()?.ok_or_else(|| Error::usage(missing))
    }

    /// At least one; `missing` is said if there is none.
    pub fn some(self, missing: &str) -> Result<Vec<String>> {
        if self.args.is_empty() { Err(Error::usage(missing)) } else { Ok(self.args) }
    }
}

/// Complains about arguments that nobody asked for.
pub fn no_more(args: &[String]) -> Result {
    if args.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!("unrecognized args: {}", super::quote::list(args))))
}
