//! TLS on both ends of an API connection.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::pki_types::ServerName;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, ServerConfig};
use x509_parser::extensions::GeneralName;

use super::check::{certificates, private_key, trust};
use super::{CertError, Leaf, SERVER_NAME, provider};

/// The certificates a controller serves, which can change while it does.
///
/// A client that names no server gets the leaf with addresses, one that names a server gets a leaf
/// with that name, and any other gets the default one, whose names every agent knows.
pub struct ServerCerts {
    default: ArcSwap<Served>,
    /// The same as `default` until the machine's addresses are known.
    with_addresses: ArcSwap<Served>,
}

struct Served {
    names: Vec<String>,
    key: Arc<CertifiedKey>,
}

impl ServerCerts {
    pub fn new(default: &Leaf) -> Result<Self, CertError> {
        let served = Arc::new(Served::load(default)?);
        Ok(Self { default: ArcSwap::new(served.clone()), with_addresses: ArcSwap::new(served) })
    }

    pub fn set_default(&self, leaf: &Leaf) -> Result<(), CertError> {
        self.default.store(Arc::new(Served::load(leaf)?));
        Ok(())
    }

    /// What is served from now on to clients that dial an address. Connections stay.
    pub fn set_with_addresses(&self, leaf: &Leaf) -> Result<(), CertError> {
        self.with_addresses.store(Arc::new(Served::load(leaf)?));
        Ok(())
    }

    fn select(&self, name: Option<&str>) -> Arc<CertifiedKey> {
        let with_addresses = self.with_addresses.load();
        let Some(name) = name else { return with_addresses.key.clone() };
        let default = self.default.load();
        if !default.has(name) && with_addresses.has(name) {
            return with_addresses.key.clone();
        }
        default.key.clone()
    }
}

impl ResolvesServerCert for ServerCerts {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.select(hello.server_name()))
    }
}

impl fmt::Debug for ServerCerts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerCerts")
            .field("default", &self.default.load().names)
            .field("with_addresses", &self.with_addresses.load().names)
            .finish()
    }
}

impl Served {
    fn load(leaf: &Leaf) -> Result<Self, CertError> {
        const WHAT: &str = "the server certificate";
        let chain =
            certificates(&leaf.chain_pem).ok_or(CertError::Pem { what: WHAT, kind: "certificate" })?;
        let key =
            private_key(leaf.key_pem.expose()).ok_or(CertError::Pem { what: WHAT, kind: "private key" })?;
        let names = dns_names(&chain[0]);
        let key = CertifiedKey::from_der(chain, key, &provider()).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => CertError::KeyMismatch { what: WHAT },
            other => CertError::Tls(other),
        })?;
        Ok(Self { names, key: Arc::new(key) })
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// What a controller listens with: TLS 1.2 and 1.3, no client certificates, HTTP/1.1.
pub fn server_config(certs: Arc<ServerCerts>) -> Result<ServerConfig, CertError> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(CertError::Tls)?
        .with_no_client_auth()
        .with_cert_resolver(certs);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// What agents and clients dial with: they trust this authority and no other. Use it with
/// [`server_name`].
pub fn client_config(ca_pem: &str) -> Result<ClientConfig, CertError> {
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(CertError::Tls)?
        .with_root_certificates(trust(ca_pem)?)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// The name to ask a controller for, at whatever address.
pub fn server_name() -> ServerName<'static> {
    ServerName::try_from(SERVER_NAME).expect("the constant is a valid DNS name")
}

fn dns_names(der: &[u8]) -> Vec<String> {
    let Ok((_, cert)) = x509_parser::parse_x509_certificate(der) else { return Vec::new() };
    let Ok(Some(names)) = cert.subject_alternative_name() else { return Vec::new() };
    let names = names.value.general_names.iter().filter_map(|name| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        _ => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_rustls::{TlsAcceptor, TlsConnector};

    use super::*;
    use crate::certs::Authority;

    async fn handshake(
        server: ServerConfig,
        client: ClientConfig,
        name: ServerName<'static>,
    ) -> Result<Vec<u8>, String> {
        let (near, far) = tokio::io::duplex(1 << 16);
        let serve = async {
            let mut stream =
                TlsAcceptor::from(Arc::new(server)).accept(far).await.map_err(|e| e.to_string())?;
            stream.write_all(b"hello").await.map_err(|e| e.to_string())?;
            stream.shutdown().await.map_err(|e| e.to_string())
        };
        let dial = async {
            let connector = TlsConnector::from(Arc::new(client));
            let mut stream = connector.connect(name, near).await.map_err(|e| e.to_string())?;
            let mut got = Vec::new();
            stream.read_to_end(&mut got).await.map_err(|e| e.to_string())?;
            Ok(got)
        };
        let (_, got) = tokio::join!(serve, dial);
        got
    }

    #[tokio::test]
    async fn a_client_of_the_authority_gets_through_and_another_does_not() {
        let now = SystemTime::now();
        let (ca, other) = (Authority::generate(now).unwrap(), Authority::generate(now).unwrap());
        let leaf = ca.issue("controller", &[], now).unwrap();
        let config = || server_config(Arc::new(ServerCerts::new(&leaf).unwrap())).unwrap();
        let got = handshake(config(), client_config(ca.cert_pem()).unwrap(), server_name()).await;
        assert_eq!(got.unwrap(), b"hello");
        let stranger = client_config(other.cert_pem()).unwrap();
        assert!(handshake(config(), stranger, server_name()).await.is_err());
        let named = ServerName::try_from("example.com").unwrap();
        assert!(handshake(config(), client_config(ca.cert_pem()).unwrap(), named).await.is_err());
    }

    #[tokio::test]
    async fn an_address_is_accepted_once_its_leaf_is_there() {
        let now = SystemTime::now();
        let ca = Authority::generate(now).unwrap();
        let leaf = ca.issue("controller", &[], now).unwrap();
        let certs = Arc::new(ServerCerts::new(&leaf).unwrap());
        let by_address = || {
            let name = ServerName::try_from("10.1.2.3").unwrap();
            handshake(server_config(certs.clone()).unwrap(), client_config(ca.cert_pem()).unwrap(), name)
        };
        assert!(by_address().await.is_err());
        let address = "10.1.2.3".parse().unwrap();
        let names = ["ctl.example".to_owned()];
        certs
            .set_with_addresses(&ca.reissue(&leaf.key_pem, "controllerip", &names, &[address], now).unwrap())
            .unwrap();
        assert_eq!(by_address().await.unwrap(), b"hello");

        let by_default = certs.default.load().key.clone();
        assert!(Arc::ptr_eq(&certs.select(Some("juju-apiserver")), &by_default));
        assert!(Arc::ptr_eq(&certs.select(Some("unknown")), &by_default));
        assert!(!Arc::ptr_eq(&certs.select(Some("CTL.example")), &by_default));
        assert!(!Arc::ptr_eq(&certs.select(None), &by_default));
    }

    #[test]
    fn a_leaf_with_anothers_key_is_refused() {
        let now = SystemTime::now();
        let ca = Authority::generate(now).unwrap();
        let mut leaf = ca.issue("controller", &[], now).unwrap();
        leaf.key_pem = ca.issue("controller", &[], now).unwrap().key_pem;
        assert!(matches!(ServerCerts::new(&leaf), Err(CertError::KeyMismatch { .. })));
        assert!(client_config("no certificate").is_err());
    }
}
