//! The values of a charm's options: five types, and how text becomes one.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::ids::SecretId;

/// The type of an option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptionType {
    #[default]
    String,
    Int,
    Float,
    Boolean,
    /// A reference to a secret, or nothing.
    Secret,
}

impl OptionType {
    pub const fn as_str(self) -> &'static str {
        match self {
            OptionType::String => "string",
            OptionType::Int => "int",
            OptionType::Float => "float",
            OptionType::Boolean => "boolean",
            OptionType::Secret => "secret",
        }
    }

    /// Reads a value as a person gives it: `key=value`. A text that is not of the type is refused.
    pub fn parse(self, text: &str) -> Result<ConfigValue, ConfigValueError> {
        let wrong = || ConfigValueError { expected: self, got: format!("{text:?}") };
        match self {
            OptionType::String => Ok(ConfigValue::String(text.to_owned())),
            OptionType::Int => text.parse().map(ConfigValue::Int).map_err(|_| wrong()),
            OptionType::Float => {
                text.parse().ok().filter(|it: &f64| it.is_finite()).map(ConfigValue::Float).ok_or_else(wrong)
            }
            OptionType::Boolean => match text {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(ConfigValue::Boolean(true)),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(ConfigValue::Boolean(false)),
                _ => Err(wrong()),
            },
            OptionType::Secret if is_secret(text) => Ok(ConfigValue::Secret(text.to_owned())),
            OptionType::Secret => Err(wrong()),
        }
    }

    /// Takes a value that a document gives in a type of its own: a default, a YAML file, a stored setting.
    pub fn convert(self, value: &Value) -> Result<ConfigValue, ConfigValueError> {
        let wrong = || ConfigValueError { expected: self, got: shown(value) };
        match (self, value) {
            (OptionType::String, Value::String(text)) => Ok(ConfigValue::String(text.clone())),
            (OptionType::Int, Value::Number(number)) => {
                // A whole number that JSON carried as 3.0 is an integer still.
                let whole =
                    number.as_f64().filter(|it| it.fract() == 0.0 && it.abs() < 9.0e15).map(|it| it as i64);
                number.as_i64().or(whole).map(ConfigValue::Int).ok_or_else(wrong)
            }
            (OptionType::Float, Value::Number(number)) => {
                number.as_f64().map(ConfigValue::Float).ok_or_else(wrong)
            }
            (OptionType::Boolean, Value::Bool(flag)) => Ok(ConfigValue::Boolean(*flag)),
            (OptionType::Secret, Value::String(text)) if is_secret(text) => {
                Ok(ConfigValue::Secret(text.clone()))
            }
            _ => Err(wrong()),
        }
    }
}

/// A text that names no type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown type {0:?}")]
pub struct OptionTypeError(pub String);

impl FromStr for OptionType {
    type Err = OptionTypeError;
    fn from_str(text: &str) -> Result<Self, OptionTypeError> {
        use OptionType::*;
        [String, Int, Float, Boolean, Secret]
            .into_iter()
            .find(|it| it.as_str() == text)
            .ok_or_else(|| OptionTypeError(text.to_owned()))
    }
}

impl fmt::Display for OptionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

crate::ids::text_serde!(OptionType);

/// A value that is not of its option's type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, got {got}")]
pub struct ConfigValueError {
    pub expected: OptionType,
    /// The value as it was given, quoted if it is text.
    pub got: String,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigValue {
    String(String),
    Int(i64),
    Float(f64),
    Boolean(bool),
    /// `secret:…`, or empty.
    Secret(String),
}

impl ConfigValue {
    pub fn option_type(&self) -> OptionType {
        match self {
            ConfigValue::String(_) => OptionType::String,
            ConfigValue::Int(_) => OptionType::Int,
            ConfigValue::Float(_) => OptionType::Float,
            ConfigValue::Boolean(_) => OptionType::Boolean,
            ConfigValue::Secret(_) => OptionType::Secret,
        }
    }

    /// As documents and the wire carry it.
    pub fn to_json(&self) -> Value {
        match self {
            ConfigValue::String(text) | ConfigValue::Secret(text) => Value::String(text.clone()),
            ConfigValue::Int(number) => Value::from(*number),
            ConfigValue::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            ConfigValue::Boolean(flag) => Value::Bool(*flag),
        }
    }
}

/// As a person would give it.
impl fmt::Display for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigValue::String(text) | ConfigValue::Secret(text) => f.write_str(text),
            ConfigValue::Int(number) => write!(f, "{number}"),
            ConfigValue::Float(number) => write!(f, "{number}"),
            ConfigValue::Boolean(flag) => write!(f, "{flag}"),
        }
    }
}

/// Settings as documents hold them: of an application's charm, of one side of a relation, of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(pub BTreeMap<String, Value>);

/// One setting that differs between two states.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingChange {
    pub key: String,
    pub old: Option<Value>,
    pub new: Option<Value>,
}

impl Settings {
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Sets each key that has a value and takes away each that has none; says whether anything changed.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = (String, Option<Value>)>) -> bool {
        let mut changed = false;
        for (key, value) in changes {
            changed |= match value {
                Some(value) => self.0.insert(key, value.clone()).as_ref() != Some(&value),
                None => self.0.remove(&key).is_some(),
            };
        }
        changed
    }

    /// What turns these settings into others, by key.
    pub fn changes_to(&self, to: &Settings) -> Vec<SettingChange> {
        let keys: std::collections::BTreeSet<_> = self.0.keys().chain(to.0.keys()).collect();
        keys.into_iter()
            .filter(|key| self.get(key) != to.get(key))
            .map(|key| SettingChange {
                key: key.clone(),
                old: self.get(key).cloned(),
                new: to.get(key).cloned(),
            })
            .collect()
    }
}

fn is_secret(text: &str) -> bool {
    text.is_empty() || (text.starts_with("secret:") && text.parse::<SecretId>().is_ok())
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Null => "nothing".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn from_text() {
        use OptionType as T;
        for (kind, text, expected) in [
            (T::String, "01182252", Some(json!("01182252"))),
            (T::String, "", Some(json!(""))),
            (T::Int, "-3", Some(json!(-3))),
            (T::Int, "3.5", None),
            (T::Int, "9223372036854775808", None),
            (T::Int, "", None),
            (T::Float, "1e3", Some(json!(1000.0))),
            (T::Float, "nan", None),
            (T::Boolean, "True", Some(json!(true))),
            (T::Boolean, "0", Some(json!(false))),
            (T::Boolean, "yes", None),
            (T::Secret, "", Some(json!(""))),
            (T::Secret, "secret:9m4e2mr0ui3e8a215n4g", Some(json!("secret:9m4e2mr0ui3e8a215n4g"))),
            (T::Secret, "9m4e2mr0ui3e8a215n4g", None),
            (T::Secret, "hunter2", None),
        ] {
            assert_eq!(kind.parse(text).ok().map(|it| it.to_json()), expected, "{kind} {text:?}");
        }
        assert_eq!(T::Int.parse("abc").unwrap_err().to_string(), r#"expected int, got "abc""#);
    }

    #[test]
    fn from_documents() {
        use OptionType as T;
        for (kind, value, expected) in [
            (T::String, json!("x"), Ok(ConfigValue::String("x".into()))),
            (T::String, json!(1), Err("expected string, got 1")),
            (T::String, json!(true), Err("expected string, got true")),
            (T::Int, json!(7), Ok(ConfigValue::Int(7))),
            (T::Int, json!(7.0), Ok(ConfigValue::Int(7))),
            (T::Int, json!(7.5), Err("expected int, got 7.5")),
            (T::Int, json!("7"), Err(r#"expected int, got "7""#)),
            (T::Float, json!(7), Ok(ConfigValue::Float(7.0))),
            (T::Boolean, json!(false), Ok(ConfigValue::Boolean(false))),
            (T::Boolean, json!("true"), Err(r#"expected boolean, got "true""#)),
            (T::Secret, json!("secret"), Err(r#"expected secret, got "secret""#)),
            (T::Boolean, json!(null), Err("expected boolean, got nothing")),
        ] {
            assert_eq!(kind.convert(&value).map_err(|it| it.to_string()), expected.map_err(str::to_owned));
        }
        assert_eq!("integer".parse::<OptionType>().unwrap_err().to_string(), r#"unknown type "integer""#);
    }

    #[test]
    fn settings() {
        let mut settings = Settings([("a".to_owned(), json!(1)), ("b".to_owned(), json!(2))].into());
        let before = settings.clone();
        assert!(!settings.apply([("a".to_owned(), Some(json!(1))), ("c".to_owned(), None)]));
        assert!(settings.apply([
            ("a".to_owned(), Some(json!(3))),
            ("b".to_owned(), None),
            ("c".to_owned(), Some(json!("x")))
        ]));
        let changes = before.changes_to(&settings);
        let keys: Vec<_> =
            changes.iter().map(|it| (it.key.as_str(), it.old.clone(), it.new.clone())).collect();
        assert_eq!(
            keys,
            [
                ("a", Some(json!(1)), Some(json!(3))),
                ("b", Some(json!(2)), None),
                ("c", None, Some(json!("x")))
            ]
        );
        let mut again = before;
        again.apply(changes.into_iter().map(|it| (it.key, it.new)));
        assert_eq!(again, settings);
    }
}
