//! TLS that trusts one controller's CA and nothing else.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use tokio_rustls::TlsConnector;

use super::DialError;

pub(super) fn connector(ca_cert: &str) -> Result<TlsConnector, DialError> {
    let mut roots = RootCertStore::empty();
    for cert in CertificateDer::pem_slice_iter(ca_cert.as_bytes()) {
        let cert = cert.map_err(|err| DialError::BadCa(err.to_string()))?;
        roots.add(cert).map_err(|err| DialError::BadCa(err.to_string()))?;
    }
    if roots.is_empty() {
        return Err(DialError::BadCa("it holds no certificate".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|err| DialError::BadCa(err.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}
