//! `metadata.yaml`: what a charm is and what it relates to (Juju 3.6 `juju/charm`).

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use crate::{CharmError, Result, yaml};

const FILE: &str = "metadata";

/// The endpoint that every charm provides without saying so.
pub const JUJU_INFO: &str = "juju-info";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Meta {
    pub name: String,
    pub summary: String,
    pub description: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub subordinate: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub provides: BTreeMap<String, Relation>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub requires: BTreeMap<String, Relation>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub peers: BTreeMap<String, Relation>,
    /// Names that can be bound to spaces beside the relations'.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra_bindings: BTreeMap<String, ()>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, Storage>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub devices: BTreeMap<String, Device>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, Resource>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub containers: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub payloads: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub min_juju_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumes: Option<Value>,
    /// `root`, `sudoer` or `non-root`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub charm_user: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deployment: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Provider,
    Requirer,
    Peer,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Provider => "provider",
            Role::Requirer => "requirer",
            Role::Peer => "peer",
        }
    }
    /// What the other side must be.
    pub fn counterpart(self) -> Role {
        match self {
            Role::Provider => Role::Requirer,
            Role::Requirer => Role::Provider,
            Role::Peer => Role::Peer,
        }
    }
}
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RelationScope {
    #[default]
    Global,
    /// Within one principal and its subordinates.
    Container,
}

impl RelationScope {
    pub fn as_str(self) -> &'static str {
        match self {
            RelationScope::Global => "global",
            RelationScope::Container => "container",
        }
    }
}

/// An endpoint of the charm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Relation {
    pub interface: String,
    /// How many relations it may have; 0 is no limit.
    pub limit: u32,
    pub optional: bool,
    pub scope: RelationScope,
}

impl<'de> Deserialize<'de> for Relation {
    /// The interface alone, or a map.
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Full {
            interface: String,
            #[serde(default)]
            limit: Option<u32>,
            #[serde(default)]
            optional: Option<bool>,
            #[serde(default)]
            scope: Option<RelationScope>,
        }
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Relation;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an interface, or a map with one")
            }
            fn visit_str<E: de::Error>(self, interface: &str) -> std::result::Result<Relation, E> {
                Ok(Relation {
                    interface: interface.to_owned(),
                    limit: 0,
                    optional: false,
                    scope: RelationScope::Global,
                })
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> std::result::Result<Relation, A::Error> {
                let full = Full::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Relation {
                    interface: full.interface,
                    limit: full.limit.unwrap_or_default(),
                    optional: full.optional.unwrap_or_default(),
                    scope: full.scope.unwrap_or_default(),
                })
            }
        }
        from.deserialize_any(Visitor)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Storage {
    /// `filesystem` or `block`.
    #[serde(rename = "type")]
    pub kind: String,
    pub description: String,
    pub shared: bool,
    pub read_only: bool,
    pub multiple: Option<Multiple>,
    /// As written, such as `2G`.
    pub minimum_size: Option<String>,
    pub location: String,
    pub properties: Vec<String>,
}

/// How many instances a storage may have: `{range: 0-3}`, `2+` is without an end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Multiple {
    pub range: String,
}

impl Storage {
    /// Least and greatest count; -1 is no bound.
    pub fn counts(&self) -> std::result::Result<(i64, i64), String> {
        let Some(range) = self.multiple.as_ref().map(|it| it.range.trim()) else { return Ok((1, 1)) };
        let bad = || format!("invalid count {range:?}");
        let number = |it: &str| it.trim().parse::<i64>().ok().filter(|it| *it >= 0).ok_or_else(bad);
        if let Some(least) = range.strip_suffix(['+', '-']) {
            return Ok((number(least)?, -1));
        }
        match range.split_once('-') {
            Some((least, most)) => Ok((number(least)?, number(most)?)),
            None => number(range).map(|it| (it, it)),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Device {
    #[serde(rename = "type")]
    pub kind: String,
    pub description: String,
    pub countmin: Option<i64>,
    pub countmax: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Resource {
    /// `file` or `oci-image`.
    #[serde(rename = "type")]
    pub kind: String,
    pub filename: String,
    pub description: String,
    pub upstream_source: Option<String>,
}

impl Meta {
    pub fn parse(text: &str) -> Result<Meta> {
        let missing =
            |key: &str| CharmError::Parse { file: FILE, why: format!("{key}: expected string, got nothing") };
        let present: Option<BTreeMap<String, de::IgnoredAny>> = parse_as(text)?;
        let present = present.unwrap_or_default();
        for key in ["name", "summary", "description"] {
            if !present.contains_key(key) {
                return Err(missing(key));
            }
        }
        let meta: Meta = parse_as(text)?;
        meta.check()?;
        Ok(meta)
    }

    /// The endpoint of this name with its role; `juju-info` is there always.
    pub fn endpoint(&self, name: &str) -> Option<(Role, Relation)> {
        let found =
            [(Role::Provider, &self.provides), (Role::Requirer, &self.requires), (Role::Peer, &self.peers)]
                .into_iter()
                .find_map(|(role, relations)| Some((role, relations.get(name)?.clone())));
        found.or_else(|| (name == JUJU_INFO).then(|| (Role::Provider, juju_info())))
    }

    /// All endpoints, the implicit one too, by name.
    pub fn endpoints(&self) -> BTreeMap<String, (Role, Relation)> {
        let of = |role: Role, relations: &BTreeMap<String, Relation>| {
            relations.iter().map(|(name, it)| (name.clone(), (role, it.clone()))).collect::<Vec<_>>()
        };
        let mut all = BTreeMap::from([(JUJU_INFO.to_owned(), (Role::Provider, juju_info()))]);
        all.extend(of(Role::Provider, &self.provides));
        all.extend(of(Role::Requirer, &self.requires));
        all.extend(of(Role::Peer, &self.peers));
        all
    }

    fn check(&self) -> Result<()> {
        let name = &self.name;
        if !juju_core::ApplicationName::is_valid(name) {
            return Err(CharmError::invalid(format!("charm name {name:?} is not valid")));
        }
        self.check_relations()?;
        let container = |it: &Relation| it.scope == RelationScope::Container;
        if self.subordinate && !self.requires.values().any(container) {
            let text = format!("subordinate charm {name:?} lacks \"requires\" relation with container scope");
            return Err(CharmError::invalid(text));
        }
        for (storage, it) in &self.storage {
            self.check_storage(storage, it)?;
        }
        for (resource, it) in &self.resources {
            self.check_resource(resource, it)?;
        }
        if !["", "root", "sudoer", "non-root"].contains(&self.charm_user.as_str()) {
            return Err(CharmError::Parse {
                file: FILE,
                why: format!("charm-user: invalid value {:?}", self.charm_user),
            });
        }
        if !self.series.is_empty() && self.assumes.is_some() {
            return Err(CharmError::invalid(
                "ambiguous metadata: keys \"series\" cannot be used with \"assumes\"",
            ));
        }
        Ok(())
    }

    fn check_relations(&self) -> Result<()> {
        let name = &self.name;
        let reserved = |it: &str| it == "juju" || it.starts_with("juju-");
        let ours = reserved(name);
        let mut seen = std::collections::BTreeSet::new();
        for (role, relations) in
            [(Role::Provider, &self.provides), (Role::Requirer, &self.requires), (Role::Peer, &self.peers)]
        {
            for (relation, it) in relations {
                if !juju_core::EndpointName::is_valid(relation) {
                    return Err(CharmError::invalid(format!(
                        "charm {name:?} has invalid relation name {relation:?}"
                    )));
                }
                if !seen.insert(relation) {
                    let text = format!("charm {name:?} using a duplicated relation name: {relation:?}");
                    return Err(CharmError::invalid(text));
                }
                let subordinates =
                    role == Role::Requirer && self.subordinate && it.scope == RelationScope::Container;
                if ours || subordinates {
                    continue;
                }
                if reserved(relation) {
                    let text = format!("charm {name:?} using a reserved relation name: {relation:?}");
                    return Err(CharmError::invalid(text));
                }
                if role != Role::Requirer && reserved(&it.interface) {
                    let interface = &it.interface;
                    let text = format!(
                        "charm {name:?} relation {relation:?} using a reserved interface: {interface:?}"
                    );
                    return Err(CharmError::invalid(text));
                }
            }
        }
        let extra = self.extra_bindings.keys().find(|it| seen.contains(it));
        extra.map_or(Ok(()), |it| {
            Err(CharmError::invalid(format!("relation names ({it}) cannot be used in extra bindings")))
        })
    }

    fn check_storage(&self, storage: &str, it: &Storage) -> Result<()> {
        let bad =
            |why: String| CharmError::invalid(format!("charm {:?} storage {storage:?}: {why}", self.name));
        match it.kind.as_str() {
            "filesystem" => {}
            "block" if it.location.is_empty() => {}
            "block" => return Err(bad("location may not be specified for \"type: block\"".to_owned())),
            "" => return Err(bad("type must be specified".to_owned())),
            other => return Err(bad(format!("type {other:?} is neither filesystem nor block"))),
        }
        let (least, most) = it.counts().map_err(bad)?;
        if most != -1 && (most < least || most == 0) {
            return Err(bad(format!("invalid maximum count {most}")));
        }
        Ok(())
    }

    fn check_resource(&self, resource: &str, it: &Resource) -> Result<()> {
        let bad = |why: &str| {
            Err(CharmError::invalid(format!("charm {:?} resource {resource:?}: {why}", self.name)))
        };
        match it.kind.as_str() {
            "file" if it.filename.is_empty() => bad("resource missing filename"),
            "file" if it.filename.contains('/') => bad("filename cannot contain \"/\""),
            "file" | "oci-image" => Ok(()),
            "" => bad("resource missing type"),
            _ => bad("unsupported resource type"),
        }
    }
}

fn juju_info() -> Relation {
    Relation { interface: JUJU_INFO.to_owned(), limit: 0, optional: false, scope: RelationScope::Global }
}

fn parse_as<T: de::DeserializeOwned>(text: &str) -> Result<T> {
    yaml::from_str(text).map_err(|err| CharmError::Parse { file: FILE, why: err.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name: web\nsummary: s\ndescription: d\n";

    #[test]
    fn relations_have_two_forms() {
        let meta = Meta::parse(&format!(
            "{HEAD}provides:\n  site: http\nrequires:\n  db: {{interface: pgsql, limit: 1, optional: true}}\n  host: {{interface: juju-info, scope: container}}\nsubordinate: true\npeers:\n  ring: {{interface: ring}}\n"
        ))
        .unwrap();
        assert_eq!(meta.provides["site"].interface, "http");
        assert_eq!((meta.requires["db"].limit, meta.requires["db"].optional), (1, true));
        assert_eq!(meta.endpoint("host").unwrap().1.scope, RelationScope::Container);
        assert_eq!(meta.endpoint("juju-info").unwrap().0, Role::Provider);
        assert_eq!(meta.endpoints().keys().collect::<Vec<_>>(), ["db", "host", "juju-info", "ring", "site"]);
        assert!(meta.endpoint("nope").is_none());
        let back: Meta = serde_json::from_str(&serde_json::to_string(&meta).unwrap()).unwrap();
        assert_eq!(back, meta);
    }

    #[test]
    fn bad_metadata_is_named() {
        for (text, error) in [
            ("", "metadata: name: expected string, got nothing"),
            ("name: web\nsummary: s\n", "metadata: description: expected string, got nothing"),
            ("name: Web\nsummary: s\ndescription: d\n", "charm name \"Web\" is not valid"),
            ("name: web-1\nsummary: s\ndescription: d\n", "charm name \"web-1\" is not valid"),
        ] {
            assert_eq!(Meta::parse(text).unwrap_err().to_string(), error);
        }
        for (rest, error) in [
            (
                "provides: {db: a}\nrequires: {db: b}\n",
                "charm \"web\" using a duplicated relation name: \"db\"",
            ),
            ("provides: {juju-y: a}\n", "charm \"web\" using a reserved relation name: \"juju-y\""),
            (
                "provides: {y: juju-info}\n",
                "charm \"web\" relation \"y\" using a reserved interface: \"juju-info\"",
            ),
            (
                "subordinate: true\n",
                "subordinate charm \"web\" lacks \"requires\" relation with container scope",
            ),
            (
                "provides: {db: a}\nextra-bindings: {db: }\n",
                "relation names (db) cannot be used in extra bindings",
            ),
            (
                "storage: {d: {type: disk}}\n",
                "charm \"web\" storage \"d\": type \"disk\" is neither filesystem nor block",
            ),
            (
                "storage: {d: {type: block, multiple: {range: x}}}\n",
                "charm \"web\" storage \"d\": invalid count \"x\"",
            ),
            ("resources: {r: {type: file}}\n", "charm \"web\" resource \"r\": resource missing filename"),
            (
                "resources: {r: {type: file, filename: a/b}}\n",
                "charm \"web\" resource \"r\": filename cannot contain \"/\"",
            ),
            (
                "series: [jammy]\nassumes: [juju]\n",
                "ambiguous metadata: keys \"series\" cannot be used with \"assumes\"",
            ),
        ] {
            assert_eq!(Meta::parse(&format!("{HEAD}{rest}")).unwrap_err().to_string(), error, "{rest}");
        }
        for rest in [
            "provides: [a]\n",
            "requires: {db: [a]}\n",
            "subordinate: maybe\n",
            "peers: {p: {limit: -1, interface: x}}\n",
            "x: [\n",
        ] {
            let error = Meta::parse(&format!("{HEAD}{rest}")).unwrap_err().to_string();
            assert!(error.starts_with("metadata: "), "{error}");
        }
    }

    #[test]
    fn storage_counts_are_ranges() {
        let storage =
            |range: &str| Storage { multiple: Some(Multiple { range: range.into() }), ..Storage::default() };
        assert_eq!(Storage::default().counts(), Ok((1, 1)));
        for (range, counts) in [("2", (2, 2)), ("0-3", (0, 3)), ("1+", (1, -1)), ("2-", (2, -1))] {
            assert_eq!(storage(range).counts(), Ok(counts));
        }
        assert!(storage("-1").counts().is_err());
    }
}
