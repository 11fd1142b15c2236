//! Calls that are tried again while the cluster elects a leader or a member is down.

use std::time::Duration;

use etcd_client::{
    Certificate, Client as Connection, ConnectOptions, Identity, KvClient, TlsOptions, WatchClient,
};
use tokio::time::{Instant, sleep, timeout};

use super::{EtcdOptions, EtcdTls, fault::Fault};
use crate::{Error, Result};

/// A page of large values, or what a follower missed, may exceed gRPC's default of 4 MiB.
const MESSAGE_BYTES: usize = 512 * 1024 * 1024;
/// Pings more often than every 5 s make a member close the connection, with every stream on it.
const KEEP_ALIVE: Duration = Duration::from_secs(6);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(3);
const BACKOFF_FIRST: Duration = Duration::from_millis(20);
const BACKOFF_MOST: Duration = Duration::from_millis(500);

pub(super) struct Client {
    kv: KvClient,
    watch: WatchClient,
    request_timeout: Duration,
    patience: Duration,
}

impl Client {
    pub(super) async fn connect(options: &EtcdOptions) -> Result<Client> {
        let mut connect = ConnectOptions::new()
            .with_connect_timeout(options.request_timeout)
            .with_keep_alive(KEEP_ALIVE, KEEP_ALIVE_TIMEOUT)
            .with_keep_alive_while_idle(true)
            // A member that has lost the others says so, rather than fall silent.
            .with_require_leader(true);
        if let Some(tls) = &options.tls {
            connect = connect.with_tls(tls_options(tls));
        }
        let connected = Connection::connect(&options.endpoints, Some(connect)).await;
        let connection = connected.map_err(|err| Fault::from(err).harmless())?;
        Ok(Client {
            kv: connection.kv_client().max_decoding_message_size(MESSAGE_BYTES),
            watch: connection.watch_client().max_decoding_message_size(MESSAGE_BYTES),
            request_timeout: options.request_timeout,
            patience: options.patience,
        })
    }

    pub(super) fn request_timeout(&self) -> Duration {
        self.request_timeout
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    pub(super) fn watch(&self) -> WatchClient {
        self.watch.clone()
    }

    /// Makes a call that is the same when it is made twice, until it is answered or patience ends.
    pub(super) async fn call<T, F>(&self, call: impl Fn(KvClient) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        let deadline = Instant::now() + self.patience;
        let mut backoff = Backoff::default();
        loop {
            let fault = match timeout(self.request_timeout, call(self.kv.clone())).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(err)) => Fault::from(err),
                Err(_) => Fault::Uncertain(anyhow::anyhow!("no answer within {:?}", self.request_timeout)),
            };
            let pause = backoff.next();
            match fault {
                Fault::Uncertain(cause) if Instant::now() + pause < deadline => {
                    tracing::debug!(error = format!("{cause:#}"), "etcd did not answer, trying again");
                }
                fault => return Err(fault),
            }
            sleep(pause).await;
        }
    }
}

fn tls_options(tls: &EtcdTls) -> TlsOptions {
    let options = TlsOptions::new()
        .ca_certificate(Certificate::from_pem(&tls.ca))
        .identity(Identity::from_pem(&tls.certificate, &tls.key));
    match &tls.server_name {
        Some(name) => options.domain_name(name),
        None => options,
    }
}

/// Pauses that grow, each with jitter.
#[derive(Default)]
pub(super) struct Backoff {
    attempts: u32,
}

impl Backoff {
    pub(super) fn next(&mut self) -> Duration {
        let most = BACKOFF_MOST.min(BACKOFF_FIRST * 2u32.saturating_pow(self.attempts));
        self.attempts += 1;
        most.mul_f64(0.5 + rand::random::<f64>() / 2.0)
    }

    pub(super) fn reset(&mut self) {
        self.attempts = 0;
    }
}

/// The revision in an answer's header, which etcd always sends.
pub(super) fn header_revision(header: Option<&etcd_client::ResponseHeader>) -> Result<crate::Revision> {
    let header = header.ok_or_else(|| Error::Damaged("an answer of etcd without a header".to_owned()))?;
    Ok(revision(header.revision()))
}

/// etcd's revisions are never negative.
pub(super) fn revision(it: i64) -> crate::Revision {
    crate::Revision(it.max(0) as u64)
}
