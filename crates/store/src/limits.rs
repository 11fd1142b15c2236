//! What fits in one transaction. The limits are etcd's defaults, and the same on every backend, so that a
//! store can be moved from one to the other.

use std::collections::BTreeSet;

use crate::{Error, Guard, Result, Write};

/// The most guards, and the most writes, of a transaction, as etcd counts them; see [`check`].
pub const OPERATIONS: usize = 128;
/// The most bytes of keys and values of a transaction.
pub const TRANSACTION_BYTES: usize = 3 * 512 * 1024;
/// A value larger than this is kept in parts, and only their name counts towards the transaction.
pub const INLINE_BYTES: usize = 256 * 1024;
/// The largest value.
pub const VALUE_BYTES: usize = 64 * 1024 * 1024;
/// The longest key.
pub const KEY_BYTES: usize = 1024;
/// A page of a list ends once it holds this much.
pub(crate) const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// What an operation takes in a request beside its key and value, rounded up.
const OPERATION_OVERHEAD: usize = 48;

/// Checks the transaction against the limits, naming what exceeds them.
///
/// Writes: each put or delete is one, as is each directory from which something is deleted (its tombstone), and
/// the transaction's own name. Guards: a key is one, a prefix two (entries and tombstones), all prefixes
/// together one more (the compaction floor), and the name one. A value in parts adds one to both.
pub fn check(guards: &[Guard], writes: &[Write]) -> Result<()> {
    let mut guard_count = 1;
    let mut prefixed = false;
    let mut bytes = OPERATION_OVERHEAD;
    for guard in guards {
        // A guard is sent as a comparison and as a question, for when it does not hold; a range has two ends.
        match guard {
            Guard::Key(key, _) => {
                guard_count += 1;
                bytes += 2 * (key.len() + OPERATION_OVERHEAD);
            }
            Guard::Prefix(prefix, _) => {
                prefixed = true;
                guard_count += 2;
                bytes += 4 * (2 * prefix.len() + OPERATION_OVERHEAD);
            }
        }
    }
    guard_count += usize::from(prefixed);

    let mut write_count = 1;
    let mut tombstones = BTreeSet::new();
    for write in writes {
        write_count += 1;
        bytes += write.key().len() + OPERATION_OVERHEAD;
        match write {
            Write::Put(key, value) if value.len() > VALUE_BYTES => {
                let (size, key) = (value.len(), key.as_str());
                return Err(Error::TooLarge(format!(
                    "the value of {key:?} has {size} bytes (limit {VALUE_BYTES})"
                )));
            }
            Write::Put(key, value) if value.len() > INLINE_BYTES => {
                guard_count += 1;
                write_count += 1;
                bytes += 3 * (key.len() + OPERATION_OVERHEAD);
            }
            Write::Put(_, value) => bytes += value.len(),
            Write::Delete(key) => {
                tombstones.insert(directory(key));
            }
        }
    }
    write_count += tombstones.len();
    bytes += tombstones.iter().map(|it| it.len() + OPERATION_OVERHEAD).sum::<usize>();

    if guard_count > OPERATIONS {
        return Err(Error::TooLarge(format!("a transaction with {guard_count} guards (limit {OPERATIONS})")));
    }
    if write_count > OPERATIONS {
        return Err(Error::TooLarge(format!("a transaction with {write_count} writes (limit {OPERATIONS})")));
    }
    if bytes > TRANSACTION_BYTES {
        return Err(Error::TooLarge(format!("a transaction of {bytes} bytes (limit {TRANSACTION_BYTES})")));
    }
    Ok(())
}

/// The key up to and with its last `/`: the narrowest prefix it stands under.
pub(crate) fn directory(key: &str) -> &str {
    key.rfind('/').map_or("", |at| &key[..=at])
}

/// Refuses what no backend could keep, or could not keep alike.
pub(crate) fn check_key(key: &str) -> Result<()> {
    if key.is_empty() || key.ends_with('/') || key.contains('\0') {
        return Err(Error::Invalid(format!("bad key {key:?}")));
    }
    if key.len() > KEY_BYTES {
        let size = key.len();
        return Err(Error::TooLarge(format!("a key has {size} bytes (limit {KEY_BYTES})")));
    }
    Ok(())
}

pub(crate) fn check_prefix(prefix: &str) -> Result<()> {
    if !(prefix.is_empty() || prefix.ends_with('/')) || prefix.contains('\0') {
        return Err(Error::Invalid(format!("bad prefix {prefix:?}: it must end in '/'")));
    }
    Ok(())
}

/// The end (exclusive) of the keys under a prefix that ends in `/`; none under the empty prefix.
pub(crate) fn prefix_end(prefix: &str) -> Option<String> {
    // '0' is the byte after '/'.
    prefix.strip_suffix('/').map(|stem| format!("{stem}0"))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::Revision;

    fn put(key: impl Into<String>, size: usize) -> Write {
        Write::Put(key.into(), Bytes::from(vec![0; size]))
    }

    #[track_caller]
    fn check_limit(guards: Vec<Guard>, writes: Vec<Write>, expected: Option<&str>) {
        let text = check(&guards, &writes).err().map(|it| it.to_string());
        assert_eq!(text.as_deref(), expected);
    }

    #[test]
    fn counts_as_etcd_does() {
        let puts = |n: usize| (0..n).map(|i| put(format!("a/{i}"), 1)).collect::<Vec<_>>();
        check_limit(vec![], puts(127), None);
        check_limit(vec![], puts(128), Some("too large: a transaction with 129 writes (limit 128)"));
        let deletes = |n: usize| (0..n).map(|i| Write::Delete(format!("a/{i}"))).collect::<Vec<_>>();
        check_limit(vec![], deletes(126), None);
        check_limit(vec![], deletes(127), Some("too large: a transaction with 129 writes (limit 128)"));
        let keys = |n: usize| (0..n).map(|i| Guard::Key(format!("a/{i}"), Revision(1))).collect::<Vec<_>>();
        check_limit(keys(127), vec![], None);
        check_limit(keys(128), vec![], Some("too large: a transaction with 129 guards (limit 128)"));
        let prefixes =
            |n: usize| (0..n).map(|i| Guard::Prefix(format!("{i}/"), Revision(1))).collect::<Vec<_>>();
        check_limit(prefixes(63), vec![], None);
        check_limit(prefixes(64), vec![], Some("too large: a transaction with 130 guards (limit 128)"));
    }

    #[test]
    fn counts_bytes_and_leaves_out_parts() {
        let quarter = INLINE_BYTES;
        check_limit(vec![], (0..5).map(|i| put(format!("{i}"), quarter)).collect(), None);
        check_limit(
            vec![],
            (0..6).map(|i| put(format!("{i}"), quarter)).collect(),
            Some("too large: a transaction of 1573206 bytes (limit 1572864)"),
        );
        check_limit(vec![], (0..6).map(|i| put(format!("{i}"), quarter + 1)).collect(), None);
        let message =
            format!("too large: the value of \"big\" has {} bytes (limit 67108864)", VALUE_BYTES + 1);
        check_limit(vec![], vec![put("big", VALUE_BYTES + 1)], Some(&message));
    }

    #[test]
    fn keys_and_prefixes() {
        for good in ["a", "a/b", "/a", "ü/ñ.0"] {
            check_key(good).expect(good);
        }
        for bad in ["", "a/", "a\0b"] {
            assert!(matches!(check_key(bad), Err(Error::Invalid(_))), "{bad:?}");
        }
        assert!(matches!(check_key(&"k".repeat(KEY_BYTES + 1)), Err(Error::TooLarge(_))));
        for good in ["", "/", "a/", "a/b/"] {
            check_prefix(good).expect(good);
        }
        for bad in ["a", "/a", "a\0/"] {
            assert!(matches!(check_prefix(bad), Err(Error::Invalid(_))), "{bad:?}");
        }
        assert_eq!(directory("a/b/c"), "a/b/");
        assert_eq!(directory("a"), "");
        assert_eq!(prefix_end("a/b/").as_deref(), Some("a/b0"));
        assert_eq!(prefix_end(""), None);
    }
}
