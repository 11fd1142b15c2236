//! From arguments to an exit code.

use std::ffi::OsString;

use clap::FromArgMatches;

use crate::{
    Context,
    cli::{
        Definition, flags,
        help::{self},
        parse::{self, Typed},
        suggest,
    },
    commands,
    error::{Error, Result},
    logging,
    output::Format,
};

/// Runs one command line, without the name of the program, and returns the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>, ctx: &mut Context) -> u8 {
    let args: Vec<_> = args.into_iter().collect();
    let words = args.iter().map(|it| it.to_string_lossy());
    ctx.invocation = shell_words::join(std::iter::once("juju".into()).chain(words));
    let result = run(args, ctx);
    ctx.printer.end_progress();
    match result {
        Ok(()) => 0,
        Err(e) => {
            if let Some(message) = e.message() {
                ctx.printer.error(message);
            }
            e.exit_code()
        }
    }
}

fn run(args: Vec<OsString>, ctx: &mut Context) -> Result {
    let typed = Typed::split(args);
    let Some(name) = typed.command.as_deref() else { return without_command(&typed, ctx) };
    if name == "help" {
        return help(&typed, ctx);
    }
    let Some(definition) = find(name) else { return unknown(name, &typed, ctx) };
    if typed.wants_help() {
        return ctx.printer.data(&help::command(definition));
    }
    let matches =
        definition.parser().try_get_matches_from(typed.arguments()).map_err(|e| parse::usage(&e))?;
    let global = flags::Global::from_arg_matches(&matches).map_err(|e| parse::usage(&e))?;
    ctx.printer.settings_mut().quiet |= global.quiet;
    ctx.printer.settings_mut().verbose |= global.verbose;
    logging::init(&global, &ctx.env)?;
    let result = definition.run(&matches, ctx);
    if let Err(Error::Api(_) | Error::Failed(_)) = &result
        && wants_data(definition, &matches)
        && !ctx.printer.has_written()
    {
        // Who reads the output as data gets some, also of a failure (Juju 3.6).
        ctx.printer.data("{}\n")?;
    }
    result
}

fn find(name: &str) -> Option<&'static Definition> {
    commands::ALL.iter().find(|it| it.is_called(name))
}

fn wants_data(definition: &Definition, matches: &clap::ArgMatches) -> bool {
    !definition.about.formats.is_empty()
        && matches
            .try_get_one::<String>("format")
            .ok()
            .flatten()
            .and_then(|it| Format::from_name(it))
            .is_some_and(Format::is_data)
}

fn without_command(typed: &Typed, ctx: &mut Context) -> Result {
    for flag in &typed.before {
        match flag.to_string_lossy().as_ref() {
            "--version" => return commands::version::print(ctx),
            "--description" => return ctx.printer.data("The command line client of Juju.\n"),
            _ => {}
        }
    }
    let known = <flags::Global as clap::Args>::augment_args(clap::Command::new("juju").no_binary_name(true));
    let known = known.disable_help_flag(true).try_get_matches_from(&typed.before);
    known.map_err(|e| parse::usage(&e))?;
    ctx.printer.data(&help::overview(commands::ALL))
}

fn help(typed: &Typed, ctx: &mut Context) -> Result {
    let topics: Vec<_> =
        typed.rest.iter().map(|it| it.to_string_lossy()).filter(|it| !it.starts_with('-')).collect();
    let text = match topics.as_slice() {
        [] => help::overview(commands::ALL),
        [topic] if topic == "commands" => help::commands(commands::ALL),
        [topic, ..] => match find(topic) {
            Some(definition) => help::command(definition),
            None => return Err(Error::failed(format!("unknown command or topic for {topic}"))),
        },
    };
    ctx.printer.data(&text)
}

/// A plugin, `juju-<name>` among the programs, or a slip of the finger.
fn unknown(name: &str, typed: &Typed, ctx: &mut Context) -> Result {
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_plain && let Some(plugin) = ctx.env.find_program(&format!("juju-{name}")) {
        let status = std::process::Command::new(&plugin)
            .args(&typed.rest)
            .status()
            .map_err(|e| Error::failed(format!("cannot run {}: {e}", plugin.display())))?;
        return match status.code() {
            Some(0) => Ok(()),
            Some(code) => Err(Error::Silent(u8::try_from(code).unwrap_or(1))),
            None => Err(Error::Silent(1)),
        };
    }
    let names = commands::ALL
        .iter()
        .flat_map(|it| std::iter::once(it.about.name).chain(it.about.aliases.iter().copied()));
    let mut text = format!("juju: {name:?} is not a juju command. See \"juju --help\".");
    if let Some(near) = suggest::nearest(name, names) {
        text.push_str(&format!("\n\nDid you mean:\n\t{near}"));
    }
    Err(Error::failed(text))
}
