//! `--config` of applications: pairs, and one file of YAML.

use std::collections::BTreeMap;

use crate::{
    cli::{Env, files},
    error::{Error, Result},
};

/// What an application is configured with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppConfig {
    /// Values as they are; those from files are read already.
    pub pairs: BTreeMap<String, String>,
    /// The text of one file, which has the options below the application's name.
    pub yaml: String,
}

/// Reads the flags of one command line.
pub fn read(flags: &[String], env: &Env) -> Result<AppConfig> {
    let mut config = AppConfig::default();
    for flag in flags {
        match flag.split_once('=') {
            Some(("", _)) => return Err(Error::usage(format!("expected \"key=value\", got {flag:?}"))),
            Some((key, value)) => {
                config.pairs.insert(key.to_owned(), files::value(key, value, env)?);
            }
            None if !config.yaml.is_empty() => {
                return Err(Error::usage("only a single config YAML file can be specified"));
            }
            None => config.yaml = files::read(flag.as_ref(), env)?,
        }
    }
    Ok(config)
}

/// `--bind`: `endpoint=space` pairs separated by blanks; a space alone is for all endpoints not named.
pub fn bindings(text: &str) -> Result<BTreeMap<String, String>> {
    let mut bindings = BTreeMap::new();
    for word in text.split_whitespace() {
        let (endpoint, space) = word.split_once('=').unwrap_or(("", word));
        let is_default = !word.contains('=');
        if space.is_empty() || (endpoint.is_empty() && !is_default) {
            return Err(Error::usage(format!(
                "--bind must be in the form '[<default-space>] [<endpoint-name>=<space> ...]'. {word:?} is not"
            )));
        }
        if bindings.insert(endpoint.to_owned(), space.to_owned()).is_some() {
            return Err(Error::usage("--bind names an endpoint or the default space more than once"));
        }
    }
    Ok(bindings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_pairs_and_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.yaml");
        std::fs::write(&file, "web:\n  port: 8080\n").unwrap();
        let file = file.to_str().unwrap().to_owned();
        let read = |flags: &[&str]| {
            read(&flags.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(), &Env::default())
        };
        let config = read(&["a=1", &file, "b=x=y", "c="]).unwrap();
        assert_eq!(config.yaml, "web:\n  port: 8080\n");
        let pairs = [("a", "1"), ("b", "x=y"), ("c", "")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(config.pairs, pairs.into());
        assert!(read(&[&file, &file]).unwrap_err().to_string().contains("only a single"));
        assert!(read(&["=1"]).is_err() && read(&["/no/such/file"]).is_err());
    }

    #[test]
    fn bindings_are_read() {
        let own =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(bindings("public db=internal").unwrap(), own(&[("", "public"), ("db", "internal")]));
        assert_eq!(bindings("").unwrap(), own(&[]));
        for bad in ["a b", "db=", "=x", "db=a db=b"] {
            assert!(bindings(bad).is_err(), "{bad}");
        }
    }
}
