//! Passwords that agents make for themselves.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::TryRng as _;
use rand::rngs::SysRng;

use crate::Secret;

/// 18 bytes, as Juju has them: a multiple of three, so that the text has no padding.
const BYTES: usize = 18;

/// The length below which a controller refuses an agent's password.
pub const MIN_LENGTH: usize = 24;

/// A new random password of 24 characters, from the system's source of randomness.
pub fn random() -> Secret {
    let mut bytes = [0u8; BYTES];
    SysRng.try_fill_bytes(&mut bytes).expect("the kernel's random source works on every supported kernel");
    Secret::new(STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_long_enough_and_differ() {
        let (a, b) = (random(), random());
        assert_eq!(a.expose().len(), MIN_LENGTH);
        assert_eq!(STANDARD.decode(a.expose()).unwrap().len(), BYTES);
        assert_ne!(a, b);
    }
}
