//! What a unit agent must not forget, kept on the controller (`Uniter.SetState`) in Juju's own YAML.
//!
//! [`State`] says which operation the unit is in and how far it got; [`RelationState`] what its hooks have already
//! seen of one relation. Everything else an agent knows it can learn again.

mod operation;
mod relation;

pub use operation::{Hashes, Op, State, Step};
pub use relation::RelationState;

/// A saved state that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InvalidState {
    #[error("the saved state of the unit cannot be read")]
    Yaml(#[source] Box<serde_saphyr::Error>),
    #[error("the saved state of the unit cannot be written")]
    Emit(#[source] Box<serde_saphyr::ser_error::Error>),
    #[error("the saved state of the unit is not valid: {0}")]
    Invalid(String),
}

pub(crate) fn from_yaml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, InvalidState> {
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|err| InvalidState::Yaml(Box::new(err)))
}

pub(crate) fn to_yaml(value: &impl serde::Serialize) -> Result<String, InvalidState> {
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options).map_err(|err| InvalidState::Emit(Box::new(err)))
}
