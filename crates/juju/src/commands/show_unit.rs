//! `juju show-unit`.

use std::collections::BTreeMap;

use juju_core::UnitName;
use juju_wire::{
    facade::application::{EndpointRelationData, RelationData, UnitResult, call},
    params::{Entities, Entity},
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    Context,
    api::{self, Session},
    cli::{
        About, Command,
        flags::{ModelFlags, OutputFlags, Positional},
    },
    context::block_on,
    error::{Error, Result},
};

#[derive(clap::Args)]
pub struct Args {
    /// Show only the application's side of relations
    #[arg(long)]
    app: bool,
    /// Show only the relations of this endpoint
    #[arg(long, value_name = "ENDPOINT", default_value = "")]
    endpoint: String,
    /// Show only what this related unit says
    #[arg(long, value_name = "UNIT", default_value = "")]
    related_unit: String,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    positional: Positional,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "show-unit",
        usage: "<unit name>",
        purpose: "Displays information about a unit.",
        details: "Shows where the unit runs and what it and its related units say over relations.",
        examples: &[("juju show-unit mysql/0", ""), ("juju show-unit mysql/0 --endpoint db", "")],
        see_also: &["show-application", "status"],
        formats: &["yaml", "json", "smart"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        let output = self.output.clone().check(&Self::ABOUT)?;
        let names = self.positional.clone().some("an unit name must be supplied")?;
        let invalid: Vec<_> = names.iter().filter(|it| it.parse::<UnitName>().is_err()).collect();
        if !invalid.is_empty() {
            let list: Vec<_> = invalid.iter().map(|it| it.as_str()).collect();
            return Err(Error::usage(format!("{} not valid", list.join(", "))));
        }
        let units = block_on(async {
            let session = Session::model(ctx, self.model.model.as_deref()).await?;
            let tag = |name: &String| Entity { tag: format!("unit-{}", name.replace('/', "-")) };
            let entities = Entities { entities: names.iter().map(tag).collect() };
            let results = session.connection.call::<call::UnitsInfo>(entities).await?.results;
            session.close().await;
            let (mut units, mut errors) = (BTreeMap::new(), vec![]);
            for (name, result) in names.iter().zip(results) {
                match (result.result, result.error) {
                    (Some(unit), None) => {
                        units.insert(name.clone(), self.show(unit));
                    }
                    (_, error) => errors.extend(error),
                }
            }
            api::items(&mut ctx.printer, errors)?;
            Ok(units)
        })?;
        ctx.printer.yaml_or_json(&output, &units)
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Shown {
    #[serde(skip_serializing_if = "String::is_empty")]
    workload_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    machine: String,
    opened_ports: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    public_address: String,
    charm: String,
    leader: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    life: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relation_info: Vec<Relation>,
    #[serde(skip_serializing_if = "String::is_empty")]
    provider_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    address: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Relation {
    relation_id: i64,
    endpoint: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cross_model: bool,
    related_endpoint: String,
    application_data: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    local_unit: Option<Data>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    related_units: BTreeMap<String, Data>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Data {
    in_scope: bool,
    data: BTreeMap<String, Value>,
}

impl From<&RelationData> for Data {
    fn from(it: &RelationData) -> Self {
        Self { in_scope: it.in_scope, data: it.unit_data.clone() }
    }
}

impl Args {
    fn show(&self, unit: UnitResult) -> Shown {
        let name = unit.tag.strip_prefix("unit-").unwrap_or_default();
        let name = name.rsplit_once('-').map(|(app, n)| format!("{app}/{n}")).unwrap_or_default();
        let wanted = |it: &&EndpointRelationData| self.endpoint.is_empty() || it.endpoint == self.endpoint;
        Shown {
            relation_info: unit
                .relation_data
                .iter()
                .filter(wanted)
                .map(|it| self.relation(it, &name))
                .collect(),
            workload_version: unit.workload_version,
            machine: unit.machine,
            opened_ports: unit.opened_ports,
            public_address: unit.public_address,
            charm: unit.charm,
            leader: unit.leader,
            life: unit.life,
            provider_id: unit.provider_id,
            address: unit.address,
        }
    }

    fn relation(&self, it: &EndpointRelationData, own: &str) -> Relation {
        let data = |name: &str| it.unit_relation_data.get(name).map(Data::from);
        let is_shown =
            |name: &str| name != own && (self.related_unit.is_empty() || self.related_unit == name);
        let others = it.unit_relation_data.keys().filter(|name| !self.app && is_shown(name));
        Relation {
            relation_id: it.relation_id,
            endpoint: it.endpoint.clone(),
            cross_model: it.cross_model,
            related_endpoint: it.related_endpoint.clone(),
            application_data: it.application_data.clone(),
            local_unit: data(own).filter(|_| !self.app && self.related_unit.is_empty()),
            related_units: others.filter_map(|name| Some((name.clone(), data(name)?))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use juju_wire::codec::De;

    use super::*;

    const REPLY: &str = r#"{"tag":"unit-my-web-0","workload-version":"1.2","machine":"0","opened-ports":null,
        "public-address":"10.8.0.21","charm":"local:web-0","leader":true,"relation-data":[
        {"relation-id":1,"endpoint":"db","related-endpoint":"db","ApplicationData":{"k":"v"},"cross-model":false,
         "unit-relation-data":{"my-web/0":{"InScope":true,"UnitData":{"a":"1"}},
           "pg/0":{"InScope":true,"UnitData":{"b":"2"}},"pg/1":{"InScope":false,"UnitData":{}}}},
        {"relation-id":2,"endpoint":"log","related-endpoint":"log","ApplicationData":{}}]}"#;

    fn show(args: Args) -> serde_json::Value {
        let De(unit) = serde_json::from_str(REPLY).unwrap();
        serde_json::to_value(args.show(unit)).unwrap()
    }

    fn args(endpoint: &str, related_unit: &str, app: bool) -> Args {
        Args {
            app,
            endpoint: endpoint.into(),
            related_unit: related_unit.into(),
            model: Default::default(),
            output: Default::default(),
            positional: Default::default(),
        }
    }

    #[test]
    fn a_unit_has_jujus_keys() {
        assert_eq!(
            show(args("db", "", false)),
            serde_json::json!({"workload-version": "1.2", "machine": "0", "opened-ports": [],
                "public-address": "10.8.0.21", "charm": "local:web-0", "leader": true, "relation-info": [
                {"relation-id": 1, "endpoint": "db", "related-endpoint": "db", "application-data": {"k": "v"},
                 "local-unit": {"in-scope": true, "data": {"a": "1"}},
                 "related-units": {"pg/0": {"in-scope": true, "data": {"b": "2"}},
                                   "pg/1": {"in-scope": false, "data": {}}}}]})
        );
    }

    #[test]
    fn what_is_shown_can_be_narrowed() {
        let all = show(args("", "", false));
        assert_eq!(all["relation-info"].as_array().unwrap().len(), 2);
        let one = show(args("db", "pg/0", false));
        let units = &one["relation-info"][0]["related-units"];
        assert_eq!(units.as_object().unwrap().keys().collect::<Vec<_>>(), ["pg/0"]);
        let app = show(args("db", "", true));
        assert!(
            app["relation-info"][0].get("local-unit").is_none()
                && app["relation-info"][0].get("related-units").is_none()
        );
    }
}
