//! The configuration of models: what a key may hold, what holds where nothing was set, and from where each value
//! comes. A key that the table does not have is kept as it is, as Juju does.

use std::{collections::BTreeMap, sync::Arc};

use juju_core::{CloudName, ModelUuid, Version};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::attributes::Values;
use crate::{
    Doc, Error, Key, Model, Result, State, Tx, V,
    attributes::{Attribute, Default, Kind},
    cloud::{self, CloudDoc},
    model::{self, ModelDoc},
    watch::{self, Watcher},
};

/// What was set for the model itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelConfigDoc {
    pub v: V<1>,
    pub values: Values,
}

impl Doc for ModelConfigDoc {
    const KIND: &'static str = "model config";
}

/// Where a value comes from, as `juju model-config` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// The cloud's own, kept by the controller.
    Controller,
    Region,
    Model,
}

impl Origin {
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::Controller => "controller",
            Origin::Region => "region",
            Origin::Model => "model",
        }
    }
}

/// All values that hold for a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Config(BTreeMap<String, (Value, Origin)>);

const DAY: u64 = 24 * 3600;
const YEAR: u64 = 366 * DAY;

const fn text(name: &'static str, default: &'static str) -> Attribute {
    Attribute { name, kind: Kind::Text, default: Default::Text(default) }
}

const fn flag(name: &'static str, default: bool) -> Attribute {
    Attribute { name, kind: Kind::Flag, default: Default::Flag(default) }
}

const fn of(name: &'static str, kind: Kind, default: &'static str) -> Attribute {
    Attribute { name, kind, default: Default::Text(default) }
}

const fn number(name: &'static str, least: i64, most: i64, default: i64) -> Attribute {
    Attribute { name, kind: Kind::Number(least, most), default: Default::Number(default) }
}

const fn unset(name: &'static str) -> Attribute {
    Attribute { name, kind: Kind::Text, default: Default::Absent }
}

/// The keys of Juju 3.6 `environs/config`.
const ATTRIBUTES: &[Attribute] = &[
    unset("name"),
    unset("type"),
    unset("uuid"),
    unset("agent-version"),
    text("agent-metadata-url", ""),
    text("agent-stream", "released"),
    text("apt-ftp-proxy", ""),
    text("apt-http-proxy", ""),
    text("apt-https-proxy", ""),
    text("apt-mirror", ""),
    text("apt-no-proxy", ""),
    unset("authorized-keys"),
    flag("automatically-retry-hooks", true),
    text("backup-dir", ""),
    text("charmhub-url", "https://api.charmhub.io"),
    text("cloudinit-userdata", ""),
    text("container-image-metadata-url", ""),
    flag("container-image-metadata-defaults-disabled", false),
    text("container-image-stream", "released"),
    text("container-inherit-properties", ""),
    of("container-networking-method", Kind::OneOf(&["", "local", "provider", "fan"]), ""),
    text("default-base", ""),
    text("default-space", ""),
    flag("development", false),
    flag("disable-network-management", false),
    flag("disable-telemetry", false),
    of("egress-subnets", Kind::Networks, ""),
    flag("enable-os-refresh-update", true),
    flag("enable-os-upgrade", true),
    text("extra-info", ""),
    text("fan-config", ""),
    of("firewall-mode", Kind::OneOf(&["instance", "global", "none"]), "instance"),
    text("ftp-proxy", ""),
    text("http-proxy", ""),
    text("https-proxy", ""),
    flag("ignore-machine-addresses", false),
    text("image-metadata-url", ""),
    flag("image-metadata-defaults-disabled", false),
    text("image-stream", "released"),
    text("juju-ftp-proxy", ""),
    text("juju-http-proxy", ""),
    text("juju-https-proxy", ""),
    text("juju-no-proxy", "127.0.0.1,localhost,::1"),
    flag("logforward-enabled", false),
    text("logging-config", "<root>=INFO"),
    text("logging-output", ""),
    text("lxd-snap-channel", "5.0/stable"),
    of("max-action-results-age", Kind::Duration(0, 10 * YEAR), "336h"),
    of("max-action-results-size", Kind::Size, "5G"),
    of("max-status-history-age", Kind::Duration(0, 10 * YEAR), "336h"),
    of("max-status-history-size", Kind::Size, "5G"),
    text("mode", "requires-prompts"),
    number("net-bond-reconfigure-delay", 0, 3600, 17),
    text("no-proxy", "127.0.0.1,localhost,::1"),
    number("num-container-provision-workers", 1, 25, 4),
    number("num-provision-workers", 1, 100, 16),
    of("provisioner-harvest-mode", Kind::OneOf(&["all", "none", "unknown", "destroyed"]), "destroyed"),
    flag("proxy-ssh", false),
    text("resource-tags", ""),
    of("saas-ingress-allow", Kind::Networks, "0.0.0.0/0,::/0"),
    text("secret-backend", "auto"),
    text("snap-http-proxy", ""),
    text("snap-https-proxy", ""),
    text("snap-store-assertions", ""),
    text("snap-store-proxy", ""),
    text("snap-store-proxy-url", ""),
    of("ssh-allow", Kind::Networks, "0.0.0.0/0,::/0"),
    flag("ssl-hostname-verification", true),
    unset("storage-default-block-source"),
    unset("storage-default-filesystem-source"),
    text("syslog-ca-cert", ""),
    text("syslog-client-cert", ""),
    text("syslog-client-key", ""),
    text("syslog-host", ""),
    flag("test-mode", false),
    flag("transmit-vendor-metrics", true),
    of("update-status-hook-interval", Kind::Duration(60, 3600), "5m"),
];

/// Keys that a model keeps as it was made with them.
const IMMUTABLE: &[&str] = &["name", "type", "uuid", "firewall-mode", "charmhub-url"];

impl Config {
    /// What holds for a model: its own values over its region's, its cloud's and the defaults.
    fn of(cloud: &CloudDoc, region: &str, own: &Values) -> Config {
        let mut all = BTreeMap::new();
        let defaults = ATTRIBUTES.iter().filter_map(|it| Some((it.name.to_owned(), it.default.value()?)));
        all.extend(defaults.map(|(name, value)| (name, (value, Origin::Default))));
        let empty = Values::new();
        let region = cloud.region_config.get(region).unwrap_or(&empty);
        for (values, origin) in
            [(&cloud.config, Origin::Controller), (region, Origin::Region), (own, Origin::Model)]
        {
            all.extend(values.iter().map(|(name, value)| (name.clone(), (value.clone(), origin))));
        }
        Config(all)
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).map(|(value, _)| value)
    }

    /// The text of a key; empty where it is not set.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    pub fn number(&self, name: &str) -> i64 {
        self.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    pub fn agent_version(&self) -> Option<Version> {
        self.text("agent-version").parse().ok()
    }

    /// Each key with its value and where that comes from.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value, Origin)> {
        self.0.iter().map(|(name, (value, origin))| (name.as_str(), value, *origin))
    }

    pub fn values(&self) -> Values {
        self.0.iter().map(|(name, (value, _))| (name.clone(), value.clone())).collect()
    }

    /// What no single key can say of itself.
    fn check(&self) -> Result<()> {
        let any = |names: &[&str]| names.iter().any(|it| !self.text(it).is_empty());
        if any(&["http-proxy", "https-proxy", "ftp-proxy"])
            && any(&["juju-http-proxy", "juju-https-proxy", "juju-ftp-proxy"])
        {
            return Err(Error::not_valid("cannot specify both legacy proxy values and juju proxy values"));
        }
        if self.text("container-networking-method") == "fan" && self.text("fan-config").is_empty() {
            return Err(Error::not_valid(
                "container-networking-method cannot be set to 'fan' without fan-config set",
            ));
        }
        for network in self.text("egress-subnets").split(',') {
            if network.trim() == "0.0.0.0/0" {
                return Err(Error::not_valid("CIDR \"0.0.0.0/0\" not allowed"));
            }
        }
        for tag in self.text("resource-tags").split_whitespace() {
            let Some((name, _)) = tag.split_once('=') else {
                return Err(Error::not_valid(format!("resource-tags: expected \"key=value\", got {tag:?}")));
            };
            if name.starts_with("juju-") {
                return Err(Error::not_valid(format!("tag {name:?} uses reserved prefix \"juju-\"")));
            }
        }
        check_logging(self.text("logging-config"))?;
        Ok(())
    }
}

/// `<root>=INFO;unit=DEBUG`, or one level alone for the root.
fn check_logging(text: &str) -> Result<()> {
    const LEVELS: &[&str] =
        &["UNSPECIFIED", "TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "CRITICAL"];
    let known = |level: &str| LEVELS.contains(&level.trim().to_ascii_uppercase().as_str());
    let parts = text.split([';', ' ', '\n']).map(str::trim).filter(|it| !it.is_empty());
    for part in parts {
        match part.split_once('=') {
            Some((name, _)) if name.trim().is_empty() => {
                return Err(Error::not_valid(format!("config value {part:?} has missing module name")));
            }
            Some((_, level)) if !known(level) => {
                return Err(Error::not_valid(format!("unknown severity level {level:?}")));
            }
            None if !known(part) => {
                return Err(Error::not_valid(format!("config value expected '=', found {part:?}")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The value in its key's own type; a key that is not known keeps any.
fn coerce(name: &str, value: &Value) -> Result<Value> {
    match ATTRIBUTES.iter().find(|it| it.name == name) {
        Some(attribute) => attribute.coerce(value),
        None => Ok(value.clone()),
    }
}

pub(crate) fn key(m: &ModelUuid) -> Key<ModelConfigDoc> {
    model::key_in(m, "config")
}

pub fn read(image: &Image, m: &ModelUuid) -> Result<Config> {
    let model = model::read(image, m)?;
    let cloud = cloud::read(image, &model.cloud)?;
    let own = key(m).read(image)?.ok_or_else(|| missing(m))?;
    Ok(Config::of(&cloud, &model.region, &own.values))
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid) -> Result<Config> {
    let model = model::get(tx, m).await?;
    let cloud = cloud::get(tx, &model.cloud).await?;
    let own = get_own(tx, m).await?;
    Ok(Config::of(&cloud, &model.region, &own.values))
}

async fn get_own(tx: &Tx, m: &ModelUuid) -> Result<Arc<ModelConfigDoc>> {
    key(m).get(tx).await?.ok_or_else(|| missing(m))
}

fn missing(m: &ModelUuid) -> Error {
    Error::Damaged(format!("model {m} has no config"))
}

/// Gives a new model its configuration.
pub(crate) async fn create(tx: &Tx, model: &ModelDoc, provider: &str, given: Values) -> Result<()> {
    let mut values = Values::new();
    for (name, value) in given {
        values.insert(name.clone(), coerce(&name, &value)?);
    }
    for (name, value) in [("name", model.name.as_str()), ("type", provider), ("uuid", model.uuid.as_str())] {
        let given = values.insert(name.to_owned(), value.into());
        if given.is_some_and(|it| it != value) {
            return Err(Error::not_valid(format!("{name} is not {value:?}")));
        }
    }
    let version = values
        .entry("agent-version".to_owned())
        .or_insert_with(|| juju_core::version::CURRENT.to_string().into());
    if version.as_str().and_then(|it| it.parse::<Version>().ok()).is_none() {
        return Err(Error::not_valid(format!("invalid agent-version {version}")));
    }
    let cloud = cloud::get(tx, &model.cloud).await?;
    Config::of(&cloud, &model.region, &values).check()?;
    key(&model.uuid).put(tx, &ModelConfigDoc { v: V, values })
}

/// Sets and unsets keys.
pub(crate) async fn update(tx: &Tx, m: &ModelUuid, set: &Values, unset: &[String]) -> Result<()> {
    let model = model::get(tx, m).await?;
    let cloud = cloud::get(tx, &model.cloud).await?;
    let mut own = ModelConfigDoc::clone(&*get_own(tx, m).await?);
    let before = Config::of(&cloud, &model.region, &own.values);
    for name in unset {
        own.values.remove(name);
    }
    for (name, value) in set {
        own.values.insert(name.clone(), coerce(name, value)?);
    }
    let after = Config::of(&cloud, &model.region, &own.values);
    for name in IMMUTABLE {
        if before.get(name) != after.get(name) {
            let text =
                |it: Option<&Value>| it.map(Value::to_string).unwrap_or_else(|| "<unspecified>".into());
            let (before, after) = (text(before.get(name)), text(after.get(name)));
            return Err(Error::not_valid(format!("cannot change {name} from {before} to {after}")));
        }
    }
    if before.get("agent-version") != after.get("agent-version") {
        return Err(Error::not_valid("agent-version cannot be changed"));
    }
    after.check()?;
    key(m).put(tx, &own)
}

/// The values that models on a cloud, or in a region of it, have unless they set others: as given for the controller's
/// cloud and for the region.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    pub builtin: Values,
    pub cloud: Values,
    pub regions: BTreeMap<String, Values>,
}

/// Sets and unsets what models on a cloud inherit; in one region of it alone, where that is named.
async fn update_defaults(
    tx: &Tx,
    name: &CloudName,
    region: &str,
    set: &Values,
    unset: &[String],
) -> Result<()> {
    let mut cloud = CloudDoc::clone(&*cloud::get(tx, name).await?);
    cloud.region(region)?;
    let values = match region {
        "" => &mut cloud.config,
        region => cloud.region_config.entry(region.to_owned()).or_default(),
    };
    for name in unset {
        values.remove(name);
    }
    for (name, value) in set {
        if IMMUTABLE[..3].contains(&name.as_str()) || name == "agent-version" {
            return Err(Error::not_valid(format!("{name} cannot have a default value")));
        }
        values.insert(name.clone(), coerce(name, value)?);
    }
    Config::of(&cloud, region, &Values::new()).check()?;
    cloud::put(tx, &cloud)
}

impl State {
    pub fn model_defaults(&self, name: &CloudName) -> Result<Defaults> {
        let cloud = cloud::read(&self.image(), name)?;
        let builtin = ATTRIBUTES.iter().filter_map(|it| Some((it.name.to_owned(), it.default.value()?)));
        Ok(Defaults {
            builtin: builtin.collect(),
            cloud: cloud.config.clone(),
            regions: cloud.region_config.clone(),
        })
    }

    pub async fn update_model_defaults(
        &self,
        name: &CloudName,
        region: &str,
        set: &Values,
        unset: &[String],
    ) -> Result<()> {
        self.transact(async |tx| update_defaults(&tx, name, region, set, unset).await).await
    }
}

impl Model {
    pub fn config(&self) -> Result<Config> {
        read(&self.image(), self.uuid())
    }

    pub async fn update_config(&self, set: &Values, unset: &[String]) -> Result<()> {
        self.transact(async |tx| update(&tx, self.uuid(), set, unset).await).await
    }

    /// Sets the version that the model's agents are to have. The caller has checked that they may.
    pub async fn set_agent_version(&self, version: &Version) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            model::get_alive(&tx, m).await?;
            let mut own = ModelConfigDoc::clone(&*get_own(&tx, m).await?);
            own.values.insert("agent-version".into(), version.to_string().into());
            key(m).put(&tx, &own)
        };
        self.transact(set).await
    }

    /// Tells when a value may have changed.
    pub fn watch_config(&self) -> Result<Watcher<()>> {
        let image = self.image();
        let model = model::read(&image, self.uuid())?;
        let interest = Interest::key(key(self.uuid()).path()).and_key(cloud::path(&model.cloud));
        watch::notify(self.view(), interest)
    }

    /// Tells when the version that the agents are to have changes.
    pub fn watch_agent_version(&self) -> Result<Watcher<()>> {
        let m = self.uuid().clone();
        let compute = move |image: &Image| match key(&m).read(image)? {
            Some(own) => Ok(own.values.get("agent-version").cloned()),
            None => Ok(None),
        };
        watch::notify_of(self.view(), Interest::key(key(self.uuid()).path()), compute)
    }
}
