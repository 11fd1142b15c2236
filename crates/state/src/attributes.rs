//! Attributes of a configuration: their types, and how what a client sends becomes a value of that type.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use crate::{Error, Result};

/// A configuration as it is stored and sent: names and JSON values.
pub type Values = BTreeMap<String, Value>;

/// One attribute that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) default: Default,
}

/// The value that holds where none was given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Default {
    /// There is none, and the attribute is then absent.
    Absent,
    Text(&'static str),
    Flag(bool),
    Number(i64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Text,
    Flag,
    /// Within these bounds.
    Number(i64, i64),
    /// As Go writes durations, within these bounds in seconds.
    Duration(u64, u64),
    /// A number with `M`, `G`, `T` or `P`; without one it is megabytes.
    Size,
    OneOf(&'static [&'static str]),
    /// Networks in CIDR form, joined by commas.
    Networks,
    /// Words, as a JSON list or joined by commas or spaces.
    List,
}

impl Default {
    pub(crate) fn value(self) -> Option<Value> {
        match self {
            Default::Absent => None,
            Default::Text(text) => Some(text.into()),
            Default::Flag(flag) => Some(flag.into()),
            Default::Number(number) => Some(number.into()),
        }
    }
}

impl Attribute {
    /// The value in the attribute's own type. Clients send much as text.
    pub(crate) fn coerce(&self, value: &Value) -> Result<Value> {
        let name = self.name;
        let expected = |what: &str| {
            Error::not_valid(format!("{name}: expected {what}, got {}({value})", kind_of(value)))
        };
        match self.kind {
            Kind::Flag => match value {
                Value::Bool(_) => Ok(value.clone()),
                Value::String(text) => parse_flag(text).map(Value::Bool).ok_or_else(|| expected("bool")),
                _ => Err(expected("bool")),
            },
            Kind::Number(least, most) => {
                let number = match value {
                    Value::Number(number) => number.as_i64(),
                    Value::String(text) => text.trim().parse().ok(),
                    _ => None,
                };
                let number = number.ok_or_else(|| expected("number"))?;
                if !(least..=most).contains(&number) {
                    return Err(Error::not_valid(format!(
                        "{name}: {number} is not between {least} and {most}"
                    )));
                }
                Ok(number.into())
            }
            Kind::Text => Ok(text(value).ok_or_else(|| expected("string"))?.into()),
            Kind::Duration(least, most) => {
                let text = text(value).ok_or_else(|| expected("string or time.Duration"))?;
                let duration = parse_duration(&text)
                    .ok_or_else(|| Error::not_valid(format!("invalid {name} in configuration: {text:?}")))?;
                if duration < Duration::from_secs(least) || duration > Duration::from_secs(most) {
                    return Err(Error::not_valid(format!("{name} {text} is out of range")));
                }
                Ok(text.into())
            }
            Kind::Size => {
                let text = text(value).ok_or_else(|| expected("string"))?;
                parse_megabytes(&text)
                    .ok_or_else(|| Error::not_valid(format!("invalid {name} in configuration: {text:?}")))?;
                Ok(text.into())
            }
            Kind::OneOf(choices) => {
                let text = text(value).ok_or_else(|| expected("string"))?;
                if !choices.contains(&text.as_str()) {
                    return Err(Error::not_valid(format!(
                        "{name}: expected one of {choices:?}, got {text:?}"
                    )));
                }
                Ok(text.into())
            }
            Kind::Networks => {
                let text = text(value).ok_or_else(|| expected("string"))?;
                for network in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
                    if !is_network(network) {
                        return Err(Error::not_valid(format!("{name}: invalid CIDR address: {network}")));
                    }
                }
                Ok(text.into())
            }
            Kind::List => match value {
                Value::Array(words) if words.iter().all(Value::is_string) => Ok(value.clone()),
                Value::String(text) => {
                    let words = text.trim_matches(['[', ']']).split([',', ' ']).filter(|it| !it.is_empty());
                    Ok(words.map(Value::from).collect())
                }
                _ => Err(expected("list")),
            },
        }
    }
}

/// Text as it is, and numbers and flags as people write them.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "map",
    }
}

/// The words that Go takes for flags.
pub(crate) fn parse_flag(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// A duration as Go writes it: `1h30m`, `250ms`, `0`.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = 0.0;
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|it: char| !it.is_ascii_digit() && it != '.')?;
        let (number, after) = rest.split_at(digits);
        let number: f64 = number.parse().ok()?;
        let unit_end = after.find(|it: char| it.is_ascii_digit() || it == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let seconds = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        total += number * seconds;
        rest = after;
    }
    Duration::try_from_secs_f64(total).ok()
}

/// A size in megabytes, rounded up: `5G` is 5120.
pub fn parse_megabytes(text: &str) -> Option<u64> {
    let (number, factor) = match text.strip_suffix(['M', 'G', 'T', 'P']) {
        Some(number) => {
            let factor = match text.chars().last()? {
                'M' => 1.0,
                'G' => 1024.0,
                'T' => 1024.0 * 1024.0,
                _ => 1024.0 * 1024.0 * 1024.0,
            };
            (number, factor)
        }
        None => (text, 1.0),
    };
    let number: f64 = number.parse().ok()?;
    let megabytes = (number * factor).ceil();
    (number.is_finite() && (0.0..1e15).contains(&megabytes)).then_some(megabytes as u64)
}

/// `10.0.0.0/8`, `::/0`.
pub(crate) fn is_network(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = match address.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(_)) => 32,
        Ok(std::net::IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    bits.parse::<u8>().is_ok_and(|it| it <= most)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn durations_and_sizes() {
        for (text, expected) in [
            ("5m", Some(300.0)),
            ("1h30m", Some(5400.0)),
            ("250ms", Some(0.25)),
            ("1.5s", Some(1.5)),
            ("0", Some(0.0)),
            ("", None),
            ("5", None),
            ("m", None),
            ("5 m", None),
            ("5x", None),
        ] {
            assert_eq!(parse_duration(text).map(|it| it.as_secs_f64()), expected, "{text:?}");
        }
        for (text, expected) in [
            ("5G", Some(5120)),
            ("0.5G", Some(512)),
            ("10", Some(10)),
            ("10M", Some(10)),
            ("1.2M", Some(2)),
            ("-1M", None),
            ("x", None),
            ("", None),
            ("infG", None),
        ] {
            assert_eq!(parse_megabytes(text), expected, "{text:?}");
        }
    }

    #[test]
    fn coercion() {
        let attribute = |kind| Attribute { name: "a", kind, default: Default::Absent };
        let good = [
            (Kind::Flag, json!("true"), json!(true)),
            (Kind::Flag, json!(false), json!(false)),
            (Kind::Number(0, 100), json!("16"), json!(16)),
            (Kind::Number(0, 100), json!(16), json!(16)),
            (Kind::Text, json!(16), json!("16")),
            (Kind::Duration(60, 3600), json!("5m"), json!("5m")),
            (Kind::Size, json!("5G"), json!("5G")),
            (Kind::OneOf(&["x", "y"]), json!("y"), json!("y")),
            (Kind::Networks, json!("10.0.0.0/8, ::/0"), json!("10.0.0.0/8, ::/0")),
            (Kind::Networks, json!(""), json!("")),
            (Kind::List, json!("[a,b]"), json!(["a", "b"])),
            (Kind::List, json!(["a"]), json!(["a"])),
        ];
        for (kind, value, expected) in good {
            assert_eq!(attribute(kind).coerce(&value).unwrap(), expected, "{kind:?} {value}");
        }
        let bad = [
            (Kind::Flag, json!("yes")),
            (Kind::Flag, json!(1)),
            (Kind::Number(0, 100), json!("101")),
            (Kind::Number(0, 100), json!(1.5)),
            (Kind::Text, json!([])),
            (Kind::Duration(60, 3600), json!("5s")),
            (Kind::Size, json!("lots")),
            (Kind::OneOf(&["x", "y"]), json!("z")),
            (Kind::Networks, json!("10.0.0.0")),
            (Kind::Networks, json!("10.0.0.0/33")),
            (Kind::List, json!([1])),
        ];
        for (kind, value) in bad {
            assert!(attribute(kind).coerce(&value).is_err(), "{kind:?} {value}");
        }
    }
}
