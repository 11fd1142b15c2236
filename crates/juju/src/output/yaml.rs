//! YAML in and out, by the rules of Go's yaml.v2, in one place.

use serde::{Serialize, de::DeserializeOwned};

/// A text that cannot be read. It names the place and not the text, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YamlError {
    #[error("line {line}, column {column}: not valid, or not of the expected kind")]
    At { line: u64, column: u64 },
    #[error("not valid YAML")]
    Unknown,
}

/// Reads a document; an empty one is the default.
pub fn from_str<T: DeserializeOwned + Default>(text: &str) -> Result<T, YamlError> {
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(T::default());
    }
    let options = serde_saphyr::options! { legacy_octal_numbers: true, with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|e| match e.location() {
        Some(at) => YamlError::At { line: at.line(), column: at.column() },
        None => YamlError::Unknown,
    })
}

/// Two spaces, lists not indented, texts of several lines as blocks; nothing is folded. Ends with a line end.
pub fn to_string(value: &impl Serialize) -> String {
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    let mut text = serde_saphyr::to_string_with_options(value, options)
        .expect("what is shown has string keys and no errors of its own");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn lists_stand_at_their_key_and_texts_in_blocks() {
        let value = serde_json::json!({"a": ["x", "z"], "b": "1\n2\n", "c": "22.04", "d": {}, "e": "yes"});
        assert_eq!(to_string(&value), "a:\n- x\n- z\nb: |\n  1\n  2\nc: \"22.04\"\nd: {}\ne: \"yes\"\n");
    }

    #[test]
    fn an_empty_document_is_nothing() {
        type Map = BTreeMap<String, String>;
        assert_eq!(from_str::<Map>(""), Ok(Map::new()));
        assert_eq!(from_str::<Map>("# nothing\n\n"), Ok(Map::new()));
    }

    #[test]
    fn an_error_tells_the_place_and_not_the_text() {
        let error = from_str::<BTreeMap<String, String>>("a: b\npassword: [hunter2").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert!(matches!(error, YamlError::At { line: 2.., .. } | YamlError::Unknown), "{error:?}");
    }
}
