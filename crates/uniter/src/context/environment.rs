//! The environment of a hook's process, which is built from nothing (Juju 3.6 `worker/uniter/runner/context`).

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use super::{Context, Here};
use crate::hook::{Hook, RelationEvent};

/// All that the environment is made of.
#[derive(Debug, Clone)]
pub(crate) struct Environment<'a> {
    pub(crate) unit: &'a str,
    pub(crate) charm_dir: &'a Path,
    pub(crate) context_id: &'a str,
    pub(crate) socket: &'a Path,
    pub(crate) model_uuid: &'a str,
    pub(crate) model_name: &'a str,
    pub(crate) api_addresses: &'a [String],
    pub(crate) sla: &'a str,
    pub(crate) machine: &'a str,
    pub(crate) principal: &'a str,
    pub(crate) availability_zone: &'a str,
    pub(crate) version: &'a str,
    pub(crate) cloud_api_version: &'a str,
    pub(crate) proxies: Proxies,
    pub(crate) tools_dir: &'a Path,
    /// `PATH` of the agent.
    pub(crate) path: &'a str,
    /// The machine runs Ubuntu.
    pub(crate) ubuntu: bool,
}

/// Proxy settings of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Proxies {
    /// Those that charms are told of: http, https, ftp, no.
    juju: [String; 4],
    /// Those that every process is told of.
    legacy: [String; 4],
}

impl Proxies {
    pub(crate) fn of(model: &BTreeMap<String, Value>) -> Self {
        let get = |key: &str| model.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let names = ["http-proxy", "https-proxy", "ftp-proxy", "no-proxy"];
        Proxies { juju: names.map(|it| get(&format!("juju-{it}"))), legacy: names.map(get) }
    }
}

impl Environment<'_> {
    /// The variables; `script` is the hook's name as scripts have it.
    pub(crate) fn variables(&self, here: &Here, hook: &Hook, script: &str) -> Vec<(String, String)> {
        let mut out = vec![];
        let mut set = |name: &str, value: &str| out.push((name.to_owned(), value.to_owned()));
        let text = |path: &Path| path.to_string_lossy().into_owned();
        set("CHARM_DIR", &text(self.charm_dir));
        set("JUJU_CHARM_DIR", &text(self.charm_dir));
        set("JUJU_CONTEXT_ID", self.context_id);
        set("JUJU_HOOK_NAME", script);
        set("JUJU_DISPATCH_PATH", &format!("hooks/{script}"));
        set("JUJU_AGENT_SOCKET_ADDRESS", &text(self.socket));
        set("JUJU_AGENT_SOCKET_NETWORK", "unix");
        set("JUJU_UNIT_NAME", self.unit);
        set("JUJU_MODEL_UUID", self.model_uuid);
        set("JUJU_MODEL_NAME", self.model_name);
        set("JUJU_API_ADDRESSES", &self.api_addresses.join(" "));
        set("JUJU_SLA", self.sla);
        set("JUJU_MACHINE_ID", self.machine);
        set("JUJU_PRINCIPAL_UNIT", self.principal);
        set("JUJU_AVAILABILITY_ZONE", self.availability_zone);
        set("JUJU_VERSION", self.version);
        set("CLOUD_API_VERSION", self.cloud_api_version);
        for (name, value) in
            ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY"].iter().zip(&self.proxies.juju)
        {
            set(&format!("JUJU_CHARM_{name}"), value);
        }
        // The exceptions alone mean nothing.
        if self.proxies.legacy[..3].iter().any(|it| !it.is_empty()) {
            for (name, value) in
                ["http_proxy", "https_proxy", "ftp_proxy", "no_proxy"].iter().zip(&self.proxies.legacy)
            {
                if !value.is_empty() {
                    set(name, value);
                    set(&name.to_uppercase(), value);
                }
            }
        }
        if let Some(relation) = hook.relation() {
            set(
                "JUJU_RELATION",
                here.relations.get(&relation.relation).map(String::as_str).unwrap_or_default(),
            );
            set("JUJU_RELATION_ID", &here.relation_name().unwrap_or_default());
            // `ops` wants it to be there, empty or not.
            set("JUJU_REMOTE_UNIT", relation.remote_unit().unwrap_or_default());
            set("JUJU_REMOTE_APP", &relation.application);
            if let RelationEvent::Departed { departing: Some(unit), .. } = &relation.event {
                set("JUJU_DEPARTING_UNIT", unit);
            }
        }
        let path = match self.path {
            "" => text(self.tools_dir),
            path => format!("{}:{path}", text(self.tools_dir)),
        };
        set("PATH", &path);
        set("LANG", "C.UTF-8");
        if self.ubuntu {
            set("TERM", "tmux-256color");
            set("APT_LISTCHANGES_FRONTEND", "none");
            set("DEBIAN_FRONTEND", "noninteractive");
        } else {
            set("TERM", "screen");
        }
        out
    }
}

impl Context {
    pub(crate) fn variables(
        &self,
        environment: &Environment<'_>,
        hook: &Hook,
        script: &str,
    ) -> Vec<(String, String)> {
        environment.variables(&self.here, hook, script)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hook::RelationHook;

    fn variables(hook: &Hook, script: &str, model: Value, ubuntu: bool) -> BTreeMap<String, String> {
        let Value::Object(model) = model else { panic!() };
        let environment = Environment {
            unit: "shop/0",
            charm_dir: Path::new("/var/lib/juju/agents/unit-shop-0/charm"),
            context_id: "shop/0-install-1f",
            socket: Path::new("/var/lib/juju/agents/unit-shop-0/agent.socket"),
            model_uuid: "6e4f",
            model_name: "m",
            api_addresses: &["10.1.2.3:17070".to_owned(), "10.1.2.4:17070".to_owned()],
            sla: "unsupported",
            machine: "0/lxd/2",
            principal: "",
            availability_zone: "",
            version: "3.6.28",
            cloud_api_version: "",
            proxies: Proxies::of(&model.into_iter().collect()),
            tools_dir: Path::new("/var/lib/juju/tools/unit-shop-0"),
            path: "/usr/bin:/bin",
            ubuntu,
        };
        let here = Here {
            relations: [(4, "db".to_owned())].into(),
            relation: hook.relation().map(|it| it.relation),
            ..Here::default()
        };
        let list = environment.variables(&here, hook, script);
        let count = list.len();
        let map: BTreeMap<_, _> = list.into_iter().collect();
        assert_eq!(map.len(), count, "a variable is set twice");
        map
    }

    #[test]
    fn a_plain_hook() {
        let got = variables(&Hook::Install, "install", json!({}), true);
        let want = json!({
            "APT_LISTCHANGES_FRONTEND": "none",
            "CHARM_DIR": "/var/lib/juju/agents/unit-shop-0/charm",
            "CLOUD_API_VERSION": "",
            "DEBIAN_FRONTEND": "noninteractive",
            "JUJU_AGENT_SOCKET_ADDRESS": "/var/lib/juju/agents/unit-shop-0/agent.socket",
            "JUJU_AGENT_SOCKET_NETWORK": "unix",
            "JUJU_API_ADDRESSES": "10.1.2.3:17070 10.1.2.4:17070",
            "JUJU_AVAILABILITY_ZONE": "",
            "JUJU_CHARM_DIR": "/var/lib/juju/agents/unit-shop-0/charm",
            "JUJU_CHARM_FTP_PROXY": "",
            "JUJU_CHARM_HTTPS_PROXY": "",
            "JUJU_CHARM_HTTP_PROXY": "",
            "JUJU_CHARM_NO_PROXY": "",
            "JUJU_CONTEXT_ID": "shop/0-install-1f",
            "JUJU_DISPATCH_PATH": "hooks/install",
            "JUJU_HOOK_NAME": "install",
            "JUJU_MACHINE_ID": "0/lxd/2",
            "JUJU_MODEL_NAME": "m",
            "JUJU_MODEL_UUID": "6e4f",
            "JUJU_PRINCIPAL_UNIT": "",
            "JUJU_SLA": "unsupported",
            "JUJU_UNIT_NAME": "shop/0",
            "JUJU_VERSION": "3.6.28",
            "LANG": "C.UTF-8",
            "PATH": "/var/lib/juju/tools/unit-shop-0:/usr/bin:/bin",
            "TERM": "tmux-256color",
        });
        assert_eq!(json!(got), want);
        let other = variables(&Hook::Install, "install", json!({}), false);
        assert_eq!(other["TERM"], "screen");
        assert!(!other.contains_key("DEBIAN_FRONTEND"));
    }

    #[test]
    fn proxies() {
        let got =
            variables(&Hook::Start, "start", json!({"juju-http-proxy": "http://a", "no-proxy": "x"}), true);
        assert_eq!(got["JUJU_CHARM_HTTP_PROXY"], "http://a");
        assert!(!got.contains_key("no_proxy"));
        let got = variables(&Hook::Start, "start", json!({"https-proxy": "http://b", "no-proxy": "x"}), true);
        assert_eq!((&*got["https_proxy"], &*got["HTTPS_PROXY"]), ("http://b", "http://b"));
        assert_eq!((&*got["no_proxy"], &*got["NO_PROXY"]), ("x", "x"));
        assert!(!got.contains_key("http_proxy"));
    }

    #[test]
    fn relation_hooks() {
        let of = |event| Hook::Relation(RelationHook { relation: 4, application: "mysql".into(), event });
        let unit = || "mysql/1".to_owned();
        for (event, remote, departing) in [
            (RelationEvent::Created, "", None),
            (RelationEvent::Joined { unit: unit(), version: 1 }, "mysql/1", None),
            (RelationEvent::Changed { unit: None, version: 1 }, "", None),
            (
                RelationEvent::Departed { unit: unit(), version: 1, departing: Some("shop/0".into()) },
                "mysql/1",
                Some("shop/0"),
            ),
            (RelationEvent::Broken, "", None),
        ] {
            let hook = of(event);
            let script = hook.script(Some("db"));
            let got = variables(&hook, &script, json!({}), true);
            assert_eq!(got["JUJU_HOOK_NAME"], script);
            assert_eq!(got["JUJU_DISPATCH_PATH"], format!("hooks/{script}"));
            assert_eq!(got["JUJU_RELATION"], "db");
            assert_eq!(got["JUJU_RELATION_ID"], "db:4");
            assert_eq!(got["JUJU_REMOTE_UNIT"], remote);
            assert_eq!(got["JUJU_REMOTE_APP"], "mysql");
            assert_eq!(got.get("JUJU_DEPARTING_UNIT").map(String::as_str), departing);
        }
    }
}
