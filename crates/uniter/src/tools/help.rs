//! `--help`, from a tool's definition, in the layout of Juju's commands.

use super::{Definition, Flag, Here, Takes};

/// charmhelpers reads these texts: it looks for `--file` in that of `relation-set`.
pub(crate) fn text(tool: &Definition, here: &Here) -> String {
    let mut out = format!("Usage: {}", tool.name);
    if !tool.flags.is_empty() {
        out.push_str(" [options]");
    }
    if !tool.args.is_empty() {
        out.push(' ');
        out.push_str(tool.args);
    }
    out.push_str(&format!("\n\nSummary:\n{}\n", tool.summary));
    if !tool.flags.is_empty() {
        out.push_str("\nOptions:\n");
        let mut flags = tool.flags.to_vec();
        flags.sort_by_key(|it| it.names.first().copied());
        for flag in flags {
            out.push_str(&option(flag, here));
        }
    }
    if !tool.details.is_empty() {
        out.push_str(&format!("\nDetails:\n{}\n", tool.details));
    }
    out
}

fn option(flag: &Flag, here: &Here) -> String {
    let dashed = |it: &&str| if it.len() == 1 { format!("-{it}") } else { format!("--{it}") };
    let names = flag.names.iter().map(dashed).collect::<Vec<_>>().join(", ");
    let default = match flag.takes {
        Takes::Nothing => " (= false)".to_owned(),
        // What a relation's tools do without the flag is to take the hook's relation.
        Takes::Value(_) if flag.canonical() == "relation" => {
            format!(" (= {})", here.relation_name().unwrap_or_default())
        }
        Takes::Value("") => "(= \"\")".to_owned(),
        Takes::Value(text) => format!(" (= {text})"),
    };
    format!("{names} {default}\n    {}\n", flag.help)
}
