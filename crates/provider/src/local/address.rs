//! Addresses that cost nothing: the loopback network has sixteen million.

use std::collections::HashSet;
use std::io;
use std::net::{Ipv4Addr, TcpListener};

use sha2::{Digest, Sha256};

/// The second, third and fourth numbers of `127.x.y.z`: from 1 to 254, all, and from 1 to 254.
/// `127.0.y.z` is left to the host, which has `localhost` and its resolver there.
const X: u32 = 254;
const Y: u32 = 256;
const Z: u32 = 254;

/// An address for the machine of this name that is not among the taken ones: mostly always the same,
/// so that a machine that is made again has its old one.
pub(super) fn choose(name: &str, taken: &HashSet<Ipv4Addr>) -> Option<Ipv4Addr> {
    let hash = Sha256::digest(name.as_bytes());
    let first = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]) % (X * Y * Z);
    (0..X * Y * Z).map(|step| nth((first + step) % (X * Y * Z))).find(|address| !taken.contains(address))
}

fn nth(n: u32) -> Ipv4Addr {
    let octet = |value: u32| u8::try_from(value).expect("each part is below 256");
    Ipv4Addr::new(127, octet(1 + n / (Y * Z)), octet(n / Z % Y), octet(1 + n % Z))
}

/// A port for a new controller's API, on the address that local controllers listen on. It is kept
/// from then on. Nobody holds it until the controller listens, so whoever finds it taken asks again.
pub fn free_api_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_apart_and_the_same_again() {
        let mut taken = HashSet::new();
        for machine in 0..1000 {
            let name = format!("9f6b2f0e/{machine}");
            let address = choose(&name, &taken).unwrap();
            assert_eq!(choose(&name, &taken), Some(address));
            let [first, second, _, last] = address.octets();
            assert!(first == 127 && second != 0 && second != 255 && last != 0 && last != 255, "{address}");
            assert!(taken.insert(address));
        }
        let alone = choose("x", &HashSet::new()).unwrap();
        assert_ne!(choose("x", &HashSet::from([alone])), Some(alone));
    }

    #[test]
    fn the_corners_are_addresses() {
        assert_eq!(nth(0), Ipv4Addr::new(127, 1, 0, 1));
        assert_eq!(nth(X * Y * Z - 1), Ipv4Addr::new(127, 254, 255, 254));
    }

    #[test]
    fn the_port_is_free() {
        let port = free_api_port().unwrap();
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    }
}
