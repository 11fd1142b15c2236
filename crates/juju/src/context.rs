//! All that a command may touch.

use std::{
    future::Future,
    io::{self, BufRead},
    time::Duration,
};

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    cli::Env,
    error::{Error, Result},
    output::time::Zone,
    printer::Printer,
    store::Store,
};

/// Standard input.
pub type Input = Box<dyn BufRead + Send>;

/// What a command works with. It is made once, at the edge, and tests make their own.
pub struct Context {
    pub env: Env,
    pub store: Store,
    pub printer: Printer,
    pub input: Input,
    pub clock: Clock,
    /// The command line as typed, which a login tells the controller for its audit log.
    pub invocation: String,
}

/// What time it is and where.
#[derive(Clone, Debug)]
pub struct Clock {
    pub now: fn() -> Timestamp,
    pub zone: fn() -> TimeZone,
}

impl Context {
    /// Times as `status` writes them; `utc` beats `JUJU_STATUS_ISO_TIME`.
    pub fn zone(&self, utc: bool) -> Result<Zone> {
        let iso = match self.env.iso_time.as_deref().filter(|_| !utc) {
            None => utc,
            Some("1" | "t" | "T" | "true" | "TRUE" | "True") => true,
            Some("0" | "f" | "F" | "false" | "FALSE" | "False") => false,
            Some(_) => {
                return Err(Error::usage("invalid JUJU_STATUS_ISO_TIME env var, expected true|false"));
            }
        };
        Ok(Zone { iso, local: (self.clock.zone)() })
    }

    pub fn now(&self) -> Timestamp {
        (self.clock.now)()
    }

    /// A line of standard input; empty at its end.
    pub fn read_line(&mut self) -> Result<String> {
        let mut line = String::new();
        // Answers are short; a file that was piped in by mistake is not read whole.
        let mut limited = io::Read::take(&mut self.input, 4096);
        limited.read_line(&mut line).map_err(|e| Error::failed(format!("cannot read the answer: {e}")))?;
        Ok(line)
    }
}

/// Runs what needs a runtime. One thread is enough: a command waits for one thing at a time.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::failed(format!("cannot start: {e}")))?;
    let result = runtime.block_on(work);
    // A lookup of a host's name may hang in a thread of its own; nobody waits for it any more.
    runtime.shutdown_timeout(Duration::ZERO);
    result
}

/// Waits for `work` and, on a terminal, shows from the first second on that it still goes on.
pub(crate) async fn with_progress<T>(printer: &mut Printer, what: &str, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    let start = tokio::time::Instant::now();
    let mut ticks = tokio::time::interval_at(start + Duration::from_secs(1), Duration::from_secs(1));
    loop {
        tokio::select! {
            biased;
            done = &mut work => {
                printer.end_progress();
                return done;
            }
            _ = ticks.tick() => printer.progress(&format!("{what} ({} s)", start.elapsed().as_secs())),
        }
    }
}
