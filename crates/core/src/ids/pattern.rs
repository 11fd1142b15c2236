//! The patterns that ids are made of, as predicates over bytes. All of them are ASCII.

/// `0|[1-9][0-9]*`, and small enough to count with.
pub(crate) fn is_number(text: &str) -> bool {
    number(text).is_some()
}

/// The value of a `0|[1-9][0-9]*`.
pub(crate) fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|it| it.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

fn lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

fn lower_or_digit(byte: u8) -> bool {
    lower(byte) || byte.is_ascii_digit()
}

/// An application's (and a storage's) name: words of `[a-z0-9]` joined by `-`, the first begins with a letter, each
/// holds one, so that none looks like a unit's number.
pub(crate) fn is_application(text: &str) -> bool {
    text.bytes().next().is_some_and(lower)
        && text.split('-').all(|word| word.bytes().all(lower_or_digit) && word.bytes().any(lower))
}

/// An endpoint's name: words of `[a-z0-9]` joined by single `-` or `_`, the first begins with a letter.
pub(crate) fn is_endpoint(text: &str) -> bool {
    text.bytes().next().is_some_and(lower)
        && text.split(['-', '_']).all(|word| !word.is_empty() && word.bytes().all(lower_or_digit))
}

/// Words of `[a-z0-9]` joined by single `-`.
pub(crate) fn is_space(text: &str) -> bool {
    text.split('-').all(|word| !word.is_empty() && word.bytes().all(lower_or_digit))
}

/// `[a-z0-9]+[a-z0-9-]*`: the name of a model or a controller.
pub(crate) fn is_model_name(text: &str) -> bool {
    text.bytes().next().is_some_and(lower_or_digit) && text.bytes().all(|it| lower_or_digit(it) || it == b'-')
}

/// `[a-zA-Z0-9][a-zA-Z0-9._-]*`.
pub(crate) fn is_cloud(text: &str) -> bool {
    text.bytes().next().is_some_and(|it| it.is_ascii_alphanumeric())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"._-".contains(&it))
}

/// `[a-zA-Z][a-zA-Z0-9.@_+-]*`.
pub(crate) fn is_credential_name(text: &str) -> bool {
    text.bytes().next().is_some_and(|it| it.is_ascii_alphabetic())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || b".@_+-".contains(&it))
}

/// `[a-zA-Z0-9][a-zA-Z0-9.+-]*[a-zA-Z0-9]`: a user's name, or its domain.
pub(crate) fn is_user(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphanumeric()
        && bytes[bytes.len() - 1].is_ascii_alphanumeric()
        && bytes.iter().all(|it| it.is_ascii_alphanumeric() || b".+-".contains(it))
}

/// A UUID in lower case with its dashes.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, it)| match at {
            8 | 13 | 18 | 23 => it == b'-',
            _ => matches!(it, b'0'..=b'9' | b'a'..=b'f'),
        })
}
