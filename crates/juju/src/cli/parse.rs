//! What was typed, taken apart.
//!
//! `juju [global flags] <command> [flags and arguments in any order]`. Errors are told in the words of
//! Juju's own flag parser.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::Error;

/// A command line before its command is looked up.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// Flags that stood before the command.
    pub before: Vec<OsString>,
    pub command: Option<String>,
    pub rest: Vec<OsString>,
}

/// Global flags that take a value.
const WITH_VALUE: [&str; 2] = ["--logging-config", "--log-file"];

impl Typed {
    pub fn split(args: impl IntoIterator<Item = OsString>) -> Self {
        let mut typed = Self::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let text = arg.to_string_lossy();
            if !text.starts_with('-') || text == "-" {
                typed.command = Some(text.into_owned());
                typed.rest = args.collect();
                return typed;
            }
            let wants_value = WITH_VALUE.contains(&text.as_ref());
            typed.before.push(arg);
            if wants_value {
                typed.before.extend(args.next());
            }
        }
        typed
    }

    /// All that the command's parser reads: flags from before the command count like those after it.
    pub fn arguments(&self) -> Vec<OsString> {
        self.before.iter().chain(&self.rest).cloned().collect()
    }

    /// Whether help is asked for, also on a command line that is otherwise wrong.
    pub fn wants_help(&self) -> bool {
        let flags = self.before.iter().chain(self.rest.iter().take_while(|it| *it != "--"));
        flags.into_iter().any(|it| it == "--help" || it == "-h")
    }
}

/// A parser's complaint in Juju's words.
pub fn usage(error: &clap::Error) -> Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    // `--format <FORMAT>` is the flag `--format`.
    let flag = text(ContextKind::InvalidArg);
    let flag = flag.split([' ', '=']).next().unwrap_or_default();
    let value = text(ContextKind::InvalidValue);
    Error::usage(match error.kind() {
        ErrorKind::UnknownArgument => format!("option provided but not defined: {flag}"),
        ErrorKind::InvalidValue if value.is_empty() => format!("option needs an argument: {flag}"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues | ErrorKind::NoEquals => {
            format!("option needs an argument: {flag}")
        }
        ErrorKind::InvalidValue => format!("invalid value {value:?} for option {flag}"),
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(|it| format!(": {it}")).unwrap_or_default();
            format!("invalid value {value:?} for option {flag}{why}")
        }
        ErrorKind::InvalidUtf8 => "an argument is not valid UTF-8".to_owned(),
        _ => error.to_string().trim_start_matches("error: ").trim_end().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Typed {
        Typed::split(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn global_flags_may_come_first() {
        let it = typed("--debug --logging-config x=DEBUG status -m demo web");
        assert_eq!(it.command.as_deref(), Some("status"));
        let all: Vec<_> = it.arguments().into_iter().map(|it| it.into_string().unwrap()).collect();
        assert_eq!(all, ["--debug", "--logging-config", "x=DEBUG", "-m", "demo", "web"]);
        assert_eq!(typed("--version").command, None);
        assert_eq!(typed("").command, None);
    }

    #[test]
    fn help_is_seen_before_the_end_of_flags() {
        assert!(typed("status --frob -h").wants_help());
        assert!(typed("--help").wants_help());
        assert!(!typed("exec -- ls --help").wants_help());
    }
}
