//! Every declared type through the decoding rules.
//!
//! From a type's schema a value is made in which no field is empty. The rules are then: it comes back as it was, also
//! when its keys are in another case and others stand between them; a key that is null or missing reads as the
//! default; and what is empty is left out exactly where the schema says that it may be.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use juju_wire::{facade, method::Part, schema::Defs};
use serde_json::{Map, Value, json};

/// Types whose published schema is not what travels; their own file tests them.
const ODD: &[&str] = &["DeltaShape"];

fn resolve<'a>(schema: &'a Value, defs: &'a Defs) -> (&'a Value, Option<&'a str>) {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(path) => {
            let name = path.rsplit('/').next().unwrap();
            (&defs.0[name], Some(name))
        }
        None => (schema, None),
    }
}

/// A value with nothing empty in it, but where a type would hold itself again.
fn full<'a>(schema: &'a Value, defs: &'a Defs, within: &mut Vec<&'a str>) -> Option<Value> {
    let (schema, name) = resolve(schema, defs);
    if let Some(name) = name {
        if ODD.contains(&name) {
            return Some(json!(["unit", "change", { "name": "web/0" }]));
        }
        if within.contains(&name) {
            return None;
        }
        within.push(name);
    }
    let value = match schema["type"].as_str() {
        Some("string") if schema["format"] == "date-time" => json!("2026-03-02T10:11:12.123456789Z"),
        // Base64 as well, since bytes are strings to the schema.
        Some("string") => json!("YWJj"),
        Some("integer") => json!(7),
        Some("number") => json!(1.5),
        Some("boolean") => json!(true),
        Some("array") => full(&schema["items"], defs, within).into_iter().collect(),
        Some("object") => match (schema.get("properties"), schema.get("patternProperties")) {
            (Some(Value::Object(fields)), _) => {
                let required = required(schema);
                let mut map = Map::new();
                for (key, field) in fields {
                    let value = full(field, defs, within).unwrap_or_default();
                    let empty = value == json!(null) || value == json!([]) || value == json!({});
                    if !empty || required.contains(key.as_str()) {
                        map.insert(key.clone(), value);
                    }
                }
                Value::Object(map)
            }
            (_, Some(values)) => match full(&values[".*"], defs, within) {
                Some(value) => json!({ "Key-One": value }),
                None => json!({}),
            },
            _ if schema["additionalProperties"] == true => json!({ "Any-Thing": [1, "two"] }),
            _ => json!({}),
        },
        other => panic!("a schema of type {other:?}: {schema}"),
    };
    if name.is_some() {
        within.pop();
    }
    Some(value)
}

fn required(schema: &Value) -> BTreeSet<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Where two values differ; whole values would fill screens.
fn difference(left: &Value, right: &Value) -> Option<String> {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: BTreeSet<_> = left.keys().chain(right.keys()).collect();
            keys.into_iter().find_map(|key| {
                let (left, right) = (left.get(key), right.get(key));
                match (left, right) {
                    (Some(left), Some(right)) => difference(left, right).map(|it| format!(".{key}{it}")),
                    (left, right) => Some(format!(".{key}: {left:?}, should be {right:?}")),
                }
            })
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => left
            .iter()
            .zip(right)
            .enumerate()
            .find_map(|(at, (left, right))| difference(left, right).map(|it| format!("[{at}]{it}"))),
        (left, right) => (left != right).then(|| format!(": {left}, should be {right}")),
    }
}

/// The same value with each object changed by `change`; keys of maps are left alone, they are data.
fn each_object(
    value: &Value,
    schema: &Value,
    defs: &Defs,
    change: &dyn Fn(Map<String, Value>) -> Map<String, Value>,
) -> Value {
    let (schema, name) = resolve(schema, defs);
    if name.is_some_and(|it| ODD.contains(&it)) {
        return value.clone();
    }
    match (value, schema.get("properties"), schema.get("patternProperties")) {
        (Value::Array(list), ..) => {
            list.iter().map(|it| each_object(it, &schema["items"], defs, change)).collect()
        }
        (Value::Object(map), Some(fields), _) => {
            let inner = |(key, it): (&String, &Value)| {
                (key.clone(), each_object(it, &fields[key.as_str()], defs, change))
            };
            Value::Object(change(map.iter().map(inner).collect()))
        }
        (Value::Object(map), _, Some(values)) => {
            let inner =
                |(key, it): (&String, &Value)| (key.clone(), each_object(it, &values[".*"], defs, change));
            Value::Object(map.iter().map(inner).collect())
        }
        _ => value.clone(),
    }
}

fn swap_case(key: &str) -> String {
    let swap = |it: char| if it.is_uppercase() { it.to_ascii_lowercase() } else { it.to_ascii_uppercase() };
    key.chars().map(swap).collect()
}

fn check(what: &str, schema: &Value, defs: &Defs, recode: &dyn Fn(&Value) -> serde_json::Result<Value>) {
    let value = full(schema, defs, &mut vec![]).unwrap();
    let becomes = |how: &str, value: &Value, expected: &Value| match recode(value) {
        Ok(it) => assert_eq!(difference(&it, expected), None, "{what} {how}"),
        Err(err) => panic!("{what} {how}: {err}"),
    };
    becomes("as it is", &value, &value);

    let other_case = each_object(&value, schema, defs, &|map| {
        map.into_iter().map(|(key, it)| (swap_case(&key), it)).collect()
    });
    becomes("in another case", &other_case, &value);

    let with_others = each_object(&value, schema, defs, &|mut map| {
        map.insert("a-key-of-the-future".into(), json!({ "deep": [{}] }));
        map
    });
    becomes("with unknown keys", &with_others, &value);

    let empty = recode(&Value::Null).unwrap_or_else(|err| panic!("{what} from null: {err}"));
    let Some(value) = value.as_object() else { return };
    becomes("from nothing", &json!({}), &empty);
    let nulls = value.keys().map(|key| (key.clone(), Value::Null)).collect();
    becomes("of nulls", &Value::Object(nulls), &empty);

    let (schema, _) = resolve(schema, defs);
    let (required, empty) = (required(schema), empty.as_object().unwrap());
    let sent: BTreeSet<_> = empty.keys().map(String::as_str).collect();
    assert_eq!(sent, required, "{what}: what is sent of an empty value");
    for key in value.keys() {
        // One missing key must not disturb the others.
        let mut less = value.clone();
        less.remove(key);
        let mut expected = less.clone();
        expected.extend(empty.get(key).map(|it| (key.clone(), it.clone())));
        becomes(&format!("without {key}"), &Value::Object(less), &Value::Object(expected));
    }
}

#[test]
fn every_declared_type_keeps_the_rules() {
    let mut checked = 0;
    for info in facade::ALL {
        for method in info.methods {
            let mut defs = Defs::default();
            let (params, reply) = (method.schema)(&mut defs);
            for (part, schema) in [(Part::Params, params), (Part::Reply, reply)] {
                let what = format!("{}.{} {part:?}", info.name, method.name);
                let recode = |value: &Value| (method.recode)(part, &value.to_string());
                if schema.is_null() {
                    for value in [json!(null), json!({}), json!({ "a": [1] })] {
                        assert_eq!(recode(&value).unwrap(), json!({}), "{what}");
                    }
                } else {
                    check(&what, &schema, &defs, &recode);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 200, "only {checked} types were found");
}

#[test]
fn nonsense_is_an_error_and_never_a_panic() {
    let nonsense = ["", "{", "[", "7", "\"x\"", "[[[[", "{\"a\":}", "nul", "{\"results\":7}", "\u{0}"];
    for info in facade::ALL {
        for method in info.methods {
            for part in [Part::Params, Part::Reply] {
                let mut defs = Defs::default();
                let (params, reply) = (method.schema)(&mut defs);
                let schema = if part == Part::Params { params } else { reply };
                for text in nonsense {
                    let result = (method.recode)(part, text);
                    let is_json = serde_json::from_str::<Value>(text).is_ok();
                    assert!(result.is_err() || is_json, "{}.{} takes {text:?}", info.name, method.name);
                }
                // A field of the wrong type is an error that names neither more nor less than the place.
                let (top, _) = resolve(&schema, &defs);
                for (key, field) in top["properties"].as_object().into_iter().flatten() {
                    let (field, name) = resolve(field, &defs);
                    let wrong = match field["type"].as_str() {
                        _ if name.is_some_and(|it| ODD.contains(&it)) => continue,
                        Some("object") if field.get("properties").is_none() => continue,
                        Some("string") => json!({ key: 5 }),
                        _ => json!({ key: "YWJj" }),
                    };
                    let result = (method.recode)(part, &wrong.to_string());
                    assert!(result.is_err(), "{}.{} takes {wrong}", info.name, method.name);
                }
            }
        }
    }
}
