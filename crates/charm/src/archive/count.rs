//! How many entries an archive says it has, without reading them: a directory of millions would fill the memory before
//! anything could be counted.

use std::io::{self, Read, Seek, SeekFrom};

const END: &[u8] = b"PK\x05\x06";
const END_64_LOCATOR: &[u8] = b"PK\x06\x07";
const END_64: &[u8] = b"PK\x06\x06";

/// The fixed part of the record at the end, and the longest comment behind it.
const END_SIZE: usize = 22;
const MAX_COMMENT: usize = u16::MAX as usize;
const LOCATOR_SIZE: usize = 20;

/// The largest number that a record at the end gives; none where there is no such record.
pub(super) fn declared_entries(reader: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
    let length = reader.seek(SeekFrom::End(0))?;
    let tail = length.min((END_SIZE + MAX_COMMENT + LOCATOR_SIZE) as u64);
    reader.seek(SeekFrom::Start(length - tail))?;
    let mut bytes = vec![];
    reader.take(tail).read_to_end(&mut bytes)?;
    let mut most = None;
    // A comment may hold what looks like a record. Which one a reader takes is its affair: count them all.
    for at in (0..bytes.len().saturating_sub(END_SIZE - 1)).filter(|at| bytes[*at..].starts_with(END)) {
        let mut count = u64::from(u16::from_le_bytes([bytes[at + 10], bytes[at + 11]]));
        if let Some(locator) = at.checked_sub(LOCATOR_SIZE)
            && bytes[locator..].starts_with(END_64_LOCATOR)
        {
            count = count_64(reader, number(&bytes[locator + 8..]))?.unwrap_or(count);
        }
        most = most.max(Some(count));
    }
    Ok(most)
}

/// The number of entries in the large record at an offset.
fn count_64(reader: &mut (impl Read + Seek), offset: u64) -> io::Result<Option<u64>> {
    reader.seek(SeekFrom::Start(offset))?;
    let mut record = vec![];
    reader.take(56).read_to_end(&mut record)?;
    Ok((record.len() == 56 && record.starts_with(END_64)).then(|| number(&record[32..])))
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn end(count: u16) -> Vec<u8> {
        let mut record = END.to_vec();
        record.extend([0; 6]);
        record.extend(count.to_le_bytes());
        record.resize(END_SIZE, 0);
        record
    }

    #[test]
    fn records() {
        let count = |bytes: &[u8]| declared_entries(&mut Cursor::new(bytes)).unwrap();
        assert_eq!(count(b""), None);
        assert_eq!(count(b"not a zip archive at all, not even a little"), None);
        assert_eq!(count(&end(7)), Some(7));
        assert_eq!(count(&[end(7), end(3)].concat()), Some(7));
        let mut large = END_64.to_vec();
        large.resize(32, 0);
        large.extend(123_456_u64.to_le_bytes());
        large.resize(56, 0);
        let mut locator = END_64_LOCATOR.to_vec();
        locator.extend([0; 4]);
        locator.extend(0_u64.to_le_bytes());
        locator.resize(LOCATOR_SIZE, 0);
        assert_eq!(count(&[large, locator, end(u16::MAX)].concat()), Some(123_456));
    }
}
