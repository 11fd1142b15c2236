//! Is this certificate good to serve?

use std::time::{Duration, SystemTime};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, RootCertStore};
use sha2::{Digest, Sha256};

use super::{CertError, Leaf, provider};

/// What is wrong with a leaf. Each is mended by issuing another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertProblem {
    #[error("the certificate cannot be read")]
    UnreadableCert,
    #[error("its private key cannot be read")]
    UnreadableKey,
    #[error("its private key belongs to another certificate")]
    KeyMismatch,
    #[error("it has expired")]
    Expired,
    #[error("it is not valid yet; check this machine's clock")]
    NotYetValid,
    #[error("it lacks the name {0:?}")]
    MissingName(String),
    #[error("it was not issued by this controller's authority")]
    ForeignIssuer,
}

/// Whether a client that trusts `ca_pem` alone and asks for any of `names` would accept this leaf.
pub fn check_leaf(leaf: &Leaf, ca_pem: &str, names: &[&str], now: SystemTime) -> Result<(), CertProblem> {
    let chain = certificates(&leaf.chain_pem).ok_or(CertProblem::UnreadableCert)?;
    let key = private_key(leaf.key_pem.expose()).ok_or(CertProblem::UnreadableKey)?;
    CertifiedKey::from_der(chain.clone(), key, &provider()).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => CertProblem::KeyMismatch,
        rustls::Error::InvalidCertificate(_) => CertProblem::UnreadableCert,
        _ => CertProblem::UnreadableKey,
    })?;
    let roots = trust(ca_pem).map_err(|_| CertProblem::ForeignIssuer)?;
    let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), provider())
        .build()
        .map_err(|_| CertProblem::ForeignIssuer)?;
    let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    for name in names {
        let missing = || CertProblem::MissingName((*name).to_owned());
        let server = ServerName::try_from(*name).map_err(|_| missing())?;
        verifier
            .verify_server_cert(&chain[0], &chain[1..], &server, &[], UnixTime::since_unix_epoch(since_epoch))
            .map_err(|error| match error {
                rustls::Error::InvalidCertificate(reason) => match reason {
                    CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                        CertProblem::Expired
                    }
                    CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                        CertProblem::NotYetValid
                    }
                    CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                        missing()
                    }
                    CertificateError::BadEncoding => CertProblem::UnreadableCert,
                    _ => CertProblem::ForeignIssuer,
                },
                _ => CertProblem::ForeignIssuer,
            })?;
    }
    Ok(())
}

/// The SHA-256 of a certificate as people compare it: `AB:CD:…`.
pub fn fingerprint(cert_pem: &str) -> Result<String, CertError> {
    let certs = certificates(cert_pem).ok_or(CertError::Pem { what: "the CA", kind: "certificate" })?;
    let digest = Sha256::digest(&certs[0]);
    Ok(digest.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":"))
}

/// A store that trusts these certificates and nothing else.
pub(super) fn trust(ca_pem: &str) -> Result<RootCertStore, CertError> {
    const WRONG: CertError = CertError::Pem { what: "the CA", kind: "certificate" };
    let mut roots = RootCertStore::empty();
    for cert in certificates(ca_pem).ok_or(WRONG)? {
        roots.add(cert).map_err(|_| WRONG)?;
    }
    Ok(roots)
}

/// All certificates of a bundle, at least one.
pub(super) fn certificates(pem: &str) -> Option<Vec<CertificateDer<'static>>> {
    let certs: Vec<_> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<_, _>>().ok()?;
    (!certs.is_empty()).then_some(certs)
}

pub(super) fn private_key(pem: &str) -> Option<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(pem.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certs::{Authority, DNS_NAMES};

    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

    #[test]
    fn each_problem_is_told_apart() {
        let now = SystemTime::now();
        let (ca, other) = (Authority::generate(now).unwrap(), Authority::generate(now).unwrap());
        let leaf = ca.issue("controller", &[], now).unwrap();
        let foreign = other.issue("controller", &[], now).unwrap();
        let check = |leaf: &Leaf, names: &[&str], at| check_leaf(leaf, ca.cert_pem(), names, at);
        let with = |chain: &str, key: &str| Leaf { chain_pem: chain.into(), key_pem: key.into() };

        assert_eq!(check(&leaf, &DNS_NAMES, now), Ok(()));
        assert_eq!(check(&leaf, &["other"], now), Err(CertProblem::MissingName("other".into())));
        assert_eq!(check(&leaf, &DNS_NAMES, now + 11 * YEAR), Err(CertProblem::Expired));
        assert_eq!(check(&leaf, &DNS_NAMES, now - YEAR), Err(CertProblem::NotYetValid));
        assert_eq!(check(&foreign, &DNS_NAMES, now), Err(CertProblem::ForeignIssuer));
        let swapped = with(&leaf.chain_pem, foreign.key_pem.expose());
        assert_eq!(check(&swapped, &DNS_NAMES, now), Err(CertProblem::KeyMismatch));
        assert_eq!(check(&with("", "x"), &DNS_NAMES, now), Err(CertProblem::UnreadableCert));
        let cut = with(&leaf.chain_pem[..100], leaf.key_pem.expose());
        assert_eq!(check(&cut, &DNS_NAMES, now), Err(CertProblem::UnreadableCert));
        assert_eq!(check(&with(&leaf.chain_pem, "x"), &DNS_NAMES, now), Err(CertProblem::UnreadableKey));
    }

    #[test]
    fn a_fingerprint_has_32_bytes_and_is_of_the_certificate() {
        let ca = Authority::generate(SystemTime::now()).unwrap();
        let print = fingerprint(ca.cert_pem()).unwrap();
        assert_eq!(print.split(':').count(), 32);
        assert_eq!(fingerprint(&format!("comment\n{}", ca.cert_pem())).unwrap(), print);
        assert!(fingerprint("nothing").is_err());
    }
}
