//! How hook tools read their command line: the rules of Juju's flags (`juju/gnuflag`), which charms rely on.
//!
//! Flags may stand anywhere before `--`; a lone `-` is an argument; `--name value`, `--name=value`, `-n value`,
//! `-nvalue` and `-ab` mean what they mean elsewhere; a boolean takes its value only as `--name=value`.

use std::collections::HashMap;

/// A flag of a tool.
#[derive(Debug)]
pub struct Flag {
    /// All names, the canonical one last: `["r", "relation"]`.
    pub names: &'static [&'static str],
    pub takes: Takes,
    pub help: &'static str,
}

/// What follows a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// A value; the text shows its default in the help.
    Value(&'static str),
}

impl Flag {
    pub(crate) const fn bool(names: &'static [&'static str], help: &'static str) -> Self {
        Flag { names, takes: Takes::Nothing, help }
    }
    pub(crate) const fn value(
        names: &'static [&'static str],
        default: &'static str,
        help: &'static str,
    ) -> Self {
        Flag { names, takes: Takes::Value(default), help }
    }
    /// The name that the tool asks for.
    pub(crate) fn canonical(&self) -> &'static str {
        self.names.last().expect("a flag has a name")
    }
}

/// A mistake in how a tool was called. The text goes to the charm; the tool exits with 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

impl UsageError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        UsageError(text.into())
    }
}

/// A command line, split into flags and arguments.
#[derive(Debug, Default)]
pub(crate) struct Args {
    flags: HashMap<&'static str, Given>,
    rest: std::collections::VecDeque<String>,
}

/// A flag as it was given, its name in the form that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub name: String,
    pub value: String,
}

/// What a command line asks for.
pub(crate) enum Asked {
    Help,
    Run(Args),
}

impl Args {
    pub(crate) fn parse(flags: &[&'static Flag], line: Vec<String>) -> Result<Asked, UsageError> {
        let mut args = Args::default();
        let mut words = std::collections::VecDeque::from(line);
        while let Some(word) = words.pop_front() {
            if word == "--" {
                args.rest.append(&mut words);
            } else if let Some(long) = word.strip_prefix("--") {
                if args.long(flags, long, &mut words)? {
                    return Ok(Asked::Help);
                }
            } else if word.len() > 1 && word.starts_with('-') {
                if args.short(flags, &word[1..], &mut words)? {
                    return Ok(Asked::Help);
                }
            } else {
                args.rest.push_back(word);
            }
        }
        Ok(Asked::Run(args))
    }

    /// Whether the boolean flag is on.
    pub(crate) fn is_set(&self, canonical: &str) -> bool {
        self.flags.get(canonical).is_some_and(|it| it.value == "true")
    }

    pub(crate) fn value(&self, canonical: &str) -> Option<&Given> {
        self.flags.get(canonical)
    }

    /// The next argument that is not a flag.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.rest.pop_front()
    }

    /// All arguments that are left.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        std::mem::take(&mut self.rest).into()
    }

    /// Refuses arguments that nothing has taken.
    pub(crate) fn finish(&mut self) -> Result<(), UsageError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let surplus: Vec<_> = self.rest().iter().map(|it| quote(it)).collect();
        Err(UsageError(format!("unrecognized args: [{}]", surplus.join(" "))))
    }

    /// Takes one `--flag`; whether it asks for help.
    fn long(
        &mut self,
        flags: &[&'static Flag],
        word: &str,
        words: &mut std::collections::VecDeque<String>,
    ) -> Result<bool, UsageError> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        let shown = format!("--{name}");
        let Some(flag) = find(flags, name, |it| it.len() > 1) else {
            if name == "help" {
                return Ok(true);
            }
            return Err(undefined(&shown));
        };
        let value = match (flag.takes, value) {
            (Takes::Nothing, None) => "true".to_owned(),
            (Takes::Nothing, Some(text)) => boolean(&text, &shown)?.to_string(),
            (Takes::Value(_), Some(text)) => text,
            (Takes::Value(_), None) => words.pop_front().ok_or_else(|| needs_value(&shown))?,
        };
        self.flags.insert(flag.canonical(), Given { name: shown, value });
        Ok(false)
    }

    /// Takes the letters of one `-abc`; whether they ask for help.
    fn short(
        &mut self,
        flags: &[&'static Flag],
        letters: &str,
        words: &mut std::collections::VecDeque<String>,
    ) -> Result<bool, UsageError> {
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            let (name, after) = rest.split_at(letter.len_utf8());
            let shown = format!("-{name}");
            let Some(flag) = find(flags, name, |it| it.chars().count() == 1) else {
                if name == "h" {
                    return Ok(true);
                }
                return Err(undefined(&shown));
            };
            let value = match flag.takes {
                Takes::Nothing => {
                    rest = after;
                    "true".to_owned()
                }
                Takes::Value(_) => {
                    rest = "";
                    match after {
                        "" => words.pop_front().ok_or_else(|| needs_value(&shown))?,
                        value => value.to_owned(),
                    }
                }
            };
            self.flags.insert(flag.canonical(), Given { name: shown, value });
        }
        Ok(false)
    }
}

/// The error of a flag whose value is of no use.
pub(crate) fn invalid_value(given: &Given, why: &str) -> UsageError {
    UsageError(format!("invalid value {} for option {}: {why}", quote(&given.value), given.name))
}

/// Text in double quotes, as Juju's messages have it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            it if it.is_control() => out.push_str(&format!("\\x{:02x}", it as u32)),
            it => out.push(it),
        }
    }
    out.push('"');
    out
}

fn find(flags: &[&'static Flag], name: &str, form: fn(&str) -> bool) -> Option<&'static Flag> {
    flags.iter().copied().find(|flag| flag.names.iter().any(|it| *it == name && form(it)))
}

fn undefined(shown: &str) -> UsageError {
    UsageError(format!("option provided but not defined: {shown}"))
}

fn needs_value(shown: &str) -> UsageError {
    UsageError(format!("option needs an argument: {shown}"))
}

/// What Go's `strconv.ParseBool` reads; `ops` writes `--app=True`.
fn boolean(text: &str, shown: &str) -> Result<bool, UsageError> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(UsageError(format!(
            "invalid boolean value {} for {shown}: strconv.ParseBool: parsing {}: invalid syntax",
            quote(text),
            quote(text)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: Flag = Flag::bool(&["app"], "");
    const ALL: Flag = Flag::bool(&["a", "all"], "");
    const RELATION: Flag = Flag::value(&["r", "relation"], "", "");

    fn parse(line: &[&str]) -> Result<(Args, Vec<String>), String> {
        let line = line.iter().map(|it| it.to_string()).collect();
        match Args::parse(&[&APP, &ALL, &RELATION], line) {
            Ok(Asked::Help) => Err("help".to_owned()),
            Ok(Asked::Run(mut args)) => {
                let rest = args.rest();
                Ok((args, rest))
            }
            Err(err) => Err(err.to_string()),
        }
    }

    #[test]
    fn flags_and_arguments_interleave() {
        for (line, app, all, relation, rest) in [
            (&["x", "--app", "y"][..], true, false, None, &["x", "y"][..]),
            (&["--app=False", "-a"], false, true, None, &[]),
            (&["-r", "4", "k=v"], false, false, Some(("-r", "4")), &["k=v"]),
            (&["-r4"], false, false, Some(("-r", "4")), &[]),
            (&["-ar4"], false, true, Some(("-r", "4")), &[]),
            (&["--relation=db:4", "-"], false, false, Some(("--relation", "db:4")), &["-"]),
            (
                &["--relation", "-a", "--", "--app", "--"],
                false,
                false,
                Some(("--relation", "-a")),
                &["--app", "--"],
            ),
            (&["--relation="], false, false, Some(("--relation", "")), &[]),
        ] {
            let (args, left) = parse(line).unwrap();
            assert_eq!(args.is_set("app"), app, "{line:?}");
            assert_eq!(args.is_set("all"), all, "{line:?}");
            let given = args.value("relation").map(|it| (it.name.as_str(), it.value.as_str()));
            assert_eq!(given, relation, "{line:?}");
            assert_eq!(left, rest, "{line:?}");
        }
    }

    #[test]
    fn mistakes_are_named_as_juju_names_them() {
        for (line, want) in [
            (&["--x"][..], "option provided but not defined: --x"),
            (&["--x=1"], "option provided but not defined: --x"),
            (&["-x"], "option provided but not defined: -x"),
            (&["-r"], "option needs an argument: -r"),
            (&["--relation"], "option needs an argument: --relation"),
            (
                &["--app=yes"],
                "invalid boolean value \"yes\" for --app: strconv.ParseBool: parsing \"yes\": invalid syntax",
            ),
            (&["x", "-h"], "help"),
            (&["--help"], "help"),
            // One letter needs one dash.
            (&["--r", "1"], "option provided but not defined: --r"),
        ] {
            assert_eq!(parse(line).map(|_| ()), Err(want.to_owned()), "{line:?}");
        }
    }

    #[test]
    fn surplus_arguments_are_listed() {
        let Ok(Asked::Run(mut args)) = Args::parse(&[], vec!["a".into(), "b \"c\"".into()]) else { panic!() };
        assert_eq!(args.finish().unwrap_err().to_string(), r#"unrecognized args: ["a" "b \"c\""]"#);
        assert!(args.finish().is_ok());
    }
}
