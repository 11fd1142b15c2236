//! Relations, by the endpoints they join.

use std::{fmt, str::FromStr};

use super::{ApplicationName, EndpointName, IdError};

/// One application's end of a relation: `db:server`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndpointRef {
    pub app: ApplicationName,
    pub endpoint: EndpointName,
}

impl FromStr for EndpointRef {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let parts = text.split_once(':');
        parts
            .and_then(|(app, endpoint)| {
                Some(EndpointRef { app: app.parse().ok()?, endpoint: endpoint.parse().ok()? })
            })
            .ok_or_else(|| IdError::new("endpoint", text))
    }
}

impl fmt::Display for EndpointRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.app, self.endpoint)
    }
}

/// A relation by its endpoints: `wp:db db:server`, the requirer first, or `db:ring` for one among peers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationKey {
    Peer(EndpointRef),
    Pair { requirer: EndpointRef, provider: EndpointRef },
}

impl RelationKey {
    pub fn endpoints(&self) -> Vec<&EndpointRef> {
        match self {
            RelationKey::Peer(it) => vec![it],
            RelationKey::Pair { requirer, provider } => vec![requirer, provider],
        }
    }

    pub fn is_peer(&self) -> bool {
        matches!(self, RelationKey::Peer(_))
    }

    /// The endpoint that an application has in the relation. One that is related to itself has two: the requirer's.
    pub fn endpoint_of(&self, app: &ApplicationName) -> Option<&EndpointRef> {
        self.endpoints().into_iter().find(|it| it.app == *app)
    }

    /// The endpoint on the other side of an application's; its own one among peers.
    pub fn other_side_of(&self, app: &ApplicationName) -> Option<&EndpointRef> {
        match self {
            RelationKey::Peer(it) => (it.app == *app).then_some(it),
            RelationKey::Pair { requirer, provider } if requirer.app == *app => Some(provider),
            RelationKey::Pair { requirer, provider } => (provider.app == *app).then_some(requirer),
        }
    }

    fn parse(text: &str, between: char, inside: char) -> Option<Self> {
        let one = |it: &str| {
            let (app, endpoint) = it.split_once(inside)?;
            Some(EndpointRef { app: app.parse().ok()?, endpoint: endpoint.parse().ok()? })
        };
        match text.split_once(between) {
            None => Some(RelationKey::Peer(one(text)?)),
            Some((requirer, provider)) => {
                Some(RelationKey::Pair { requirer: one(requirer)?, provider: one(provider)? })
            }
        }
    }

    /// `wp.db#db.server`.
    pub(crate) fn tag_suffix(&self) -> String {
        self.to_string().replace(':', ".").replace(' ', "#")
    }

    pub(crate) fn from_tag_suffix(suffix: &str) -> Option<Self> {
        Self::parse(suffix, '#', '.')
    }
}

impl FromStr for RelationKey {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::parse(text, ' ', ':').ok_or_else(|| IdError::new("relation key", text))
    }
}

impl fmt::Display for RelationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RelationKey::Peer(it) => write!(f, "{it}"),
            RelationKey::Pair { requirer, provider } => write!(f, "{requirer} {provider}"),
        }
    }
}

super::text_serde!(EndpointRef);
super::text_serde!(RelationKey);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides() {
        let (wp, db): (ApplicationName, ApplicationName) = ("wp".parse().unwrap(), "db".parse().unwrap());
        let key: RelationKey = "wp:db db:server".parse().unwrap();
        assert_eq!(key.endpoint_of(&wp).unwrap().to_string(), "wp:db");
        assert_eq!(key.other_side_of(&wp).unwrap().to_string(), "db:server");
        assert_eq!(key.other_side_of(&db).unwrap().to_string(), "wp:db");
        assert_eq!(key.other_side_of(&"x".parse().unwrap()), None);
        let peer: RelationKey = "db:ring".parse().unwrap();
        assert!(peer.is_peer());
        assert_eq!(peer.other_side_of(&db).unwrap().to_string(), "db:ring");
        assert_eq!(peer.other_side_of(&wp), None);
    }
}
