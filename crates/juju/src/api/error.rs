//! Answers and refusals of a controller as a command's errors.

use juju_rpc::CallError;
use juju_wire::params;

use crate::error::{Error, Result, told};

impl From<CallError> for Error {
    fn from(e: CallError) -> Self {
        match e {
            CallError::Api(e) => Self::Api(e),
            other => Self::Failed(told(&other)),
        }
    }
}

/// A call's result with what was being done.
pub fn call<T>(result: std::result::Result<T, CallError>, what: &str) -> Result<T> {
    result.map_err(|e| Error::from(e).context(what))
}

/// The one result that a bulk call of one entity has.
pub fn only<T>(mut results: Vec<T>) -> Result<T> {
    match results.len() {
        1 => Ok(results.remove(0)),
        n => Err(Error::failed(format!("expected one result, got {n}"))),
    }
}

/// The result of one entity in a bulk call that answers with errors alone.
pub fn item(results: params::ErrorResults) -> Result {
    match only(results.results)?.error {
        None => Ok(()),
        Some(e) => Err(Error::Api(e)),
    }
}

/// The results of several entities: one failure is the command's, of more each is told in `printer`.
pub fn items(printer: &mut crate::printer::Printer, errors: Vec<juju_wire::Error>) -> Result {
    match errors.len() {
        0 => Ok(()),
        1 => Err(Error::Api(errors.into_iter().next().expect("one of one"))),
        _ => {
            for e in errors {
                printer.error(e.message);
            }
            Err(Error::Silent(1))
        }
    }
}
