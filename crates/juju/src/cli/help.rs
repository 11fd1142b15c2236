//! Help, made of the table: what the parser knows and what the command says of itself.

use super::{Definition, quote};
use crate::{
    cells,
    output::{Cell, Table},
};

/// `juju help <command>`.
pub fn command(definition: &Definition) -> String {
    let about = &definition.about;
    let mut text = format!("Usage: juju {} [options]", about.name);
    if !about.usage.is_empty() {
        text.push(' ');
        text.push_str(about.usage);
    }
    section(&mut text, "Summary", about.purpose);
    let parser = definition.parser();
    for heading in ["Global Options", "Command Options"] {
        let is_global = |arg: &&clap::Arg| arg.get_help_heading() == Some("Global Options");
        let mut options: Vec<_> = parser
            .get_arguments()
            .filter(|it| {
                !it.is_hide_set() && !it.is_positional() && is_global(it) == (heading == "Global Options")
            })
            .map(|it| option(it, about.formats))
            .collect();
        options.sort();
        section(&mut text, heading, &options.join("\n"));
    }
    section(&mut text, "Details", about.details.trim());
    let examples: Vec<_> = about
        .examples
        .iter()
        .map(|(line, why)| match *why {
            "" => format!("    {line}"),
            why => format!("{why}:\n\n    {line}"),
        })
        .collect();
    section(&mut text, "Examples", &examples.join("\n\n"));
    section(&mut text, "Aliases", &about.aliases.join(", "));
    let others: Vec<_> = about.see_also.iter().map(|it| format!(" - {it}")).collect();
    section(&mut text, "See also", &others.join("\n"));
    text.push('\n');
    text
}

/// `juju help commands`.
pub fn commands(definitions: &[Definition]) -> String {
    let mut table = Table::bare();
    let mut rows: Vec<(&str, String)> = vec![];
    for definition in definitions.iter().filter(|it| !it.about.hidden) {
        rows.push((definition.about.name, definition.about.purpose.to_owned()));
        for alias in definition.about.aliases {
            rows.push((alias, format!("Alias for '{}'.", definition.about.name)));
        }
    }
    rows.sort();
    for (name, purpose) in rows {
        table.row(cells![name, purpose]);
    }
    table.render(false)
}

/// `juju` and `juju help`.
pub fn overview(definitions: &[Definition]) -> String {
    let groups: &[(&str, &[&str])] = &[
        ("See a charm run, and leave nothing behind", &["try"]),
        ("Controllers", &["bootstrap", "controllers", "switch", "destroy-controller", "kill-controller"]),
        ("Models", &["add-model", "models", "status", "destroy-model"]),
        ("Applications", &["deploy", "refresh", "config", "integrate", "expose", "remove-application"]),
        (
            "Units and machines",
            &["add-unit", "remove-unit", "add-machine", "machines", "resolved", "debug-log"],
        ),
    ];
    let mut text = String::from(
        "Juju runs applications from charms: it installs them on machines, configures them, and connects \
         them to each other.\n\nUsage: juju [options] <command> [...]\n",
    );
    for (title, names) in groups {
        let mut table = Table::bare();
        for name in *names {
            let found = definitions.iter().find(|it| it.about.name == *name);
            if let Some(definition) = found {
                table.row([Cell::new(format!("    {name}")), definition.about.purpose.into()]);
            }
        }
        text.push_str(&format!("\n{title}:\n\n{}", table.render(false)));
    }
    text.push_str("\n\"juju help commands\" lists all commands, \"juju help <command>\" explains one.\n");
    text
}

fn section(text: &mut String, title: &str, body: &str) {
    if !body.is_empty() {
        text.push_str(&format!("\n\n{title}:\n{body}"));
    }
}

/// `-m, --model (= "")` with its explanation below it.
fn option(arg: &clap::Arg, formats: &[&str]) -> String {
    let short = arg.get_short().map(|it| format!("-{it}"));
    let long = arg.get_long().map(|it| format!("--{it}"));
    let names = short.into_iter().chain(long).collect::<Vec<_>>().join(", ");
    let default = arg.get_default_values().first().map(|it| it.to_string_lossy().into_owned());
    let default = default.filter(|it| !it.is_empty());
    let mut help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let default = if arg.get_id() == "format" && !formats.is_empty() {
        help = format!("{help} ({})", formats.join("|"));
        formats[0].to_owned()
    } else {
        default.unwrap_or_else(|| quote_default(arg))
    };
    format!("{names} (= {default})\n    {help}")
}

fn quote_default(arg: &clap::Arg) -> String {
    let several = matches!(arg.get_action(), clap::ArgAction::Append);
    if several { quote::list::<&str>(&[]) } else { "\"\"".to_owned() }
}
