//! The certificate check that a controller makes before anything starts, and the files of it.

use std::time::SystemTime;

use super::{Authority, CertError, DNS_NAMES, Leaf, check_leaf};
use crate::conf::{AgentConf, ServingInfo};
use crate::files::{self, FileError};

impl ServingInfo {
    /// The certificate a controller serves.
    pub fn leaf(&self) -> Leaf {
        Leaf { chain_pem: self.cert.clone(), key_pem: self.private_key.clone() }
    }
}

/// Makes sure that a controller's certificate is one that its agents accept, and issues another if
/// not. Says whether it did. Agents that are no controllers, or have not the authority's key, are
/// left as they are.
pub fn ensure_serving_cert(conf: &mut AgentConf, now: SystemTime) -> Result<bool, CertError> {
    let Some(serving) = &mut conf.serving else { return Ok(false) };
    if serving.ca_private_key.is_empty() {
        return Ok(false);
    }
    let Err(problem) = check_leaf(&serving.leaf(), &conf.ca_cert, &DNS_NAMES, now) else { return Ok(false) };
    tracing::info!(%problem, "issuing a new controller certificate");
    let authority = Authority::load(&conf.ca_cert, serving.ca_private_key.expose())?;
    let leaf = authority.issue("controller", &[], now)?;
    serving.cert = leaf.chain_pem;
    serving.private_key = leaf.key_pem;
    Ok(true)
}

/// Writes the certificate with its key, and the authority's certificate, to the data directory of a
/// controller, where its database server looks for them. Both are 0600.
pub fn write_cert_files(conf: &AgentConf) -> Result<(), FileError> {
    let Some(serving) = &conf.serving else { return Ok(()) };
    let paths = conf.paths();
    let pem = format!("{}\n{}", serving.cert, serving.private_key.expose());
    files::write_atomic(&paths.server_pem(), pem.as_bytes(), 0o600)?;
    files::write_atomic(&paths.ca_cert(), conf.ca_cert.as_bytes(), 0o600)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conf::NewAgent;
    use crate::paths::Paths;

    fn controller() -> AgentConf {
        let ca = Authority::generate(SystemTime::now()).unwrap();
        let leaf = ca.issue("controller", &[], SystemTime::now()).unwrap();
        let agent = NewAgent {
            tag: "machine-0".into(),
            nonce: "user-admin:bootstrap".into(),
            jobs: Vec::new(),
            version: "3.6.28".into(),
            controller: "5a1d0a52-7777-4888-8999-aaaabbbbcccc".into(),
            model: "9f6b2f0e-dddd-4eee-8fff-000011112222".into(),
            ca_cert: ca.cert_pem().into(),
            api_addresses: Vec::new(),
            password: "x".into(),
        };
        let mut conf = AgentConf::new(agent, &Paths::host());
        conf.serving = Some(ServingInfo {
            cert: leaf.chain_pem,
            private_key: leaf.key_pem,
            ca_private_key: ca.key_pem(),
            api_port: 17070,
            ..ServingInfo::default()
        });
        conf
    }

    #[test]
    fn a_good_certificate_stays_and_a_bad_one_is_replaced() {
        let now = SystemTime::now();
        let good = controller();
        let mut conf = good.clone();
        assert!(!ensure_serving_cert(&mut conf, now).unwrap());
        assert_eq!(conf, good);

        for spoil in [
            |s: &mut ServingInfo| s.cert = "not a certificate".into(),
            |s: &mut ServingInfo| s.private_key = "not a key".into(),
            |s: &mut ServingInfo| s.cert = controller().serving.unwrap().cert,
        ] {
            let mut conf = good.clone();
            spoil(conf.serving.as_mut().unwrap());
            assert!(ensure_serving_cert(&mut conf, now).unwrap());
            let leaf = conf.serving.as_ref().unwrap().leaf();
            check_leaf(&leaf, &conf.ca_cert, &DNS_NAMES, now).unwrap();
        }
    }

    #[test]
    fn without_the_authoritys_key_nothing_is_done() {
        let mut conf = controller();
        conf.serving.as_mut().unwrap().ca_private_key = "".into();
        conf.serving.as_mut().unwrap().cert = "bad".into();
        let before = conf.clone();
        assert!(!ensure_serving_cert(&mut conf, SystemTime::now()).unwrap());
        conf.serving = None;
        assert!(!ensure_serving_cert(&mut conf, SystemTime::now()).unwrap());
        assert_eq!(before.ca_cert, conf.ca_cert);
    }

    #[test]
    fn the_files_hold_what_the_configuration_does() {
        use std::os::unix::fs::PermissionsExt;

        let dir = tempfile::tempdir().unwrap();
        let mut conf = controller();
        conf.data_dir = dir.path().to_owned();
        write_cert_files(&conf).unwrap();
        let pem = std::fs::read_to_string(dir.path().join("server.pem")).unwrap();
        let serving = conf.serving.as_ref().unwrap();
        let leaf = Leaf { chain_pem: pem.clone(), key_pem: pem.as_str().into() };
        assert!(pem.starts_with(&serving.cert) && pem.ends_with(serving.private_key.expose()));
        check_leaf(&leaf, &conf.ca_cert, &DNS_NAMES, SystemTime::now()).unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join("ca.crt")).unwrap(), conf.ca_cert);
        for name in ["server.pem", "ca.crt"] {
            assert_eq!(std::fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777, 0o600);
        }
        conf.serving = None;
        conf.data_dir = "/nowhere".into();
        write_cert_files(&conf).unwrap();
    }

    #[test]
    fn an_authority_that_does_not_fit_is_an_error() {
        let mut conf = controller();
        conf.ca_cert = controller().ca_cert;
        let error = ensure_serving_cert(&mut conf, SystemTime::now()).unwrap_err();
        assert!(matches!(error, CertError::KeyMismatch { .. }), "{error}");
    }
}
