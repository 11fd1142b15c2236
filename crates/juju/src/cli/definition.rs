//! A command as data: what parses it, what documents it, what runs it.

use clap::{Arg, ArgAction, ArgMatches};

use crate::{Context, error::Result};

/// One command of the table.
///
/// The type that implements it holds the arguments as typed; `run` turns them into a checked request
/// first and talks to anybody only then.
pub trait Command: clap::Args {
    const ABOUT: About;

    fn run(self, ctx: &mut Context) -> Result;
}

/// What a command is called and how it is explained.
#[derive(Clone, Copy, Debug)]
pub struct About {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// Its arguments, as in `juju deploy [options] <charm> [<name>]`.
    pub usage: &'static str,
    /// One line.
    pub purpose: &'static str,
    pub details: &'static str,
    /// Command lines, each with an explanation or none.
    pub examples: &'static [(&'static str, &'static str)],
    pub see_also: &'static [&'static str],
    /// The names for `--format`, the default first; none if it has no such flag.
    pub formats: &'static [&'static str],
    /// Not in the list of commands.
    pub hidden: bool,
}

impl About {
    /// Nothing said yet; for struct update.
    pub const NONE: Self = Self {
        name: "",
        aliases: &[],
        usage: "",
        purpose: "",
        details: "",
        examples: &[],
        see_also: &[],
        formats: &[],
        hidden: false,
    };
}

/// A row of the table.
pub struct Definition {
    pub about: About,
    augment: fn(clap::Command) -> clap::Command,
    run: fn(&ArgMatches, &mut Context) -> Result,
}

impl Definition {
    pub const fn of<C: Command>() -> Self {
        Self { about: C::ABOUT, augment: C::augment_args, run: run::<C> }
    }

    /// Whether the command answers to this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.about.name == name || self.about.aliases.contains(&name)
    }

    /// The parser, global flags included.
    pub fn parser(&self) -> clap::Command {
        let bare = clap::Command::new(self.about.name)
            .no_binary_name(true)
            .disable_help_flag(true)
            .disable_version_flag(true)
            .args_override_self(true);
        let parser = <super::flags::Global as clap::Args>::augment_args((self.augment)(bare));
        parser.mut_args(as_in_go)
    }

    pub fn run(&self, matches: &ArgMatches, ctx: &mut Context) -> Result {
        (self.run)(matches, ctx)
    }
}

fn run<C: Command>(matches: &ArgMatches, ctx: &mut Context) -> Result {
    let args = C::from_arg_matches(matches).map_err(|e| super::parse::usage(&e))?;
    args.run(ctx)
}

/// Switches take a value as in Go's flags: `--force` is `--force=true`.
fn as_in_go(arg: Arg) -> Arg {
    if !matches!(arg.get_action(), ArgAction::SetTrue) {
        return arg;
    }
    arg.action(ArgAction::Set)
        .num_args(0..=1)
        .require_equals(true)
        .default_value("false")
        .default_missing_value("true")
        .value_parser(|text: &str| match text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
            other => Err(format!("{other:?} is neither true nor false")),
        })
}
