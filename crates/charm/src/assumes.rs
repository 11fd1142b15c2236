//! `assumes`: what a charm needs of the model it is deployed to.

use std::collections::BTreeMap;

use juju_core::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A list of needs, all of which must be met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Value>", into = "Vec<Value>")]
pub struct Assumes(pub Vec<Need>);

/// One need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    Feature { name: String, version: Option<(Comparison, Version)> },
    AnyOf(Vec<Need>),
    AllOf(Vec<Need>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    AtLeast,
    Below,
}

/// What a model has: features by name, each with its version where it has one.
pub type Features = BTreeMap<String, Option<Version>>;

/// The features of a model on machines.
pub fn machine_features(agent_version: Version) -> Features {
    [("juju".to_owned(), Some(agent_version))].into()
}

/// What is missing, as people read it: a headline and an indented line for each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unmet(String);

/// Deeper than this nobody writes.
const MAX_DEPTH: usize = 16;

impl Assumes {
    /// Reads the list as it stands in YAML or JSON.
    pub fn parse(tree: &Value) -> Result<Self, String> {
        let list = tree.as_array().ok_or(r#"malformed "assumes" block; expected an expression list"#)?;
        let parse = |(at, value)| {
            need(value, 0)
                .map_err(|it| format!("parsing expression {} in top level \"assumes\" block: {it}", at + 1))
        };
        list.iter().enumerate().map(parse).collect::<Result<_, _>>().map(Assumes)
    }

    /// Whether a model meets all of it.
    pub fn check(&self, features: &Features) -> Result<(), Unmet> {
        let unmet: Vec<_> = self.0.iter().filter_map(|it| missing(it, features)).collect();
        if unmet.is_empty() {
            return Ok(());
        }
        let mut text = "Charm cannot be deployed because:\n".to_owned();
        for one in &unmet {
            write(one, 1, &mut text);
        }
        Err(Unmet(text))
    }
}

/// What is missing of a need, with what is missing of its parts.
struct Missing {
    text: String,
    parts: Vec<Missing>,
}

fn missing(need: &Need, features: &Features) -> Option<Missing> {
    let parts = |list: &[Need]| list.iter().filter_map(|it| missing(it, features)).collect::<Vec<_>>();
    match need {
        Need::Feature { name, version } => {
            feature(name, version.as_ref(), features).map(|text| Missing { text, parts: vec![] })
        }
        Need::AllOf(list) => {
            let parts = parts(list);
            (!parts.is_empty())
                .then(|| Missing { text: "charm requires all of the following:".to_owned(), parts })
        }
        Need::AnyOf(list) => {
            let parts = parts(list);
            let none = !list.is_empty() && parts.len() == list.len();
            none.then(|| Missing { text: "charm requires at least one of the following:".to_owned(), parts })
        }
    }
}

fn feature(name: &str, wanted: Option<&(Comparison, Version)>, features: &Features) -> Option<String> {
    let Some(found) = features.get(name) else {
        return Some(match name {
            "k8s-api" => "charm must be deployed on a Kubernetes cloud".to_owned(),
            _ => format!("charm requires feature {name:?} but model does not support it"),
        });
    };
    let (comparison, wanted) = wanted?;
    let sign = match comparison {
        Comparison::AtLeast => ">=",
        Comparison::Below => "<",
    };
    let met = found.as_ref().is_some_and(|found| match comparison {
        Comparison::AtLeast => found >= wanted,
        Comparison::Below => found < wanted,
    });
    if met {
        return None;
    }
    let found = found.as_ref().map_or_else(|| "none".to_owned(), Version::to_string);
    Some(match name {
        "juju" => format!("charm requires Juju version {sign} {wanted}, model has version {found}"),
        "k8s-api" => {
            format!("charm requires Kubernetes version {sign} {wanted}, model is running on version {found}")
        }
        _ => format!(
            "charm requires feature {name:?} (version {sign} {wanted}) but model currently supports version {found}"
        ),
    })
}

fn write(missing: &Missing, depth: usize, to: &mut String) {
    to.push_str(&"  ".repeat(depth));
    to.push_str("- ");
    to.push_str(&missing.text);
    to.push('\n');
    for part in &missing.parts {
        write(part, depth + 1, to);
    }
}

fn need(tree: &Value, depth: usize) -> Result<Need, String> {
    if depth > MAX_DEPTH {
        return Err("expressions nested too deep".to_owned());
    }
    match tree {
        Value::String(text) => parse_feature(text.trim()),
        Value::Object(map) if map.len() != 1 => Err("malformed composite expression".to_owned()),
        Value::Object(map) => {
            let (kind, list) = map.iter().next().expect("the map has one entry");
            if !matches!(kind.as_str(), "any-of" | "all-of") {
                return Err(
                    r#"malformed composite expression; expected an "any-of" or "all-of" block"#.to_owned()
                );
            }
            let Value::Array(list) = list else {
                return Err(format!("malformed {kind:?} expression; expected a list of sub-expressions"));
            };
            let parse = |it| need(it, depth + 1).map_err(|it| format!("parsing {kind:?} expression: {it}"));
            let list = list.iter().map(parse).collect::<Result<_, _>>()?;
            Ok(if kind == "any-of" { Need::AnyOf(list) } else { Need::AllOf(list) })
        }
        _ => Err(r#"expected a feature, "any-of" or "all-of" expression"#.to_owned()),
    }
}

fn parse_feature(text: &str) -> Result<Need, String> {
    let malformed = || format!("malformed feature expression {text:?}");
    let end = text.find(['<', '>', ' ', '\t']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let inner = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let valid = name.len() >= 2
        && name.as_bytes()[0].is_ascii_lowercase()
        && name.bytes().all(|it| inner(it) || it == b'-')
        && inner(name.as_bytes()[name.len() - 1]);
    if !valid {
        return Err(malformed());
    }
    let rest = rest.trim_start();
    if rest.is_empty() {
        return Ok(Need::Feature { name: name.to_owned(), version: None });
    }
    let (comparison, version) = match (rest.strip_prefix(">="), rest.strip_prefix('<')) {
        (Some(version), _) => (Comparison::AtLeast, version),
        (_, Some(version)) => (Comparison::Below, version),
        _ => return Err(malformed()),
    };
    let version = lenient(version.trim()).ok_or_else(malformed)?;
    Ok(Need::Feature { name: name.to_owned(), version: Some((comparison, version)) })
}

/// A version of which the end may be missing: `3`, `3.1`, `3.1.0`.
fn lenient(text: &str) -> Option<Version> {
    let full = match text.matches('.').count() {
        0 if !text.contains('-') => format!("{text}.0.0"),
        1 if !text.contains('-') => format!("{text}.0"),
        _ => text.to_owned(),
    };
    full.parse().ok()
}

impl TryFrom<Vec<Value>> for Assumes {
    type Error = String;
    fn try_from(list: Vec<Value>) -> Result<Self, String> {
        Assumes::parse(&Value::Array(list))
    }
}

impl From<Assumes> for Vec<Value> {
    fn from(assumes: Assumes) -> Self {
        assumes.0.iter().map(to_json).collect()
    }
}

/// A need as it is written.
fn to_json(need: &Need) -> Value {
    match need {
        Need::Feature { name, version: None } => Value::String(name.clone()),
        Need::Feature { name, version: Some((comparison, version)) } => {
            let sign = if *comparison == Comparison::AtLeast { ">=" } else { "<" };
            Value::String(format!("{name} {sign} {version}"))
        }
        Need::AnyOf(list) => serde_json::json!({"any-of": list.iter().map(to_json).collect::<Vec<_>>()}),
        Need::AllOf(list) => serde_json::json!({"all-of": list.iter().map(to_json).collect::<Vec<_>>()}),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(tree: Value) -> Result<(), String> {
        let assumes = Assumes::parse(&tree).unwrap();
        assumes.check(&machine_features("3.6.28".parse().unwrap())).map_err(|it| it.to_string())
    }

    #[test]
    fn met() {
        for tree in [
            json!([]),
            json!(["juju"]),
            json!(["juju >= 3.1"]),
            json!(["juju>=3", "juju < 4.0"]),
            json!(["juju >= 3.6.28"]),
            json!([{"any-of": ["k8s-api", "juju >= 3.1"]}]),
            json!([{"any-of": [{"all-of": ["juju >= 2.9.44", "juju < 3"]}, {"all-of": ["juju >= 3.4.3"]}]}]),
        ] {
            assert_eq!(check(tree.clone()), Ok(()), "{tree}");
        }
    }

    #[test]
    fn unmet() {
        let head = "Charm cannot be deployed because:\n";
        for (tree, lines) in [
            (json!(["juju >= 4.0"]), "  - charm requires Juju version >= 4.0.0, model has version 3.6.28\n"),
            (
                json!(["juju < 3.6.28"]),
                "  - charm requires Juju version < 3.6.28, model has version 3.6.28\n",
            ),
            (json!(["k8s-api"]), "  - charm must be deployed on a Kubernetes cloud\n"),
            (json!(["magic"]), "  - charm requires feature \"magic\" but model does not support it\n"),
            (
                json!([{"any-of": ["k8s-api", "juju >= 4"]}, "juju"]),
                "  - charm requires at least one of the following:\n    - charm must be deployed on a Kubernetes \
                 cloud\n    - charm requires Juju version >= 4.0.0, model has version 3.6.28\n",
            ),
            (
                json!([{"all-of": ["juju", "magic"]}]),
                "  - charm requires all of the following:\n    - charm requires feature \"magic\" but model does not \
                 support it\n",
            ),
        ] {
            assert_eq!(check(tree), Err(format!("{head}{lines}")));
        }
    }

    #[test]
    fn bad() {
        let top = |at: u8| format!("parsing expression {at} in top level \"assumes\" block: ");
        for (tree, error) in [
            (json!("juju"), r#"malformed "assumes" block; expected an expression list"#.to_owned()),
            (json!(["juju", "juju >"]), format!("{}malformed feature expression \"juju >\"", top(2))),
            (json!(["Juju"]), format!("{}malformed feature expression \"Juju\"", top(1))),
            (json!(["juju >= new"]), format!("{}malformed feature expression \"juju >= new\"", top(1))),
            (json!([7]), format!("{}expected a feature, \"any-of\" or \"all-of\" expression", top(1))),
            (json!([{"a": [], "b": []}]), format!("{}malformed composite expression", top(1))),
            (
                json!([{"one-of": []}]),
                format!(
                    "{}malformed composite expression; expected an \"any-of\" or \"all-of\" block",
                    top(1)
                ),
            ),
            (
                json!([{"any-of": "x"}]),
                format!("{}malformed \"any-of\" expression; expected a list of sub-expressions", top(1)),
            ),
        ] {
            assert_eq!(Assumes::parse(&tree), Err(error));
        }
        let deep = (0..100).fold(json!("juju"), |it, _| json!({"all-of": [it]}));
        assert!(Assumes::parse(&json!([deep])).unwrap_err().ends_with("nested too deep"));
    }

    #[test]
    fn stored_as_written() {
        let tree = json!(["juju >= 3.1.0", {"any-of": ["k8s-api", {"all-of": ["magic < 2.0.0"]}]}]);
        let assumes: Assumes = serde_json::from_value(tree.clone()).unwrap();
        assert_eq!(serde_json::to_value(&assumes).unwrap(), tree);
    }
}
