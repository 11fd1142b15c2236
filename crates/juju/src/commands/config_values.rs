//! `--config` of models and controllers: files and `key=value`, in one value.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::Value;

use crate::{
    cli::Env,
    error::{Error, Result},
    output::yaml,
};

/// What the flags say, in their order; files are not read yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    files: Vec<PathBuf>,
    pairs: BTreeMap<String, String>,
}

/// Parses the flags of one command line.
pub fn parse(flags: &[String]) -> Result<Values> {
    let mut values = Values::default();
    for flag in flags {
        match flag.split_once('=') {
            None if flag.is_empty() => return Err(Error::usage("invalid value \"\" for option --config")),
            None => values.files.push(PathBuf::from(flag)),
            Some(("", _)) => {
                return Err(Error::usage(format!("expected \"key=value\", got {flag:?}")));
            }
            Some((key, value)) => {
                values.pairs.insert(key.to_owned(), value.to_owned());
            }
        }
    }
    Ok(values)
}

impl Values {
    /// Reads the files and puts the pairs over them. A pair's value is read as YAML, as Juju does: `true` is
    /// a boolean, `7` a number.
    pub fn into_typed(self, env: &Env) -> Result<BTreeMap<String, Value>> {
        let mut all = BTreeMap::new();
        for path in self.files {
            let path = crate::cli::files::expand(&path, env);
            let text = fs::read_to_string(&path)
                .map_err(|e| Error::failed(format!("cannot read {}: {e}", path.display())))?;
            let map: BTreeMap<String, Value> = yaml::from_str(&text)
                .map_err(|e| Error::failed(format!("cannot parse {}: {e}", path.display())))?;
            all.extend(map);
        }
        for (key, value) in self.pairs {
            let typed = match yaml::from_str::<Value>(&value) {
                // A list or map was not meant, and a text that is no YAML is a text.
                Ok(typed @ (Value::Bool(_) | Value::Number(_))) => typed,
                _ => Value::String(value),
            };
            all.insert(key, typed);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pairs_beat_files_and_have_types() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.yaml");
        fs::write(&file, "a: 1\nb: text\nc: {d: e}\n").unwrap();
        let flags = ["b=2", file.to_str().unwrap(), "d=true", "e=x=y", "f=", "g=[1"].map(String::from);
        let typed = parse(&flags).unwrap().into_typed(&Env::default()).unwrap();
        let want = json!({"a": 1, "b": 2, "c": {"d": "e"}, "d": true, "e": "x=y", "f": "", "g": "[1"});
        assert_eq!(json!(typed), want);
    }

    #[test]
    fn odd_flags_are_refused() {
        assert!(parse(&["=x".to_owned()]).is_err() && parse(&[String::new()]).is_err());
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = parse(&["/no/such.yaml".to_owned()]).unwrap().into_typed(&Env::default()).unwrap_err();
        assert!(error.to_string().starts_with("cannot read /no/such.yaml: "), "{error}");
    }
}
