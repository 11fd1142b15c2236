//! JSON as Go writes it: one line, and `<`, `>`, `&` and two line separators escaped.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// One line without its end.
pub fn to_string(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    value
        .serialize(&mut Serializer::with_formatter(&mut text, GoStrings))
        .expect("what is shown has string keys and no errors of its own");
    String::from_utf8(text).expect("JSON is UTF-8")
}

struct GoStrings;

impl Formatter for GoStrings {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, to: &mut W, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            let c = rest[at..].chars().next().expect("found there");
            CompactFormatter.write_string_fragment(to, &rest[..at])?;
            write!(to, "\\u{:04x}", u32::from(c))?;
            rest = &rest[at + c.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(to, rest)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn strings_are_escaped_as_go_does() {
        let value = serde_json::json!({"b": "a<b> & \u{2028}\n\"", "a": [1, null]});
        assert_eq!(super::to_string(&value), r#"{"a":[1,null],"b":"a\u003cb\u003e \u0026 \u2028\n\""}"#);
    }
}
