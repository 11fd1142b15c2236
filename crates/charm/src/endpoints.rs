//! Which endpoints a relation is between, when people name only the applications.

use std::fmt;

use juju_core::{ApplicationName, EndpointRef, RelationKey};

use crate::{Meta, Relation, RelationScope, Role};

/// An endpoint of an application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub app: ApplicationName,
    pub relation: Relation,
    /// Whether the application is a subordinate one.
    pub subordinate: bool,
}

impl Endpoint {
    /// Whether the two can be related: the same interface, opposite roles, and where one is for a subordinate on the
    /// same machine, one of the applications is such.
    pub fn fits(&self, other: &Endpoint) -> bool {
        let container = |it: &Endpoint| it.relation.scope == RelationScope::Container;
        self.app != other.app
            && self.relation.role != Role::Peer
            && self.relation.role.counterpart() == other.relation.role
            && self.relation.interface == other.relation.interface
            && (!(container(self) || container(other)) || self.subordinate || other.subordinate)
    }

    pub fn reference(&self) -> Option<EndpointRef> {
        Some(EndpointRef { app: self.app.clone(), endpoint: self.relation.name.parse().ok()? })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.app, self.relation.name)
    }
}

/// What a person named: `app` or `app:endpoint`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndpointSpec {
    pub app: ApplicationName,
    pub endpoint: Option<String>,
}

impl EndpointSpec {
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None => Some(EndpointSpec { app: text.parse().ok()?, endpoint: None }),
            Some((app, endpoint)) => {
                juju_core::EndpointName::is_valid(endpoint).then_some(())?;
                Some(EndpointSpec { app: app.parse().ok()?, endpoint: Some(endpoint.to_owned()) })
            }
        }
    }

    /// The endpoints it may mean, the implicit one last. Peers are never meant: they are related from the start.
    pub fn candidates(&self, metadata: &Meta) -> Vec<Endpoint> {
        let declared = metadata.provides.values().chain(metadata.requires.values()).cloned();
        declared
            .chain([Relation::juju_info()])
            .filter(|it| self.endpoint.as_ref().is_none_or(|name| *name == it.name))
            .map(|relation| Endpoint { app: self.app.clone(), relation, subordinate: metadata.subordinate })
            .collect()
    }
}

impl fmt::Display for EndpointSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.endpoint {
            Some(endpoint) => write!(f, "{}:{endpoint}", self.app),
            None => write!(f, "{}", self.app),
        }
    }
}

/// Why two names make no relation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InferError {
    #[error("no relations found")]
    None,
    #[error("ambiguous relation: \"{specs}\" could refer to {}", quoted(candidates))]
    Ambiguous {
        /// What was named, as one text.
        specs: String,
        /// The keys of the relations that it may mean.
        candidates: Vec<String>,
    },
}

/// A relation found: its two endpoints, the requirer first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub requirer: Endpoint,
    pub provider: Endpoint,
}

impl Pair {
    /// The relation's key; none if a charm has names that are no endpoints.
    pub fn key(&self) -> Option<RelationKey> {
        Some(RelationKey::Pair { requirer: self.requirer.reference()?, provider: self.provider.reference()? })
    }

    /// Whether it is between a principal and its subordinates: container scope on either side makes it so.
    pub fn scope(&self) -> RelationScope {
        self.requirer.relation.scope.max(self.provider.relation.scope)
    }
}

/// The one relation that is possible between two applications; implicit endpoints count only if nothing else is.
pub fn infer(one: (&EndpointSpec, &Meta), other: (&EndpointSpec, &Meta)) -> Result<Pair, InferError> {
    let mut pairs = vec![];
    for first in one.0.candidates(one.1) {
        for second in other.0.candidates(other.1) {
            if first.fits(&second) {
                pairs.push(match first.relation.role {
                    Role::Requirer => Pair { requirer: first.clone(), provider: second },
                    _ => Pair { requirer: second, provider: first.clone() },
                });
            }
        }
    }
    let explicit: Vec<_> = pairs
        .iter()
        .filter(|it| !it.requirer.relation.is_implicit() && !it.provider.relation.is_implicit())
        .collect();
    match (&pairs[..], &explicit[..]) {
        ([], _) => Err(InferError::None),
        ([pair], _) => Ok(pair.clone()),
        (_, [pair]) => Ok((*pair).clone()),
        _ => {
            let mut candidates: Vec<_> =
                pairs.iter().map(|it| format!("{} {}", it.requirer, it.provider)).collect();
            candidates.sort();
            Err(InferError::Ambiguous { specs: format!("{} {}", one.0, other.0), candidates })
        }
    }
}

fn quoted(texts: &[String]) -> String {
    texts.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(name: &str, rest: &str) -> Meta {
        Meta::parse(&format!("name: {name}\nsummary: s\ndescription: d\n{rest}")).unwrap()
    }

    fn between(one: &str, other: &str) -> Result<(String, RelationScope), String> {
        let charms = [
            metadata("wp", "requires: {db: mysql, cache: mem}\nprovides: {site: http}\npeers: {ring: wp}"),
            metadata("db", "provides: {server: mysql, admin: mysql, info: x}\nrequires: {web: http}"),
            metadata("mem", "provides: {cache: mem}"),
            metadata("log", "subordinate: true\nrequires: {info: {interface: juju-info, scope: container}}"),
            metadata("any", "requires: {info: juju-info, box: {interface: http, scope: container}}"),
        ];
        let [one, other] = [one, other].map(|it| EndpointSpec::parse(it).unwrap());
        let charm = |it: &EndpointSpec| charms.iter().find(|charm| charm.name == it.app.as_str()).unwrap();
        infer((&one, charm(&one)), (&other, charm(&other)))
            .map(|it| (it.key().unwrap().to_string(), it.scope()))
            .map_err(|it| it.to_string())
    }

    #[test]
    fn the_one_that_is_possible() {
        use RelationScope::*;
        for (one, other, expected) in [
            ("wp", "mem", Ok(("wp:cache mem:cache", Global))),
            ("mem", "wp", Ok(("wp:cache mem:cache", Global))),
            ("mem:cache", "wp", Ok(("wp:cache mem:cache", Global))),
            ("wp:db", "db:admin", Ok(("wp:db db:admin", Global))),
            ("wp:site", "db", Ok(("db:web wp:site", Global))),
            ("log", "wp", Ok(("log:info wp:juju-info", Container))),
            ("any:info", "mem", Ok(("any:info mem:juju-info", Global))),
            // A container-scoped endpoint needs a subordinate.
            ("any:box", "wp:site", Err("no relations found")),
            ("mem", "db", Err("no relations found")),
            ("wp", "wp", Err("no relations found")),
            ("wp:ring", "db", Err("no relations found")),
            ("wp:nope", "db", Err("no relations found")),
            (
                "wp",
                "db",
                Err(
                    r#"ambiguous relation: "wp db" could refer to "db:web wp:site"; "wp:db db:admin"; "wp:db db:server""#,
                ),
            ),
        ] {
            let expected = expected.map(|(key, scope)| (key.to_owned(), scope)).map_err(str::to_owned);
            assert_eq!(between(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn names() {
        for bad in ["", "a:", ":b", "a/0", "a:b:c", "A", "a:B"] {
            assert_eq!(EndpointSpec::parse(bad), None, "{bad:?}");
        }
        assert_eq!(EndpointSpec::parse("a:b_c").unwrap().to_string(), "a:b_c");
    }
}
