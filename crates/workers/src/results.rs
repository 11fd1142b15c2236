//! One result out of a bulk call that was made for one entity.

use juju_wire::{
    Error,
    params::{Entities, Entity, ErrorResults},
};

/// The server answered another number of results than were asked for.
#[derive(Debug, thiserror::Error)]
#[error("expected 1 result, got {0}")]
pub(crate) struct WrongCount(usize);

/// The only element.
pub(crate) fn only<T>(mut results: Vec<T>) -> Result<T, WrongCount> {
    let count = results.len();
    match results.pop() {
        Some(it) if count == 1 => Ok(it),
        _ => Err(WrongCount(count)),
    }
}

pub(crate) fn check(results: ErrorResults) -> anyhow::Result<()> {
    match only(results.results)?.error {
        Some(err) => Err(err.into()),
        None => Ok(()),
    }
}

pub(crate) fn ok<T>(error: Option<Error>, value: T) -> Result<T, Error> {
    match error {
        Some(err) => Err(err),
        None => Ok(value),
    }
}

pub(crate) fn entity(tag: &str) -> Entities {
    Entities { entities: vec![Entity { tag: tag.to_owned() }] }
}

/// Whether the server said that the entity is not there, or not ours: to an agent both mean that it is gone.
pub(crate) fn is_gone(code: &str) -> bool {
    code == juju_wire::code::NOT_FOUND || code == juju_wire::code::UNAUTHORIZED
}
