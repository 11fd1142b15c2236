//! What `juju deploy` is given: a path, a charm that is in the model already, or a name on Charmhub.

use std::path::{Path, PathBuf};

use juju_core::CharmUrl;

use crate::error::{Error, Result};

/// Where a charm or bundle comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Path(PathBuf),
    /// `local:web-3`, uploaded before.
    Stored(CharmUrl),
    /// A name on Charmhub, without `ch:`.
    Repository(String),
}

/// Classifies an argument (Juju 3.6 `cmd/juju/application/deployer`). `exists` says whether a path is there.
pub fn classify(text: &str, exists: impl Fn(&Path) -> bool) -> Result<Source> {
    if text.is_empty() {
        return Err(Error::usage("no charm or bundle specified"));
    }
    if text.starts_with(['/', '.']) {
        return path(text, exists);
    }
    if let Some(rest) = text.strip_prefix("local:") {
        if rest.starts_with(['/', '.']) {
            return path(rest, exists);
        }
        let url: CharmUrl = text.parse().map_err(|e| Error::usage(format!("{e}")))?;
        return Ok(Source::Stored(url));
    }
    if !text.starts_with("ch:") && exists(Path::new(text)) {
        return Err(Error::failed(format!(
            "The charm or bundle {text:?} is ambiguous.\nTo deploy a local charm or bundle, run `juju deploy ./{text}`.\nTo \
             deploy a charm or bundle from CharmHub, run `juju deploy ch:{text}`."
        )));
    }
    let name = text.strip_prefix("ch:").unwrap_or(text);
    if name.parse::<CharmUrl>().is_err() {
        return Err(Error::usage(format!("invalid charm or bundle name: {text:?}")));
    }
    Ok(Source::Repository(name.to_owned()))
}

fn path(text: &str, exists: impl Fn(&Path) -> bool) -> Result<Source> {
    let path = Path::new(text);
    if exists(path) {
        Ok(Source::Path(path.to_owned()))
    } else {
        Err(Error::failed(format!("no charm was found at {text:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_paths_stored_charms_or_names() {
        let exists = |path: &Path| path.to_string_lossy().contains("here");
        let classify = |text| {
            classify(text, exists).map_err(|e| e.to_string().lines().next().unwrap_or_default().to_owned())
        };
        for (text, want) in [
            ("./here", Ok(Source::Path("./here".into()))),
            ("/a/here.charm", Ok(Source::Path("/a/here.charm".into()))),
            ("local:./here", Ok(Source::Path("./here".into()))),
            ("./gone", Err("no charm was found at \"./gone\"")),
            (".", Err("no charm was found at \".\"")),
            ("local:web-3", Ok(Source::Stored("local:web-3".parse().unwrap()))),
            ("postgresql", Ok(Source::Repository("postgresql".into()))),
            ("ch:here", Ok(Source::Repository("here".into()))),
            ("here", Err("The charm or bundle \"here\" is ambiguous.")),
            ("", Err("no charm or bundle specified")),
            ("x y", Err("invalid charm or bundle name: \"x y\"")),
            ("a:b", Err("invalid charm or bundle name: \"a:b\"")),
        ] {
            assert_eq!(classify(text), want.map_err(String::from), "{text:?}");
        }
    }
}
