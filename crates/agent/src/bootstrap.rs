//! What a client decides about a new controller before there is one.
//!
//! The client makes the identities, keys and the password, writes them as one file that only its
//! user can read, and has `jujud bootstrap-state --data-dir DIR FILE` turn it into a store and the
//! `agent.conf` of machine 0. Juju 3.6 has the same step (`/var/lib/juju/bootstrap-params`), with
//! another format: both ends are always of one version here, so the format may change freely and
//! [`FORMAT`] only tells a mix-up from a broken file.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Secret,
    files::{FileError, write_atomic},
};

/// The format that this version writes and reads.
pub const FORMAT: u32 = 1;

/// The nonce of machine 0, which nobody provisioned.
pub const MACHINE_NONCE: &str = "user-admin:bootstrap";

/// A new controller, on machine 0 of a model of its own named `controller`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BootstrapParams {
    pub format: u32,
    pub controller_name: String,
    pub controller_uuid: String,
    /// The UUID of the model `controller`, which `admin` owns.
    pub controller_model_uuid: String,
    /// What machine 0 runs and the model's `agent-version` says, such as `3.6.28`.
    pub agent_version: String,

    /// PEM. The certificate of the controller's own authority, which clients and agents trust.
    pub ca_cert: String,
    #[serde(with = "secret")]
    pub ca_private_key: Secret,
    /// PEM. What the API server shows, signed by the authority.
    pub server_cert: String,
    #[serde(with = "secret")]
    pub server_private_key: Secret,
    /// Of the user `admin`.
    #[serde(with = "secret")]
    pub admin_password: Secret,

    /// Where the API server listens: `api-port` on each of these addresses and nowhere else.
    pub api_addresses: Vec<String>,
    pub api_port: u16,

    /// Complete, as the controller shall store it: `controller-name`, `controller-uuid`, `ca-cert` and
    /// `api-port` included.
    pub controller_config: BTreeMap<String, Value>,
    /// Of the model `controller`: `name`, `type` and `uuid` included, `agent-version` not.
    pub model_config: BTreeMap<String, Value>,
    /// What every model of the controller inherits (`--model-default`).
    pub inherited_config: BTreeMap<String, Value>,
    /// Of the model `controller`, as text: `arch=amd64 mem=4G`.
    pub constraints: String,

    pub cloud: BootstrapCloud,
    /// Machine 0 to its cloud.
    pub instance_id: String,
    /// The directory of all machines of a `local` cloud, the one its supervisor keeps.
    pub dir: PathBuf,
}

/// The cloud that the controller runs in and offers to its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BootstrapCloud {
    pub name: String,
    /// The provider: `local`.
    #[serde(rename = "type")]
    pub kind: String,
    pub region: String,
    pub auth_types: Vec<String>,
    /// The credential of `admin`; its attributes are none, since the only type is `empty`.
    pub credential: String,
}

/// The file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapParamsError {
    #[error("cannot read {path}", path = .path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Names the place in the file and never its text, which holds keys.
    #[error("{path} is not a bootstrap parameters file (line {line}, column {column})", path = .path.display())]
    Malformed { path: PathBuf, line: usize, column: usize },
    #[error("{path} has format {found}, and this jujud reads format {FORMAT}", path = .path.display())]
    Format { path: PathBuf, found: u32 },
}

impl BootstrapParams {
    /// Writes the file with mode 0600.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let text = serde_json::to_vec_pretty(self).expect("strings, numbers and maps with string keys");
        write_atomic(path, &text, 0o600)
    }

    pub fn read(path: &Path) -> Result<Self, BootstrapParamsError> {
        /// Read first, so that another format is told as such.
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let text =
            fs::read(path).map_err(|source| BootstrapParamsError::Read { path: path.to_owned(), source })?;
        let malformed = |e: serde_json::Error| BootstrapParamsError::Malformed {
            path: path.to_owned(),
            line: e.line(),
            column: e.column(),
        };
        let Head { format: found } = serde_json::from_slice(&text).map_err(malformed)?;
        if found != FORMAT {
            return Err(BootstrapParamsError::Format { path: path.to_owned(), found });
        }
        serde_json::from_slice(&text).map_err(malformed)
    }
}

/// A [`Secret`] in a file that is itself secret.
mod secret {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::Secret;

    pub(super) fn serialize<S: Serializer>(secret: &Secret, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(secret.expose())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
        String::deserialize(from).map(Secret::from)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn example() -> BootstrapParams {
        BootstrapParams {
            format: FORMAT,
            controller_name: "lab".into(),
            controller_uuid: "0c2b7f0e-54a9-4c2f-8f5a-99aa88bb77cc".into(),
            controller_model_uuid: "77aa1c5e-1f53-4fd1-8e2b-0d1e2f3a4b5c".into(),
            agent_version: "3.6.28".into(),
            ca_cert: "CA".into(),
            ca_private_key: "CA KEY".into(),
            server_cert: "CERT".into(),
            server_private_key: "KEY".into(),
            admin_password: "hunter2".into(),
            api_addresses: vec!["127.0.0.1".into()],
            api_port: 17070,
            controller_config: BTreeMap::from([("api-port".into(), Value::from(17070))]),
            model_config: BTreeMap::from([("name".into(), Value::from("controller"))]),
            inherited_config: BTreeMap::new(),
            constraints: String::new(),
            cloud: BootstrapCloud {
                name: "local".into(),
                kind: "local".into(),
                region: "default".into(),
                auth_types: vec!["empty".into()],
                credential: "default".into(),
            },
            instance_id: "local-0".into(),
            dir: "/srv/x".into(),
        }
    }

    #[test]
    fn the_file_is_private_and_reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("params");
        example().write(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let back = BootstrapParams::read(&path).unwrap();
        assert_eq!(back.admin_password.expose(), "hunter2");
        assert_eq!(back.api_port, 17070);
        assert_eq!(back.cloud, example().cloud);
        assert_eq!(back.controller_config, example().controller_config);
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = format!("{:?}", example());
        for secret in ["hunter2", "CA KEY", "\"KEY\""] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn a_file_of_another_kind_is_told_by_its_name_and_not_its_text() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("params");
        let read = || BootstrapParams::read(&path).unwrap_err().to_string();
        assert!(read().starts_with("cannot read "), "{}", read());
        fs::write(&path, r#"{"format": 7, "new": true}"#).unwrap();
        assert!(read().ends_with("has format 7, and this jujud reads format 1"), "{}", read());
        for text in ["", "{", r#"{"format":1,"admin-password":"hunter2"}"#, "ca: |\n  hunter2"] {
            fs::write(&path, text).unwrap();
            assert!(read().contains("is not a bootstrap parameters file"), "{}", read());
            assert!(!read().contains("hunter2"), "{}", read());
        }
    }
}
