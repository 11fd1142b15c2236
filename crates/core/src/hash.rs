//! Hashes of large objects, as the text that names them.

use crate::ids::IdError;

macro_rules! hash_text {
    ($(#[$meta:meta])* $name:ident, $kind:literal, $digits:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// In lower-case hexadecimal.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                let valid = text.len() == $digits && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
                if valid { Ok($name(text.to_owned())) } else { Err(IdError::new($kind, text)) }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        crate::ids::text_serde!($name);
    };
}

hash_text!(
    /// The SHA-256 of a charm or an agent binary. It names a file, so nothing but a hash passes.
    Sha256, "SHA-256", 64
);
hash_text!(
    /// The SHA-384 of a resource: its fingerprint.
    Sha384, "SHA-384", 96
);

impl Sha256 {
    /// The first characters, which clients put into the name of an uploaded charm.
    pub fn short(&self) -> &str {
        &self.0[..7]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_hash() {
        let text = "0123456789abcdef".repeat(4);
        let hash: Sha256 = text.parse().unwrap();
        assert_eq!((hash.as_str(), hash.short()), (text.as_str(), "0123456"));
        for bad in [&text[1..], &text.to_uppercase(), "", "../../../etc/passwd", &format!("{text}0")] {
            assert!(bad.parse::<Sha256>().is_err(), "{bad}");
        }
        assert!(text.parse::<Sha384>().is_err());
        assert!("0".repeat(96).parse::<Sha384>().is_ok());
    }
}
