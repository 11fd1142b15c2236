//! How passwords are kept, exactly as Juju keeps them, so that its dumps can be read.
//!
//! A user's password may be weak and is hashed slowly, with salt; an agent's is 24 random characters, and its hash
//! is checked on every connection of every agent, so that it is fast.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha512};
use subtle::ConstantTimeEq;

use crate::{Error, Result};

const ROUNDS: u32 = 8192;
const HASH_BYTES: usize = 18;
const SALT_BYTES: usize = 12;
/// Juju refuses agents a shorter one.
const AGENT_PASSWORD_CHARS: usize = 24;

/// The salted hash of a user's password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserHash {
    hash: String,
    /// Its text, not the bytes it stands for, is what Juju hashes with.
    salt: String,
}

/// Hashes are not to be seen in logs.
macro_rules! hidden {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}
hidden!(UserHash, AgentHash);

impl UserHash {
    /// Takes tens of milliseconds of a processor, so that it runs where blocking is allowed.
    pub async fn of(password: &str) -> UserHash {
        let salt = BASE64.encode(rand::random::<[u8; SALT_BYTES]>());
        UserHash { hash: slow(password, &salt).await, salt }
    }

    pub async fn matches(&self, password: &str) -> bool {
        equal(&self.hash, &slow(password, &self.salt).await)
    }

    /// Takes as long as [`matches`](UserHash::matches) and never does, for users who do not exist.
    pub async fn matches_nobody(password: &str) -> bool {
        slow(password, "AAAAAAAAAAAAAAAA").await;
        false
    }
}

/// The hash of an agent's password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct AgentHash(String);

impl AgentHash {
    /// Refuses a password that is too short to be random.
    pub(crate) fn of(password: &str) -> Result<AgentHash> {
        if password.len() < AGENT_PASSWORD_CHARS {
            let size = password.len();
            return Err(Error::not_valid(format!(
                "password is only {size} bytes long, and is not a valid Agent password"
            )));
        }
        Ok(AgentHash(fast(password)))
    }

    pub(crate) fn matches(&self, password: &str) -> bool {
        equal(&self.0, &fast(password))
    }
}

fn fast(password: &str) -> String {
    BASE64.encode(&Sha512::digest(password.as_bytes())[..HASH_BYTES])
}

async fn slow(password: &str, salt: &str) -> String {
    let (password, salt) = (password.to_owned(), salt.to_owned());
    let hashed = tokio::task::spawn_blocking(move || {
        let mut out = [0; HASH_BYTES];
        pbkdf2::pbkdf2_hmac::<Sha512>(password.as_bytes(), salt.as_bytes(), ROUNDS, &mut out);
        BASE64.encode(out)
    });
    // It fails only while the runtime is torn down, and then nothing may match.
    hashed.await.unwrap_or_default()
}

/// Takes the same time wherever they differ. Nothing equals the empty text, which no hash is.
fn equal(a: &str, b: &str) -> bool {
    !a.is_empty() && bool::from(a.as_bytes().ct_eq(b.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn user_passwords_hash_as_in_juju() {
        // From another implementation of PBKDF2 with Juju's parameters.
        for (password, salt, expected) in [
            ("", "c2FsdHNhbHRzYWx0", "rcEmbjbImi9jcX17nhYbDPF4"),
            ("a", "AAAAAAAAAAAAAAAA", "4vCETrg4+PTbwbIWEuF/cz/7"),
            (
                "a longer password than i would usually bother with",
                "c2FsdHNhbHRzYWx0",
                "2IM/oYmJWDkTUdcnWcgubUZT",
            ),
        ] {
            assert_eq!(slow(password, salt).await, expected);
        }
        let hash = UserHash::of("secret").await;
        assert_eq!(hash.salt.len(), 16);
        assert!(hash.matches("secret").await);
        assert!(!hash.matches("Secret").await);
        assert_ne!(hash, UserHash::of("secret").await, "each has a salt of its own");
        assert!(!UserHash::matches_nobody("secret").await);
    }

    #[test]
    fn agent_passwords() {
        let password = "abcdefghijklmnopqrstuvwx";
        let hash = AgentHash::of(password).unwrap();
        assert_eq!(hash.0, "W3t057i80grfZss815Sfdw+n");
        assert!(hash.matches(password));
        assert!(!hash.matches("abcdefghijklmnopqrstuvwy"));
        assert!(AgentHash::of("short").is_err());
    }
}
