//! What tools print: `--format` smart, yaml or json, `-o FILE` (Juju's `cmd.Output`).

use std::path::PathBuf;

use serde_json::Value;

use super::{
    Failure, Io,
    args::{Args, Flag, UsageError, invalid_value},
};

pub(crate) const FORMAT: Flag = Flag::value(&["format"], "smart", "Specify output format (json|smart|yaml)");
pub(crate) const FORMAT_YAML: Flag = Flag::value(&["format"], "yaml", "Specify output format (json|yaml)");
pub(crate) const OUTPUT: Flag = Flag::value(&["o", "output"], "", "Specify an output file");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Smart,
    Yaml,
    Json,
}

/// Where and how a tool's value is written.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) format: Format,
    file: Option<PathBuf>,
}

impl Output {
    pub(crate) fn parse(args: &Args) -> Result<Self, UsageError> {
        Self::parse_with(args, Format::Smart)
    }

    /// For tools that have no smart format and print YAML unless told otherwise.
    pub(crate) fn parse_yaml(args: &Args) -> Result<Self, UsageError> {
        Self::parse_with(args, Format::Yaml)
    }

    fn parse_with(args: &Args, default: Format) -> Result<Self, UsageError> {
        let format = match args.value("format") {
            None => default,
            Some(given) => match given.value.as_str() {
                "smart" if default == Format::Smart => Format::Smart,
                "yaml" => Format::Yaml,
                "json" => Format::Json,
                other => {
                    return Err(invalid_value(
                        given,
                        &format!("unknown format {}", super::args::quote(other)),
                    ));
                }
            },
        };
        let file =
            args.value("output").map(|it| PathBuf::from(&it.value)).filter(|it| !it.as_os_str().is_empty());
        Ok(Output { format, file })
    }

    pub(crate) async fn write(&self, io: &mut Io, value: &Value) -> Result<(), Failure> {
        let text = render(self.format, value)?;
        match &self.file {
            None => {
                io.stdout.extend(text.into_bytes());
                Ok(())
            }
            Some(file) => tokio::fs::write(io.dir.join(file), text)
                .await
                .map_err(|err| Failure::new(format!("open {}: {}", file.display(), reason(&err)))),
        }
    }
}

/// The value as text; what is not empty ends in one newline.
pub(crate) fn render(format: Format, value: &Value) -> Result<String, Failure> {
    let text = match (format, value) {
        (Format::Json, value) => json(value),
        (_, Value::Null) => return Ok(String::new()),
        (Format::Smart, Value::String(text)) => text.clone(),
        (Format::Smart, Value::Bool(true)) => "True".to_owned(),
        (Format::Smart, Value::Bool(false)) => "False".to_owned(),
        (Format::Smart, Value::Array(list)) if list.iter().all(Value::is_string) => {
            list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        }
        (Format::Smart | Format::Yaml, value) => yaml(value)?,
    };
    Ok(match text.as_str() {
        "" => text,
        it if it.ends_with('\n') => text,
        _ => text + "\n",
    })
}

fn yaml(value: &Value) -> Result<String, Failure> {
    // Folding is off, because a folded line reads differently in some parsers.
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(value, options)
        .map_err(|err| Failure::new(format!("cannot format the result: {err}")))
}

/// Compact, and safe within HTML, as Go's encoder has it.
fn json(value: &Value) -> String {
    let plain = value.to_string();
    let mut out = String::with_capacity(plain.len());
    for letter in plain.chars() {
        match letter {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            it => out.push(it),
        }
    }
    out
}

/// An I/O error in the words of the system alone.
pub(crate) fn reason(err: &std::io::Error) -> String {
    match err.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => err.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_read_as_they_do_under_juju() {
        let cases = [
            (json!(null), "", "", "null\n"),
            (json!("x"), "x\n", "x\n", "\"x\"\n"),
            (json!(""), "", "\"\"\n", "\"\"\n"),
            (json!("two\nlines\n"), "two\nlines\n", "|\n  two\n  lines\n", "\"two\\nlines\\n\"\n"),
            (json!(true), "True\n", "true\n", "true\n"),
            (json!(false), "False\n", "false\n", "false\n"),
            (json!([]), "", "[]\n", "[]\n"),
            (json!(["db:4", "db:7"]), "db:4\ndb:7\n", "- db:4\n- db:7\n", "[\"db:4\",\"db:7\"]\n"),
            (json!(8080), "8080\n", "8080\n", "8080\n"),
            (json!(1_000_000), "1000000\n", "1000000\n", "1000000\n"),
            (json!({}), "{}\n", "{}\n", "{}\n"),
            (
                json!({"b": "1", "a": {"c": true}, "d": "<&>"}),
                "a:\n  c: true\nb: \"1\"\nd: <&>\n",
                "a:\n  c: true\nb: \"1\"\nd: <&>\n",
                "{\"a\":{\"c\":true},\"b\":\"1\",\"d\":\"\\u003c\\u0026\\u003e\"}\n",
            ),
        ];
        for (value, smart, yaml, json) in cases {
            assert_eq!(render(Format::Smart, &value).unwrap(), smart, "{value}");
            assert_eq!(render(Format::Json, &value).unwrap(), json, "{value}");
            let text = render(Format::Yaml, &value).unwrap();
            if text != yaml {
                // The quoting style is the emitter's; what a parser reads is not.
                let read = |it: &str| serde_saphyr::from_str::<Value>(it).unwrap();
                assert_eq!(read(&text), read(yaml), "{text}");
            }
        }
    }
}
