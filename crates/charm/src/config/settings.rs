//! Values that people give to options: as `key=value`, as a YAML file, as stored.

use std::collections::BTreeMap;

use juju_core::{ConfigValue, Settings, config::ConfigValueError};
use serde_json::Value;

use super::Config;
use crate::yaml::{self, YamlError};

/// Values by option. None resets an option to its default.
pub type Values = BTreeMap<String, Option<ConfigValue>>;

/// Why values cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("unknown option {0:?}")]
    Unknown(String),
    #[error("option {name:?} {wrong}")]
    Wrong { name: String, wrong: ConfigValueError },
    #[error("cannot parse settings data: {0}")]
    Yaml(YamlError),
    #[error("no settings found for {0:?}")]
    NoSettings(String),
}

impl Config {
    /// Reads one value as a person writes it.
    pub fn parse_value(&self, name: &str, text: &str) -> Result<ConfigValue, ConfigError> {
        self.option(name)?
            .option_type
            .parse(text)
            .map_err(|wrong| ConfigError::Wrong { name: name.to_owned(), wrong })
    }

    /// Reads `key=value` pairs.
    pub fn parse_strings<'a>(
        &self,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Values, ConfigError> {
        pairs
            .into_iter()
            .map(|(name, text)| Ok((name.to_owned(), Some(self.parse_value(name, text)?))))
            .collect()
    }

    /// Reads a YAML file whose top level is the application's name, or what `juju config` printed of one.
    pub fn parse_yaml(&self, text: &str, app: &str) -> Result<Values, ConfigError> {
        let tree = yaml::value(text).map_err(|it| ConfigError::Yaml(it.without_text()))?;
        match tree.get(app) {
            Some(Value::Object(settings)) => {
                self.values(settings.iter().map(|(name, value)| (name.as_str(), value)))
            }
            Some(Value::Null) => Ok(Values::new()),
            Some(_) => {
                Err(ConfigError::Yaml(YamlError::Nowhere(format!("settings of {app:?} are not a map"))))
            }
            None => match tree.get("settings") {
                Some(Value::Object(printed)) => self.values(printed.iter().filter_map(given)),
                _ => Err(ConfigError::NoSettings(app.to_owned())),
            },
        }
    }

    /// Takes settings as documents and the wire have them; a null resets.
    pub fn validate(&self, settings: &Settings) -> Result<Values, ConfigError> {
        let typed = |(name, value): (&String, &Value)| {
            let option = self.option(name)?;
            let value = match value {
                Value::Null => None,
                value => {
                    let converted = option.option_type.convert(value);
                    Some(converted.map_err(|wrong| ConfigError::Wrong { name: name.clone(), wrong })?)
                }
            };
            Ok((name.clone(), value))
        };
        settings.0.iter().map(typed).collect()
    }

    /// The settings that still fit, as a refresh carries them over: what the new charm has no option for, or has in
    /// another type, goes.
    pub fn filter(&self, settings: &Settings) -> Settings {
        let fits = |name: &str, value: &Value| {
            self.option(name).is_ok_and(|it| value.is_null() || it.option_type.convert(value).is_ok())
        };
        Settings(
            settings
                .0
                .iter()
                .filter(|(name, value)| fits(name, value))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect(),
        )
    }

    /// What holds: the settings over the defaults.
    pub fn effective(&self, settings: &Settings) -> BTreeMap<String, ConfigValue> {
        let mut values = self.defaults();
        for (name, value) in &settings.0 {
            if let Ok(value) = self.option(name).map(|it| it.option_type.convert(value))
                && let Ok(value) = value
            {
                values.insert(name.clone(), value);
            }
        }
        values
    }

    fn option(&self, name: &str) -> Result<&super::ConfigOption, ConfigError> {
        self.options.get(name).ok_or_else(|| ConfigError::Unknown(name.to_owned()))
    }

    /// From YAML, where text is read as a person's text and the rest by its type.
    fn values<'a>(&self, values: impl Iterator<Item = (&'a str, &'a Value)>) -> Result<Values, ConfigError> {
        let typed = |(name, value): (&str, &Value)| {
            let option = self.option(name)?;
            let value = match value {
                Value::Null => Ok(None),
                Value::String(text) => option.option_type.parse(text).map(Some),
                value => option.option_type.convert(value).map(Some),
            };
            Ok((name.to_owned(), value.map_err(|wrong| ConfigError::Wrong { name: name.to_owned(), wrong })?))
        };
        values.map(typed).collect()
    }
}

/// The value in one entry of what `juju config` prints, unless it is a default.
fn given<'a>((name, entry): (&'a String, &'a Value)) -> Option<(&'a str, &'a Value)> {
    let by_user = entry.get("source").is_none_or(|it| it == "user");
    Some((name.as_str(), entry.get("value").filter(|_| by_user)?))
}
