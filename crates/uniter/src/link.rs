//! A connection to the controller that outlasts its breaks.
//!
//! A hook must not fail because the controller was restarted while it ran, and what it has changed must not be lost. So
//! a unit's workers do not hold a connection: they hold a [`Link`], and a call through it waits while there is no
//! connection, and is sent again if the connection broke before its answer came. That is sound for calls that may be
//! made twice, which all of a unit agent's are but one: see [`Api::commit`](crate::api::Api::commit).

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use juju_rpc::{CallError, Connection};
use juju_wire::{Error, Method, code};
use rand::RngExt as _;
use tokio::{sync::watch, time::sleep};

/// Makes a connection that is logged in as the unit.
pub type Dial = Arc<dyn Fn() -> BoxFuture<'static, Result<Connection, DialFailure>> + Send + Sync>;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum DialFailure {
    /// Another attempt may succeed.
    #[error("cannot open api")]
    Later(#[source] anyhow::Error),
    /// The controller does not know the unit, or says that it is dead.
    #[error("connection permanently impossible")]
    Impossible(#[source] anyhow::Error),
}

/// The unit is not let in any more.
#[derive(Debug, Clone, thiserror::Error)]
#[error("connection permanently impossible: {0}")]
pub struct Impossible(Arc<anyhow::Error>);

/// Why a call has no result, breaks of the connection aside.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The controller's answer; what to do depends on its code.
    #[error("{0}")]
    Api(Error),
    /// The controller answered in words that this agent does not know.
    #[error("{0}")]
    Unreadable(#[source] CallError),
    #[error("{0}")]
    Impossible(Impossible),
    /// The unit's agent is stopping.
    #[error("the unit agent is stopping")]
    Stopping,
}

impl ApiError {
    /// The code of the controller's answer, or "".
    pub fn code(&self) -> &str {
        match self {
            ApiError::Api(error) => &error.code,
            _ => "",
        }
    }

    /// Whether the controller would rather be asked again.
    fn passes(&self) -> bool {
        matches!(self.code(), code::TRY_AGAIN | code::STOPPED | code::EXCESSIVE_CONTENTION)
    }

    /// Whether the thing that was asked for is not there, or not for this unit, which agents treat alike.
    pub fn is_gone(&self) -> bool {
        matches!(self.code(), code::NOT_FOUND | code::UNAUTHORIZED)
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        ApiError::Api(error)
    }
}

#[derive(Clone)]
enum Now {
    Down,
    Up(Connection),
    Impossible(Impossible),
}

/// A handle; clones share the connection.
#[derive(Clone)]
pub struct Link {
    now: watch::Receiver<Now>,
}

/// Where a [`Link`]'s connections come from.
pub struct Slot {
    now: watch::Sender<Now>,
}

/// A link that is down, and what brings it up.
pub fn new() -> (Link, Slot) {
    let (sender, now) = watch::channel(Now::Down);
    (Link { now }, Slot { now: sender })
}

impl Slot {
    pub fn up(&self, connection: Connection) {
        self.now.send_replace(Now::Up(connection));
    }

    pub fn down(&self) {
        self.now.send_replace(Now::Down);
    }

    /// Connects, and connects again whenever the connection breaks. Ends only when the unit is not let in.
    pub async fn keep(&self, dial: Dial) -> Impossible {
        let mut delay = FIRST_DELAY;
        loop {
            match dial().await {
                Ok(connection) => {
                    delay = FIRST_DELAY;
                    connection.keep_alive();
                    self.up(connection.clone());
                    let reason = connection.closed().await;
                    self.down();
                    tracing::info!("api connection lost: {reason}");
                }
                Err(DialFailure::Later(err)) => tracing::info!("cannot open api: {err:#}"),
                Err(DialFailure::Impossible(err)) => {
                    tracing::error!("Failed to connect to controller: {err:#}");
                    let impossible = Impossible(Arc::new(err));
                    self.now.send_replace(Now::Impossible(impossible.clone()));
                    return impossible;
                }
            }
            // Thousands of agents lose the same controller at the same moment.
            let jitter = rand::rng().random_range(0.5..1.5);
            sleep(delay.mul_f64(jitter)).await;
            delay = (delay * 2).min(LAST_DELAY);
        }
    }
}

/// How often, and how soon, a controller is asked again that is too busy, or about to close the connection.
const PATIENCE: u32 = 30;
const PAUSE: Duration = Duration::from_secs(1);

/// From the loss of a connection to the first attempt, and the most between attempts.
const FIRST_DELAY: Duration = Duration::from_millis(100);
const LAST_DELAY: Duration = Duration::from_secs(10);

impl Link {
    /// A connection that is up, once there is one.
    pub async fn connection(&self) -> Result<Connection, ApiError> {
        let mut now = self.now.clone();
        loop {
            match &*now.borrow_and_update() {
                Now::Up(connection) if !connection.is_closed() => return Ok(connection.clone()),
                Now::Up(_) | Now::Down => {}
                Now::Impossible(impossible) => return Err(ApiError::Impossible(impossible.clone())),
            }
            now.changed().await.map_err(|_| ApiError::Stopping)?;
        }
    }

    /// Calls a method that may be called twice: it is sent again if the connection breaks before the answer is there.
    pub async fn call<M>(&self, params: M::Params) -> Result<M::Reply, ApiError>
    where
        M: Method,
        M::Params: Clone,
    {
        let mut attempts = 0;
        loop {
            match self.once::<M>(params.clone()).await {
                Ok(Some(reply)) => return Ok(reply),
                Ok(None) => {
                    tracing::debug!(facade = M::FACADE, method = M::NAME, "connection broke, asking again");
                }
                Err(err) if err.passes() && attempts < PATIENCE => {
                    attempts += 1;
                    sleep(PAUSE).await;
                }
                Err(err) => return Err(err),
            }
        }
    }

    /// Calls a method; no answer means that the connection broke, and that the call may have been carried out.
    pub async fn once<M: Method>(&self, params: M::Params) -> Result<Option<M::Reply>, ApiError> {
        match self.connection().await?.call::<M>(params).await {
            Ok(reply) => Ok(Some(reply)),
            Err(CallError::Closed(_)) => Ok(None),
            Err(CallError::Api(error)) => Err(ApiError::Api(error)),
            Err(other) => Err(ApiError::Unreadable(other)),
        }
    }
}
