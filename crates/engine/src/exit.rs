//! How a worker ends, and what its error asks of whoever runs it.
//!
//! A worker returns `anyhow::Result<()>` and does not know its engine; its manifold's exit filter turns that
//! into an [`Exit`]. The usual filters are [`Exit::of`], and [`Exit::or_fatal`] where some errors end the
//! process. Errors are told apart by type, anywhere in their chain, never by their text.

use std::fmt;

/// How a worker ended, as far as its engine is concerned. `F` is what may end the whole engine, the worst
/// being the greatest.
///
/// All but `Fatal` say what to do with a worker that ended on its own. One that was told to stop is started
/// again whatever it returned.
#[derive(Debug)]
pub enum Exit<F> {
    /// Its work is done: it rests until one of its inputs changes.
    Done,
    /// Start it again after the bounce delay.
    Bounce,
    /// It will never be needed again: forget it, and let what requires it wait for ever.
    Uninstall,
    /// It cannot work as things are, for this reason. It rests, quietly, until one of its inputs changes.
    Waiting(String),
    /// End the engine.
    Fatal(F),
    /// It is started again, after a delay that grows with each failure.
    Failed(anyhow::Error),
}

impl<F> Exit<F> {
    /// The plain filter: nothing is fatal, a [`Request`] is granted, any other error is a failure.
    pub fn of(result: anyhow::Result<()>) -> Self {
        Self::or_fatal(result, |_| None)
    }

    /// The plain filter, except for those errors that `fatal` recognises.
    pub fn or_fatal(result: anyhow::Result<()>, fatal: impl FnOnce(&anyhow::Error) -> Option<F>) -> Self {
        let Err(err) = result else { return Exit::Done };
        if let Some(fatal) = fatal(&err) {
            return Exit::Fatal(fatal);
        }
        match find_error::<Request>(&err) {
            Some(Request::Bounce) => Exit::Bounce,
            Some(Request::Uninstall) => Exit::Uninstall,
            Some(Request::Waiting(reason)) => Exit::Waiting(reason.clone()),
            None => Exit::Failed(err),
        }
    }
}

/// An error by which a worker asks for something other than a restart after a delay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Request {
    #[error("restart immediately")]
    Bounce,
    #[error("resource permanently unavailable")]
    Uninstall,
    #[error("{0}")]
    Waiting(String),
}

/// Marks an error as one that is expected to pass by itself: the worker is restarted as after any failure,
/// but the log says so at INFO.
#[derive(Debug, thiserror::Error)]
#[error("try again")]
pub struct Transient(#[source] anyhow::Error);

impl Transient {
    pub fn new(err: impl Into<anyhow::Error>) -> Self {
        Transient(err.into())
    }
}

/// Marks the error of a result as [`Transient`].
pub trait TransientExt<T> {
    fn transient(self) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> TransientExt<T> for Result<T, E> {
    fn transient(self) -> anyhow::Result<T> {
        self.map_err(|err| Transient::new(err).into())
    }
}

/// A worker, or one of its tasks, panicked. The text is Juju's.
#[derive(Debug, thiserror::Error)]
#[error("panic resulted in: {0}")]
pub struct Panicked(String);

impl Panicked {
    pub(crate) fn new(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(|it| (*it).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Panicked(text.unwrap_or_else(|| "a value that is not text".to_owned()))
    }
}

/// It was told to stop, did not within its time, and was dropped in the middle of what it was doing.
#[derive(Debug, thiserror::Error)]
#[error("did not stop in time and was aborted")]
pub(crate) struct Aborted;

/// The first error of type `E` in the chain of `err`, whether it is a cause or was added as context.
pub fn find_error<E>(err: &anyhow::Error) -> Option<&E>
where
    E: std::error::Error + fmt::Display + fmt::Debug + Send + Sync + 'static,
{
    err.downcast_ref::<E>().or_else(|| err.chain().find_map(|it| it.downcast_ref::<E>()))
}

/// Whether the error was marked as [`Transient`] at any level.
pub fn is_transient(err: &anyhow::Error) -> bool {
    find_error::<Transient>(err).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Context, anyhow};

    #[test]
    fn the_plain_filter_finds_requests_anywhere_in_the_chain() {
        let wrapped = |request: Request| Err(anyhow!(request).context("cannot go on"));
        assert!(matches!(Exit::<u8>::of(Ok(())), Exit::Done));
        assert!(matches!(Exit::<u8>::of(wrapped(Request::Bounce)), Exit::Bounce));
        assert!(matches!(Exit::<u8>::of(wrapped(Request::Uninstall)), Exit::Uninstall));
        assert!(
            matches!(Exit::<u8>::of(wrapped(Request::Waiting("no disk".into()))), Exit::Waiting(it) if it == "no disk")
        );
        assert!(
            matches!(Exit::<u8>::of(Err(anyhow!("cause")).context(Request::Bounce)), Exit::Bounce),
            "a request that was added as context counts too"
        );
        assert!(matches!(Exit::<u8>::of(Err(anyhow!("no"))), Exit::Failed(_)));
    }

    #[test]
    fn fatal_errors_come_before_requests() {
        let result = || Err(anyhow!(Request::Bounce).context("reboot"));
        assert!(matches!(Exit::or_fatal(result(), |_| Some(3u8)), Exit::Fatal(3)));
        assert!(matches!(Exit::or_fatal(result(), |_| None::<u8>), Exit::Bounce));
        assert!(matches!(Exit::or_fatal(Ok(()), |_| Some(3u8)), Exit::Done));
    }

    #[test]
    fn transient_is_a_mark_and_hides_nothing() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let err = Err::<(), _>(refused).transient().context("cannot open api").expect_err("it is one");
        assert!(is_transient(&err));
        assert_eq!(format!("{err:#}"), "cannot open api: try again: connection refused");
        assert!(find_error::<std::io::Error>(&err).is_some());
        assert!(!is_transient(&anyhow!("try again")), "the text alone means nothing");
    }

    #[test]
    fn panics_keep_their_message() {
        for (payload, text) in [
            (Box::new("static") as Box<dyn std::any::Any + Send>, "panic resulted in: static"),
            (Box::new("owned".to_owned()), "panic resulted in: owned"),
            (Box::new(5), "panic resulted in: a value that is not text"),
        ] {
            assert_eq!(Panicked::new(&*payload).to_string(), text);
        }
    }
}
