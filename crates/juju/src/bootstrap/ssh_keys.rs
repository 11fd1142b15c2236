//! The user's public ssh keys, which go into new models.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use crate::{
    cli::{Env, files},
    error::{Error, Result},
};

/// The keys that ssh itself would use (Juju 3.6 `cmd/juju/common`).
const OWN: [&str; 4] = ["id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub", "identity.pub"];

/// Puts `authorized-keys` into a model's configuration: those given, those of the file given, or those that are
/// found. Having none is fine.
pub fn add(config: &mut BTreeMap<String, Value>, env: &Env) -> Result {
    let path = config.remove("authorized-keys-path");
    if config.contains_key("authorized-keys") {
        return match path {
            None => Ok(()),
            Some(_) => Err(Error::usage("both authorized-keys and authorized-keys-path are set; choose one")),
        };
    }
    let keys = match path {
        Some(Value::String(path)) => files::read(Path::new(&path), env)?,
        Some(_) => return Err(Error::usage("authorized-keys-path must be the name of a file")),
        None => found(env),
    };
    if !keys.trim().is_empty() {
        config.insert("authorized-keys".to_owned(), Value::String(keys));
    }
    Ok(())
}

/// The keys of the client store and of the user, one a line. What cannot be read is left out.
fn found(env: &Env) -> String {
    let mut files: Vec<_> = fs::read_dir(env.juju_data.join("ssh"))
        .into_iter()
        .flatten()
        .filter_map(|it| Some(it.ok()?.path()))
        .filter(|it| it.extension().is_some_and(|it| it == "pub"))
        .collect();
    files.sort();
    files.extend(env.home.iter().flat_map(|home| OWN.map(|name| home.join(".ssh").join(name))));
    let mut text = String::new();
    for file in files {
        let Ok(keys) = fs::read_to_string(&file) else { continue };
        for key in keys.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#')) {
            text.push_str(key);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_given_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let env =
            Env { juju_data: dir.path().join("juju"), home: Some(dir.path().join("home")), ..Env::default() };
        let keys = |pairs: &[(&str, &str)]| {
            let mut config = pairs.iter().map(|(k, v)| ((*k).to_owned(), Value::from(*v))).collect();
            add(&mut config, &env).map(|()| config.get("authorized-keys").cloned()).map_err(|e| e.to_string())
        };
        assert_eq!(keys(&[]), Ok(None));
        for (file, text) in
            [("juju/ssh/juju_id_rsa.pub", "ssh-rsa A\n"), ("home/.ssh/id_ed25519.pub", "ssh-ed25519 B")]
        {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::write(dir.path().join("juju/ssh/juju_id_rsa"), "PRIVATE").unwrap();
        assert_eq!(keys(&[]), Ok(Some("ssh-rsa A\nssh-ed25519 B\n".into())));
        assert_eq!(keys(&[("authorized-keys", "mine")]), Ok(Some("mine".into())));
        assert_eq!(
            keys(&[("authorized-keys-path", "~/.ssh/id_ed25519.pub")]),
            Ok(Some("ssh-ed25519 B".into()))
        );
        assert!(keys(&[("authorized-keys-path", "/no/such")]).unwrap_err().contains("/no/such"));
        assert!(keys(&[("authorized-keys-path", "x"), ("authorized-keys", "y")]).is_err());
    }
}
