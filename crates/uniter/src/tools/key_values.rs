//! `key=value` arguments and the files that stand in for them.

use std::collections::BTreeMap;

use super::{
    Failure, Io,
    args::{Flag, UsageError, quote},
    output::reason,
};

/// The most that is read from a settings file, as from standard input.
const MAX_FILE: u64 = crate::protocol::MAX_FRAME as u64;

pub(crate) const FILE: Flag = Flag::value(&["file"], "", "file containing key-value pairs");

/// The pairs of a command line, white space around keys and values dropped.
pub(crate) fn parse(args: Vec<String>) -> Result<BTreeMap<String, String>, UsageError> {
    let mut pairs = BTreeMap::new();
    for arg in args {
        let expected = || UsageError::new(format!("expected \"key=value\", got {}", quote(&arg)));
        let (key, value) = arg.split_once('=').ok_or_else(expected)?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() {
            return Err(expected());
        }
        if pairs.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(UsageError::new(format!("key {} specified more than once", quote(key))));
        }
    }
    Ok(pairs)
}

/// The pairs of a `--file`; `-` is standard input.
pub(crate) async fn read(file: &str, io: &Io) -> Result<BTreeMap<String, String>, Failure> {
    let bytes = match file {
        "-" => io.stdin.clone(),
        file => {
            let path = io.dir.join(file);
            let failed = |err: std::io::Error| Failure::new(format!("open {file}: {}", reason(&err)));
            let meta = tokio::fs::metadata(&path).await.map_err(failed)?;
            // A pipe or a device has no end that one could wait for.
            if !meta.is_file() {
                return Err(Failure::new(format!("open {file}: not a file")));
            }
            if meta.len() > MAX_FILE {
                return Err(Failure::new(format!(
                    "{file} has {} bytes, at most {MAX_FILE} are read",
                    meta.len()
                )));
            }
            tokio::fs::read(&path).await.map_err(failed)?
        }
    };
    pairs(&bytes)
}

/// A YAML map of texts. Numbers and booleans keep the text they are written in, null is empty.
fn pairs(bytes: &[u8]) -> Result<BTreeMap<String, String>, Failure> {
    let text = String::from_utf8_lossy(bytes);
    if text.trim().is_empty() {
        return Ok(BTreeMap::new());
    }
    let options = serde_saphyr::options! { with_snippet: false };
    let read: Result<Option<BTreeMap<String, Option<String>>>, _> =
        serde_saphyr::from_str_with_options(&text, options);
    match read {
        Ok(pairs) => {
            let pairs = pairs.unwrap_or_default().into_iter();
            Ok(pairs.map(|(key, value)| (key, value.unwrap_or_default())).collect())
        }
        Err(err) => {
            // What is in the file may be secret, so the error names its place alone.
            let place = err.location().map(|it| format!(" at line {}", it.line())).unwrap_or_default();
            Err(Failure::new(format!("expected YAML map of strings{place}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    #[test]
    fn arguments() {
        for (args, want) in [
            (&[][..], Ok(map(&[]))),
            (&["a=1", " b = x=y "], Ok(map(&[("a", "1"), ("b", "x=y")]))),
            (&["a="], Ok(map(&[("a", "")]))),
            (&["haha"], Err("expected \"key=value\", got \"haha\"")),
            (&["=haha"], Err("expected \"key=value\", got \"=haha\"")),
            (&["a=1", "a=2"], Err("key \"a\" specified more than once")),
        ] {
            let got = parse(args.iter().map(|it| it.to_string()).collect());
            assert_eq!(got.map_err(|it| it.to_string()), want.map_err(str::to_owned), "{args:?}");
        }
    }

    #[test]
    fn files() {
        for (text, want) in [
            ("", map(&[])),
            ("{}", map(&[])),
            ("# nothing\n", map(&[])),
            ("{foo: bar, spam: eggs}", map(&[("foo", "bar"), ("spam", "eggs")])),
            ("{\"a\":\"x\\ny\"}", map(&[("a", "x\ny")])),
            (
                "a: 1\nb: 1.10\nc: true\nd: yes\ne: ~\nf: null\ng:\nh: 0x10\ni: \"\"\n",
                map(&[
                    ("a", "1"),
                    ("b", "1.10"),
                    ("c", "true"),
                    ("d", "yes"),
                    ("e", ""),
                    ("f", ""),
                    ("g", ""),
                    ("h", "0x10"),
                    ("i", ""),
                ]),
            ),
            ("a: |\n  two\n  lines\n", map(&[("a", "two\nlines\n")])),
            ("{foo: 'bar baz ', base64: YmE=}", map(&[("foo", "bar baz "), ("base64", "YmE=")])),
        ] {
            assert_eq!(pairs(text.as_bytes()).unwrap(), want, "{text}");
        }
        for text in ["foo=bar", "[a]", "a: {b: c}", "a: [b]", "{a: b", "{a: b}\n---\n{c: d}"] {
            let err = pairs(text.as_bytes()).unwrap_err().to_string();
            assert!(err.starts_with("expected YAML map of strings"), "{text}: {err}");
        }
    }
}
