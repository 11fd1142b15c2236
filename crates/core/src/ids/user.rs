//! Users, of this controller or of an identity provider.

use std::{fmt, str::FromStr};

use super::{IdError, pattern};

/// A user: `bob`, or `bob@idm` when another identity provider knows it. The domain `local` is left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserName {
    name: String,
    domain: Option<String>,
}

impl UserName {
    /// The domain of the controller's own users, which is never written.
    pub const LOCAL_DOMAIN: &'static str = "local";

    /// The name without its domain.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The identity provider's domain, for a user that is not the controller's own.
    pub fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    pub fn is_local(&self) -> bool {
        self.domain.is_none()
    }

    /// What the user is stored under: two names that differ only in case are one user.
    pub fn key(&self) -> String {
        self.to_string().to_ascii_lowercase()
    }
}

impl FromStr for UserName {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let (name, domain) = match text.split_once('@') {
            Some((name, domain)) => (name, Some(domain)),
            None => (text, None),
        };
        if !pattern::is_user(name) || !domain.is_none_or(pattern::is_user) {
            return Err(IdError::new("user name", text));
        }
        let domain = domain.filter(|it| *it != Self::LOCAL_DOMAIN).map(str::to_owned);
        Ok(UserName { name: name.to_owned(), domain })
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.domain {
            Some(domain) => write!(f, "{}@{domain}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

super::text_serde!(UserName);
