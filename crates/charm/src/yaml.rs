//! All of the YAML of charms goes through here, so that one set of options holds.
//!
//! Scalars are read as Go's YAML reads them (`yes` and `off` are booleans, `0755` is octal) where nothing says what
//! type they should have, and keep their text where a string is asked for.

use serde::{Serialize, de::DeserializeOwned};

/// A text that is no YAML, or not of the shape that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct YamlError(String);

/// The largest document that is read; charms' own are far smaller.
const MAX_BYTES: usize = 4 << 20;

/// Reads one document; an empty one is what null is to `T`.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    check_size(text)?;
    let text = if text.trim().is_empty() { "null" } else { text };
    serde_saphyr::from_str_with_options(text, options()).map_err(|err| YamlError(brief(&err.to_string())))
}

/// Reads all documents of a stream.
pub fn documents<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, YamlError> {
    check_size(text)?;
    serde_saphyr::from_multiple_with_options(text, options())
        .map_err(|err| YamlError(brief(&err.to_string())))
}

/// Writes a document; strings that would read back as something else are quoted.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, YamlError> {
    serde_saphyr::to_string_with_options(value, serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX })
        .map_err(|err| YamlError(err.to_string()))
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! { legacy_octal_numbers: true, with_snippet: false }
}

fn check_size(text: &str) -> Result<(), YamlError> {
    match text.len() {
        0..=MAX_BYTES => Ok(()),
        length => {
            Err(YamlError(format!("{length} bytes of YAML are more than the {MAX_BYTES} that are read")))
        }
    }
}

/// The first line of a message: the rest quotes the text, which an error's reader has at hand.
fn brief(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn scalars_are_read_as_go_does() {
        let value: Value = from_str("{a: yes, b: off, c: 0755, d: 1.10, e: '1.10', f: ~, g: text}").unwrap();
        assert_eq!(
            value,
            json!({"a": true, "b": false, "c": 493, "d": 1.1, "e": "1.10", "f": null, "g": "text"})
        );
        assert_eq!(from_str::<Value>("").unwrap(), Value::Null);
        assert_eq!(documents::<Value>("a: 1\n---\nb: 2\n").unwrap(), [json!({"a": 1}), json!({"b": 2})]);
    }

    #[test]
    fn bad_text_is_an_error_of_one_line() {
        for bad in ["a: [", "a: 1\na: 2", "a: *b", "&a [*a, *a"] {
            let err = from_str::<Value>(bad).unwrap_err().to_string();
            assert!(!err.is_empty() && !err.contains('\n'), "{bad:?}: {err:?}");
        }
    }

    #[test]
    fn awkward_strings_come_back_as_they_were() {
        for text in [
            "yes",
            "no",
            "12:30",
            "1.10",
            "0755",
            "~",
            "null",
            "2024-01-01",
            "",
            " x",
            "a: b",
            "- x",
            "#c",
            "a\nb\n",
        ] {
            let written = to_string(&json!({ "key": text })).unwrap();
            assert_eq!(from_str::<Value>(&written).unwrap(), json!({ "key": text }), "{written:?}");
        }
    }
}
