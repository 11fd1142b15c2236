//! Constraints as people write them.

use std::{fmt, str::FromStr};

use super::Constraints;
use crate::{
    Arch,
    ids::SpaceName,
    placement::{ContainerType, ContainerTypeError},
};

/// What is wrong with written constraints, or with constraints in a cloud.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    #[error("malformed constraint {0:?}")]
    Malformed(String),
    #[error("unknown constraint {0:?}")]
    Unknown(String),
    #[error("bad {key:?} constraint: {why}")]
    Bad { key: &'static str, why: String },
    #[error("ambiguous constraints: {0:?} overlaps with {1:?}")]
    Conflict(&'static str, &'static str),
    #[error("invalid constraint value: {key}={value}\nvalid values are: {}", allowed.join(" "))]
    Vocabulary { key: &'static str, value: String, allowed: Vec<String> },
}

/// `key=value` separated by spaces, a space inside a value written `\ `, lists by commas. `key=` is explicitly empty.
impl FromStr for Constraints {
    type Err = ConstraintError;
    fn from_str(text: &str) -> Result<Self, ConstraintError> {
        let mut constraints = Constraints::default();
        for word in words(text) {
            match word.split_once('=') {
                Some((key, value)) if !key.is_empty() => set(&mut constraints, key, value)?,
                _ => return Err(ConstraintError::Malformed(word)),
            }
        }
        Ok(constraints)
    }
}

impl fmt::Display for Constraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = vec![];
        macro_rules! write_each {
            ($($field:ident $key:literal),*) => {
                $(if let Some(value) = &self.$field {
                    words.push(format!("{}={}", $key, value.written($key)).replace(' ', "\\ "));
                })*
            };
        }
        super::each_constraint!(write_each);
        f.write_str(&words.join(" "))
    }
}

/// How a value is written.
trait Written {
    fn written(&self, key: &str) -> String;
}

impl Written for String {
    fn written(&self, _: &str) -> String {
        self.clone()
    }
}

impl Written for Vec<String> {
    fn written(&self, _: &str) -> String {
        self.join(",")
    }
}

impl Written for bool {
    fn written(&self, _: &str) -> String {
        self.to_string()
    }
}

impl Written for u64 {
    fn written(&self, key: &str) -> String {
        match (self, key) {
            (0, _) => String::new(),
            (_, "mem" | "root-disk") => format!("{self}M"),
            _ => self.to_string(),
        }
    }
}

/// Splits at blanks that no backslash stands in front of.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(it) = chars.next() {
        let last = words.last_mut().expect("there is always a word");
        match it {
            '\\' if chars.peek() == Some(&' ') => last.extend(chars.next()),
            ' ' | '\t' | '\n' | '\r' => words.push(String::new()),
            it => last.push(it),
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

fn set(to: &mut Constraints, key: &str, value: &str) -> Result<(), ConstraintError> {
    match key {
        "arch" => put(&mut to.arch, "arch", arch(value)),
        "container" => put(&mut to.container, "container", container(value)),
        "cores" | "cpu-cores" => put(&mut to.cores, "cores", integer(value)),
        "cpu-power" => put(&mut to.cpu_power, "cpu-power", integer(value)),
        "instance-role" => put(&mut to.instance_role, "instance-role", text(value)),
        "instance-type" => put(&mut to.instance_type, "instance-type", text(value)),
        "mem" => put(&mut to.mem, "mem", size(value)),
        "root-disk" => put(&mut to.root_disk, "root-disk", size(value)),
        "root-disk-source" => put(&mut to.root_disk_source, "root-disk-source", text(value)),
        "tags" => put(&mut to.tags, "tags", list(value)),
        "spaces" => put(&mut to.spaces, "spaces", spaces(value)),
        "virt-type" => put(&mut to.virt_type, "virt-type", text(value)),
        "zones" => put(&mut to.zones, "zones", list(value)),
        // The one key that cannot be explicitly empty.
        "allocate-public-ip" if value.is_empty() => Ok(()),
        "allocate-public-ip" => put(&mut to.allocate_public_ip, "allocate-public-ip", boolean(value)),
        "image-id" => put(&mut to.image_id, "image-id", text(value)),
        _ => Err(ConstraintError::Unknown(key.to_owned())),
    }
}

fn put<T>(slot: &mut Option<T>, key: &'static str, value: Result<T, String>) -> Result<(), ConstraintError> {
    let bad = |why| ConstraintError::Bad { key, why };
    if slot.is_some() {
        return Err(bad("already set".to_owned()));
    }
    *slot = Some(value.map_err(bad)?);
    Ok(())
}

fn text(value: &str) -> Result<String, String> {
    Ok(value.to_owned())
}

fn list(value: &str) -> Result<Vec<String>, String> {
    Ok(if value.is_empty() { vec![] } else { value.split(',').map(str::to_owned).collect() })
}

fn spaces(value: &str) -> Result<Vec<String>, String> {
    let spaces = list(value)?;
    for space in spaces.iter().map(|it| it.strip_prefix('^').unwrap_or(it)) {
        if !SpaceName::is_valid(space) {
            return Err(format!("{space:?} is not a valid space name"));
        }
    }
    Ok(spaces)
}

fn arch(value: &str) -> Result<String, String> {
    match value {
        "" => Ok(String::new()),
        value => value.parse::<Arch>().map(|it| it.to_string()).map_err(|it| it.to_string()),
    }
}

fn container(value: &str) -> Result<String, String> {
    match value {
        "" | "none" => Ok(value.to_owned()),
        value => value
            .parse::<ContainerType>()
            .map(|it| it.to_string())
            .map_err(|it: ContainerTypeError| it.to_string()),
    }
}

fn integer(value: &str) -> Result<u64, String> {
    let digits = value.bytes().all(|it| it.is_ascii_digit());
    let parsed = if value.is_empty() { Some(0) } else { value.parse().ok().filter(|_| digits) };
    parsed.ok_or_else(|| "must be a non-negative integer".to_owned())
}

/// MiB, rounded up.
fn size(value: &str) -> Result<u64, String> {
    if value.is_empty() {
        return Ok(0);
    }
    let (number, unit) = match value.as_bytes()[value.len() - 1] {
        b'M' => (&value[..value.len() - 1], 1.0),
        b'G' => (&value[..value.len() - 1], 1024.0),
        b'T' => (&value[..value.len() - 1], 1024.0 * 1024.0),
        b'P' => (&value[..value.len() - 1], 1024.0 * 1024.0 * 1024.0),
        _ => (value, 1.0),
    };
    let mebibytes = number.parse::<f64>().ok().map(|it| (it * unit).ceil());
    // What is beyond an integer is a slip too, and so are the words that stand for no number.
    let mebibytes = mebibytes.filter(|it| (0.0..9.0e15).contains(it) && !number.starts_with('-'));
    mebibytes
        .map(|it| it as u64)
        .ok_or_else(|| "must be a non-negative float with optional M/G/T/P suffix".to_owned())
}

fn boolean(value: &str) -> Result<bool, String> {
    match value {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("must be 'true' or 'false'".to_owned()),
    }
}
