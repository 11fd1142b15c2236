//! The text of `agent.conf`.
//!
//! The first line is `# format 2.0`, the rest is YAML with keys in Juju's order. Our files say in
//! comments how long they are: a file that was cut short at the end of a line would otherwise read
//! as a shorter but valid one, and a controller would wake up as a plain machine. Juju ignores
//! comments, and its own files have none.

use std::collections::BTreeMap;

use juju_core::{ControllerUuid, ModelUuid, Tag, TagId, Version};
use serde::{Deserialize, Serialize};

use super::{AgentConf, Legacy, ServingInfo, UnknownKey};
use crate::Secret;
use crate::yaml::{self, YamlError};

const FIRST_LINE: &str = "# format 2.0";
const COMPLETE: &str = "# This file is complete if its last line is: # end";
const END: &str = "# end";

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    #[error(
        "malformed agent config format {first_line:?} (the first line must be \"# format 2.0\"; restore the file from a backup, or let the machine be provisioned again)"
    )]
    Malformed { first_line: String },
    #[error(
        "unknown agent config format {format:?} (this version reads 2.0; run the version of jujud that wrote it)"
    )]
    Unknown { format: String },
    #[error(
        "the file was cut short: {sign} (restore it from a backup, or let the machine be provisioned again)"
    )]
    CutShort { sign: String },
    #[error("{0} (mend it by hand, or restore the file from a backup)")]
    Yaml(YamlError),
    #[error("{key}: {reason} (mend it by hand, or restore the file from a backup)")]
    Invalid { key: &'static str, reason: String },
}

/// Reads a configuration.
pub fn parse(text: &str) -> Result<AgentConf, FormatError> {
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    check_first_line(first)?;
    check_end(body)?;
    let raw: Raw = yaml::from_str(body).map_err(FormatError::Yaml)?;
    let mut conf = raw.into_conf()?;
    conf.unknown = unknown_keys(body);
    Ok(conf)
}

/// Writes a configuration. What it writes, [`parse`] reads back as the same, or it is an error.
pub fn render(conf: &AgentConf) -> Result<String, FormatError> {
    let mut text = format!("{FIRST_LINE}\n{COMPLETE}\n");
    text.push_str(&yaml::to_string(&Raw::of(conf)).map_err(FormatError::Yaml)?);
    for key in &conf.unknown {
        text.push_str(&key.text);
    }
    text.push_str(END);
    text.push('\n');
    let back = parse(&text)?;
    if &back != conf {
        // No value is shown: any of them may be a secret.
        return Err(FormatError::Invalid {
            key: "agent.conf",
            reason: "a value does not survive being written".into(),
        });
    }
    Ok(text)
}

fn check_first_line(line: &str) -> Result<(), FormatError> {
    let shown: String = line.chars().take(60).collect();
    match line.trim_end().strip_prefix("# format ") {
        Some("2.0") => Ok(()),
        Some(_) => Err(FormatError::Unknown { format: shown.trim_end()["# format ".len()..].to_owned() }),
        None => Err(FormatError::Malformed { first_line: shown }),
    }
}

fn check_end(body: &str) -> Result<(), FormatError> {
    let cut = |sign: &str| Err(FormatError::CutShort { sign: sign.to_owned() });
    if !body.ends_with('\n') {
        return cut("it does not end with a newline");
    }
    if body.lines().next() == Some(COMPLETE) && body.lines().next_back() != Some(END) {
        return cut("its end mark is missing");
    }
    Ok(())
}

/// The file as it stands. The order of the fields is the order of the keys.
#[derive(Serialize, Deserialize)]
struct Raw {
    tag: Option<String>,
    datadir: Option<String>,
    #[serde(rename = "transient-datadir", skip_serializing_if = "Option::is_none")]
    transient_datadir: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logdir: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metricsspooldir: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    jobs: Vec<String>,
    #[serde(rename = "upgradedToVersion")]
    upgraded_to_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cacert: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stateaddresses: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statepassword: Option<String>,
    controller: Option<String>,
    model: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    apiaddresses: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    apipassword: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldpassword: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loggingconfig: Option<String>,
    values: Option<BTreeMap<String, String>>,
    #[serde(rename = "agent-logfile-max-size", default)]
    log_file_max_size: u32,
    #[serde(rename = "agent-logfile-max-backups", default)]
    log_file_max_backups: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    controllercert: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    controllerkey: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    caprivatekey: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    apiport: u16,
    #[serde(default, skip_serializing_if = "is_zero")]
    controllerapiport: u16,
    #[serde(default, skip_serializing_if = "is_zero")]
    stateport: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    sharedsecret: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    systemidentity: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mongomemoryprofile: Option<String>,
    #[serde(rename = "juju-db-snap-channel", skip_serializing_if = "Option::is_none")]
    juju_db_snap_channel: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    querytracingenabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    querytracingthreshold: Option<String>,
}

/// The keys of [`Raw`].
const KNOWN: &[&str] = &[
    "tag",
    "datadir",
    "transient-datadir",
    "logdir",
    "metricsspooldir",
    "nonce",
    "jobs",
    "upgradedToVersion",
    "cacert",
    "stateaddresses",
    "statepassword",
    "controller",
    "model",
    "apiaddresses",
    "apipassword",
    "oldpassword",
    "loggingconfig",
    "values",
    "agent-logfile-max-size",
    "agent-logfile-max-backups",
    "controllercert",
    "controllerkey",
    "caprivatekey",
    "apiport",
    "controllerapiport",
    "stateport",
    "sharedsecret",
    "systemidentity",
    "mongomemoryprofile",
    "juju-db-snap-channel",
    "querytracingenabled",
    "querytracingthreshold",
];

impl Raw {
    fn of(conf: &AgentConf) -> Self {
        let path = |path: &std::path::Path| some(&path.to_string_lossy());
        let serving = conf.serving.as_ref();
        let legacy = &conf.legacy;
        Self {
            tag: some(&conf.tag),
            datadir: path(&conf.data_dir),
            transient_datadir: path(&conf.transient_data_dir),
            logdir: path(&conf.log_dir),
            metricsspooldir: path(&conf.metrics_spool_dir),
            nonce: some(&conf.nonce),
            jobs: conf.jobs.clone(),
            upgraded_to_version: some(&conf.upgraded_to_version),
            cacert: some(&conf.ca_cert),
            stateaddresses: legacy.state_addresses.clone(),
            // Juju's two passwords are always the same one, and only a controller has both.
            statepassword: serving.and_then(|_| some(conf.api_password.expose())),
            controller: Some(format!("controller-{}", conf.controller)),
            model: Some(format!("model-{}", conf.model)),
            apiaddresses: conf.api_addresses.clone(),
            apipassword: some(conf.api_password.expose()),
            oldpassword: some(conf.old_password.expose()),
            loggingconfig: some(&conf.logging_config),
            values: Some(conf.values.clone()),
            log_file_max_size: conf.log_file_max_size,
            log_file_max_backups: conf.log_file_max_backups,
            controllercert: serving.and_then(|s| some(&s.cert)),
            controllerkey: serving.and_then(|s| some(s.private_key.expose())),
            caprivatekey: serving.and_then(|s| some(s.ca_private_key.expose())),
            apiport: serving.map_or(0, |s| s.api_port),
            controllerapiport: serving.map_or(0, |s| s.controller_api_port),
            stateport: serving.map_or(0, |s| s.state_port),
            sharedsecret: serving.and_then(|s| some(s.shared_secret.expose())),
            systemidentity: serving.and_then(|s| some(s.system_identity.expose())),
            mongomemoryprofile: some(&legacy.mongo_memory_profile),
            juju_db_snap_channel: some(&legacy.juju_db_snap_channel),
            querytracingenabled: legacy.query_tracing_enabled,
            querytracingthreshold: some(&legacy.query_tracing_threshold),
        }
    }

    fn into_conf(self) -> Result<AgentConf, FormatError> {
        let serving = self.serving()?;
        // Each of these is in every file that Juju or we ever wrote, the last of them near the end.
        let tag = required("tag", self.tag)?;
        let data_dir = required("datadir", self.datadir)?;
        let version = required("upgradedToVersion", self.upgraded_to_version)?;
        let controller = tagged::<ControllerUuid>("controller", self.controller)?;
        let model = tagged::<ModelUuid>("model", self.model)?;
        let values = self.values.ok_or_else(|| missing("values"))?;
        if !is_agent_tag(&tag) {
            return Err(invalid("tag", &tag, "is not the tag of an agent"));
        }
        if version.parse::<Version>().is_err() {
            return Err(invalid("upgradedToVersion", &version, "is not a version"));
        }
        let secret = |text: Option<String>| Secret::new(text.unwrap_or_default());
        let text = |text: Option<String>| text.unwrap_or_default();
        let api_password = match secret(self.apipassword) {
            // A file of an old controller that has only the other name of it.
            none if none.is_empty() && serving.is_some() => secret(self.statepassword),
            password => password,
        };
        Ok(AgentConf {
            tag,
            data_dir: data_dir.into(),
            transient_data_dir: text(self.transient_datadir).into(),
            log_dir: text(self.logdir).into(),
            metrics_spool_dir: text(self.metricsspooldir).into(),
            nonce: text(self.nonce),
            jobs: self.jobs,
            upgraded_to_version: version,
            ca_cert: text(self.cacert),
            controller,
            model,
            api_addresses: self.apiaddresses,
            api_password,
            old_password: secret(self.oldpassword),
            logging_config: text(self.loggingconfig),
            values,
            log_file_max_size: self.log_file_max_size,
            log_file_max_backups: self.log_file_max_backups,
            serving,
            legacy: Legacy {
                state_addresses: self.stateaddresses,
                mongo_memory_profile: text(self.mongomemoryprofile),
                juju_db_snap_channel: text(self.juju_db_snap_channel),
                query_tracing_enabled: self.querytracingenabled,
                query_tracing_threshold: text(self.querytracingthreshold),
            },
            unknown: Vec::new(),
        })
    }

    /// Serving info is there if its key is. A part of it without the rest is a file that was cut.
    fn serving(&self) -> Result<Option<ServingInfo>, FormatError> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let secret = |text: &Option<String>| Secret::new(text.clone().unwrap_or_default());
        let serving = ServingInfo {
            cert: text(&self.controllercert),
            private_key: secret(&self.controllerkey),
            ca_private_key: secret(&self.caprivatekey),
            api_port: self.apiport,
            controller_api_port: self.controllerapiport,
            state_port: self.stateport,
            shared_secret: secret(&self.sharedsecret),
            system_identity: secret(&self.systemidentity),
        };
        if serving.private_key.is_empty() {
            let secrets = [&serving.ca_private_key, &serving.shared_secret, &serving.system_identity];
            let rest = !serving.cert.is_empty() || secrets.iter().any(|secret| !secret.is_empty());
            return if rest { Err(missing("controllerkey")) } else { Ok(None) };
        }
        if serving.cert.is_empty() {
            return Err(missing("controllercert"));
        }
        if serving.api_port == 0 {
            return Err(missing("apiport"));
        }
        Ok(Some(serving))
    }
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn is_zero(port: &u16) -> bool {
    *port == 0
}

fn required(key: &'static str, value: Option<String>) -> Result<String, FormatError> {
    value.filter(|value| !value.is_empty()).ok_or_else(|| missing(key))
}

fn missing(key: &str) -> FormatError {
    FormatError::CutShort { sign: format!("{key:?} is missing") }
}

fn invalid(key: &'static str, value: &str, reason: &str) -> FormatError {
    FormatError::Invalid { key, reason: format!("{value:?} {reason}") }
}

/// The id of a tag of one kind.
fn tagged<T: TagId + ToString>(kind: &'static str, tag: Option<String>) -> Result<String, FormatError> {
    let tag = required(kind, tag)?;
    match T::from_tag(&tag) {
        Ok(id) => Ok(id.to_string()),
        Err(_) => Err(invalid(kind, &tag, &format!("is not a {kind} tag"))),
    }
}

/// The agents of models have one as well; it is never written to disk by Juju, but it is a tag that
/// logs in.
fn is_agent_tag(tag: &str) -> bool {
    tag.parse::<Tag>().is_ok_and(|tag| tag.is_agent() || matches!(tag, Tag::Model(_)))
}

/// The top-level entries with keys that [`Raw`] has not, as text. In a block mapping, which the
/// file was just read as, an entry begins at the start of a line and its value is on that line, on
/// indented ones, or in a list at the margin.
fn unknown_keys(body: &str) -> Vec<UnknownKey> {
    let mut keys: Vec<UnknownKey> = Vec::new();
    let mut in_unknown = false;
    for line in body.lines() {
        let begins = line.starts_with(|c: char| !c.is_whitespace() && !matches!(c, '#' | '-'));
        match line.split_once(':') {
            Some((key, _)) if begins => {
                let key = key.trim().trim_matches(['"', '\'']);
                in_unknown = !KNOWN.contains(&key);
                if in_unknown {
                    keys.push(UnknownKey { key: key.to_owned(), text: format!("{line}\n") });
                }
            }
            _ => match keys.last_mut() {
                // Comments at the margin are nobody's.
                Some(last) if in_unknown && !line.starts_with('#') => {
                    last.text.push_str(line);
                    last.text.push('\n');
                }
                _ => {}
            },
        }
    }
    keys
}
