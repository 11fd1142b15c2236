//! JSON schemas of wire types, as Juju publishes its own: a definition a struct, references between them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::codec::Object;

/// The definitions that a schema's references lead to, by type name.
#[derive(Default)]
pub struct Defs(pub BTreeMap<&'static str, Value>);

/// One key of an object.
pub struct Field {
    pub key: &'static str,
    /// Always sent.
    pub required: bool,
    pub schema: Value,
}

/// A plain JSON type.
pub fn plain(name: &str) -> Value {
    json!({ "type": name })
}

/// Any JSON value, spelled as Juju's schemas spell it.
pub fn any() -> Value {
    json!({ "type": "object", "additionalProperties": true })
}

/// A reference to `T`, whose definition is added to `defs` if it is not there yet.
pub fn object<T: Object>(defs: &mut Defs) -> Value {
    if !defs.0.contains_key(T::NAME) {
        // Taken first, so that a type that holds itself ends.
        defs.0.insert(T::NAME, Value::Null);
        let fields = T::fields(defs);
        let required: Vec<_> = fields.iter().filter(|it| it.required).map(|it| it.key).collect();
        let properties: Map<String, Value> =
            fields.into_iter().map(|it| (it.key.to_owned(), it.schema)).collect();
        let mut schema = json!({ "type": "object", "additionalProperties": false });
        if !properties.is_empty() {
            schema["properties"] = Value::Object(properties);
        }
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        defs.0.insert(T::NAME, schema);
    }
    json!({ "$ref": format!("#/definitions/{}", T::NAME) })
}
