//! One API connection: a login first, then calls.

use std::{
    sync::{Arc, OnceLock, atomic::Ordering},
    time::Duration,
};

use juju_core::ModelUuid;
use juju_rpc::{End, Options, Request, Service, Transport, serve, websocket::Limit};
use juju_state::Model;
use juju_wire::{Error as WireError, code, codec::Ser, facade::admin};
use serde_json::value::{RawValue, to_raw_value};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    Ctx, Error, Result,
    ctx::Session,
    limits::Door,
    login,
    router::{Target, unknown_facade, unknown_method},
    server::Shared,
};

/// Where a connection leads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    Controller,
    Model(ModelUuid),
}

impl Place {
    /// The model that is meant: on a connection to the controller alone, the controller's own.
    pub(crate) fn model(&self, shared: &Shared) -> Result<Model> {
        match self {
            Place::Controller => Ok(shared.state.controller_model()?),
            Place::Model(uuid) => shared.state.model(uuid).map_err(|err| match err {
                juju_state::Error::ModelNotFound(_) => unknown_model(uuid),
                other => other.into(),
            }),
        }
    }
}

fn unknown_model(uuid: &ModelUuid) -> Error {
    Error::new(code::MODEL_NOT_FOUND, format_args!("unknown model: {:?}", uuid.to_string()))
}

/// Serves a websocket to `/api` or `/model/<uuid>/api`.
pub(crate) async fn run(
    shared: Arc<Shared>,
    place: Place,
    transport: impl Transport,
    limit: Limit,
    door: Arc<Door>,
    stop: CancellationToken,
) {
    let number = door.number();
    let leave = door.clone();
    let connection = Api::new(shared, place, number, Some((limit, door)));
    drive(connection, transport, stop, async move { leave.told_to_leave().await }).await;
}

/// Serves a connection within this process. It is neither a stranger nor can it be silent.
pub(crate) async fn run_local(
    shared: Arc<Shared>,
    place: Place,
    transport: impl Transport,
    stop: CancellationToken,
) {
    let number = shared.local_connections.fetch_add(1, Ordering::Relaxed);
    let connection = Api::new(shared, place, number, None);
    drive(connection, transport, stop, std::future::pending()).await;
}

async fn drive(
    connection: Arc<Api>,
    transport: impl Transport,
    stop: CancellationToken,
    leave: impl Future<Output = ()>,
) {
    // Serving ends by this token alone, so that what runs is always drained.
    let stop = stop.child_token();
    let serving = serve(transport, connection.clone(), Options::default(), stop.clone());
    let watching = async {
        let limits = &connection.shared.limits;
        tokio::select! {
            () = connection.logged_in.cancelled() => connection.until_silent(limits.silence).await,
            () = sleep(limits.login) => tracing::debug!(connection = connection.number, "no login in time"),
            () = leave => tracing::debug!(connection = connection.number, "gives way to another"),
        }
        stop.cancel();
        std::future::pending().await
    };
    let end = tokio::select! {
        end = serving => end,
        () = watching => unreachable!("it cancels the token and waits for ever"),
    };
    match end {
        End::Peer | End::Stopped => tracing::debug!(connection = connection.number, ?end, "connection ended"),
        end => tracing::debug!(connection = connection.number, ?end, "connection cut off"),
    }
}

/// The service of one connection.
pub(crate) struct Api {
    pub(crate) shared: Arc<Shared>,
    pub(crate) place: Place,
    pub(crate) number: u64,
    /// What is opened to the peer by its login.
    outside: Option<(Limit, Arc<Door>)>,
    session: OnceLock<Arc<Session>>,
    /// One login at a time.
    login: Mutex<()>,
    logged_in: CancellationToken,
}

impl Api {
    fn new(shared: Arc<Shared>, place: Place, number: u64, outside: Option<(Limit, Arc<Door>)>) -> Arc<Self> {
        let (session, login, logged_in) = (OnceLock::new(), Mutex::default(), CancellationToken::new());
        Arc::new(Api { shared, place, number, outside, session, login, logged_in })
    }

    async fn handle(&self, request: Request) -> Result<Box<RawValue>> {
        // On a model that is not there, or not any more, nothing succeeds, the login least of all.
        self.place.model(&self.shared)?;
        let Request { facade, version, method, object, params, .. } = request;
        let Some(session) = self.session.get() else {
            return self.before_login(&facade, version, &method, &object, params.as_deref()).await;
        };
        let target = Target { facade: &facade, version, method: &method };
        self.shared.router.call(Ctx::new(session.clone(), &object), target, params)?.await
    }

    async fn before_login(
        &self,
        facade: &str,
        version: i64,
        method: &str,
        object: &str,
        params: Option<&RawValue>,
    ) -> Result<Box<RawValue>> {
        if facade != admin::NAME {
            return Err(unknown_facade(facade));
        }
        if version != i64::from(*admin::INFO.versions.end()) {
            return Err(Error::not_supported("this version of Juju does not support login from old clients"));
        }
        if !object.is_empty() {
            return Err(Error::not_found("id"));
        }
        match method {
            "Login" => {
                let params = serde_json::from_str(params.map_or("null", RawValue::get));
                let result = self.log_in(params.map_err(Error::bad_request)?).await?;
                to_raw_value(&Ser(&result)).map_err(|err| Error::internal("cannot write the reply", &err))
            }
            "RedirectInfo" => Err(login::not_redirected()),
            other => Err(unknown_method(admin::NAME, *admin::INFO.versions.end(), other)),
        }
    }

    async fn log_in(&self, request: admin::LoginRequest) -> Result<admin::LoginResult> {
        let _one_at_a_time = self.login.lock().await;
        if self.session.get().is_some() {
            return Err(login::already_logged_in());
        }
        let (session, result) = login::log_in(self, request).await?;
        if let Some((limit, door)) = &self.outside {
            limit.set(juju_rpc::MAX_FRAME);
            door.admit();
        }
        let _ = self.session.set(Arc::new(session));
        self.logged_in.cancel();
        Ok(result)
    }

    /// Waits until an agent has been silent for too long; a user never is.
    async fn until_silent(&self, limit: Duration) {
        let Some(session) = self.session.get().filter(|it| !it.entity.is_user() && self.outside.is_some())
        else {
            return std::future::pending().await;
        };
        loop {
            let Some(pinged) = session.touch(|at| *at) else { return std::future::pending().await };
            let late = pinged + limit;
            if late <= Instant::now() {
                tracing::info!(entity = %session.entity, "no ping in {limit:?}, closing the connection");
                return;
            }
            sleep_until(late).await;
        }
    }
}

impl Service for Api {
    async fn call(self: Arc<Self>, request: Request) -> Result<Box<RawValue>, WireError> {
        Ok(self.handle(request).await?)
    }

    fn closing(&self) {
        if let Some(session) = self.session.get() {
            session.watchers.close();
        }
    }
}
