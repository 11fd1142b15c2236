//! What every id type has: text in, text out, order, and text in serialized form.

/// A text that is no id of its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a valid {kind}")]
pub struct IdError {
    /// What it should have been: `machine id`, `unit name`, ….
    pub kind: &'static str,
    pub text: String,
}

impl IdError {
    pub(crate) fn new(kind: &'static str, text: &str) -> Self {
        IdError { kind, text: text.to_owned() }
    }
}

/// Serializes a type by its `Display` and `FromStr`.
macro_rules! text_serde {
    ($ty:ty) => {
        impl serde::Serialize for $ty {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $ty {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(from)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// An id that is kept as its text, checked by `$check`.
macro_rules! text_id {
    ($(#[$meta:meta])* $name:ident, $kind:literal, $check:expr) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
            /// Whether `text` is one.
            pub fn is_valid(text: &str) -> bool {
                let check: fn(&str) -> bool = $check;
                check(text)
            }
        }
        impl std::str::FromStr for $name {
            type Err = crate::ids::IdError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                if Self::is_valid(text) { Ok($name(text.into())) } else { Err(crate::ids::IdError::new($kind, text)) }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({:?})", stringify!($name), &*self.0)
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }
        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }
        crate::ids::macros::text_serde!($name);
    };
}
pub(crate) use {text_id, text_serde};
