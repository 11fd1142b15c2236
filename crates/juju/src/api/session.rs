//! A logged-in connection to a controller or to one of its models.

use juju_agent::Secret;
use juju_rpc::{Connection, DialConfig, DialError, stream};
use juju_wire::{
    code,
    facade::admin::{LoginRequest, LoginResult},
    params::HostPort,
};

use super::refresh_models;
use crate::{
    Context,
    bootstrap::local,
    cli::Env,
    error::{Context as _, Error, Result, told},
    select::{self, Target},
    store::{Accounts, Controller, Controllers, Models, Store},
};

/// What this client says it is.
const CLIENT_VERSION: &str = env!("CARGO_PKG_VERSION");

/// A connection that has logged in.
pub struct Session {
    pub connection: Connection,
    /// The controller's name in the store.
    pub controller: String,
    /// The model's `owner/name` and UUID, on connections to one.
    pub model: Option<OpenModel>,
    pub user: String,
    /// Of the controller, as the login told.
    pub server_version: String,
    /// What was dialled and who logged in, for requests beside the connection.
    pub credentials: Credentials,
}

/// The model that a session is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenModel {
    /// `owner/name`.
    pub name: String,
    pub uuid: String,
}

impl OpenModel {
    /// The name without its owner.
    pub fn short_name(&self) -> &str {
        self.name.rsplit_once('/').map_or(&self.name, |it| it.1)
    }
}

/// How to make further requests to the same controller.
#[derive(Clone)]
pub struct Credentials {
    pub addresses: Vec<String>,
    pub ca_cert: String,
    pub user: String,
    pub password: Secret,
}

impl Credentials {
    /// The headers of HTTP requests and streams.
    pub fn headers(&self) -> Vec<(String, String)> {
        stream::credentials(&format!("user-{}", self.user), self.password.expose(), "")
    }
}

/// What a command line names: a controller and perhaps a model, and what is stored of them.
pub struct Open<'a> {
    store: &'a Store,
    name: String,
    controller: Controller,
    user: String,
    password: Secret,
    invocation: &'a str,
    env: &'a Env,
    /// Whether a local controller that is down is started.
    revives: bool,
}

impl Session {
    /// Connects to the controller that `-c`, the environment or the store names.
    pub async fn controller(ctx: &Context, flag: Option<&str>) -> Result<Self> {
        let name = select::controller(flag, &ctx.env, &read(&ctx.store)?)?;
        Open::controller(ctx, &name)?.connect().await
    }

    /// Connects to the model that `-m`, the environment or the store names.
    pub async fn model(ctx: &Context, flag: Option<&str>) -> Result<Self> {
        let target = Self::target(ctx, flag)?;
        Open::controller(ctx, &target.controller)?.connect_model(&target.model).await
    }

    /// What `-m` means, without a connection.
    pub fn target(ctx: &Context, flag: Option<&str>) -> Result<Target> {
        select::model(flag, &ctx.env, &read(&ctx.store)?, &read(&ctx.store)?)
    }

    /// The model of a session that was opened by [`Session::model`].
    pub fn open_model(&self) -> Result<&OpenModel> {
        self.model
            .as_ref()
            .ok_or_else(|| Error::failed("this is a connection to a controller, not to a model"))
    }

    /// Says goodbye; a controller that does not answer any more is not waited for.
    pub async fn close(self) {
        self.connection.close().await;
    }
}

impl<'a> Open<'a> {
    pub fn controller(ctx: &'a Context, name: &str) -> Result<Self> {
        let controllers: Controllers = read(&ctx.store)?;
        let controller = controllers
            .controllers
            .get(name)
            .ok_or_else(|| Error::failed(format!("controller {name} not found")))?
            .clone();
        let account = read::<Accounts>(&ctx.store)?.controllers.remove(name).unwrap_or_default();
        if account.user.is_empty() || account.password.is_empty() {
            return Err(Error::failed(format!(
                "not logged in: there is no password for controller {name:?} in the client store"
            )));
        }
        let Context { store, invocation, env, .. } = ctx;
        let (user, password) = (account.user, account.password);
        Ok(Self { store, name: name.to_owned(), controller, user, password, invocation, env, revives: true })
    }

    pub async fn connect(&self) -> Result<Session> {
        self.open(None).await
    }

    /// Connects without starting a local controller that is down.
    pub async fn connect_as_it_is(mut self) -> Result<Session> {
        self.revives = false;
        self.open(None).await
    }

    /// Finds the model, asking the controller for its models if the store does not know it, and connects to it.
    pub async fn connect_model(&self, wanted: &str) -> Result<Session> {
        let model = match self.find(wanted)? {
            Some(model) => model,
            None => {
                let session = self.open(None).await?;
                refresh_models(self.store, &session).await?;
                session.close().await;
                let name = crate::store::qualify(wanted, &self.user);
                self.find(wanted)?
                    .ok_or_else(|| Error::failed(format!("model {}:{name} not found", self.name)))?
            }
        };
        self.open(Some(model)).await
    }

    fn find(&self, wanted: &str) -> Result<Option<OpenModel>> {
        let models: Models = read(self.store)?;
        let Some(models) = models.of(&self.name) else { return Ok(None) };
        let found = models.find(wanted, &self.user).map_err(|e| Error::chain(&e))?;
        Ok(found.map(|(name, model)| OpenModel { name: name.to_owned(), uuid: model.uuid.clone() }))
    }

    async fn open(&self, model: Option<OpenModel>) -> Result<Session> {
        let addresses = self.controller.endpoints().to_vec();
        let ca_cert = self.controller.ca_cert.clone();
        let dial = match &model {
            Some(model) => DialConfig::model(addresses.clone(), &ca_cert, &model.uuid),
            None => DialConfig::controller(addresses.clone(), &ca_cert),
        };
        let connection = self.dial(&dial).await?;
        let request = LoginRequest {
            auth_tag: format!("user-{}", self.user),
            credentials: self.password.expose().to_owned(),
            client_version: CLIENT_VERSION.to_owned(),
            cli_args: self.invocation.to_owned(),
            bakery_version: Some(3),
            ..LoginRequest::default()
        };
        let login = match connection.login(request).await {
            Ok(login) => login,
            Err(e) => return Err(self.refused(e.into(), model.as_ref())),
        };
        self.check(&login)?;
        self.remember(&login)?;
        let (user, password) = (self.user.clone(), self.password.clone());
        Ok(Session {
            connection,
            controller: self.name.clone(),
            model,
            user: user.clone(),
            server_version: login.server_version,
            credentials: Credentials { addresses, ca_cert, user, password },
        })
    }

    async fn dial(&self, config: &DialConfig) -> Result<Connection> {
        let failed = |e: &DialError| {
            Error::failed(format!("cannot connect to controller {:?}: {}", self.name, told(e)))
        };
        match Connection::connect(config).await {
            Ok(connection) => Ok(connection),
            Err(e @ (DialError::Refused { .. } | DialError::Timeout { .. })) if self.revives => {
                // Nobody listens. A local controller is started by its supervisor, which this client starts
                // if it is gone, after a reboot of the host for one.
                if !local::revive(self.store, &local::Host::of(self.env), &self.name).await? {
                    return Err(failed(&e));
                }
                local::until_it_listens(config).await.map_err(|e| failed(&e))
            }
            Err(e) => Err(failed(&e)),
        }
    }

    /// A refused login; a model that is gone is forgotten.
    fn refused(&self, error: Error, model: Option<&OpenModel>) -> Error {
        let Some(model) = model.filter(|_| error.code() == code::MODEL_NOT_FOUND) else { return error };
        let forgotten = self.store.update(|file: &mut Models| {
            if let Some(models) = file.controllers.get_mut(&self.name) {
                models.remove(&model.name);
            }
        });
        if let Err(e) = forgotten {
            tracing::debug!(error = told(&e), "cannot remove the model from the client store");
        }
        Error::failed(format!(
            "model {:?} has been removed from the controller, run 'juju models' and switch to one of them.",
            model.name
        ))
    }

    fn check(&self, login: &LoginResult) -> Result {
        if !login.discharge_required.is_null() || !login.bakery_discharge_required.is_null() {
            return Err(Error::failed(
                "this controller wants a login in a browser, which this client cannot do",
            ));
        }
        let identity = login.user_info.as_ref().map(|it| it.identity.as_str()).unwrap_or_default();
        let wanted = format!("user-{}", self.user);
        if identity != wanted {
            return Err(Error::failed(format!("attempted login as {wanted:?} for user {identity:?}")));
        }
        Ok(())
    }

    /// Keeps the addresses and the access that the login told, if they are news.
    fn remember(&self, login: &LoginResult) -> Result {
        let endpoints = endpoints(&login.servers);
        let known: std::collections::BTreeSet<_> = self.controller.endpoints().iter().collect();
        if !endpoints.is_empty() && known != endpoints.iter().collect() {
            self.keep(|file: &mut Controllers| {
                if let Some(controller) = file.controllers.get_mut(&self.name) {
                    controller.api_endpoints.0.clone_from(&endpoints);
                }
            })?;
        }
        let access = login.user_info.as_ref().map(|it| it.controller_access.as_str()).unwrap_or_default();
        let stored = read::<Accounts>(self.store)?.controllers.remove(&self.name).unwrap_or_default();
        if !access.is_empty() && stored.last_known_access != access {
            self.keep(|file: &mut Accounts| {
                if let Some(account) = file.controllers.get_mut(&self.name) {
                    account.last_known_access = access.to_owned();
                }
            })?;
        }
        Ok(())
    }

    /// What is only kept for later does not fail a command where the store cannot be written.
    fn keep<F: crate::store::StoreFile>(&self, change: impl FnOnce(&mut F)) -> Result {
        if let Err(e) = self.store.update(change) {
            tracing::debug!(error = told(&e), "cannot update the client store");
        }
        Ok(())
    }
}

fn read<F: crate::store::StoreFile>(store: &Store) -> Result<F> {
    store.read().context("cannot read the client store")
}

/// The addresses a client can use: no link-local ones, and those of the machine itself only if there are no others.
fn endpoints(servers: &[Vec<HostPort>]) -> Vec<String> {
    let all = || servers.iter().flatten().filter(|it| it.scope != "link-local");
    let text = |it: &HostPort| match it.type_.as_str() {
        "ipv6" => format!("[{}]:{}", it.value, it.port),
        _ => format!("{}:{}", it.value, it.port),
    };
    let others: Vec<_> = all().filter(|it| it.scope != "local-machine").map(text).collect();
    let mut usable = if others.is_empty() { all().map(text).collect() } else { others };
    let mut seen = std::collections::BTreeSet::new();
    usable.retain(|it| seen.insert(it.clone()));
    usable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_keeps_the_addresses_it_can_use() {
        let address = |value: &str, kind: &str, scope: &str| HostPort {
            value: value.into(),
            type_: kind.into(),
            scope: scope.into(),
            port: 17070,
            ..HostPort::default()
        };
        let local = address("127.0.0.1", "ipv4", "local-machine");
        let servers = vec![
            vec![address("10.8.0.4", "ipv4", "local-cloud"), local.clone()],
            vec![address("fd00::1", "ipv6", "public"), address("fe80::1", "ipv6", "link-local")],
            vec![address("10.8.0.4", "ipv4", "local-cloud")],
        ];
        assert_eq!(endpoints(&servers), ["10.8.0.4:17070", "[fd00::1]:17070"]);
        assert_eq!(endpoints(&[vec![local]]), ["127.0.0.1:17070"]);
        assert!(endpoints(&[]).is_empty());
    }
}
