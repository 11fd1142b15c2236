//! `juju show-application`.

use std::collections::BTreeMap;

use juju_core::ApplicationName;
use juju_wire::{
    facade::application::{ApplicationResult, call},
    params::{Entities, Entity, ExposedEndpoint},
};
use serde::Serialize;

use crate::{
    Context,
    api::{self, Session},
    cli::{
        About, Command,
        flags::{ModelFlags, OutputFlags, Positional},
    },
    context::block_on,
    deploy::constraints,
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "show-application",
        usage: "<application name or alias> [...]",
        purpose: "Displays information about an application.",
        details: "Shows charm, base, exposure and bindings; the units are in \"juju status\".",
        examples: &[("juju show-application mysql", "")],
        see_also: &["show-unit", "status"],
        formats: &["yaml", "json", "smart"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let output = self.output.check(&Self::ABOUT)?;
        let names = self.positional.some("an application name must be supplied")?;
        let invalid: Vec<_> =
            names.iter().filter(|it| !ApplicationName::is_valid(it)).map(String::as_str).collect();
        if !invalid.is_empty() {
            return Err(Error::usage(format!("application names {} not valid", invalid.join(", "))));
        }
        let applications = block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let tag = |name: &String| Entity { tag: format!("application-{name}") };
            let entities = Entities { entities: names.iter().map(tag).collect() };
            let results = session.connection.call::<call::ApplicationsInfo>(entities).await?.results;
            session.close().await;
            let (mut applications, mut errors) = (BTreeMap::new(), vec![]);
            for (name, result) in names.iter().zip(results) {
                match (result.result, result.error) {
                    (Some(application), None) => {
                        applications.insert(name.clone(), show(application));
                    }
                    (_, error) => errors.extend(error),
                }
            }
            api::items(&mut ctx.printer, errors)?;
            Ok(applications)
        })?;
        ctx.printer.yaml_or_json(&output, &applications)
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Shown {
    #[serde(skip_serializing_if = "String::is_empty")]
    charm: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    base: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    channel: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<juju_core::constraints::Constraints>,
    principal: bool,
    exposed: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    exposed_endpoints: BTreeMap<String, Exposed>,
    remote: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    life: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    endpoint_bindings: BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Exposed {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expose_to_spaces: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expose_to_cidrs: Vec<String>,
}

fn show(it: ApplicationResult) -> Shown {
    let exposed = |(name, it): (String, ExposedEndpoint)| {
        (name, Exposed { expose_to_spaces: it.expose_to_spaces, expose_to_cidrs: it.expose_to_cidrs })
    };
    let base = it.base.filter(|it| !it.name.is_empty());
    let constraints = it.constraints.map(|it| constraints::from_wire(&it)).filter(|it| !it.is_empty());
    Shown {
        charm: it.charm,
        base: base
            .map(|it| format!("{}@{}", it.name, it.channel.strip_suffix("/stable").unwrap_or(&it.channel)))
            .unwrap_or_default(),
        channel: it.channel,
        constraints,
        principal: it.principal,
        exposed: it.exposed,
        exposed_endpoints: it.exposed_endpoints.into_iter().map(exposed).collect(),
        remote: it.remote,
        life: it.life,
        endpoint_bindings: it.endpoint_bindings,
    }
}

#[cfg(test)]
mod tests {
    use juju_wire::codec::De;

    use super::*;

    #[test]
    fn an_application_has_jujus_keys() {
        let text = r#"{"tag":"application-web","charm":"web","base":{"name":"ubuntu","channel":"22.04/stable"},
            "channel":"","constraints":{"arch":"amd64","mem":4096},"principal":true,"exposed":true,"remote":false,"life":"alive",
            "endpoint-bindings":{"":"alpha"},"exposed-endpoints":{"":{"expose-to-cidrs":["0.0.0.0/0"]}}}"#;
        let De(reply) = serde_json::from_str(text).unwrap();
        assert_eq!(
            serde_json::to_value(show(reply)).unwrap(),
            serde_json::json!({"charm": "web", "base": "ubuntu@22.04", "constraints": {"arch": "amd64", "mem": 4096},
                "principal": true, "exposed": true, "exposed-endpoints": {"": {"expose-to-cidrs": ["0.0.0.0/0"]}},
                "remote": false, "life": "alive", "endpoint-bindings": {"": "alpha"}})
        );
    }
}
