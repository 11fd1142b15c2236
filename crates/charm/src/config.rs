//! `config.yaml`: the options of a charm, and the values that people give them.

mod settings;

use std::collections::BTreeMap;

use juju_core::{ConfigValue, OptionType, config::ConfigValueError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use settings::{ConfigError, Values};

use crate::{CharmError, Result, schema::Node, yaml};

pub(crate) const FILE: &str = "config.yaml";

/// The options of a charm by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Config {
    pub options: BTreeMap<String, ConfigOption>,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredOption", into = "StoredOption")]
pub struct ConfigOption {
    pub option_type: OptionType,
    pub description: String,
    /// What holds as long as nobody sets it.
    pub default: Option<ConfigValue>,
}

impl Config {
    pub fn parse(text: &str) -> Result<Self> {
        let tree = yaml::value(text).map_err(|it| CharmError::parse(FILE, it))?;
        let invalid = |why: String| CharmError::invalid(why);
        let empty = || invalid("invalid config: empty configuration".to_owned());
        if tree == Value::Null {
            return Err(empty());
        }
        let root = Node::root(&tree);
        let Some(list) = root.optional("options").map_err(|it| invalid(format!("invalid config: {it}")))?
        else {
            return Err(empty());
        };
        let mut options = BTreeMap::new();
        if !list.is_nothing() {
            for (name, node) in list.entries().map_err(|it| invalid(format!("invalid config: {it}")))? {
                options.insert(name.to_owned(), read_option(name, &node, text)?);
            }
        }
        Ok(Config { options })
    }

    /// The default of each option that has one.
    pub fn defaults(&self) -> BTreeMap<String, ConfigValue> {
        self.options.iter().filter_map(|(name, it)| Some((name.clone(), it.default.clone()?))).collect()
    }
}

fn read_option(name: &str, node: &Node<'_>, text: &str) -> Result<ConfigOption> {
    let invalid = |why: String| CharmError::invalid(why);
    let wrong = |it: &dyn ToString| invalid(format!("invalid config: {}", it.to_string()));
    let key = |key: &str| -> Result<Option<Node<'_>>> {
        if node.is_nothing() {
            Ok(None)
        } else {
            node.get(key).map(|it| Some(it).filter(|it| !it.is_nothing()))
        }
        .map_err(|it| wrong(&it))
    };
    let option_type = match key("type")?.map(|it| it.str()).transpose().map_err(|it| wrong(&it))? {
        // Without a type it is text; so it was in the first, Python, implementation.
        None | Some("") => OptionType::String,
        Some(word) => {
            word.parse().map_err(|it| invalid(format!("invalid config: option {name:?} has {it}")))?
        }
    };
    let description = key("description")?.map(|it| it.string()).transpose().map_err(|it| wrong(&it))?;
    let default = match key("default")?.and_then(|it| it.value()) {
        None => None,
        Some(value) => {
            let value = text_of_number(name, option_type, value, text).unwrap_or_else(|| value.clone());
            let converted = option_type.convert(&value);
            Some(converted.map_err(|it| invalid(format!("invalid config default: option {name:?} {it}")))?)
        }
    };
    Ok(ConfigOption { option_type, description: description.unwrap_or_default(), default })
}

/// The text of a default that YAML takes for a number only for want of a better idea: `01182252` is no octal number,
/// and where text is wanted it is one. Real numbers are refused there, as Juju does.
fn text_of_number(name: &str, option_type: OptionType, value: &Value, document: &str) -> Option<Value> {
    if option_type != OptionType::String || !value.is_number() {
        return None;
    }
    let texts: Texts = yaml::from_str(document).ok()?;
    let text = texts.options.get(name)?.default.clone()?;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
    let no_octal = digits.starts_with('0')
        && digits.bytes().all(|it| it.is_ascii_digit())
        && digits.contains(['8', '9']);
    no_octal.then_some(Value::String(text))
}

/// The file again, with the scalars' texts as they are written.
#[derive(Deserialize)]
struct Texts {
    options: BTreeMap<String, TextOption>,
}

#[derive(Deserialize)]
struct TextOption {
    default: Option<String>,
}

/// An option as documents hold it.
#[derive(Serialize, Deserialize)]
struct StoredOption {
    #[serde(rename = "type")]
    option_type: OptionType,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
}

impl From<ConfigOption> for StoredOption {
    fn from(it: ConfigOption) -> Self {
        let default = it.default.map(|it| it.to_json());
        StoredOption { option_type: it.option_type, description: it.description, default }
    }
}

impl TryFrom<StoredOption> for ConfigOption {
    type Error = ConfigValueError;
    fn try_from(it: StoredOption) -> Result<Self, ConfigValueError> {
        let default = it.default.map(|value| it.option_type.convert(&value)).transpose()?;
        Ok(ConfigOption { option_type: it.option_type, description: it.description, default })
    }
}

#[cfg(test)]
mod tests;
