//! Secrets, by their URI.

use std::{fmt, str::FromStr};

use super::{IdError, ModelUuid};

/// A secret: `secret:9m4e2mr0ui3e8a215n4g`, with its model's UUID when that is another model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretId {
    model: Option<ModelUuid>,
    id: String,
}

impl SecretId {
    /// The twenty characters that name it in its model.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn model(&self) -> Option<&ModelUuid> {
        self.model.as_ref()
    }

    /// A secret of this model by its bare id.
    pub fn from_bare(id: &str) -> Result<Self, IdError> {
        let valid = id.len() == 20 && id.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
        if valid {
            Ok(SecretId { model: None, id: id.to_owned() })
        } else {
            Err(IdError::new("secret id", id))
        }
    }
}

/// Takes `secret:<id>`, `secret://<model>/<id>` and the bare id.
impl FromStr for SecretId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = || IdError::new("secret URI", text);
        let rest = text.strip_prefix("secret:").unwrap_or(text);
        let Some(rest) = rest.strip_prefix("//") else { return Self::from_bare(rest).map_err(|_| error()) };
        if rest.len() == text.len() - 2 {
            return Err(error());
        }
        let (model, id) = rest.split_once('/').ok_or_else(error)?;
        let model = model.parse().map_err(|_| error())?;
        Ok(SecretId { model: Some(model), ..Self::from_bare(id).map_err(|_| error())? })
    }
}

impl fmt::Display for SecretId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.model {
            Some(model) => write!(f, "secret://{model}/{}", self.id),
            None => write!(f, "secret:{}", self.id),
        }
    }
}

super::text_serde!(SecretId);
