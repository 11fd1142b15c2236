//! The storage that a charm asks for.

use serde::{Deserialize, Serialize};

use crate::schema::{Node, SchemaError};

/// What a storage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StorageKind {
    Block,
    Filesystem,
}

impl StorageKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            StorageKind::Block => "block",
            StorageKind::Filesystem => "filesystem",
        }
    }
}

/// One storage of a charm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Storage {
    #[serde(rename = "type")]
    pub kind: StorageKind,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub shared: bool,
    #[serde(default)]
    pub read_only: bool,
    /// A unit is not installed until it has so many.
    pub count_min: i64,
    /// -1 is any number.
    pub count_max: i64,
    /// In MiB; 0 is whatever the provider gives.
    #[serde(default)]
    pub minimum_size: u64,
    /// Where a filesystem is mounted; where there can be several, the folder they are in.
    #[serde(default)]
    pub location: String,
    #[serde(default)]
    pub properties: Vec<String>,
}

pub(super) fn read(node: &Node<'_>) -> Result<Storage, SchemaError> {
    let text = |key: &str| node.optional(key)?.map(|it| it.string()).transpose();
    let flag = |key: &str| node.optional(key)?.map(|it| it.bool()).transpose();
    let kind = match node.get("type")?.one_of(&["block", "filesystem"])? {
        "block" => StorageKind::Block,
        _ => StorageKind::Filesystem,
    };
    let (count_min, count_max) = match node.optional("multiple")? {
        Some(multiple) => count(&multiple.get("range")?)?,
        None => (1, 1),
    };
    let properties = match node.optional("properties")? {
        None => vec![],
        Some(list) => list
            .list()?
            .iter()
            .map(|it| Ok(it.one_of(&["transient"])?.to_owned()))
            .collect::<Result<_, SchemaError>>()?,
    };
    Ok(Storage {
        kind,
        description: text("description")?.unwrap_or_default(),
        shared: flag("shared")?.unwrap_or_default(),
        read_only: flag("read-only")?.unwrap_or_default(),
        count_min,
        count_max,
        minimum_size: node.optional("minimum-size")?.map(|it| size(&it)).transpose()?.unwrap_or_default(),
        location: text("location")?.unwrap_or_default(),
        properties,
    })
}

/// `m`, `m-n`, `m+` (and `m-`): the least and the most, where -1 is no most.
fn count(node: &Node<'_>) -> Result<(i64, i64), SchemaError> {
    if let Ok(exact) = node.int() {
        return if exact > 0 {
            Ok((exact, exact))
        } else {
            Err(node.error(format!("invalid count {exact}")))
        };
    }
    let text = node.str()?;
    let number =
        |it: &str| it.parse::<u32>().ok().filter(|_| it.bytes().all(|it| it.is_ascii_digit())).map(i64::from);
    let parsed = match text.split_once(['-', '+']) {
        Some((least, "")) => number(least).map(|it| (it, -1)),
        Some((least, most)) if text.contains('-') => number(least).zip(number(most)),
        _ => None,
    };
    parsed.ok_or_else(|| node.error(format!("value {text:?} does not match 'm', 'm-n', or 'm+'")))
}

/// A size with its unit, in MiB.
fn size(node: &Node<'_>) -> Result<u64, SchemaError> {
    let text = node.str()?;
    let bare = text.strip_suffix("iB").or_else(|| text.strip_suffix('B')).unwrap_or(text);
    let (number, exponent) = match bare.find(['M', 'G', 'T', 'P', 'E', 'Z', 'Y']) {
        Some(at) if at + 1 == bare.len() => (&bare[..at], "MGTPEZY".find(&bare[at..]).unwrap_or_default()),
        _ => (bare, 0),
    };
    let value = number.parse::<f64>().ok().map(|it| (it * 1024_f64.powi(exponent as i32)).ceil());
    let value = value.filter(|it| (0.0..9.0e15).contains(it) && !number.starts_with('-'));
    value.map(|it| it as u64).ok_or_else(|| {
        node.error(format!("expected a non-negative number with optional multiplier suffix, got {text:?}"))
    })
}
