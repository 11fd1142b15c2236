//! Why a command ends without success, by what its caller does about it.

use juju_wire::code;

/// What a command gives back.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// A failed command; [`Error::exit_code`] is what the shell sees.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line cannot be right, whatever the state of the world: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// All was said already; only the exit code is left.
    #[error("exit code {0}")]
    Silent(u8),
    /// The controller refused.
    #[error("{0}")]
    Api(#[source] juju_wire::Error),
    /// Anything else, in the words to show.
    #[error("{0}")]
    Failed(String),
    /// The reader of standard output has gone: nothing to say, and nobody to say it to.
    #[error("nobody reads the output")]
    BrokenPipe,
}

impl Error {
    pub fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// An error with its causes, told as Juju does: `what: why: why`.
    pub fn chain(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::Failed(told(error))
    }

    /// `what: this`, with the code kept.
    pub fn context(self, what: impl std::fmt::Display) -> Self {
        match self {
            Self::Api(mut e) => {
                e.message = format!("{what}: {}", e.message);
                Self::Api(e)
            }
            Self::Failed(text) => Self::Failed(format!("{what}: {text}")),
            other => other,
        }
    }

    /// The same, followed by what was logged.
    pub fn context_after(self, log: &str) -> Self {
        match self {
            Self::Failed(text) => Self::Failed(format!("{text}\n\nThe last errors logged:\n{log}")),
            other => other,
        }
    }

    /// The code that the controller gave, if it was the one to refuse.
    pub fn code(&self) -> &str {
        match self {
            Self::Api(e) => &e.code,
            _ => "",
        }
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Silent(code) => *code,
            Self::Api(_) | Self::Failed(_) | Self::BrokenPipe => 1,
        }
    }

    /// What stands behind `ERROR ` on standard error; nothing if all was said.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Silent(_) | Self::BrokenPipe => None,
            Self::Api(e) if e.code == code::OPERATION_BLOCKED => Some(format!(
                "{}\n\nThere are blocks on this model. See the blocks with \"juju disabled-commands\" and lift one \
                 with \"juju enable-command\".",
                e.message
            )),
            Self::Api(e) if e.code == code::NOT_IMPLEMENTED => {
                Some(format!("{} (the controller does not offer this)", e.message))
            }
            other => Some(other.to_string()),
        }
    }
}

/// An error's text followed by those of its causes.
pub fn told(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(e) = cause {
        text.push_str(": ");
        text.push_str(&e.to_string());
        cause = e.source();
    }
    text
}

impl From<juju_wire::Error> for Error {
    fn from(e: juju_wire::Error) -> Self {
        Self::Api(e)
    }
}

/// Writes an `anyhow`-like context on any error that has causes.
pub trait Context<T> {
    fn context(self, what: impl std::fmt::Display) -> Result<T>;
}

impl<T, E: std::error::Error + 'static> Context<T> for std::result::Result<T, E> {
    fn context(self, what: impl std::fmt::Display) -> Result<T> {
        self.map_err(|e| Error::Failed(format!("{what}: {}", told(&e))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_messages() {
        for (error, code, message) in [
            (Error::usage("no model specified"), 2, Some("no model specified")),
            (Error::failed("x"), 1, Some("x")),
            (Error::Silent(7), 7, None),
            (Error::BrokenPipe, 1, None),
            (
                Error::Api(juju_wire::Error::not_found("application \"x\"")),
                1,
                Some("application \"x\" not found"),
            ),
        ] {
            assert_eq!((error.exit_code(), error.message().as_deref()), (code, message));
        }
    }

    #[test]
    fn context_keeps_the_code() {
        let error = Error::from(juju_wire::Error::not_found("x")).context("cannot destroy model");
        assert_eq!(error.code(), code::NOT_FOUND);
        assert_eq!(error.to_string(), "cannot destroy model: x not found");
    }

    #[test]
    fn a_block_comes_with_the_way_out() {
        let error = Error::from(juju_wire::Error::new(code::OPERATION_BLOCKED, "keep it"));
        let message = error.message().unwrap();
        assert!(message.starts_with("keep it\n") && message.contains("juju enable-command"), "{message}");
    }
}
