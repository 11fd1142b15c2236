//! `actions.yaml`: what users may ask of a unit (Juju 3.6 `juju/charm`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{CharmError, Result, yaml};

const FILE: &str = "actions";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Actions {
    pub actions: BTreeMap<String, Action>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Action {
    pub description: String,
    pub parallel: bool,
    pub execution_group: String,
    /// The JSON schema of its parameters.
    pub params: Value,
}

impl Actions {
    pub fn parse(text: &str) -> Result<Actions> {
        let bad = |why: String| CharmError::Parse { file: FILE, why };
        let raw: Option<BTreeMap<String, Option<Map<String, Value>>>> =
            yaml::from_str(text).map_err(|err| bad(err.to_string()))?;
        let mut actions = Actions::default();
        for (name, raw) in raw.unwrap_or_default() {
            let action = action(&name, raw.unwrap_or_default()).map_err(bad)?;
            actions.actions.insert(name, action);
        }
        Ok(actions)
    }
}

fn action(name: &str, mut raw: Map<String, Value>) -> std::result::Result<Action, String> {
    let edge = |it: Option<char>| it.is_some_and(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
    let good = edge(name.chars().next())
        && edge(name.chars().last())
        && name.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-');
    if !good {
        return Err(format!("bad action name {name}"));
    }
    if name == "juju" || name.starts_with("juju-") {
        let what = if name == "juju" { "name \"juju\"" } else { "\"juju-\" prefix" };
        return Err(format!("cannot use action name {name}: the {what} is reserved"));
    }
    let text = |it: Option<Value>, key: &str| match it {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(it)) => Ok(Some(it)),
        Some(_) => Err(format!("value for schema key {key:?} must be a string")),
    };
    let description =
        text(raw.remove("description"), "description")?.unwrap_or_else(|| "No description".to_owned());
    let execution_group = text(raw.remove("execution-group"), "execution-group")?.unwrap_or_default();
    let parallel = match raw.remove("parallel") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(it)) => it,
        Some(_) => return Err("value for schema key \"parallel\" must be a bool".to_owned()),
    };
    let properties = match raw.remove("params") {
        None | Some(Value::Null) => json!({}),
        Some(it @ Value::Object(_)) => it,
        Some(_) => return Err("params failed to parse as a map".to_owned()),
    };
    let mut schema = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("title".to_owned(), json!(name)),
        ("description".to_owned(), json!(description)),
        ("properties".to_owned(), properties),
    ]);
    schema.extend(raw);
    let params = Value::Object(schema);
    for key in ["$ref", "$schema"] {
        if mentions(&params, key) {
            return Err(format!("schema key {key:?} not compatible with this version of juju"));
        }
    }
    Ok(Action { description, parallel, execution_group, params })
}

fn mentions(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(name, it)| name == key || mentions(it, key)),
        Value::Array(list) => list.iter().any(|it| mentions(it, key)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_become_schemas() {
        let actions = Actions::parse("dump:\n  params: {file: {type: string}}\n  required: [file]\nping: {description: p, parallel: true}\nbare:\n").unwrap();
        assert_eq!(
            actions.actions["dump"].params,
            json!({"type": "object", "title": "dump", "description": "No description",
                   "properties": {"file": {"type": "string"}}, "required": ["file"]})
        );
        assert!(actions.actions["ping"].parallel && actions.actions.contains_key("bare"));
        assert!(Actions::parse("").unwrap().actions.is_empty());
    }

    #[test]
    fn bad_actions_are_named() {
        for (text, error) in [
            ("Bad: {}", "actions: bad action name Bad"),
            ("-a: {}", "actions: bad action name -a"),
            ("juju-x: {}", "actions: cannot use action name juju-x: the \"juju-\" prefix is reserved"),
            ("a: {params: [x]}", "actions: params failed to parse as a map"),
            (
                "a: {params: {x: {$ref: y}}}",
                "actions: schema key \"$ref\" not compatible with this version of juju",
            ),
        ] {
            assert_eq!(Actions::parse(text).unwrap_err().to_string(), error);
        }
        assert!(Actions::parse("a: [x]").unwrap_err().to_string().starts_with("actions: "));
    }
}
