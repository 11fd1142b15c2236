//! Dials the addresses of a controller: TCP, TLS under its own CA, websocket.

mod error;
mod tls;

use std::{fmt, io, sync::Arc, time::Duration};

use futures_util::{SinkExt as _, TryStreamExt as _};
use rand::seq::SliceRandom as _;
use rustls::pki_types::ServerName;
use tokio::{
    net::TcpStream,
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        Error as WsError,
        client::IntoClientRequest as _,
        handshake::client::Request,
        http::{HeaderName, HeaderValue},
    },
};

pub use error::DialError;

use crate::{
    MAX_FRAME,
    transport::{Transport, TransportError},
    websocket,
};

/// Where an API server is and how to trust it.
#[derive(Clone)]
pub struct DialConfig {
    /// `host:port`, in no order that matters.
    pub addresses: Vec<String>,
    /// The controller's CA in PEM, the only root that is trusted.
    pub ca_cert: String,
    /// The name that the certificate must be for, whatever address is dialled.
    pub server_name: String,
    /// `/api`, `/model/<uuid>/api` or one of the streams.
    pub path: String,
    /// Further headers of the upgrade request; secrets among them are why this type does not print them.
    pub headers: Vec<(String, String)>,
    pub timeouts: Timeouts,
}

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// TCP and TLS, for one address.
    pub dial: Duration,
    /// The websocket upgrade.
    pub handshake: Duration,
    /// The whole attempt, all addresses together.
    pub open: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let (dial, handshake) = (Duration::from_secs(10), Duration::from_secs(45));
        Timeouts { dial, handshake, open: Duration::from_secs(60) }
    }
}

impl DialConfig {
    /// A connection to the controller itself, not to one of its models.
    pub fn controller(addresses: Vec<String>, ca_cert: impl Into<String>) -> Self {
        DialConfig {
            addresses,
            ca_cert: ca_cert.into(),
            server_name: "juju-apiserver".to_owned(),
            path: "/api".to_owned(),
            headers: vec![],
            timeouts: Timeouts::default(),
        }
    }

    pub fn model(addresses: Vec<String>, ca_cert: impl Into<String>, uuid: &str) -> Self {
        DialConfig { path: format!("/model/{uuid}/api"), ..Self::controller(addresses, ca_cert) }
    }
}

impl fmt::Debug for DialConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DialConfig { addresses, server_name, path, timeouts, .. } = self;
        f.debug_struct("DialConfig")
            .field("addresses", addresses)
            .field("server_name", server_name)
            .field("path", path)
            .field("timeouts", timeouts)
            .finish_non_exhaustive()
    }
}

/// An open websocket, and the address that answered.
type Dialled = (WebSocketStream<Stream>, String);
type Stream = TlsStream<TcpStream>;

/// An address is given this lead before the next is tried as well.
const LEAD: Duration = Duration::from_millis(50);

/// An open websocket, and the address that answered.
pub(crate) async fn dial(config: &DialConfig) -> Result<(impl Transport, String), DialError> {
    let open = config.timeouts.open;
    let (socket, address) = timeout(open, race(config)).await.map_err(|_| DialError::OpenTimeout(open))??;
    Ok((socket.map_err(TransportError::from).sink_map_err(TransportError::from), address))
}

/// The first address that answers wins; if none does, the error that tells most.
async fn race(config: &DialConfig) -> Result<Dialled, DialError> {
    let tls = tls::connector(&config.ca_cert)?;
    let name = ServerName::try_from(config.server_name.clone())
        .map_err(|_| DialError::BadAddress(config.server_name.clone()))?;
    let mut addresses = config.addresses.clone();
    addresses.shuffle(&mut rand::rng());
    addresses.sort_by_key(|it| is_loopback(it));
    let mut waiting = addresses.into_iter();
    // Dropping the set ends the losers.
    let mut attempts = JoinSet::new();
    let mut worst = DialError::NoAddresses;
    let mut next_start = Instant::now();
    loop {
        let more = waiting.len() > 0;
        if !more && attempts.is_empty() {
            return Err(worst);
        }
        tokio::select! {
            biased;
            Some(ended) = attempts.join_next(), if !attempts.is_empty() => match ended {
                Ok(Ok(dialled)) => return Ok(dialled),
                Ok(Err(err)) => {
                    tracing::debug!(%err, "an address does not answer");
                    if err_is_more(&err, &worst) {
                        worst = err;
                    }
                    next_start = Instant::now();
                }
                Err(panic) => std::panic::resume_unwind(panic.into_panic()),
            },
            () = sleep_until(next_start), if more => {
                if let Some(address) = waiting.next() {
                    attempts.spawn(attempt(address, config.clone(), tls.clone(), name.clone()));
                    next_start = Instant::now() + LEAD;
                }
            }
        }
    }
}

fn err_is_more(err: &DialError, than: &DialError) -> bool {
    err.weight() > than.weight()
}

/// Loopback addresses go last: another machine's are not this one's.
fn is_loopback(address: &str) -> bool {
    address.starts_with("127.") || address.starts_with("localhost:") || address.starts_with("[::1]:")
}

async fn attempt(
    address: String,
    config: DialConfig,
    tls: TlsConnector,
    name: ServerName<'static>,
) -> Result<Dialled, DialError> {
    let limit = config.timeouts.dial;
    let late = |_| DialError::Timeout { address: address.clone(), limit };
    let stream = timeout(limit, secure(&address, tls, name)).await.map_err(late)??;
    let limit = config.timeouts.handshake;
    let late = |_| DialError::Timeout { address: address.clone(), limit };
    let socket = timeout(limit, upgrade(&address, &config, stream)).await.map_err(late)??;
    Ok((socket, address))
}

async fn secure(address: &str, tls: TlsConnector, name: ServerName<'static>) -> Result<Stream, DialError> {
    if address.rsplit_once(':').is_none_or(|(host, port)| host.is_empty() || port.parse::<u16>().is_err()) {
        return Err(DialError::BadAddress(address.to_owned()));
    }
    let found: Vec<_> = match tokio::net::lookup_host(address).await {
        Ok(found) => found.collect(),
        Err(err) => return Err(DialError::Resolve { host: address.to_owned(), source: Arc::new(err) }),
    };
    let tcp = TcpStream::connect(found.as_slice()).await.map_err(|err| match err.kind() {
        io::ErrorKind::ConnectionRefused => DialError::Refused { address: address.to_owned() },
        _ => DialError::Unreachable { address: address.to_owned(), source: Arc::new(err) },
    })?;
    // Requests are small and are waited for. A system that cannot do this is slower, no more.
    let _ = tcp.set_nodelay(true);
    tls.connect(name, tcp).await.map_err(|err| tls_error(address, err))
}

fn tls_error(address: &str, err: io::Error) -> DialError {
    let untrusted = err
        .get_ref()
        .and_then(|it| it.downcast_ref::<rustls::Error>())
        .is_some_and(|it| matches!(it, rustls::Error::InvalidCertificate(_)));
    let (address, source) = (address.to_owned(), Arc::new(err));
    if untrusted { DialError::Untrusted { address, source } } else { DialError::Tls { address, source } }
}

async fn upgrade(
    address: &str,
    config: &DialConfig,
    stream: Stream,
) -> Result<WebSocketStream<Stream>, DialError> {
    let handshake = |why: String| DialError::Handshake { address: address.to_owned(), why };
    let request = request(address, config).map_err(handshake)?;
    match client_async_with_config(request, stream, Some(websocket::config(MAX_FRAME))).await {
        Ok((socket, _)) => Ok(socket),
        Err(WsError::Http(response)) => {
            let body = response.body().as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            let (status, body) = (response.status().as_u16(), body.trim().to_owned());
            Err(DialError::Http { address: address.to_owned(), status, body })
        }
        Err(err) => Err(handshake(err.to_string())),
    }
}

fn request(address: &str, config: &DialConfig) -> Result<Request, String> {
    let mut request =
        format!("wss://{address}{}", config.path).into_client_request().map_err(|err| err.to_string())?;
    for (name, value) in &config.headers {
        let name = HeaderName::try_from(name).map_err(|err| err.to_string())?;
        let mut value = HeaderValue::try_from(value).map_err(|err| err.to_string())?;
        value.set_sensitive(true);
        request.headers_mut().insert(name, value);
    }
    Ok(request)
}
