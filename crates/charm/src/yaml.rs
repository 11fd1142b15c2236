//! YAML, read as Go's yaml.v2 reads it: `yes` is true, `0755` is octal, a key may stand once.
//!
//! The one place that knows the YAML library.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The most of one file that is looked at.
pub const MAX_BYTES: u64 = 16 << 20;

/// Where and why a text is no YAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum YamlError {
    #[error("line {line}, column {column}: {why}")]
    At { line: u64, column: u64, why: String },
    #[error("{0}")]
    Nowhere(String),
    #[error("not UTF-8 text")]
    NotText,
}

impl YamlError {
    /// The place alone, for texts that may hold secrets.
    #[must_use]
    pub fn without_text(self) -> Self {
        match self {
            YamlError::At { line, column, .. } => {
                YamlError::At { line, column, why: "not valid, or not of the expected kind".to_owned() }
            }
            _ => YamlError::Nowhere("not valid YAML".to_owned()),
        }
    }
}

/// Reads one document as a tree; an empty text is null.
pub fn value(text: &str) -> Result<Value, YamlError> {
    from_str(text)
}

/// Reads one document into a type. A scalar that is wanted as text keeps its text: `1.10` stays `1.10`.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    let options = serde_saphyr::options! { legacy_octal_numbers: true, with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(error)
}

/// Reads every document of a text.
pub fn documents<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, YamlError> {
    let options = serde_saphyr::options! { legacy_octal_numbers: true, with_snippet: false };
    serde_saphyr::from_multiple_with_options(text, options).map_err(error)
}

/// Writes a document; nothing is folded, so that every parser reads back the same.
pub fn to_string(value: &impl Serialize) -> Result<String, YamlError> {
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options).map_err(|it| YamlError::Nowhere(it.to_string()))
}

/// The text in bytes, which may begin with a byte order mark.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, YamlError> {
    let text = std::str::from_utf8(bytes).map_err(|_| YamlError::NotText)?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The library's message without the place, which we write ourselves, and without advice on its options.
fn error(error: serde_saphyr::Error) -> YamlError {
    let message = error.without_snippet().to_string();
    let message = message.lines().next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let why = match message.strip_prefix("line ").and_then(|it| it.split_once(": ")) {
        Some((_, why)) => why,
        None => message,
    };
    let why = why.split(", set DuplicateKeyPolicy").next().unwrap_or(why);
    match error.location() {
        Some(at) => {
            let (line, column) = (at.line(), at.column());
            let why = why.strip_suffix(&format!(" at line {line}, column {column}")).unwrap_or(why);
            YamlError::At { line, column, why: why.to_owned() }
        }
        None => YamlError::Nowhere(why.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn as_go_reads_it() {
        for (text, expected) in [
            ("yes", json!(true)),
            ("off", json!(false)),
            ("0755", json!(493)),
            ("0x1F", json!(31)),
            ("1_000", json!(1000)),
            ("12:34:56", json!("12:34:56")),
            ("2024-01-01", json!("2024-01-01")),
            ("~", json!(null)),
            ("", json!(null)),
            ("'yes'", json!("yes")),
            ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", json!({"a": {"b": 1}, "c": {"b": 1, "d": 2}})),
        ] {
            assert_eq!(value(text), Ok(expected), "{text:?}");
        }
        assert_eq!(from_str::<String>("1.10"), Ok("1.10".to_owned()));
        assert_eq!(documents::<Value>("a: 1\n---\nb: 2\n"), Ok(vec![json!({"a": 1}), json!({"b": 2})]));
    }

    #[test]
    fn errors_name_the_place() {
        for (text, error) in [
            ("a: 1\na: 2\n", "line 2, column 1: duplicate mapping key: a"),
            ("a: [1\n", "line 1, column 4: unclosed bracket '['"),
            ("a: b: c", "line 1, column 5: mapping values are not allowed in this context"),
            ("a: *nope", "line 1, column 4: alias references unknown anchor"),
        ] {
            assert_eq!(value(text).unwrap_err().to_string(), error);
        }
        let hidden = value("password: [s3cret\n").unwrap_err().without_text().to_string();
        assert_eq!(hidden, "line 1, column 11: not valid, or not of the expected kind");
        assert_eq!(super::text(b"\xff").unwrap_err().to_string(), "not UTF-8 text");
    }

    #[test]
    fn bombs_are_stopped() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let alias = format!("*a{}", level - 1);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 10].join(", ")));
        }
        assert!(value(&bomb).is_err());
        assert!(value(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn texts_survive(key in "[a-z]{1,6}", text in "\\PC{0,40}") {
            let tree = json!({key: text});
            prop_assert_eq!(value(&to_string(&tree).unwrap()), Ok(tree));
        }

        #[test]
        fn anything_is_read_or_refused(text in "[ \\n:\\-\\[\\]{}&*!|>'\"a-c0-9#,?]{0,60}") {
            let _ = value(&text);
        }
    }
}
