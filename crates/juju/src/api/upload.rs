//! Charm archives to the controller, over HTTP beside the connection.

use std::{net::SocketAddr, path::Path, time::Duration};

use reqwest::{Client, StatusCode, header};
use serde::Deserialize;

use super::session::Credentials;
use crate::error::{Error, Result, told};

/// The name that a controller's certificate is for, whatever its address.
const SERVER_NAME: &str = "juju-apiserver";

/// Where a charm's archive goes and what it is.
pub struct CharmUpload<'a> {
    pub model_uuid: &'a str,
    /// The charm's name.
    pub name: &'a str,
    /// What the URL asks for; the controller may choose a higher one.
    pub revision: i64,
    pub archive: &'a Path,
    /// Of the archive, in hex.
    pub sha256: &'a str,
}

/// Uploads and returns the charm's URL, with the revision that the controller chose.
pub async fn charm(credentials: &Credentials, upload: &CharmUpload<'_>) -> Result<String> {
    let failed = |why: String| Error::failed(format!("cannot upload charm {:?}: {why}", upload.name));
    let mut last = "the controller has no address".to_owned();
    for address in &credentials.addresses {
        let client = client(&credentials.ca_cert, address).await.map_err(failed)?;
        let port = address.rsplit_once(':').map_or("", |it| it.1);
        // `PUT` is what Juju 3.6 does; older controllers know only the other way.
        let hash = &upload.sha256[..7.min(upload.sha256.len())];
        let url =
            format!("https://{SERVER_NAME}:{port}/model-{}/charms/{}-{hash}", upload.model_uuid, upload.name);
        let curl = format!("local:{}-{}", upload.name, upload.revision);
        let request = client.put(url).header("Juju-Curl", curl);
        match send(request, credentials, upload).await {
            Ok(Sent::Done(url)) => return Ok(url),
            Ok(Sent::NoSuchPlace) => {
                let url = format!(
                    "https://{SERVER_NAME}:{port}/model/{}/charms?schema=local&name={}&revision={}",
                    upload.model_uuid, upload.name, upload.revision
                );
                return match send(client.post(url), credentials, upload).await {
                    Ok(Sent::Done(url)) => Ok(url),
                    Ok(Sent::NoSuchPlace) => Err(failed("the controller takes no charms".to_owned())),
                    Err(Failure::Refused(why) | Failure::Unreachable(why)) => Err(failed(why)),
                };
            }
            Err(Failure::Refused(why)) => return Err(failed(why)),
            Err(Failure::Unreachable(why)) => last = why,
        }
    }
    Err(failed(last))
}

enum Sent {
    Done(String),
    /// `not found` or `method not allowed`.
    NoSuchPlace,
}

enum Failure {
    /// The controller's own words.
    Refused(String),
    Unreachable(String),
}

#[derive(Deserialize)]
struct Reply {
    #[serde(rename = "charm-url", default)]
    charm_url: String,
    #[serde(default)]
    error: serde_json::Value,
}

async fn send(
    request: reqwest::RequestBuilder,
    credentials: &Credentials,
    upload: &CharmUpload<'_>,
) -> std::result::Result<Sent, Failure> {
    let unreadable =
        |e: std::io::Error| Failure::Refused(format!("cannot read {}: {e}", upload.archive.display()));
    let file = tokio::fs::File::open(upload.archive).await.map_err(unreadable)?;
    let length = file.metadata().await.map_err(unreadable)?.len();
    let mut request =
        request.header(header::CONTENT_TYPE, "application/zip").header(header::CONTENT_LENGTH, length);
    for (name, value) in credentials.headers() {
        request = request.header(name, value);
    }
    let response = request.body(file).send().await.map_err(|e| Failure::Unreachable(told(&e)))?;
    let status = response.status();
    let body = response.bytes().await.map_err(|e| Failure::Unreachable(told(&e)))?;
    let reply: Option<Reply> = serde_json::from_slice(&body).ok();
    if matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
        return Ok(Sent::NoSuchPlace);
    }
    match reply {
        Some(reply) if status.is_success() && !reply.charm_url.is_empty() => Ok(Sent::Done(reply.charm_url)),
        // Two forms of errors are about: a text, and an object with a message.
        Some(Reply { error: serde_json::Value::String(text), .. }) => Err(Failure::Refused(text)),
        Some(Reply { error, .. }) if error["message"].is_string() => {
            Err(Failure::Refused(error["message"].as_str().unwrap_or_default().to_owned()))
        }
        _ => {
            let text = String::from_utf8_lossy(&body[..body.len().min(500)]).trim().to_owned();
            Err(Failure::Refused(format!("the controller answered {status}: {text}")))
        }
    }
}

/// A client for one address, which trusts that controller's CA and no other.
async fn client(ca_cert: &str, address: &str) -> std::result::Result<Client, String> {
    let addresses: Vec<SocketAddr> =
        tokio::net::lookup_host(address).await.map_err(|e| format!("cannot find {address}: {e}"))?.collect();
    let certificates = reqwest::Certificate::from_pem_bundle(ca_cert.as_bytes())
        .map_err(|e| format!("the controller's CA certificate cannot be read: {}", told(&e)))?;
    Client::builder()
        .tls_certs_only(certificates)
        .resolve_to_addrs(SERVER_NAME, &addresses)
        .no_proxy()
        .http1_only()
        .connect_timeout(Duration::from_secs(10))
        .build()
        .map_err(|e| told(&e))
}
