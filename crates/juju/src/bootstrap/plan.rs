//! All that is decided about a new controller before there is one.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use juju_agent::{
    Secret,
    bootstrap::{BootstrapCloud, BootstrapParams, FORMAT},
    certs::{Authority, Leaf},
};
use juju_core::{Base, Constraints, ControllerUuid, ModelUuid, version};
use juju_provider::local::free_api_port;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    error::{Context as _, Error, Result},
    store::{Account, BootstrapConfig, Controller, ControllerModels, Model},
};

/// The name of the model that a controller's own machines are in.
pub const CONTROLLER_MODEL: &str = "admin/controller";
/// The user that a controller is made with.
pub const ADMIN: &str = "admin";
pub const CLOUD: &str = "local";
pub const REGION: &str = "default";
const CREDENTIAL: &str = "default";
const ADDRESS: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// Juju's time for a bootstrap; a local one takes no second.
const TIMEOUT: Duration = Duration::from_secs(1200);

/// Keys that are this client's alone.
const BOOTSTRAP_KEYS: [&str; 6] = [
    "admin-secret",
    "ca-cert",
    "ca-private-key",
    "bootstrap-timeout",
    "bootstrap-retry-delay",
    "bootstrap-addresses-delay",
];

/// Keys of the controller's configuration (Juju 3.6 `controller`).
const CONTROLLER_KEYS: &[&str] = &[
    "agent-logfile-max-backups",
    "agent-logfile-max-size",
    "agent-ratelimit-max",
    "agent-ratelimit-rate",
    "allow-model-access",
    "api-port",
    "api-port-open-delay",
    "application-resource-download-limit",
    "audit-log-capture-args",
    "audit-log-exclude-methods",
    "audit-log-max-backups",
    "audit-log-max-size",
    "auditing-enabled",
    "autocert-dns-name",
    "autocert-url",
    "controller-api-port",
    "controller-resource-download-limit",
    "features",
    "http-server-read-timeout",
    "http-server-write-timeout",
    "identity-public-key",
    "identity-url",
    "idle-connection-timeout",
    "juju-ha-space",
    "juju-mgmt-space",
    "login-token-refresh-url",
    "max-agent-state-size",
    "max-charm-state-size",
    "max-debug-log-duration",
    "migration-agent-wait-time",
    "model-logfile-max-backups",
    "model-logfile-max-size",
    "model-logs-size",
    "public-dns-address",
    "query-tracing-enabled",
    "query-tracing-threshold",
    "state-port",
];

/// What the user may ask for.
#[derive(Clone, Debug)]
pub struct Wishes {
    pub name: String,
    /// `--config`, of the client, the controller and the model alike.
    pub config: BTreeMap<String, Value>,
    /// `--model-default`.
    pub model_defaults: BTreeMap<String, Value>,
    pub constraints: Constraints,
    pub base: Option<Base>,
}

/// A controller that is to be.
#[derive(Clone, Debug)]
pub struct Plan {
    pub name: String,
    pub controller: ControllerUuid,
    pub model: ModelUuid,
    pub authority_cert: String,
    authority_key: Secret,
    leaf: Leaf,
    pub password: Secret,
    pub port: u16,
    pub controller_config: BTreeMap<String, Value>,
    pub model_config: BTreeMap<String, Value>,
    inherited_config: BTreeMap<String, Value>,
    constraints: Constraints,
    pub base: Base,
    pub timeout: Duration,
    /// Where all of it will be.
    pub dir: PathBuf,
}

impl Plan {
    /// Decides. `data_dir` is the client store's directory, below which local controllers are.
    pub fn make(wishes: Wishes, data_dir: &Path, now: SystemTime) -> Result<Self> {
        let mut split = Split::of(wishes.config)?;
        if let Some(key) = wishes.model_defaults.keys().find(|it| !is_model_key(it)) {
            return Err(Error::failed(format!(
                "{key:?} cannot be a default of models: it belongs to the controller or its bootstrap"
            )));
        }
        let authority = split.authority(now)?;
        let leaf = authority
            .issue(&wishes.name, &[IpAddr::V4(ADDRESS)], now)
            .context("cannot make the certificate")?;
        let port = port(&split.controller)?;
        let (controller, model) = (new_uuid(), new_uuid());
        let ca_cert = authority.cert_pem().to_owned();
        for (key, value) in [
            ("api-port", Value::from(port)),
            ("ca-cert", Value::from(ca_cert.as_str())),
            ("controller-name", Value::from(wishes.name.as_str())),
            ("controller-uuid", Value::from(controller.as_str())),
        ] {
            split.controller.insert(key.to_owned(), value);
        }
        let model_uuid: &str = &model;
        for (key, value) in [("name", "controller"), ("type", CLOUD), ("uuid", model_uuid)] {
            split.model.insert(key.to_owned(), Value::from(value));
        }
        let parse = "a new UUID is valid";
        Ok(Self {
            dir: data_dir.join("local").join(&controller),
            controller: controller.parse().expect(parse),
            model: model.parse().expect(parse),
            authority_cert: ca_cert,
            authority_key: authority.key_pem(),
            leaf,
            password: split.password(),
            port,
            timeout: split.timeout()?,
            controller_config: split.controller,
            model_config: split.model,
            inherited_config: wishes.model_defaults,
            constraints: wishes.constraints,
            base: wishes.base.unwrap_or_else(|| juju_core::base::DEFAULT.parse().expect("a base of our own")),
            name: wishes.name,
        })
    }

    /// `127.0.0.1:PORT`.
    pub fn endpoint(&self) -> String {
        format!("{ADDRESS}:{}", self.port)
    }

    /// What `jujud bootstrap-state` reads.
    pub fn params(&self, instance_id: &str) -> BootstrapParams {
        BootstrapParams {
            format: FORMAT,
            controller_name: self.name.clone(),
            controller_uuid: self.controller.to_string(),
            controller_model_uuid: self.model.to_string(),
            agent_version: version::CURRENT.to_string(),
            ca_cert: self.authority_cert.clone(),
            ca_private_key: self.authority_key.clone(),
            server_cert: self.leaf.chain_pem.clone(),
            server_private_key: self.leaf.key_pem.clone(),
            admin_password: self.password.clone(),
            api_addresses: vec![ADDRESS.to_string()],
            api_port: self.port,
            controller_config: self.controller_config.clone(),
            model_config: self.model_config.clone(),
            inherited_config: self.inherited_config.clone(),
            constraints: self.constraints.to_string(),
            cloud: BootstrapCloud {
                name: CLOUD.to_owned(),
                kind: CLOUD.to_owned(),
                region: REGION.to_owned(),
                auth_types: vec!["empty".to_owned()],
                credential: CREDENTIAL.to_owned(),
            },
            instance_id: instance_id.to_owned(),
            dir: self.dir.clone(),
        }
    }

    // What the client store will know of it.

    pub fn stored_controller(&self) -> Controller {
        Controller {
            uuid: self.controller.to_string(),
            api_endpoints: serde_saphyr::FlowSeq(vec![self.endpoint()]),
            ca_cert: self.authority_cert.clone(),
            cloud: CLOUD.to_owned(),
            region: REGION.to_owned(),
            cloud_type: CLOUD.to_owned(),
            agent_version: version::CURRENT.to_string(),
            controller_machine_count: 1,
            active_controller_machine_count: 0,
            machine_count: Some(1),
            ..Controller::default()
        }
    }

    pub fn stored_account(&self) -> Account {
        Account {
            user: ADMIN.to_owned(),
            password: self.password.clone(),
            last_known_access: "superuser".to_owned(),
            ..Account::default()
        }
    }

    pub fn stored_models(&self) -> ControllerModels {
        let model = Model::new(self.model.to_string(), "iaas");
        ControllerModels {
            models: BTreeMap::from([(CONTROLLER_MODEL.to_owned(), model)]),
            current_model: CONTROLLER_MODEL.to_owned(),
            ..ControllerModels::default()
        }
    }

    pub fn stored_bootstrap_config(&self) -> BootstrapConfig {
        let without = |config: &BTreeMap<String, Value>, keys: &[&str]| {
            config
                .iter()
                .filter(|it| !keys.contains(&it.0.as_str()))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect()
        };
        BootstrapConfig {
            controller_config: without(&self.controller_config, &["ca-cert", "controller-uuid"]),
            model_config: without(&self.model_config, &["uuid"]),
            controller_model_uuid: self.model.to_string(),
            credential: CREDENTIAL.to_owned(),
            cloud: CLOUD.to_owned(),
            cloud_type: CLOUD.to_owned(),
            region: REGION.to_owned(),
            endpoint: self.dir.to_string_lossy().into_owned(),
            ..BootstrapConfig::default()
        }
    }
}

/// `--config`, by whom each key is for.
#[derive(Debug, Default)]
struct Split {
    client: BTreeMap<String, Value>,
    controller: BTreeMap<String, Value>,
    model: BTreeMap<String, Value>,
}

impl Split {
    fn of(config: BTreeMap<String, Value>) -> Result<Self> {
        let mut split = Self::default();
        for (key, value) in config {
            let to = match key.as_str() {
                "controller-uuid" | "controller-name" | "name" | "type" | "uuid" | "agent-version" => {
                    return Err(Error::failed(format!("{key:?} cannot be set by --config")));
                }
                key if BOOTSTRAP_KEYS.contains(&key) => &mut split.client,
                key if CONTROLLER_KEYS.contains(&key) => &mut split.controller,
                _ => &mut split.model,
            };
            to.insert(key, value);
        }
        Ok(split)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.client.get(key).and_then(Value::as_str)
    }

    fn authority(&self, now: SystemTime) -> Result<Authority> {
        match (self.text("ca-cert"), self.text("ca-private-key")) {
            (None, None) => Authority::generate(now).context("cannot make the controller's authority"),
            (Some(cert), Some(key)) => {
                Authority::load(cert, key).context("cannot use ca-cert and ca-private-key")
            }
            _ => Err(Error::failed("ca-cert and ca-private-key belong together; one of them is missing")),
        }
    }

    /// Sixteen random bytes in hex, if none was chosen.
    fn password(&self) -> Secret {
        match self.client.get("admin-secret") {
            Some(Value::String(text)) => text.as_str().into(),
            Some(other) => other.to_string().into(),
            None => hex::encode(rand::random::<[u8; 16]>()).into(),
        }
    }

    /// In seconds, as Juju has it.
    fn timeout(&self) -> Result<Duration> {
        match self.client.get("bootstrap-timeout") {
            None => Ok(TIMEOUT),
            Some(value) => value
                .as_u64()
                .filter(|it| *it > 0)
                .map(Duration::from_secs)
                .ok_or_else(|| Error::failed("bootstrap-timeout must be a number of seconds above 0")),
        }
    }
}

fn is_model_key(key: &str) -> bool {
    !BOOTSTRAP_KEYS.contains(&key) && !CONTROLLER_KEYS.contains(&key)
}

fn new_uuid() -> String {
    Uuid::new_v4().to_string()
}

/// The port asked for, if it is free, or one that is.
fn port(controller: &BTreeMap<String, Value>) -> Result<u16> {
    let Some(value) = controller.get("api-port") else {
        return free_api_port().context("cannot find a free port on 127.0.0.1");
    };
    let port = value.as_u64().and_then(|it| u16::try_from(it).ok()).filter(|it| *it > 0);
    let port = port.ok_or_else(|| Error::failed(format!("api-port: {value} is not a port number")))?;
    match TcpListener::bind((ADDRESS, port)) {
        Ok(_) => Ok(port),
        Err(e) if e.kind() == std::io::ErrorKind::AddrInUse => {
            Err(Error::failed(format!("api-port: port {port} of {ADDRESS} is in use")))
        }
        Err(e) => Err(Error::failed(format!("api-port: cannot use port {port} of {ADDRESS}: {e}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn make(config: Value, defaults: Value) -> Result<Plan> {
        let map = |it: Value| serde_json::from_value::<BTreeMap<String, Value>>(it).unwrap();
        let wishes = Wishes {
            name: "lab".into(),
            config: map(config),
            model_defaults: map(defaults),
            constraints: "arch=amd64".parse().unwrap(),
            base: None,
        };
        Plan::make(wishes, Path::new("/data"), SystemTime::now())
    }

    #[test]
    fn keys_go_where_they_belong() {
        let plan = make(
            json!({"admin-secret": "hunter2", "auditing-enabled": false, "logging-config": "<root>=DEBUG"}),
            json!({"image-stream": "daily"}),
        )
        .unwrap();
        let params = plan.params("i-0");
        assert_eq!(params.admin_password.expose(), "hunter2");
        assert_eq!(params.controller_config["auditing-enabled"], false);
        assert_eq!(params.controller_config["controller-uuid"], plan.controller.as_str());
        assert_eq!(params.controller_config["api-port"], plan.port);
        assert!(
            !params.controller_config.contains_key("admin-secret")
                && !params.model_config.contains_key("admin-secret")
        );
        assert_eq!(params.model_config["logging-config"], "<root>=DEBUG");
        assert_eq!(params.model_config["name"], "controller");
        assert_eq!(params.inherited_config, BTreeMap::from([("image-stream".to_owned(), json!("daily"))]));
        assert_eq!(params.constraints, "arch=amd64");
        assert_eq!(params.dir, Path::new("/data/local").join(plan.controller.as_str()));
        assert!(params.server_cert.ends_with(&params.ca_cert), "the chain includes the authority");
    }

    #[test]
    fn the_store_keeps_what_other_clients_need() {
        let plan = make(json!({"admin-secret": "hunter2"}), json!({})).unwrap();
        let controller = plan.stored_controller();
        assert_eq!(controller.endpoints(), [plan.endpoint()]);
        assert_eq!(
            (controller.cloud_region().as_str(), controller.cloud_type.as_str()),
            ("local/default", "local")
        );
        assert_eq!(plan.stored_account().password.expose(), "hunter2");
        assert_eq!(plan.stored_models().models[CONTROLLER_MODEL].model_type, "iaas");
        let config = plan.stored_bootstrap_config();
        assert!(
            !config.controller_config.contains_key("ca-cert")
                && !config.controller_config.contains_key("controller-uuid")
        );
        assert!(!config.model_config.contains_key("uuid"));
        assert_eq!(config.endpoint, plan.dir.to_string_lossy());
    }

    #[test]
    fn passwords_and_ids_are_new_each_time() {
        let (a, b) = (make(json!({}), json!({})).unwrap(), make(json!({}), json!({})).unwrap());
        assert_ne!(a.password, b.password);
        assert_eq!(a.password.expose().len(), 32);
        assert_ne!((a.controller, a.model), (b.controller, b.model));
    }

    #[test]
    fn what_cannot_be_is_said() {
        let taken = TcpListener::bind((ADDRESS, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        for (config, defaults, want) in [
            (json!({"api-port": port}), json!({}), "is in use"),
            (json!({"api-port": 0}), json!({}), "is not a port number"),
            (json!({"api-port": "http"}), json!({}), "is not a port number"),
            (json!({"uuid": "x"}), json!({}), "\"uuid\" cannot be set by --config"),
            (json!({"ca-cert": "x"}), json!({}), "belong together"),
            (
                json!({"ca-cert": "x", "ca-private-key": "y"}),
                json!({}),
                "cannot use ca-cert and ca-private-key",
            ),
            (json!({"bootstrap-timeout": -1}), json!({}), "bootstrap-timeout must be"),
            (json!({}), json!({"api-port": 1}), "cannot be a default of models"),
        ] {
            let error = make(config, defaults).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }

    #[test]
    fn an_authority_can_be_brought_along() {
        let own = Authority::generate(SystemTime::now()).unwrap();
        let plan =
            make(json!({"ca-cert": own.cert_pem(), "ca-private-key": own.key_pem().expose()}), json!({}))
                .unwrap();
        assert_eq!(plan.authority_cert, own.cert_pem());
    }
}
