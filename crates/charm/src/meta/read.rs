//! Reads `metadata.yaml` into types.

use std::collections::BTreeMap;

use juju_core::Version;
use serde_json::Value;

use super::{
    CharmUser, Container, Device, FILE, Meta, Mount, Payload, Relation, RelationScope, Resource,
    ResourceKind, Role, storage,
};
use crate::{
    Assumes, CharmError, Result,
    schema::{Node, SchemaError},
    yaml,
};

type Read<T> = Result<T, SchemaError>;

impl Meta {
    /// Reads the file and checks what can be checked by itself.
    pub fn parse(text: &str) -> Result<Self> {
        let tree = yaml::value(text).map_err(|it| CharmError::parse(FILE, it))?;
        unambiguous(&tree)?;
        let metadata = read(&tree).map_err(|it| CharmError::invalid(format!("metadata: {it}")))?;
        metadata.check()?;
        Ok(metadata)
    }
}

/// A file mixes keys of both formats.
fn unambiguous(tree: &Value) -> Result<()> {
    let keys = |of: &[&str]| -> Vec<String> {
        let mut found: Vec<_> =
            of.iter().filter(|it| tree.get(**it).is_some()).map(|it| format!("{it:?}")).collect();
        found.sort();
        found
    };
    let first = keys(&["series", "deployment", "min-juju-version"]);
    let second = keys(&["containers", "assumes", "charm-user"]);
    if first.is_empty() || second.is_empty() {
        return Ok(());
    }
    // The file is of the format of its first key in the alphabet; the others are in the wrong.
    let (wrong, right) = if first < second { (second, first) } else { (first, second) };
    let (wrong, right) = (wrong.join(", "), right.join(", "));
    Err(CharmError::invalid(format!("ambiguous metadata: keys {wrong} cannot be used with {right}")))
}

fn read(tree: &Value) -> Read<Meta> {
    let root = Node::root(tree);
    let flag = |key: &str| -> Read<bool> {
        Ok(root.optional(key)?.map(|it| it.bool()).transpose()?.unwrap_or_default())
    };
    let strings = |key: &str| -> Read<Vec<String>> {
        Ok(root.optional(key)?.map(|it| it.strings()).transpose()?.unwrap_or_default())
    };
    Ok(Meta {
        name: root.get("name")?.string()?,
        summary: root.get("summary")?.string()?,
        description: root.get("description")?.string()?,
        subordinate: flag("subordinate")?,
        provides: relations(&root, "provides", Role::Provider)?,
        requires: relations(&root, "requires", Role::Requirer)?,
        peers: relations(&root, "peers", Role::Peer)?,
        extra_bindings: match root.optional("extra-bindings")? {
            None => Default::default(),
            Some(map) => map.entries()?.into_iter().map(extra_binding).collect::<Read<_>>()?,
        },
        categories: strings("categories")?,
        tags: strings("tags")?,
        series: strings("series")?,
        storage: named(&root, "storage", |_, node| storage::read(node))?,
        devices: named(&root, "devices", |_, node| device(node))?,
        payloads: named(&root, "payloads", |_, node| payload(node))?,
        resources: named(&root, "resources", |_, node| resource(node))?,
        terms: strings("terms")?,
        min_juju_version: root.optional("min-juju-version")?.map(|it| version(&it)).transpose()?,
        containers: named(&root, "containers", |_, node| container(node))?,
        assumes: match root.optional("assumes")? {
            None => None,
            Some(node) => {
                let tree = node.value().cloned().unwrap_or_default();
                Some(Assumes::parse(&tree).map_err(|it| SchemaError::at("", it))?)
            }
        },
        charm_user: root.optional("charm-user")?.map(|it| charm_user(&it)).transpose()?,
        deployment: root.optional("deployment")?.and_then(|it| it.value().cloned()),
    })
}

/// A map from names to things of one kind.
fn named<T>(
    root: &Node<'_>,
    key: &str,
    read: impl Fn(&str, &Node<'_>) -> Read<T>,
) -> Read<BTreeMap<String, T>> {
    match root.optional(key)? {
        None => Ok(BTreeMap::new()),
        Some(map) => {
            map.entries()?.iter().map(|(name, node)| Ok(((*name).to_owned(), read(name, node)?))).collect()
        }
    }
}

fn relations(root: &Node<'_>, key: &str, role: Role) -> Read<BTreeMap<String, Relation>> {
    named(root, key, |name, node| relation(name, node, role))
}

/// The interface alone, or a map that has it.
fn relation(name: &str, node: &Node<'_>, role: Role) -> Read<Relation> {
    let mut relation = Relation {
        name: name.to_owned(),
        role,
        interface: String::new(),
        optional: false,
        limit: 0,
        scope: RelationScope::Global,
    };
    if let Ok(interface) = node.str() {
        relation.interface = interface.to_owned();
        return Ok(relation);
    }
    relation.interface = node.get("interface")?.string()?;
    relation.optional = node.optional("optional")?.map(|it| it.bool()).transpose()?.unwrap_or_default();
    let limit = node.get("limit")?;
    if !limit.is_nothing() {
        relation.limit = u32::try_from(limit.int()?).map_err(|_| limit.expected("a limit of at least 0"))?;
    }
    if let Some(scope) = node.optional("scope")?
        && scope.one_of(&["global", "container"])? == "container"
    {
        relation.scope = RelationScope::Container;
    }
    Ok(relation)
}

fn extra_binding((name, node): (&str, Node<'_>)) -> Read<String> {
    if node.is_nothing() { Ok(name.to_owned()) } else { Err(node.expected("nothing")) }
}

fn device(node: &Node<'_>) -> Read<Device> {
    let count = |key: &str| node.optional(key)?.map(|it| it.int()).transpose();
    Ok(Device {
        kind: node.get("type")?.string()?,
        description: node.optional("description")?.map(|it| it.string()).transpose()?.unwrap_or_default(),
        count_min: count("countmin")?.unwrap_or(1),
        count_max: count("countmax")?.unwrap_or(1),
    })
}

fn payload(node: &Node<'_>) -> Read<Payload> {
    Ok(Payload { kind: node.get("type")?.string()? })
}

fn resource(node: &Node<'_>) -> Read<Resource> {
    let text = |key: &str| -> Read<String> {
        Ok(node.optional(key)?.map(|it| it.string()).transpose()?.unwrap_or_default())
    };
    let kind = match node.optional("type")?.map(|it| it.str()).transpose()?.unwrap_or("file") {
        "file" => ResourceKind::File,
        "oci-image" => ResourceKind::OciImage,
        other => return Err(node.error(format!("unsupported resource type {other:?}"))),
    };
    Ok(Resource { kind, filename: text("filename")?, description: text("description")? })
}

fn container(node: &Node<'_>) -> Read<Container> {
    if node.is_nothing() {
        return Ok(Container::default());
    }
    let mounts = match node.optional("mounts")? {
        None => vec![],
        Some(list) => list.list()?.iter().map(mount).collect::<Read<_>>()?,
    };
    let user = |key: &str| node.optional(key)?.map(|it| unreserved(&it)).transpose();
    Ok(Container {
        resource: node.optional("resource")?.map(|it| it.string()).transpose()?.unwrap_or_default(),
        mounts,
        uid: user("uid")?,
        gid: user("gid")?,
    })
}

fn mount(node: &Node<'_>) -> Read<Mount> {
    let location = node.optional("location")?.map(|it| it.string()).transpose()?.unwrap_or_default();
    Ok(Mount { storage: node.get("storage")?.string()?, location })
}

/// A user or group that is neither negative nor one of Juju's own.
fn unreserved(node: &Node<'_>) -> Read<u32> {
    match u32::try_from(node.int()?) {
        Ok(1000..=9999) => Err(node.error("cannot be in reserved range 1000-9999")),
        Ok(id) => Ok(id),
        Err(_) => Err(node.expected("a number of at least 0")),
    }
}

fn charm_user(node: &Node<'_>) -> Read<CharmUser> {
    Ok(match node.one_of(&["root", "sudoer", "non-root"])? {
        "root" => CharmUser::Root,
        "sudoer" => CharmUser::Sudoer,
        _ => CharmUser::NonRoot,
    })
}

fn version(node: &Node<'_>) -> Read<Version> {
    let text = node.str()?;
    text.parse().map_err(|it| node.error(format!("invalid min-juju-version: {it}")))
}
