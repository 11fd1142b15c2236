//! `actions.yaml`: the actions of a charm, each with the JSON schema of its parameters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{CharmError, Result, schema::Node, yaml};

pub(crate) const FILE: &str = "actions.yaml";

/// A charm's actions by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Actions(pub BTreeMap<String, ActionSpec>);

/// One action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ActionSpec {
    pub description: String,
    /// Whether it may run beside other actions of its group.
    #[serde(default)]
    pub parallel: bool,
    /// Actions of one group run one after another.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub execution_group: String,
    /// A JSON schema (draft 4) of an object. Whether it is a schema at all, who has a validator checks.
    pub params: Value,
}

impl Actions {
    pub fn parse(text: &str) -> Result<Self> {
        let tree = yaml::value(text).map_err(|it| CharmError::parse(FILE, it))?;
        if tree == Value::Null {
            return Ok(Actions::default());
        }
        let invalid = |why: &dyn ToString| CharmError::invalid(format!("actions: {}", why.to_string()));
        let entries = Node::root(&tree).entries().map_err(|it| invalid(&it))?;
        let mut actions = BTreeMap::new();
        for (name, node) in entries {
            check_name(name).map_err(CharmError::invalid)?;
            let keys =
                if node.is_nothing() { Map::new() } else { node.map().map_err(|it| invalid(&it))?.clone() };
            let spec = read(name, keys).map_err(|why| invalid(&format!("{name}: {why}")))?;
            actions.insert(name.to_owned(), spec);
        }
        Ok(Actions(actions))
    }

    pub fn get(&self, name: &str) -> Option<&ActionSpec> {
        self.0.get(name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let inner = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let bytes = name.as_bytes();
    let valid = matches!((bytes.first(), bytes.last()), (Some(first), Some(last)) if inner(*first) && inner(*last))
        && bytes.iter().all(|it| inner(*it) || *it == b'-');
    if !valid {
        return Err(format!("bad action name {name}"));
    }
    if name == "juju" {
        return Err(format!("cannot use action name {name}: \"juju\" is a reserved name"));
    }
    if name.starts_with("juju-") {
        return Err(format!("cannot use action name {name}: the \"juju-\" prefix is reserved"));
    }
    Ok(())
}

fn read(name: &str, keys: Map<String, Value>) -> Result<ActionSpec, String> {
    let mut description = "No description".to_owned();
    let mut parallel = false;
    let mut execution_group = String::new();
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("title".into(), json!(name));
    schema.insert("properties".into(), json!({}));
    for (key, value) in keys {
        refuse_references(&value)?;
        match (key.as_str(), value) {
            ("$ref" | "$schema", _) => return Err(incompatible(&key)),
            ("description", Value::String(text)) => description = text,
            ("title", Value::String(text)) => drop(schema.insert(key, Value::String(text))),
            ("execution-group", Value::String(text)) => execution_group = text,
            ("description" | "title" | "execution-group", _) => {
                return Err(format!("value for schema key {key:?} must be a string"));
            }
            ("parallel", Value::Bool(flag)) => parallel = flag,
            ("parallel", _) => return Err(format!("value for schema key {key:?} must be a bool")),
            ("required", list @ Value::Array(_)) => drop(schema.insert(key, list)),
            ("required", _) => return Err(format!("value for schema key {key:?} must be a YAML list")),
            ("params", map @ Value::Object(_)) => drop(schema.insert("properties".into(), map)),
            ("params", _) => return Err("params failed to parse as a map".to_owned()),
            (_, other) => drop(schema.insert(key, other)),
        }
    }
    schema.insert("description".into(), json!(description));
    Ok(ActionSpec { description, parallel, execution_group, params: Value::Object(schema) })
}

/// A schema must stand by itself: one that refers to another could make a controller fetch it.
fn refuse_references(value: &Value) -> Result<(), String> {
    match value {
        Value::Object(map) => map.iter().try_for_each(|(key, value)| match key.as_str() {
            "$ref" | "$schema" => Err(incompatible(key)),
            _ => refuse_references(value),
        }),
        Value::Array(list) => list.iter().try_for_each(refuse_references),
        _ => Ok(()),
    }
}

fn incompatible(key: &str) -> String {
    format!("schema key {key:?} not compatible with this version of juju")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good() {
        let text = "snapshot:\n  description: Take one.\n  params:\n    outfile: {type: string, default: x.bz2}\n  \
                    required: [outfile]\n  parallel: true\n  execution-group: db\n  additionalProperties: false\n\
                    kill-9: {}\nbare:\n";
        let actions = Actions::parse(text).unwrap();
        let snapshot = actions.get("snapshot").unwrap();
        assert_eq!((snapshot.parallel, snapshot.execution_group.as_str()), (true, "db"));
        assert_eq!(
            snapshot.params,
            json!({
                "type": "object", "title": "snapshot", "description": "Take one.", "required": ["outfile"],
                "properties": {"outfile": {"type": "string", "default": "x.bz2"}}, "additionalProperties": false,
            })
        );
        assert_eq!(actions.get("bare").unwrap().description, "No description");
        let json = serde_json::to_value(&actions).unwrap();
        assert_eq!(serde_json::from_value::<Actions>(json).unwrap(), actions);
        assert!(Actions::parse("").unwrap().is_empty());
    }

    #[test]
    fn bad() {
        for (text, error) in [
            ("Snapshot: {}", "bad action name Snapshot"),
            ("-x: {}", "bad action name -x"),
            ("x-: {}", "bad action name x-"),
            ("x_y: {}", "bad action name x_y"),
            ("juju-run: {}", r#"cannot use action name juju-run: the "juju-" prefix is reserved"#),
            ("juju: {}", r#"cannot use action name juju: "juju" is a reserved name"#),
            ("a: {description: 1}", r#"actions: a: value for schema key "description" must be a string"#),
            ("a: {required: x}", r#"actions: a: value for schema key "required" must be a YAML list"#),
            ("a: {parallel: maybe}", r#"actions: a: value for schema key "parallel" must be a bool"#),
            ("a: {params: [x]}", "actions: a: params failed to parse as a map"),
            (
                "a: {params: {p: {$ref: x}}}",
                r#"actions: a: schema key "$ref" not compatible with this version of juju"#,
            ),
            (
                "a: {$schema: x}",
                r#"actions: a: schema key "$schema" not compatible with this version of juju"#,
            ),
            ("a: 7", "actions: a: expected map, got int(7)"),
            ("[a]", "actions: expected map, got list"),
            ("a: {}\na: {}", "actions.yaml: line 2, column 1: duplicate mapping key: a"),
        ] {
            assert_eq!(Actions::parse(text).unwrap_err().to_string(), error);
        }
    }
}
