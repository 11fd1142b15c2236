//! `config.yaml`: a charm's options, and the values that users give them (Juju 3.6 `juju/charm`).

use std::collections::BTreeMap;

use juju_core::{ConfigValue, OptionType, config::ConfigValueError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CharmError, Result, yaml};

const FILE: &str = "config";

/// Values by option; one that is absent has the charm's default.
pub type Settings = BTreeMap<String, Value>;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    pub options: BTreeMap<String, Opt>,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opt {
    #[serde(rename = "type")]
    pub kind: OptionType,
    #[serde(default)]
    pub description: String,
    /// Null if there is none.
    #[serde(default)]
    pub default: Value,
}

/// A value that an option does not take; the texts are Juju's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("unknown option {0:?}")]
    Unknown(String),
    #[error("option {name:?} expected {expected}, got {got}")]
    WrongType { name: String, expected: OptionType, got: String },
}

impl Config {
    /// Reads the file. A charm without one has no options.
    pub fn parse(text: &str) -> Result<Config> {
        #[derive(Deserialize)]
        struct Raw {
            #[serde(default)]
            options: Option<BTreeMap<String, Option<RawOption>>>,
        }
        #[derive(Default, Deserialize)]
        struct RawOption {
            #[serde(rename = "type", default)]
            kind: Option<String>,
            #[serde(default)]
            description: Option<String>,
            #[serde(default)]
            default: Value,
        }
        let bad = |why: String| CharmError::Parse { file: FILE, why };
        let raw: Option<Raw> = yaml::from_str(text).map_err(|err| bad(err.to_string()))?;
        let Some(options) = raw.and_then(|it| it.options) else {
            return Err(CharmError::invalid("invalid config: empty configuration"));
        };
        let mut config = Config::default();
        for (name, raw) in options {
            let raw = raw.unwrap_or_default();
            let kind: OptionType =
                raw.kind.as_deref().unwrap_or("string").parse().map_err(|err| {
                    CharmError::invalid(format!("invalid config: option {name:?} has {err}"))
                })?;
            let default = check(&name, kind, raw.default)
                .map_err(|err| CharmError::invalid(format!("invalid config default: {err}")))?;
            let description = raw.description.unwrap_or_default();
            config.options.insert(name, Opt { kind, description, default });
        }
        Ok(config)
    }

    /// The defaults of those options that have one.
    pub fn defaults(&self) -> Settings {
        let with = self.options.iter().filter(|(_, it)| !it.default.is_null());
        with.map(|(name, it)| (name.clone(), it.default.clone())).collect()
    }

    /// What a charm sees: the values, and the defaults of the rest.
    pub fn effective(&self, settings: &Settings) -> Settings {
        let mut all = self.defaults();
        let known =
            settings.iter().filter(|(name, value)| self.options.contains_key(*name) && !value.is_null());
        all.extend(known.map(|(name, value)| (name.clone(), value.clone())));
        all
    }

    /// Typed values, as from YAML or JSON; null stays null, which resets an option.
    pub fn check(&self, settings: Settings) -> std::result::Result<Settings, ValueError> {
        let typed = |(name, value): (String, Value)| {
            let option = self.options.get(&name).ok_or_else(|| ValueError::Unknown(name.clone()))?;
            let value = check(&name, option.kind, value)?;
            Ok((name, value))
        };
        settings.into_iter().map(typed).collect()
    }

    /// Values as people type them, each read by its option's type. An empty text is an empty string, and no value at
    /// all for the other types.
    pub fn parse_strings(
        &self,
        texts: &BTreeMap<String, String>,
    ) -> std::result::Result<Settings, ValueError> {
        let parsed = |(name, text): (&String, &String)| {
            let option = self.options.get(name).ok_or_else(|| ValueError::Unknown(name.clone()))?;
            Ok((name.clone(), parse_one(name, option.kind, text)?))
        };
        texts.iter().map(parsed).collect()
    }
}

fn parse_one(name: &str, kind: OptionType, text: &str) -> std::result::Result<Value, ValueError> {
    if text.is_empty() && kind != OptionType::String {
        return Ok(Value::Null);
    }
    typed(name, kind.parse(text))
}

fn check(name: &str, kind: OptionType, value: Value) -> std::result::Result<Value, ValueError> {
    if value.is_null() { Ok(value) } else { typed(name, kind.convert(&value)) }
}

fn typed(
    name: &str,
    value: std::result::Result<ConfigValue, ConfigValueError>,
) -> std::result::Result<Value, ValueError> {
    value.map(|it| it.to_json()).map_err(|source| ValueError::WrongType {
        name: name.to_owned(),
        expected: source.expected,
        got: source.got,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> Config {
        Config::parse(
            "options:\n  name: {default: x, description: d}\n  port: {type: int, default: 80}\n  ratio: {type: float, default: 1}\n  on: {type: boolean, default: yes}\n  key: {type: secret}\n",
        )
        .unwrap()
    }

    #[test]
    fn defaults_have_their_types() {
        let defaults = config().defaults();
        assert_eq!(json!(defaults), json!({"name": "x", "on": true, "port": 80, "ratio": 1.0}));
        let settings = Settings::from([
            ("port".into(), json!(8080)),
            ("name".into(), Value::Null),
            ("gone".into(), json!(1)),
        ]);
        assert_eq!(
            json!(config().effective(&settings)),
            json!({"name": "x", "on": true, "port": 8080, "ratio": 1.0})
        );
    }

    #[test]
    fn bad_files_are_named() {
        for (text, error) in [
            ("", "invalid config: empty configuration"),
            ("a: 1", "invalid config: empty configuration"),
            ("options: {x: {type: list}}", "invalid config: option \"x\" has unknown type \"list\""),
            (
                "options: {x: {type: int, default: abc}}",
                "invalid config default: option \"x\" expected int, got \"abc\"",
            ),
            (
                "options: {x: {type: string, default: 1.1}}",
                "invalid config default: option \"x\" expected string, got 1.1",
            ),
            (
                "options: {x: {type: secret, default: s}}",
                "invalid config default: option \"x\" expected secret, got \"s\"",
            ),
        ] {
            assert_eq!(Config::parse(text).unwrap_err().to_string(), error);
        }
        assert!(Config::parse("options: [").unwrap_err().to_string().starts_with("config: "));
        assert!(Config::parse("options: {}").unwrap().options.is_empty());
    }

    #[test]
    fn texts_are_read_by_type() {
        let read = |name: &str, text: &str| {
            config()
                .parse_strings(&BTreeMap::from([(name.to_owned(), text.to_owned())]))
                .map(|it| it[name].clone())
        };
        for (name, text, value) in [
            ("name", "1.10", json!("1.10")),
            ("name", "", json!("")),
            ("port", "8080", json!(8080)),
            ("port", "", Value::Null),
            ("ratio", "2", json!(2.0)),
            ("on", "False", json!(false)),
            ("key", "", Value::Null),
        ] {
            assert_eq!(read(name, text), Ok(value), "{name}={text}");
        }
        for (name, text, error) in [
            ("port", "eighty", "option \"port\" expected int, got \"eighty\""),
            ("ratio", "inf", "option \"ratio\" expected float, got \"inf\""),
            ("on", "maybe", "option \"on\" expected boolean, got \"maybe\""),
            ("what", "x", "unknown option \"what\""),
        ] {
            assert_eq!(read(name, text).unwrap_err().to_string(), error);
        }
    }
}
