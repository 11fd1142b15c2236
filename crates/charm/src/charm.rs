//! A charm: all of its files' sayings together.

use std::{io::ErrorKind, path::Path};

use juju_core::{Base, CharmUrl, Version, base::base_of_series};
use serde::{Deserialize, Serialize};

use crate::{
    Actions, Archive, CharmError, Config, LxdProfile, Manifest, Meta, Result, actions,
    assumes::{Features, Unmet},
    config,
    dir::Directory,
    lxd_profile, manifest, meta, yaml,
};

/// What a charm says of itself, checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Charm {
    pub meta: Meta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    #[serde(default)]
    pub config: Config,
    #[serde(default)]
    pub actions: Actions,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lxd_profile: Option<LxdProfile>,
    /// As its `revision` file says; the controller gives a local charm another.
    #[serde(default)]
    pub revision: u64,
    /// What its author calls this state of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// The generation of a charm's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Series in the metadata.
    V1,
    /// Bases in the manifest.
    V2,
}

/// Whatever holds a charm's files: a directory or an archive.
pub(crate) trait Files {
    /// A file at the charm's top, or none. What is larger than [`yaml::MAX_BYTES`] is an error.
    fn read(&mut self, name: &'static str) -> Result<Option<Vec<u8>>>;

    /// Whether there is something to run: a file right in `hooks/`, or a `dispatch`.
    fn has_code(&mut self) -> Result<bool>;
}

/// A version line longer than this is cut.
const MAX_VERSION: usize = 100;

impl Charm {
    /// Reads the charm in a directory or in a `.charm` archive, and checks that it can be deployed.
    pub fn read(path: &Path) -> Result<Self> {
        let kind = std::fs::metadata(path).map_err(|it| match it.kind() {
            ErrorKind::NotFound => CharmError::NotThere(path.to_owned()),
            _ => CharmError::io("read", path, it),
        })?;
        if kind.is_dir() {
            Self::from_files(&mut Directory(path.to_owned()), path)
        } else {
            Self::from_files(&mut Archive::open(path)?, path)
        }
    }

    pub(crate) fn from_files(files: &mut impl Files, path: &Path) -> Result<Self> {
        let Some(metadata) = files.read(meta::FILE)? else {
            return Err(CharmError::NoMetadata(path.to_owned()));
        };
        let manifest =
            files.read(manifest::FILE)?.map(|it| Manifest::parse(text(manifest::FILE, &it)?)).transpose()?;
        let charm = Charm {
            meta: Meta::parse(text(meta::FILE, &metadata)?)?,
            manifest: manifest.flatten(),
            config: match files.read(config::FILE)? {
                Some(bytes) => Config::parse(text(config::FILE, &bytes)?)?,
                None => Config::default(),
            },
            actions: match files.read(actions::FILE)? {
                Some(bytes) => Actions::parse(text(actions::FILE, &bytes)?)?,
                None => Actions::default(),
            },
            lxd_profile: match files.read(lxd_profile::FILE)? {
                Some(bytes) => Some(LxdProfile::parse(text(lxd_profile::FILE, &bytes)?)?),
                None => None,
            },
            revision: files.read("revision")?.map_or(Ok(0), |it| parse_revision(&it))?,
            version: files.read("version")?.map(|it| parse_version(&it)).unwrap_or_default(),
        };
        charm.check_format()?;
        if !files.has_code()? {
            let name = charm.name();
            return Err(CharmError::invalid(format!(
                "invalid charm {name:?}: has no hooks nor dispatch file"
            )));
        }
        Ok(charm)
    }

    pub fn name(&self) -> &str {
        &self.meta.name
    }

    /// The URL under which a client offers it.
    pub fn local_url(&self) -> CharmUrl {
        let url = CharmUrl::local(self.name()).expect("a charm's name was checked when it was read");
        url.with_revision(u32::try_from(self.revision).unwrap_or(u32::MAX))
    }

    pub fn format(&self) -> Format {
        let has_bases = self.manifest.as_ref().is_some_and(|it| !it.bases.is_empty());
        if has_bases && self.meta.series.is_empty() { Format::V2 } else { Format::V1 }
    }

    fn check_format(&self) -> Result<()> {
        let meta = &self.meta;
        let has_bases = self.manifest.as_ref().is_some_and(|it| !it.bases.is_empty());
        let wrong = match self.format() {
            Format::V1 if has_bases && meta.assumes.is_none() && meta.containers.is_empty() => {
                "metadata v2 manifest.yaml with series slice"
            }
            Format::V1 if meta.assumes.is_some() => "assumes in metadata v1",
            Format::V1 if !meta.containers.is_empty() && self.manifest.is_none() => {
                "containers without a manifest.yaml"
            }
            Format::V1 if !meta.containers.is_empty() => "containers in metadata v1",
            Format::V2 if meta.min_juju_version.is_some() => "min-juju-version in metadata v2",
            Format::V2 if meta.deployment.is_some() => "deployment in metadata v2",
            _ => return Ok(()),
        };
        Err(CharmError::invalid(format!("{wrong} not valid")))
    }

    /// The bases it says it runs on, in its order.
    pub fn bases(&self) -> Result<Vec<Base>> {
        let bases = match &self.manifest {
            Some(manifest) if !manifest.bases.is_empty() => manifest.unique_bases(),
            _ => {
                let of = |series: &String| {
                    base_of_series(series).map_err(|it| CharmError::invalid(it.to_string()))
                };
                self.meta.series.iter().map(of).collect::<Result<_, _>>()?
            }
        };
        if bases.is_empty() {
            return Err(CharmError::invalid("charm does not define any bases, not valid"));
        }
        Ok(bases)
    }

    /// Whether a model of this version may run it, by its `min-juju-version`.
    pub fn check_min_version(&self, model: &Version) -> Result<()> {
        match &self.meta.min_juju_version {
            Some(least) if least > model => Err(CharmError::invalid(format!(
                "charm's min version ({least}) is higher than this juju model's version ({model})"
            ))),
            _ => Ok(()),
        }
    }

    /// Whether a model has what it assumes.
    pub fn check_assumes(&self, features: &Features) -> Result<(), Unmet> {
        self.meta.assumes.as_ref().map_or(Ok(()), |it| it.check(features))
    }
}

fn text<'a>(file: &'static str, bytes: &'a [u8]) -> Result<&'a str> {
    yaml::text(bytes).map_err(|it| CharmError::parse(file, it))
}

/// The first word of a `revision` file must be a number.
fn parse_revision(bytes: &[u8]) -> Result<u64> {
    let text = String::from_utf8_lossy(bytes);
    let number = text.split_whitespace().next().and_then(|it| it.parse().ok());
    number.ok_or_else(|| CharmError::invalid("invalid revision file"))
}

/// The first line of a `version` file.
pub(crate) fn parse_version(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().next().unwrap_or_default().trim();
    line.strip_prefix("revision-id: ").unwrap_or(line).chars().take(MAX_VERSION).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    struct Memory(BTreeMap<&'static str, &'static str>);

    impl Files for Memory {
        fn read(&mut self, name: &'static str) -> Result<Option<Vec<u8>>> {
            Ok(self.0.get(name).map(|it| it.as_bytes().to_vec()))
        }

        fn has_code(&mut self) -> Result<bool> {
            Ok(self.0.contains_key("dispatch"))
        }
    }

    const HEAD: &str = "name: web\nsummary: s\ndescription: d\n";
    const BASES: &str = "bases: [{name: ubuntu, channel: '22.04'}]";

    fn read(files: &[(&'static str, &'static str)]) -> std::result::Result<Charm, String> {
        let mut files: BTreeMap<_, _> = files.iter().copied().collect();
        files.entry("metadata.yaml").or_insert(HEAD);
        files.insert("dispatch", "#!/bin/sh");
        Charm::from_files(&mut Memory(files), Path::new("./web")).map_err(|it| it.to_string())
    }

    #[test]
    fn only_metadata_is_needed() {
        let charm = read(&[]).unwrap();
        assert_eq!((charm.revision, charm.version.as_str(), charm.format()), (0, "", Format::V1));
        assert_eq!(charm.local_url().to_string(), "local:web-0");
        assert_eq!(charm.bases().unwrap_err().to_string(), "charm does not define any bases, not valid");
        let none = Charm::from_files(&mut Memory(BTreeMap::new()), Path::new("./web")).unwrap_err();
        assert_eq!(none.to_string(), r#"charm or bundle at "./web" not found"#);
        let no_code =
            Charm::from_files(&mut Memory([("metadata.yaml", HEAD)].into()), Path::new("./web")).unwrap_err();
        assert_eq!(no_code.to_string(), r#"invalid charm "web": has no hooks nor dispatch file"#);
    }

    #[test]
    fn all_files() {
        let charm = read(&[
            ("metadata.yaml", "\u{feff}name: web\nsummary: s\ndescription: d\nassumes: [juju >= 4]\n"),
            ("manifest.yaml", BASES),
            ("config.yaml", "options: {a: {type: int, default: 1}}"),
            ("actions.yaml", "go: {}"),
            ("lxd-profile.yaml", "config: {security.nesting: 'true'}"),
            ("revision", " 42\n"),
            ("version", "revision-id: v1.2-3-gabc\nmore"),
        ])
        .unwrap();
        assert_eq!((charm.revision, charm.version.as_str(), charm.format()), (42, "v1.2-3-gabc", Format::V2));
        assert_eq!(charm.bases().unwrap(), [Base::ubuntu("22.04")]);
        let features = crate::assumes::machine_features("3.6.28".parse().unwrap());
        assert!(charm.check_assumes(&features).unwrap_err().to_string().contains("Juju version >= 4.0.0"));
        let stored = serde_json::to_string(&charm).unwrap();
        assert_eq!(serde_json::from_str::<Charm>(&stored).unwrap(), charm);
    }

    #[test]
    fn series_stand_for_bases() {
        let charm = read(&[(
            "metadata.yaml",
            "name: web\nsummary: s\ndescription: d\nseries: [jammy, focal]\n\
                                              min-juju-version: 4.0.0",
        )])
        .unwrap();
        assert_eq!(charm.bases().unwrap(), [Base::ubuntu("22.04"), Base::ubuntu("20.04")]);
        assert_eq!(
            charm.check_min_version(&"3.6.28".parse().unwrap()).unwrap_err().to_string(),
            "charm's min version (4.0.0) is higher than this juju model's version (3.6.28)"
        );
        assert!(charm.check_min_version(&"4.0.1".parse().unwrap()).is_ok());
        let unknown =
            read(&[("metadata.yaml", "name: web\nsummary: s\ndescription: d\nseries: [win7]")]).unwrap();
        assert_eq!(unknown.bases().unwrap_err().to_string(), r#"unknown series "win7""#);
    }

    #[test]
    fn formats() {
        let with = |rest: &'static str, manifest: Option<&'static str>| {
            let text: &'static str = Box::leak(format!("{HEAD}{rest}").into_boxed_str());
            let mut files = vec![("metadata.yaml", text)];
            files.extend(manifest.map(|it| ("manifest.yaml", it)));
            read(&files).map(|it| it.format())
        };
        for (rest, manifest, expected) in [
            ("", Some(BASES), Ok(Format::V2)),
            ("series: [jammy]", None, Ok(Format::V1)),
            ("series: [jammy]", Some(BASES), Err("metadata v2 manifest.yaml with series slice not valid")),
            ("assumes: [juju]", None, Err("assumes in metadata v1 not valid")),
            ("containers: {x: {}}", None, Err("containers without a manifest.yaml not valid")),
            ("containers: {x: {}}", Some("bases: []"), Err("containers in metadata v1 not valid")),
            ("min-juju-version: 3.0.0", Some(BASES), Err("min-juju-version in metadata v2 not valid")),
            ("deployment: {type: stateful}", Some(BASES), Err("deployment in metadata v2 not valid")),
        ] {
            assert_eq!(with(rest, manifest), expected.map_err(str::to_owned), "{rest}");
        }
    }

    #[test]
    fn bad_files_are_named() {
        for (file, text, error) in [
            ("revision", "one", "invalid revision file"),
            ("revision", "", "invalid revision file"),
            ("revision", "-1", "invalid revision file"),
            ("config.yaml", "", "invalid config: empty configuration"),
            ("config.yaml", "a: [", "config.yaml: line 1, column 4: unclosed bracket '['"),
            ("actions.yaml", "X: {}", "bad action name X"),
            ("manifest.yaml", "bases: x", r#"manifest: bases: expected list, got string("x")"#),
        ] {
            assert_eq!(read(&[(file, text)]), Err(error.to_owned()), "{file}");
        }
    }
}
