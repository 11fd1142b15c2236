//! How a value stands in the bare map: one byte that says what follows, then that.

use bytes::{BufMut, Bytes, BytesMut};

use crate::{Error, Result};

const INLINE: u8 = 1;
const PARTS: u8 = 2;

pub(super) enum Frame {
    Inline(Bytes),
    Parts(PartsName),
}

/// What a value in parts is replaced by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PartsName {
    pub(super) id: String,
    pub(super) bytes: u64,
}

impl PartsName {
    pub(super) fn head(&self) -> String {
        format!("h/{}", self.id)
    }

    /// Numbers are padded, so that their order is the order of the bytes.
    pub(super) fn part(&self, n: usize) -> String {
        format!("p/{}/{n:06}", self.id)
    }
}

pub(super) fn inline(value: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(1 + value.len());
    framed.put_u8(INLINE);
    framed.put_slice(value);
    framed.freeze()
}

pub(super) fn parts(name: &PartsName) -> Bytes {
    let mut framed = BytesMut::with_capacity(1 + 8 + name.id.len());
    framed.put_u8(PARTS);
    framed.put_u64(name.bytes);
    framed.put_slice(name.id.as_bytes());
    framed.freeze()
}

pub(super) fn parse(key: &str, framed: Bytes) -> Result<Frame> {
    let damaged = || Error::Damaged(format!("the value of {key:?} is not framed as it should be"));
    match framed.first() {
        Some(&INLINE) => Ok(Frame::Inline(framed.slice(1..))),
        Some(&PARTS) => {
            let (bytes, id) = framed[1..].split_first_chunk::<8>().ok_or_else(damaged)?;
            let id = std::str::from_utf8(id).map_err(|_| damaged())?.to_owned();
            Ok(Frame::Parts(PartsName { id, bytes: u64::from_be_bytes(*bytes) }))
        }
        _ => Err(damaged()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for value in [&b""[..], b"x", b"\x02looks like parts"] {
            assert!(matches!(parse("k", inline(value)), Ok(Frame::Inline(it)) if it == value));
        }
        let name = PartsName { id: "abc".to_owned(), bytes: 1 << 33 };
        assert!(matches!(parse("k", parts(&name)), Ok(Frame::Parts(it)) if it == name));
    }

    #[test]
    fn what_is_not_a_frame_is_damage() {
        for bad in [&b""[..], b"\x00", b"\x03x", b"\x02short", b"\x0200000000\xff"] {
            assert!(matches!(parse("k", Bytes::from_static(bad)), Err(Error::Damaged(_))), "{bad:?}");
        }
    }
}
