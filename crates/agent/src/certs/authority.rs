//! A controller's certificate authority, and the leaves it issues.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use rand::TryRng as _;
use rand::rngs::SysRng;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, PublicKeyData, SanType, SerialNumber,
};
use uuid::Uuid;

use super::{CertError, DNS_NAMES};
use crate::Secret;

/// Ten years, as Juju.
const VALIDITY: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Clocks of machines differ; a certificate counts from a little before it was made.
const BACKDATE: Duration = Duration::from_secs(5 * 60);

/// The object identifier of a subject's serial number.
const SUBJECT_SERIAL: &[u64] = &[2, 5, 4, 5];

/// A certificate with the key to sign others.
pub struct Authority {
    cert_pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate to serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The leaf and after it the authority: what a server presents, so that a client that does not
    /// know the authority yet can show its fingerprint.
    pub chain_pem: String,
    pub key_pem: Secret,
}

impl Authority {
    /// A new authority with a new key.
    pub fn generate(now: SystemTime) -> Result<Self, CertError> {
        let failed = |source| CertError::Generate { action: "make a certificate authority", source };
        let key = new_key().map_err(failed)?;
        let mut params = CertificateParams::default();
        params.distinguished_name = name("juju-ca");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::KeyEncipherment,
            KeyUsagePurpose::DigitalSignature,
            KeyUsagePurpose::KeyCertSign,
        ];
        set_times(&mut params, now);
        params.serial_number = Some(serial());
        let cert_pem = params.self_signed(&key).map_err(failed)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), cert_pem })
    }

    /// An authority that was made before, by this project or by Juju.
    pub fn load(cert_pem: &str, key_pem: &str) -> Result<Self, CertError> {
        const WHAT: &str = "the CA";
        let not = |kind| CertError::Pem { what: WHAT, kind };
        let key = KeyPair::from_pem(key_pem).map_err(|_| not("private key"))?;
        let (_, pem) =
            x509_parser::pem::parse_x509_pem(cert_pem.as_bytes()).map_err(|_| not("certificate"))?;
        let cert = pem.parse_x509().map_err(|_| not("certificate"))?;
        if !cert.is_ca() {
            return Err(not("certificate of an authority"));
        }
        if cert.public_key().raw != key.subject_public_key_info() {
            return Err(CertError::KeyMismatch { what: WHAT });
        }
        let issuer = Issuer::from_ca_cert_pem(cert_pem, key).map_err(|_| not("certificate"))?;
        Ok(Self { cert_pem: cert_pem.to_owned(), issuer })
    }

    pub fn cert_pem(&self) -> &str {
        &self.cert_pem
    }

    pub fn key_pem(&self) -> Secret {
        self.issuer.key().serialize_pem().into()
    }

    /// A leaf with a new key and the names every leaf has, and these addresses.
    pub fn issue(&self, group: &str, addresses: &[IpAddr], now: SystemTime) -> Result<Leaf, CertError> {
        let key = new_key().map_err(|source| CertError::Generate { action: "make a key", source })?;
        self.issue_for(&key, group, &[], addresses, now)
    }

    /// A leaf for a key that is served already, with further names and addresses.
    pub fn reissue(
        &self,
        key_pem: &Secret,
        group: &str,
        names: &[String],
        addresses: &[IpAddr],
        now: SystemTime,
    ) -> Result<Leaf, CertError> {
        let key = KeyPair::from_pem(key_pem.expose())
            .map_err(|_| CertError::Pem { what: "the key of the certificate", kind: "private key" })?;
        self.issue_for(&key, group, names, addresses, now)
    }

    fn issue_for(
        &self,
        key: &KeyPair,
        group: &str,
        names: &[String],
        addresses: &[IpAddr],
        now: SystemTime,
    ) -> Result<Leaf, CertError> {
        let failed = |source| CertError::Generate { action: "issue a certificate", source };
        let mut all: Vec<String> = DNS_NAMES.map(str::to_owned).into();
        all.extend(names.iter().filter(|name| !DNS_NAMES.contains(&name.as_str())).cloned());
        let mut params = CertificateParams::new(all).map_err(failed)?;
        params.subject_alt_names.extend(addresses.iter().map(|ip| SanType::IpAddress(*ip)));
        params.distinguished_name = name(&format!("Juju server certificate - {group}"));
        let subject_serial = DnType::CustomDnType(SUBJECT_SERIAL.to_vec());
        params.distinguished_name.push(subject_serial, Uuid::new_v4().to_string());
        params.use_authority_key_identifier_extension = true;
        set_times(&mut params, now);
        params.serial_number = Some(serial());
        let cert = params.signed_by(key, &self.issuer).map_err(failed)?;
        let chain_pem = format!("{}{}", unix_lines(&cert.pem()), unix_lines(&self.cert_pem));
        Ok(Leaf { chain_pem, key_pem: unix_lines(&key.serialize_pem()).into() })
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("cert_pem", &self.cert_pem).finish_non_exhaustive()
    }
}

fn new_key() -> Result<KeyPair, rcgen::Error> {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)
}

fn name(common: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::OrganizationName, "Juju");
    name.push(DnType::CommonName, common);
    name
}

fn set_times(params: &mut CertificateParams, now: SystemTime) {
    let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // Certificates have no fractions of a second.
    let now = rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(since_epoch.as_secs());
    params.not_before = now - BACKDATE;
    params.not_after = now + VALIDITY;
}

/// A positive number of at most 160 bits.
fn serial() -> SerialNumber {
    let mut bytes = [0u8; 20];
    SysRng.try_fill_bytes(&mut bytes).expect("the kernel's random source works on every supported kernel");
    bytes[0] = bytes[0] & 0x7f | 0x40;
    SerialNumber::from_slice(&bytes)
}

/// PEM as Go writes it, and with a newline at its end.
fn unix_lines(pem: &str) -> String {
    let mut text = pem.replace("\r\n", "\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use rcgen::PKCS_RSA_SHA256;

    use super::*;
    use crate::certs::check_leaf;

    fn parse(pem: &str) -> Vec<u8> {
        x509_parser::pem::parse_x509_pem(pem.as_bytes()).unwrap().1.contents
    }

    #[test]
    fn an_authority_is_what_clients_expect_of_jujus() {
        let now = SystemTime::now();
        let ca = Authority::generate(now).unwrap();
        let der = parse(ca.cert_pem());
        let (_, cert) = x509_parser::parse_x509_certificate(&der).unwrap();
        assert!(cert.is_ca());
        assert_eq!(cert.subject().iter_common_name().next().unwrap().as_str().unwrap(), "juju-ca");
        assert_eq!(cert.subject().iter_organization().next().unwrap().as_str().unwrap(), "Juju");
        let usage = cert.key_usage().unwrap().unwrap().value;
        assert!(usage.key_cert_sign() && usage.digital_signature() && usage.key_encipherment());
        let years =
            (cert.validity().not_after.timestamp() - cert.validity().not_before.timestamp()) / 31_536_000;
        assert_eq!(years, 10);
        assert!(cert.validity().not_before.to_datetime() < now);
        assert!(ca.key_pem().expose().contains("BEGIN PRIVATE KEY"));
    }

    #[test]
    fn a_leaf_has_the_names_and_the_chain_has_the_authority() {
        let now = SystemTime::now();
        let ca = Authority::generate(now).unwrap();
        let leaf = ca.issue("controller", &["10.0.0.1".parse().unwrap()], now).unwrap();
        let chain: Vec<_> = x509_parser::pem::Pem::iter_from_buffer(leaf.chain_pem.as_bytes())
            .map(|pem| pem.unwrap().contents)
            .collect();
        assert_eq!(chain.len(), 2);
        assert_eq!(chain[1], parse(ca.cert_pem()));
        let (_, cert) = x509_parser::parse_x509_certificate(&chain[0]).unwrap();
        let subject = cert.subject().to_string();
        assert!(subject.contains("Juju server certificate - controller"), "{subject}");
        assert!(cert.raw_serial().len() <= 20 && cert.key_usage().unwrap().is_none());
        let names = cert.subject_alternative_name().unwrap().unwrap().value.general_names.len();
        assert_eq!(names, DNS_NAMES.len() + 1);
        check_leaf(&leaf, ca.cert_pem(), &DNS_NAMES, now).unwrap();

        let more = ca.reissue(&leaf.key_pem, "controllerip", &["a.example".into()], &[], now).unwrap();
        assert_eq!(more.key_pem, leaf.key_pem);
        check_leaf(&more, ca.cert_pem(), &["a.example", "localhost"], now).unwrap();
    }

    #[test]
    fn an_authority_of_juju_with_an_rsa_key_is_read_and_signs() {
        // Juju has RSA 3072 in PKCS#8; 2048 is made faster and takes the same path.
        let now = SystemTime::now();
        let key = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, rcgen::RsaKeySize::_2048).unwrap();
        let mut params = CertificateParams::default();
        params.distinguished_name = name("juju-ca");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let cert = params.self_signed(&key).unwrap().pem();

        let ca = Authority::load(&cert, &key.serialize_pem()).unwrap();
        let leaf = ca.issue("controller", &[], now).unwrap();
        check_leaf(&leaf, &cert, &DNS_NAMES, now).unwrap();
        let again = Authority::load(ca.cert_pem(), ca.key_pem().expose()).unwrap();
        assert_eq!(again.cert_pem(), cert);
    }

    #[test]
    fn what_is_no_authority_is_refused() {
        let now = SystemTime::now();
        let (ca, other) = (Authority::generate(now).unwrap(), Authority::generate(now).unwrap());
        let leaf = ca.issue("controller", &[], now).unwrap();
        let key = ca.key_pem();
        for (cert, key, want) in [
            (ca.cert_pem(), other.key_pem().expose(), "do not belong together"),
            ("", key.expose(), "not a valid PEM certificate"),
            (&ca.cert_pem()[..200], key.expose(), "not a valid PEM certificate"),
            (ca.cert_pem(), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "private key"),
            (leaf.chain_pem.as_str(), leaf.key_pem.expose(), "certificate of an authority"),
        ] {
            let error = Authority::load(cert, key).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }
}
