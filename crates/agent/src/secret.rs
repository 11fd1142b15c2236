//! A string that must not reach a log.

use std::fmt;

/// A password, key or token. It has no `Display`, and `Debug` says only whether there is one.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself; the name makes each use easy to find.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `agent.conf` has no way to tell an absent secret from an empty one, so neither has this type.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "Secret(none)" } else { "Secret(…)" })
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn debug_does_not_show_it() {
        assert!(!format!("{:?}", Secret::from("hunter2")).contains("hunter2"));
        assert_eq!(format!("{:?}", Secret::default()), "Secret(none)");
    }
}
