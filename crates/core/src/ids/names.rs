//! Ids that are no more than a checked text, and the ones that are a number.

use super::{macros::text_id, pattern};

text_id!(
    /// An application, local or remote: `db`, `web-frontend`.
    ApplicationName, "application name", pattern::is_application
);
text_id!(
    /// An endpoint of an application: `db`, `juju-info`, `db_admin`.
    EndpointName, "endpoint name", pattern::is_endpoint
);
text_id!(
    /// The name of a storage in a charm: `data`.
    StorageName, "storage name", pattern::is_application
);
text_id!(
    /// A cloud: `localhost`.
    CloudName, "cloud name", pattern::is_cloud
);
text_id!(
    /// A model's name, unique for its owner.
    ModelName, "model name", pattern::is_model_name
);
text_id!(
    /// A controller's name.
    ControllerName, "controller name", pattern::is_model_name
);
text_id!(
    /// A network space: `alpha`.
    SpaceName, "space name", pattern::is_space
);
text_id!(
    /// A model.
    ModelUuid, "model UUID", pattern::is_uuid
);
text_id!(
    /// A controller, that is all its machines together.
    ControllerUuid, "controller UUID", pattern::is_uuid
);
text_id!(
    /// An offer of endpoints to other models.
    OfferUuid, "offer UUID", pattern::is_uuid
);
text_id!(
    /// A task: one run of an action on one unit or machine. Actions of old models are UUIDs.
    ActionId, "action id", |it| pattern::is_number(it) || pattern::is_uuid(it)
);
text_id!(
    /// An operation: the tasks that one command started.
    OperationId, "operation id", pattern::is_number
);
text_id!(
    /// A subnet.
    SubnetId, "subnet id", pattern::is_number
);

impl SpaceName {
    /// The space that is always there and that everything belongs to unless told otherwise.
    pub const ALPHA: &'static str = "alpha";

    pub fn alpha() -> Self {
        Self::ALPHA.parse().expect("alpha is a space's name")
    }
}

impl ModelUuid {
    /// The first six characters, which distinguish the model in names on a host.
    pub fn short(&self) -> &str {
        &self.as_str()[..6]
    }
}

macro_rules! from_uuid {
    ($($name:ident),*) => {$(
        impl From<uuid::Uuid> for $name {
            fn from(uuid: uuid::Uuid) -> Self {
                uuid.hyphenated().to_string().parse().expect("a UUID's text is in lower case with dashes")
            }
        }
    )*};
}
from_uuid!(ModelUuid, ControllerUuid, OfferUuid);

macro_rules! from_number {
    ($($name:ident),*) => {$(
        impl From<u32> for $name {
            fn from(number: u32) -> Self {
                number.to_string().parse().expect("a number is an id")
            }
        }
    )*};
}
from_number!(ActionId, OperationId, SubnetId);

/// The number of a relation in its model, which hooks see as `db:4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub u32);

impl std::fmt::Display for RelationId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::str::FromStr for RelationId {
    type Err = super::IdError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        pattern::number(text).map(RelationId).ok_or_else(|| super::IdError::new("relation id", text))
    }
}

super::text_serde!(RelationId);
