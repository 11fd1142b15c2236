//! The configuration of the controller: stored as it was given, with the defaults added when it is read.

use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Doc, Error, Key, Result, State, Tx, V,
    attributes::{Attribute, Default, Kind, Values, parse_duration},
    watch::{self, Watcher},
};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ControllerConfigDoc {
    pub v: V<1>,
    pub values: Values,
}

impl Doc for ControllerConfigDoc {
    const KIND: &'static str = "controller config";
}

/// Whether an attribute may change once the controller runs.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Fixed,
    Live,
}

const HOUR: u64 = 3600;
const LONG: u64 = 366 * 24 * HOUR;

const fn at(when: When, name: &'static str, kind: Kind, default: Default) -> (When, Attribute) {
    (when, Attribute { name, kind, default })
}

/// The keys of Juju 3.6 `controller/config.go`.
const ATTRIBUTES: &[(When, Attribute)] = &{
    use Default::{Absent, Flag, Number, Text};
    use When::{Fixed, Live};
    const PORT: Kind = Kind::Number(1, 65535);
    const ANY: Kind = Kind::Number(0, i64::MAX);
    const TIME: Kind = Kind::Duration(0, LONG);
    [
        at(Fixed, "api-port", PORT, Number(17070)),
        at(Fixed, "state-port", PORT, Number(37017)),
        at(Live, "controller-api-port", Kind::Number(0, 65535), Absent),
        at(Live, "api-port-open-delay", TIME, Text("2s")),
        at(Fixed, "controller-uuid", Kind::Text, Absent),
        at(Fixed, "ca-cert", Kind::Text, Absent),
        at(Fixed, "controller-name", Kind::Text, Absent),
        at(Fixed, "autocert-dns-name", Kind::Text, Absent),
        at(Fixed, "autocert-url", Kind::Text, Absent),
        at(Fixed, "identity-url", Kind::Text, Absent),
        at(Fixed, "identity-public-key", Kind::Text, Absent),
        at(Fixed, "login-token-refresh-url", Kind::Text, Absent),
        at(Fixed, "allow-model-access", Kind::Flag, Absent),
        at(Live, "public-dns-address", Kind::Text, Absent),
        at(Live, "juju-ha-space", Kind::Text, Absent),
        at(Live, "juju-mgmt-space", Kind::Text, Absent),
        at(Live, "agent-ratelimit-max", ANY, Number(10)),
        at(Live, "agent-ratelimit-rate", Kind::Duration(0, 60), Text("250ms")),
        at(Live, "auditing-enabled", Kind::Flag, Flag(true)),
        at(Live, "audit-log-capture-args", Kind::Flag, Flag(false)),
        at(Live, "audit-log-max-size", Kind::Size, Text("300M")),
        at(Live, "audit-log-max-backups", ANY, Number(10)),
        at(Live, "audit-log-exclude-methods", Kind::List, Absent),
        at(Live, "agent-logfile-max-size", Kind::Size, Text("100M")),
        at(Live, "agent-logfile-max-backups", ANY, Number(2)),
        at(Live, "model-logfile-max-size", Kind::Size, Text("10M")),
        at(Live, "model-logfile-max-backups", ANY, Number(2)),
        at(Live, "model-logs-size", Kind::Size, Text("20M")),
        at(Live, "max-debug-log-duration", TIME, Text("24h0m0s")),
        at(Live, "max-charm-state-size", ANY, Number(2 * 1024 * 1024)),
        at(Live, "max-agent-state-size", ANY, Number(512 * 1024)),
        at(Live, "migration-agent-wait-time", TIME, Text("15m")),
        at(Live, "application-resource-download-limit", ANY, Number(0)),
        at(Live, "controller-resource-download-limit", ANY, Number(0)),
        at(Live, "query-tracing-enabled", Kind::Flag, Flag(false)),
        at(Live, "query-tracing-threshold", TIME, Text("1s")),
        at(Fixed, "idle-connection-timeout", TIME, Text("30s")),
        at(Fixed, "http-server-read-timeout", TIME, Text("0s")),
        at(Fixed, "http-server-write-timeout", TIME, Text("0s")),
        at(Live, "features", Kind::List, Absent),
        at(Fixed, "caas-image-repo", Kind::Text, Absent),
        at(Fixed, "caas-operator-image-path", Kind::Text, Absent),
        // What these were about is not here any more; they are kept and told as they were given.
        at(Live, "mongo-memory-profile", Kind::OneOf(&["low", "default"]), Text("default")),
        at(Fixed, "juju-db-snap-channel", Kind::Text, Text("4.4/stable")),
        at(Fixed, "set-numa-control-policy", Kind::Flag, Flag(false)),
        at(Fixed, "max-txn-log-size", Kind::Size, Text("10M")),
        at(Live, "max-prune-txn-batch-size", ANY, Number(1_000_000)),
        at(Live, "max-prune-txn-passes", ANY, Number(100)),
        at(Live, "prune-txn-query-count", ANY, Number(1000)),
        at(Live, "prune-txn-sleep-time", TIME, Text("10ms")),
        at(Fixed, "metering-url", Kind::Text, Text("https://api.jujucharms.com/omnibus/v3")),
        at(Live, "jujud-controller-snap-source", Kind::Text, Text("legacy")),
    ]
};

fn attribute(name: &str) -> Result<&'static (When, Attribute)> {
    let found = ATTRIBUTES.iter().find(|(_, it)| it.name == name);
    found.ok_or_else(|| Error::not_valid(format!("unknown controller config setting {name:?}")))
}

/// The values that hold for the controller.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerConfig(Values);

impl ControllerConfig {
    fn of(given: &Values) -> ControllerConfig {
        let defaults =
            ATTRIBUTES.iter().filter_map(|(_, it)| Some((it.name.to_owned(), it.default.value()?)));
        let mut values: Values = defaults.collect();
        values.extend(given.clone());
        ControllerConfig(values)
    }

    pub fn values(&self) -> &Values {
        &self.0
    }

    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    pub fn number(&self, name: &str) -> u64 {
        self.0.get(name).and_then(Value::as_u64).unwrap_or_default()
    }

    pub fn duration(&self, name: &str) -> std::time::Duration {
        parse_duration(self.text(name)).unwrap_or_default()
    }

    fn check(&self) -> Result<()> {
        let port = self.number("controller-api-port");
        if port != 0 && (port == self.number("api-port") || port == self.number("state-port")) {
            return Err(Error::not_valid("controller-api-port is used already"));
        }
        let url = self.text("identity-url");
        if !url.is_empty() && !url.starts_with("https://") && self.text("identity-public-key").is_empty() {
            return Err(Error::not_valid("identity-url must use https unless identity-public-key is set"));
        }
        Ok(())
    }
}

fn key() -> Key<ControllerConfigDoc> {
    Key::new("c/config".into())
}

pub fn read(image: &Image) -> Result<ControllerConfig> {
    let given = key().read(image)?.map(|it| it.values.clone()).unwrap_or_default();
    Ok(ControllerConfig::of(&given))
}

pub(crate) async fn get(tx: &Tx) -> Result<ControllerConfig> {
    let given = key().get(tx).await?.map(|it| it.values.clone()).unwrap_or_default();
    Ok(ControllerConfig::of(&given))
}

pub(crate) fn create(tx: &Tx, given: &Values) -> Result<()> {
    let mut values = Values::new();
    for (name, value) in given {
        values.insert(name.clone(), attribute(name)?.1.coerce(value)?);
    }
    ControllerConfig::of(&values).check()?;
    key().put(tx, &ControllerConfigDoc { v: V, values })
}

async fn update(tx: &Tx, set: &Values, unset: &[String]) -> Result<()> {
    let mut values = key().get(tx).await?.map(|it| it.values.clone()).unwrap_or_default();
    for name in set.keys().chain(unset) {
        if attribute(name)?.0 == When::Fixed {
            return Err(Error::not_valid(format!("can't change {name:?} after bootstrap")));
        }
    }
    for name in unset {
        values.remove(name);
    }
    for (name, value) in set {
        values.insert(name.clone(), attribute(name)?.1.coerce(value)?);
    }
    ControllerConfig::of(&values).check()?;
    key().put(tx, &ControllerConfigDoc { v: V, values })
}

impl State {
    pub fn controller_config(&self) -> Result<ControllerConfig> {
        read(&self.image())
    }

    pub async fn update_controller_config(&self, set: &Values, unset: &[String]) -> Result<()> {
        self.transact(async |tx| update(&tx, set, unset).await).await
    }

    pub fn watch_controller_config(&self) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key().path()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::Fixture;

    #[tokio::test]
    async fn what_may_change() {
        let state = Fixture::new().await.state;
        let values = |name: &str, value: Value| Values::from([(name.to_owned(), value)]);
        assert_eq!(state.controller_config().unwrap().number("agent-ratelimit-max"), 10);
        let mut watcher = state.watch_controller_config().unwrap();
        state.update_controller_config(&values("agent-ratelimit-max", json!("20")), &[]).await.unwrap();
        watcher.next().await.unwrap();
        assert_eq!(state.controller_config().unwrap().number("agent-ratelimit-max"), 20);
        state.update_controller_config(&Values::new(), &["agent-ratelimit-max".into()]).await.unwrap();
        assert_eq!(state.controller_config().unwrap().number("agent-ratelimit-max"), 10);
        for (name, value, error) in [
            ("api-port", json!(1), "can't change \"api-port\" after bootstrap"),
            ("nope", json!(1), "unknown controller config setting \"nope\""),
            ("agent-ratelimit-rate", json!("2m"), "agent-ratelimit-rate 2m is out of range"),
            ("controller-api-port", json!(17070), "controller-api-port is used already"),
        ] {
            let got = state.update_controller_config(&values(name, value), &[]).await.unwrap_err();
            assert_eq!(got.to_string(), error);
        }
    }
}
