//! Cloud credentials.

use std::{fmt, str::FromStr};

use super::{CloudName, IdError, UserName, pattern};

/// A user's credential for a cloud: `lxd/bob/default`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CredentialId {
    cloud: CloudName,
    owner: UserName,
    name: String,
}

impl CredentialId {
    pub fn new(cloud: CloudName, owner: UserName, name: &str) -> Result<Self, IdError> {
        if !pattern::is_credential_name(name) {
            return Err(IdError::new("credential name", name));
        }
        Ok(CredentialId { cloud, owner, name: name.to_owned() })
    }

    pub fn cloud(&self) -> &CloudName {
        &self.cloud
    }

    pub fn owner(&self) -> &UserName {
        &self.owner
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// `lxd_bob_default`, the separator inside a part written `%5f`.
    pub(crate) fn tag_suffix(&self) -> String {
        let escaped = |it: &dyn fmt::Display| it.to_string().replace('_', "%5f");
        format!("{}_{}_{}", escaped(&self.cloud), escaped(&self.owner), escaped(&self.name))
    }

    pub(crate) fn from_tag_suffix(suffix: &str) -> Option<Self> {
        let unescaped = |it: &str| it.replace("%5f", "_").replace("%5F", "_");
        let parts: Vec<_> = suffix.split('_').collect();
        let [cloud, owner, name] = parts[..] else { return None };
        Self::new(unescaped(cloud).parse().ok()?, owner.parse().ok()?, &unescaped(name)).ok()
    }
}

impl FromStr for CredentialId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = || IdError::new("cloud credential id", text);
        let parts: Vec<_> = text.split('/').collect();
        let [cloud, owner, name] = parts[..] else { return Err(error()) };
        let (Ok(cloud), Ok(owner)) = (cloud.parse(), owner.parse()) else { return Err(error()) };
        Self::new(cloud, owner, name).map_err(|_| error())
    }
}

impl fmt::Display for CredentialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.cloud, self.owner, self.name)
    }
}

super::text_serde!(CredentialId);
