//! Where charm archives come from: the controller, over HTTPS.

use std::{net::SocketAddr, path::Path, sync::Arc};

use async_trait::async_trait;
use juju_agent::Secret;
use reqwest::{Certificate, Client, StatusCode, Url};
use serde_json::Value;
use tokio::{fs::File, io::AsyncWriteExt as _, net::lookup_host};

/// The name that every controller's certificate carries.
const SERVER_NAME: &str = "juju-apiserver";
/// More than any charm may have; the archive's own limits are checked when it is unpacked.
const MAX_ARCHIVE: u64 = 4 << 30;

/// Why there is no archive.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The controller does not have it yet, or cannot be reached: another attempt may succeed.
    #[error("not yet available")]
    NotYet(#[source] anyhow::Error),
    #[error("refused")]
    Refused(#[source] anyhow::Error),
}

impl FetchError {
    pub fn is_transient(&self) -> bool {
        matches!(self, FetchError::NotYet(_))
    }
}

/// Brings archives.
#[async_trait]
pub trait CharmSource: Send + Sync {
    /// Writes the archive of a charm to `target`, over whatever is there.
    async fn fetch(&self, charm: &str, target: &Path) -> Result<(), FetchError>;
}

/// How to reach the controller's HTTP endpoints, as of now.
#[derive(Debug, Clone)]
pub struct HttpLogin {
    /// `host:port` each.
    pub addresses: Vec<String>,
    pub ca_cert: String,
    pub model_uuid: String,
    /// The unit's.
    pub tag: String,
    pub password: Secret,
}

/// The controller's own store of charms.
pub struct HttpCharms {
    login: Arc<dyn Fn() -> HttpLogin + Send + Sync>,
}

impl HttpCharms {
    /// `login` is asked each time, since addresses and passwords change.
    pub fn new(login: impl Fn() -> HttpLogin + Send + Sync + 'static) -> Self {
        HttpCharms { login: Arc::new(login) }
    }
}

#[async_trait]
impl CharmSource for HttpCharms {
    async fn fetch(&self, charm: &str, target: &Path) -> Result<(), FetchError> {
        let login = (self.login)();
        let mut last = FetchError::NotYet(anyhow::anyhow!("no address of the controller is known"));
        for address in &login.addresses {
            match fetch_from(&login, address, charm, target).await {
                Err(err) if err.is_transient() => last = err,
                other => return other,
            }
        }
        Err(last)
    }
}

async fn fetch_from(login: &HttpLogin, address: &str, charm: &str, target: &Path) -> Result<(), FetchError> {
    let later = |err: anyhow::Error| FetchError::NotYet(err.context(format!("controller at {address}")));
    let refused = |err: anyhow::Error| FetchError::Refused(err.context(format!("controller at {address}")));
    let socket = lookup_host(address)
        .await
        .map_err(|err| later(err.into()))?
        .next()
        .ok_or_else(|| later(anyhow::anyhow!("no such host")))?;
    let client = client(login, socket).map_err(refused)?;
    let url = format!("https://{SERVER_NAME}:{}/model/{}/charms", socket.port(), login.model_uuid);
    let url =
        Url::parse_with_params(&url, [("url", charm), ("file", "*")]).map_err(|err| refused(err.into()))?;
    let request = client.get(url).basic_auth(&login.tag, Some(login.password.expose()));
    let mut response = request.send().await.map_err(|err| later(err.into()))?;
    if response.status() != StatusCode::OK {
        let status = response.status();
        let body = response.json::<Value>().await.unwrap_or_default();
        let (code, message) = describe(&body);
        let err = anyhow::anyhow!("{status}: {message}");
        let missing = code == juju_wire::code::NOT_YET_AVAILABLE || status.is_server_error();
        return Err(if missing { later(err) } else { refused(err) });
    }
    let mut file = File::create(target).await.map_err(|err| refused(err.into()))?;
    let mut size = 0;
    while let Some(chunk) = response.chunk().await.map_err(|err| later(err.into()))? {
        size += chunk.len() as u64;
        if size > MAX_ARCHIVE {
            return Err(refused(anyhow::anyhow!("the archive has more than {MAX_ARCHIVE} bytes")));
        }
        file.write_all(&chunk).await.map_err(|err| refused(err.into()))?;
    }
    file.flush().await.map_err(|err| refused(err.into()))
}

fn client(login: &HttpLogin, socket: SocketAddr) -> anyhow::Result<Client> {
    let roots = Certificate::from_pem_bundle(login.ca_cert.as_bytes())?;
    let builder = Client::builder().tls_certs_only(roots).https_only(true).no_proxy();
    Ok(builder.resolve(SERVER_NAME, socket).build()?)
}

/// The code and the text of an error, in either of the forms that controllers use.
fn describe(body: &Value) -> (String, String) {
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    match &body["error"] {
        Value::Object(error) => (text(&error["code"]), text(&error["message"])),
        error => (text(&body["error-code"]), text(error)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_forms_of_errors_are_read() {
        for (body, code, message) in [
            (json!({"error": {"code": "not found", "message": "no"}}), "not found", "no"),
            (json!({"error": "no", "error-code": "not found"}), "not found", "no"),
            (json!(null), "", ""),
        ] {
            assert_eq!(describe(&body), (code.to_owned(), message.to_owned()));
        }
    }
}
