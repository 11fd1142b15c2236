//! `api-caller`: the agent's connection to its controller (Juju 3.6 `worker/apicaller`).
//!
//! A fresh agent has only the password that provisioning wrote. It logs in with it, writes a password of its own to its
//! configuration, tells the server, and begins again; a crash between any two of these heals by trying both.

use std::time::Duration;

use juju_agent::{
    Secret,
    conf::{ApiInfo, ConfFile},
    passwords,
};
use juju_engine::{Request, Scope, Transient};
use juju_rpc::{CallError, Connection, DialConfig, Timeouts};
use juju_wire::{
    code,
    facade::{admin::LoginRequest, agent},
    params::{EntityPassword, EntityPasswords},
};
use tokio::time::{Instant, sleep};

use crate::{
    Ended,
    results::{check, entity, is_gone, ok, only},
};

/// How often, and for how long, an agent asks again whose machine the controller has not provisioned yet.
const NOT_PROVISIONED_RETRY: Duration = Duration::from_secs(5);
const NOT_PROVISIONED_LIMIT: Duration = Duration::from_secs(600);

pub async fn run(conf: ConfFile, scope: Scope<Connection>) -> anyhow::Result<()> {
    let Some(opened) = scope.until_cancelled(open(&conf)).await else { return Ok(()) };
    let connection = opened?;
    connection.keep_alive();
    scope.publish(connection.clone());
    tokio::select! {
        () = scope.cancelled() => {
            connection.close().await;
            Ok(())
        }
        closed = connection.closed() => {
            Err(anyhow::Error::new(closed).context(Ended::ConnectionBroken))
        }
    }
}

/// A connection that is logged in as the agent, which has a password of its own by then.
///
/// The error holds [`Ended::ConnectImpossible`] if the controller will never let the agent in, and is
/// [`Transient`] where another try may succeed.
pub async fn open(conf: &ConfFile) -> anyhow::Result<Connection> {
    loop {
        let Some(info) = conf.current().api_info() else {
            return Err(Request::Waiting("no API address is known yet".to_owned()).into());
        };
        let (connection, fallback) = log_in(&info).await?;
        match prepare(conf, &info, &connection, fallback).await {
            Ok(Ready::Yes) => return Ok(connection),
            // Juju begins again as well, so that the new password is proved at once.
            Ok(Ready::WithNewPassword) => connection.close().await,
            Err(err) => {
                connection.close().await;
                return Err(err);
            }
        }
    }
}

enum Ready {
    Yes,
    WithNewPassword,
}

/// What is done on each new connection before anybody uses it.
async fn prepare(
    conf: &ConfFile,
    info: &ApiInfo,
    connection: &Connection,
    fallback: bool,
) -> anyhow::Result<Ready> {
    let entity = connection.call::<agent::call::GetEntities>(entity(&info.tag)).await?;
    let entity = only(entity.entities)?;
    match ok(entity.error, entity.life) {
        Ok(life) if life != "dead" => {}
        Ok(_) => return Err(impossible("agent's entity is dead")),
        Err(err) if is_gone(&err.code) => return Err(impossible(&err.message)),
        Err(err) => return Err(err.into()),
    }
    if !fallback {
        // Juju sends the same password at each connect, for the sake of promoted controllers.
        set_password(connection, &info.tag, &info.password).await?;
        return Ok(Ready::Yes);
    }
    // Written before the server knows it: the other way round a crash would lock the agent out.
    let password = passwords::random();
    conf.update(|conf| {
        conf.old_password = info.old_password.clone();
        conf.api_password = password.clone();
    })
    .await?;
    set_password(connection, &info.tag, &password).await?;
    Ok(Ready::WithNewPassword)
}

/// Connects and logs in; true if the fallback password let it in.
async fn log_in(info: &ApiInfo) -> anyhow::Result<(Connection, bool)> {
    if !info.password.is_empty() {
        match connect(info, &info.password).await {
            Err(err) if code_of(&err) == code::UNAUTHORIZED => {}
            other => return Ok((settle(other)?, false)),
        }
    }
    Ok((settle(connect(info, &info.old_password).await)?, true))
}

fn settle(opened: anyhow::Result<Connection>) -> anyhow::Result<Connection> {
    opened.map_err(|err| match code_of(&err) {
        code::UNAUTHORIZED | code::NOT_PROVISIONED => {
            tracing::error!("Failed to connect to controller: {err:#}");
            err.context(Ended::ConnectImpossible)
        }
        code::TRY_AGAIN => Transient::new(err).into(),
        _ if err.downcast_ref::<juju_rpc::DialError>().is_some() => Transient::new(err).into(),
        _ => err,
    })
}

/// Dials and logs in, waiting for a machine that is not provisioned yet.
async fn connect(info: &ApiInfo, password: &Secret) -> anyhow::Result<Connection> {
    let give_up = Instant::now() + NOT_PROVISIONED_LIMIT;
    loop {
        match connect_once(info, password).await {
            Err(err) if code_of(&err) == code::NOT_PROVISIONED && Instant::now() < give_up => {
                tracing::debug!("{err:#}; trying again in {NOT_PROVISIONED_RETRY:?}");
                sleep(NOT_PROVISIONED_RETRY).await;
            }
            other => return other,
        }
    }
}

async fn connect_once(info: &ApiInfo, password: &Secret) -> anyhow::Result<Connection> {
    let config = DialConfig {
        timeouts: Timeouts { dial: Duration::from_secs(3), ..Timeouts::default() },
        ..DialConfig::model(info.addresses.clone(), info.ca_cert.clone(), &info.model)
    };
    let connection = Connection::connect(&config).await?;
    let login = connection.login(LoginRequest {
        auth_tag: info.tag.clone(),
        credentials: password.expose().to_owned(),
        nonce: info.nonce.clone(),
        client_version: juju_core::version::CURRENT.to_string(),
        ..LoginRequest::default()
    });
    match login.await {
        Ok(_) => Ok(connection),
        Err(err) => {
            connection.close().await;
            Err(err.into())
        }
    }
}

async fn set_password(connection: &Connection, tag: &str, password: &Secret) -> anyhow::Result<()> {
    let change = EntityPassword { tag: tag.to_owned(), password: password.expose().to_owned() };
    let args = EntityPasswords { changes: vec![change] };
    let results = connection.call::<agent::call::SetPasswords>(args).await;
    results
        .map_err(anyhow::Error::from)
        .and_then(check)
        .map_err(|err| err.context("can't reset agent password"))
}

fn impossible(why: &str) -> anyhow::Error {
    tracing::error!("Failed to connect to controller: {why}");
    anyhow::Error::new(Ended::ConnectImpossible).context(why.to_owned())
}

fn code_of(err: &anyhow::Error) -> &str {
    err.downcast_ref::<CallError>().map_or("", CallError::code)
}
