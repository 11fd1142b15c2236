//! The hook tools: what a charm calls to ask its unit agent for something.
//!
//! A file a tool, each with a [`Definition`] that gives the parser its flags and the help its text. A call is first
//! parsed, which needs only what a hook knows from its start ([`Here`]) and answers mistakes with exit code 2, and
//! then run on the hook's context. Names, flags, formats, texts and exit codes are Juju 3.6's: charms match them.
//!
//! To add a tool: write its file after the model of `is_leader.rs`, and put its definition into [`ALL`].

mod args;
mod help;
mod key_values;
mod output;
mod relation_id;

mod application_version_set;
mod config_get;
mod goal_state;
mod is_leader;
mod juju_log;
mod leader_get;
mod leader_set;
mod network_get;
mod opened_ports;
mod outside_actions;
mod ports;
mod relation_get;
mod relation_ids;
mod relation_list;
mod relation_model_get;
mod relation_set;
mod state_delete;
mod state_get;
mod state_set;
mod status_get;
mod status_set;
mod unavailable;
mod unit_get;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use juju_agent::files::FileError;

use crate::{
    context::{Context, ContextError},
    protocol::Done,
};
use args::{Args, Asked};
pub use args::{Flag, Takes, UsageError};

/// Every tool, by name.
pub const ALL: &[&Definition] = &[
    &outside_actions::FAIL,
    &outside_actions::GET,
    &outside_actions::LOG,
    &outside_actions::SET,
    &application_version_set::DEFINITION,
    &ports::CLOSE,
    &config_get::DEFINITION,
    &goal_state::DEFINITION,
    &is_leader::DEFINITION,
    &juju_log::DEFINITION,
    &leader_get::DEFINITION,
    &leader_set::DEFINITION,
    &network_get::DEFINITION,
    &ports::OPEN,
    &opened_ports::DEFINITION,
    &relation_get::DEFINITION,
    &relation_ids::DEFINITION,
    &relation_list::DEFINITION,
    &relation_model_get::DEFINITION,
    &relation_set::DEFINITION,
    &state_delete::DEFINITION,
    &state_get::DEFINITION,
    &state_set::DEFINITION,
    &status_get::DEFINITION,
    &status_set::DEFINITION,
    &unit_get::DEFINITION,
];

/// The names under which `jujuc` is called, those of tools that answer "not available" among them.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|it| it.name).chain(unavailable::NAMES.iter().copied())
}

/// Makes the links by which hooks find their tools, beside the `jujuc` that they lead to.
pub fn make_links(dir: &Path) -> Result<(), FileError> {
    let binary = dir.join("jujuc");
    if let Err(err) = std::fs::metadata(&binary) {
        return Err(FileError::new("find", binary, err));
    }
    for name in names() {
        let link = dir.join(name);
        if std::fs::read_link(&link).is_ok_and(|it| it == Path::new("jujuc")) {
            continue;
        }
        match std::os::unix::fs::symlink("jujuc", &link) {
            // Another unit of this machine was faster, or Juju's own agent has made a link of its own.
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
                juju_agent::tools::link_atomic(Path::new("jujuc"), &link)?;
            }
            Err(err) => return Err(FileError::new("make the link", link, err)),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// A tool as a table of texts, and the function that makes a call of its command line.
pub struct Definition {
    pub name: &'static str,
    /// What the usage line shows behind the name and `[options]`.
    pub args: &'static str,
    pub summary: &'static str,
    pub details: &'static str,
    pub flags: &'static [&'static Flag],
    pub(crate) parse: Parse,
}

/// Makes a call of a command line.
pub(crate) type Parse = fn(&mut Args, &Here) -> Result<Box<dyn Call>, UsageError>;

/// A call that has been understood and can be run.
#[async_trait]
pub(crate) trait Call: Send {
    /// Whether it reads what is piped into it. Nobody else may: a hook's own loop may be reading there.
    fn reads_stdin(&self) -> bool {
        false
    }
    async fn run(self: Box<Self>, context: &mut Context, io: &mut Io) -> Result<(), Failure>;
}

/// What a hook knows from its start, and what parsing may rest on.
#[derive(Debug, Clone, Default)]
pub struct Here {
    /// Endpoint names of the relations that the hook can speak of, by id.
    pub relations: BTreeMap<i64, String>,
    /// The relation that the hook is about.
    pub relation: Option<i64>,
    pub remote_unit: Option<String>,
    pub remote_application: Option<String>,
}

impl Here {
    /// `db:4`, the form in which charms see relations.
    pub(crate) fn relation_name(&self) -> Option<String> {
        let id = self.relation?;
        Some(format!("{}:{id}", self.relations.get(&id)?))
    }
}

/// A tool's process, seen from the agent.
#[derive(Debug, Default)]
pub struct Io {
    /// Where it was called; relative file names start here.
    pub dir: PathBuf,
    /// There if the call reads it.
    pub stdin: Vec<u8>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Why a call that was understood failed. The text goes to the charm; the tool exits with 1.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Failure(text.into())
    }
}

impl From<ContextError> for Failure {
    fn from(err: ContextError) -> Self {
        Failure(err.to_string())
    }
}

/// A parsed command line: answered at once, or ready to run.
pub(crate) enum Parsed {
    Answer(Done),
    Ready(Box<dyn Call>),
}

pub(crate) fn parse(here: &Here, tool: &str, line: Vec<String>) -> Parsed {
    let Some(definition) = ALL.iter().find(|it| it.name == tool) else {
        return Parsed::Answer(match unavailable::NAMES.contains(&tool) {
            true => failed(1, &format!("{tool} is not available in this release")),
            false => failed(1, &format!("bad request: unknown command: {tool}")),
        });
    };
    let parsed = Args::parse(definition.flags, line).and_then(|asked| match asked {
        Asked::Help => {
            Ok(Parsed::Answer(Done { stdout: help::text(definition, here).into_bytes(), ..Done::default() }))
        }
        Asked::Run(mut args) => (definition.parse)(&mut args, here).map(Parsed::Ready),
    });
    parsed.unwrap_or_else(|err| Parsed::Answer(failed(2, &err.to_string())))
}

pub(crate) async fn run(call: Box<dyn Call>, context: &mut Context, mut io: Io) -> Done {
    let result = call.run(context, &mut io).await;
    let mut done = Done { code: 0, stdout: io.stdout, stderr: io.stderr };
    if let Err(failure) = result {
        let failed = failed(1, &failure.to_string());
        done.code = failed.code;
        done.stderr.extend(failed.stderr);
    }
    done
}

/// The one way in which tools report errors.
pub(crate) fn failed(code: u8, message: &str) -> Done {
    Done { code, stdout: Vec::new(), stderr: format!("ERROR {message}\n").into_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_all_of_juju_3_6() {
        let mut all: Vec<_> = names().collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(count, 49);
    }

    #[test]
    fn flags_of_a_tool_have_names_of_their_own() {
        for tool in ALL {
            let mut flags: Vec<_> = tool.flags.iter().flat_map(|it| it.names).collect();
            let count = flags.len();
            flags.sort_unstable();
            flags.dedup();
            assert_eq!(flags.len(), count, "{}", tool.name);
        }
    }

    #[test]
    fn every_tool_has_help_on_stdout() {
        for tool in ALL {
            for flag in ["--help", "-h"] {
                let Parsed::Answer(done) = parse(&Here::default(), tool.name, vec![flag.to_owned()]) else {
                    panic!("{}", tool.name)
                };
                let text = String::from_utf8(done.stdout).unwrap();
                assert_eq!((done.code, done.stderr.len()), (0, 0));
                assert!(text.starts_with(&format!("Usage: {}", tool.name)), "{text}");
                for flag in tool.flags {
                    assert!(text.contains(&format!("--{}", flag.canonical())), "{text}");
                }
            }
        }
    }
}
