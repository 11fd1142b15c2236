//! A type for each kind of id (Juju 3.6 `juju/names`): a unit's name never meets a machine's.

mod charm_url;
mod credential;
mod machine;
mod macros;
mod names;
mod pattern;
mod relation;
mod secret;
mod storage;
mod unit;
mod user;

pub use charm_url::{CharmSchema, CharmUrl, CharmUrlError};
pub use credential::CredentialId;
pub use machine::MachineId;
pub use macros::IdError;
pub use names::*;
pub use relation::{EndpointRef, RelationKey};
pub use secret::SecretId;
pub use storage::{FilesystemId, StorageHost, StorageId, VolumeId};
pub use unit::UnitName;
pub use user::UserName;

pub(crate) use macros::text_serde;
