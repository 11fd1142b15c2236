//! Looks into a tree of values by path, so that each error names the key it is about in Juju's words.

use std::fmt;

use serde_json::{Map, Value};

/// What stands at a path is not what must stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaError(String);

impl SchemaError {
    /// An error about the value at a path, in words of one's own.
    pub(crate) fn at(path: &str, why: impl fmt::Display) -> Self {
        if path.is_empty() { SchemaError(why.to_string()) } else { SchemaError(format!("{path}: {why}")) }
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

type Checked<T> = Result<T, SchemaError>;

/// A value and where it stands. Nothing stands where a key is missing or null.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    path: String,
    value: Option<&'a Value>,
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: &'a Value) -> Self {
        Node { path: String::new(), value: Some(value).filter(|it| !it.is_null()) }
    }

    /// The value under a key of a map, there or not.
    pub(crate) fn get(&self, key: &str) -> Checked<Node<'a>> {
        let value = self.map()?.get(key).filter(|it| !it.is_null());
        Ok(Node { path: join(&self.path, key), value })
    }

    /// The value under a key of a map, if the key is there. A key without a value is not left out: it is wrong.
    pub(crate) fn optional(&self, key: &str) -> Checked<Option<Node<'a>>> {
        if self.map()?.contains_key(key) { self.get(key).map(Some) } else { Ok(None) }
    }

    pub(crate) fn map(&self) -> Checked<&'a Map<String, Value>> {
        match self.value {
            Some(Value::Object(map)) => Ok(map),
            _ => Err(self.expected("map")),
        }
    }

    /// Each key of a map with its value.
    pub(crate) fn entries(&self) -> Checked<Vec<(&'a str, Node<'a>)>> {
        let node = |key: &str, value| Node {
            path: join(&self.path, key),
            value: Some(value).filter(|it: &&Value| !it.is_null()),
        };
        Ok(self.map()?.iter().map(|(key, value)| (key.as_str(), node(key, value))).collect())
    }

    pub(crate) fn list(&self) -> Checked<Vec<Node<'a>>> {
        match self.value {
            Some(Value::Array(list)) => {
                let node = |(at, value)| Node {
                    path: format!("{}[{at}]", self.path),
                    value: Some(value).filter(|it: &&Value| !it.is_null()),
                };
                Ok(list.iter().enumerate().map(node).collect())
            }
            _ => Err(self.expected("list")),
        }
    }

    pub(crate) fn str(&self) -> Checked<&'a str> {
        match self.value {
            Some(Value::String(text)) => Ok(text),
            _ => Err(self.expected("string")),
        }
    }

    pub(crate) fn string(&self) -> Checked<String> {
        self.str().map(str::to_owned)
    }

    pub(crate) fn strings(&self) -> Checked<Vec<String>> {
        self.list()?.iter().map(Node::string).collect()
    }

    pub(crate) fn bool(&self) -> Checked<bool> {
        match self.value {
            Some(Value::Bool(flag)) => Ok(*flag),
            _ => Err(self.expected("bool")),
        }
    }

    pub(crate) fn int(&self) -> Checked<i64> {
        self.value.and_then(Value::as_i64).ok_or_else(|| self.expected("int"))
    }

    /// One of some words.
    pub(crate) fn one_of(&self, words: &[&str]) -> Checked<&'a str> {
        match self.value {
            Some(Value::String(text)) if words.contains(&text.as_str()) => Ok(text),
            Some(value) => Err(SchemaError::at(&self.path, format!("unexpected value {}", got(value)))),
            None => Err(SchemaError::at(&self.path, "unexpected value <nil>")),
        }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.value.is_none()
    }

    pub(crate) fn value(&self) -> Option<&'a Value> {
        self.value
    }

    pub(crate) fn expected(&self, what: &str) -> SchemaError {
        let got = self.value.map_or_else(|| "nothing".to_owned(), got);
        SchemaError::at(&self.path, format!("expected {what}, got {got}"))
    }

    pub(crate) fn error(&self, why: impl fmt::Display) -> SchemaError {
        SchemaError::at(&self.path, why)
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A value with its type, as Go writes it.
fn got(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("bool({flag})"),
        Value::Number(number) if number.is_f64() => format!("float64({number})"),
        Value::Number(number) => format!("int({number})"),
        Value::String(text) => format!("string({text:?})"),
        Value::Array(_) => "list".to_owned(),
        Value::Object(_) => "map".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_name_the_key() {
        let tree = json!({"a": {"b": [1, "x"], "c": 1.5, "d": null, "e": "x"}});
        let a = Node::root(&tree).get("a").unwrap();
        let text = |it: SchemaError| it.to_string();
        assert_eq!(
            a.get("b").unwrap().strings().map_err(text),
            Err("a.b[0]: expected string, got int(1)".into())
        );
        assert_eq!(
            a.get("c").unwrap().int().map_err(text),
            Err("a.c: expected int, got float64(1.5)".into())
        );
        assert_eq!(a.get("d").unwrap().bool().map_err(text), Err("a.d: expected bool, got nothing".into()));
        assert_eq!(
            a.get("e").unwrap().list().map(drop).map_err(text),
            Err(r#"a.e: expected list, got string("x")"#.into())
        );
        assert_eq!(
            a.get("e").unwrap().one_of(&["y"]).map_err(text),
            Err(r#"a.e: unexpected value string("x")"#.into())
        );
        assert_eq!(
            Node::root(&json!(null)).map().map(drop).map_err(text),
            Err("expected map, got nothing".into())
        );
        assert!(a.optional("nope").unwrap().is_none());
        assert!(a.optional("d").unwrap().is_some());
    }
}
