//! YAML, read and written in one place so that every file gets the same rules.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Where and why a text is not what was expected. It carries neither the text nor the offending
/// value, since the files read here hold passwords.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YamlError {
    #[error("line {line}, column {column}: not valid, or not of the expected kind")]
    At { line: u64, column: u64 },
    #[error("not valid YAML")]
    Unknown,
}

/// Reads a document as Go's yaml.v2 would: `0755` is octal, `yes` is true, a duplicate key is an
/// error, and a plain scalar that is wanted as text keeps its text.
pub(crate) fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    let options = serde_saphyr::options! {
        legacy_octal_numbers: true,
        null_as_string: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|e| match e.location() {
        Some(at) => YamlError::At { line: at.line(), column: at.column() },
        None => YamlError::Unknown,
    })
}

/// Writes a document: text of several lines as literal blocks, lists not indented, and no folding,
/// because a long line that is folded reads differently in some parsers.
pub(crate) fn to_string(value: &impl Serialize) -> Result<String, YamlError> {
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options).map_err(|_| YamlError::Unknown)
}
