//! Files that arguments name.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use super::Env;
use crate::error::{Error, Result};

/// The largest value of an option that may come from a file (Juju 3.6).
pub const MAX_VALUE: u64 = 5 << 20;

/// `~/x` in the user's home.
pub fn expand(path: &Path, env: &Env) -> PathBuf {
    match (path.strip_prefix("~"), &env.home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Reads a file of text that a person wrote, such as `--config file.yaml`.
pub fn read(path: &Path, env: &Env) -> Result<String> {
    let path = expand(path, env);
    fs::read_to_string(&path).map_err(|e| Error::failed(format!("cannot read {}: {e}", path.display())))
}

/// The value of `key=value` as it is, or of `key=@file` as the file holds it, byte for byte.
pub fn value(key: &str, value: &str, env: &Env) -> Result<String> {
    let text = match value.strip_prefix('@') {
        None => value.to_owned(),
        Some(path) => read_value(key, &expand(Path::new(path), env))?,
    };
    if text.contains('\0') {
        return Err(Error::failed(format!("value for option {key:?} contains a NUL character")));
    }
    Ok(text)
}

fn read_value(key: &str, path: &Path) -> Result<String> {
    let cannot =
        |e: std::io::Error| Error::failed(format!("cannot read option from file {:?}: {e}", path.display()));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    file.take(MAX_VALUE + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MAX_VALUE {
        return Err(Error::failed(format!("size of option file {:?} is larger than 5M", path.display())));
    }
    String::from_utf8(bytes)
        .map_err(|_| Error::failed(format!("value for option {key:?} contains non-UTF-8 sequences")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_from_files_keep_every_byte() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        let at = format!("@{}", path.display());
        for text in ["-----BEGIN X-----\nabc\n-----END X-----\n", "a\r\nb\r\n", "\n", "\t", "🦀", ""] {
            fs::write(&path, text).unwrap();
            assert_eq!(value("k", &at, &Env::default()).unwrap(), text);
        }
        assert_eq!(value("k", "a=@b", &Env::default()).unwrap(), "a=@b");
    }

    #[test]
    fn what_cannot_be_a_value_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v");
        let at = format!("@{}", path.display());
        let get = || value("k", &at, &Env::default()).map(|it| it.len()).map_err(|e| e.to_string());
        assert!(get().unwrap_err().starts_with("cannot read option from file"));
        fs::write(&path, vec![b'x'; MAX_VALUE as usize]).unwrap();
        assert_eq!(get(), Ok(MAX_VALUE as usize));
        fs::write(&path, vec![b'x'; MAX_VALUE as usize + 1]).unwrap();
        assert!(get().unwrap_err().contains("larger than 5M"));
        fs::write(&path, [0xff]).unwrap();
        assert!(get().unwrap_err().contains("non-UTF-8"));
        fs::write(&path, "a\0b").unwrap();
        assert!(get().unwrap_err().contains("NUL"));
    }

    #[test]
    fn a_tilde_is_the_home() {
        let env = Env { home: Some("/h".into()), ..Env::default() };
        assert_eq!(expand(Path::new("~/x"), &env), Path::new("/h/x"));
        assert_eq!(expand(Path::new("/~/x"), &env), Path::new("/~/x"));
    }
}
