//! The loops of calls about many things: one result for each, in order, failures among them.

use std::future::Future;

use juju_wire::{
    Error as WireError,
    params::{
        Entities, ErrorResult, ErrorResults, LifeResult, LifeResults, NotifyWatchResult, NotifyWatchResults,
        StringResult, StringResults, StringsResult, StringsResults, StringsWatchResult, StringsWatchResults,
    },
};

use crate::Result;

/// A result that carries either a value or an error.
pub trait FromOutcome<T>: Default {
    fn value(value: T) -> Self;
    fn error(error: WireError) -> Self;
}

/// Runs `one` for each argument in turn and gathers what each came to.
pub async fn each<A, T, R, W>(args: impl IntoIterator<Item = A>, mut one: impl FnMut(A) -> W) -> Vec<R>
where
    R: FromOutcome<T>,
    W: Future<Output = Result<T>>,
{
    let mut results = vec![];
    for arg in args {
        results.push(outcome(one(arg).await));
    }
    results
}

/// The tags of a call about entities.
pub fn tags(args: Entities) -> impl Iterator<Item = String> {
    args.entities.into_iter().map(|it| it.tag)
}

pub fn outcome<T, R: FromOutcome<T>>(result: Result<T>) -> R {
    match result {
        Ok(value) => R::value(value),
        Err(error) => R::error(error.into()),
    }
}

macro_rules! outcomes {
    ($($result:ident, $list:ident: $value:ty, $pattern:pat => { $($field:ident: $it:expr),* };)*) => {$(
        impl FromOutcome<$value> for $result {
            fn value($pattern: $value) -> Self {
                // Some of these hold nothing but the error.
                #[allow(clippy::needless_update)]
                $result { $($field: $it,)* ..Default::default() }
            }
            fn error(error: WireError) -> Self {
                #[allow(clippy::needless_update)]
                $result { error: Some(error), ..Default::default() }
            }
        }
        impl FromResults<$result> for $list {
            fn from_results(results: Vec<$result>) -> Self {
                $list { results }
            }
        }
    )*};
}

/// A reply that is a list of results.
pub trait FromResults<R> {
    fn from_results(results: Vec<R>) -> Self;
}

outcomes! {
    ErrorResult, ErrorResults: (), () => {};
    LifeResult, LifeResults: String, life => { life: life };
    StringResult, StringResults: String, it => { result: it };
    StringsResult, StringsResults: Vec<String>, it => { result: it };
    NotifyWatchResult, NotifyWatchResults: String, id => { notify_watcher_id: id };
    StringsWatchResult, StringsWatchResults: (String, Vec<String>), (id, changes) => { watcher_id: id, changes: changes };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[tokio::test]
    async fn each_argument_has_a_result_in_its_place() {
        let args = Entities {
            entities: ["a", "", "c"].map(|it| juju_wire::params::Entity { tag: it.into() }).into(),
        };
        let one = async |tag: String| if tag.is_empty() { Err(Error::unauthorized()) } else { Ok(tag) };
        let results: Vec<LifeResult> = each(tags(args), one).await;
        let lives: Vec<_> = results.iter().map(|it| it.life.as_str()).collect();
        assert_eq!(lives, ["a", "", "c"]);
        assert_eq!(results[1].error.as_ref().unwrap().code, "unauthorized access");
        assert!(results[0].error.is_none());
        let list = LifeResults::from_results(results);
        assert_eq!(list.results.len(), 3);
    }
}
