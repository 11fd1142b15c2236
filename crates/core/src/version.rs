//! Juju's version numbers, which are not semantic versions: `3.6.28`, `3.6.28.1`, `3.7-beta1`, `3.7-beta1.2`.

use std::{cmp::Ordering, fmt, str::FromStr, sync::Arc};

use crate::Arch;

/// The version of Juju that this program is.
pub const CURRENT: Version = Version::new(3, 6, 28);

/// A version of Juju. A release with a tag comes before the one without: `3.7-beta1` < `3.7-rc1` < `3.7.0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    /// `alpha`, `beta`, `rc`, … in front of the patch number.
    pub tag: Option<Arc<str>>,
    pub patch: u32,
    /// Counts the builds of one release by a developer; 0 is the release itself.
    pub build: u32,
}

impl Version {
    /// What stands for "no version" on the wire.
    pub const ZERO: Version = Version::new(0, 0, 0);

    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Version { major, minor, tag: None, patch, build: 0 }
    }

    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// The same release, whatever its build.
    pub fn without_build(&self) -> Self {
        Version { build: 0, ..self.clone() }
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        // No tag is later than any.
        let tag = |it: &Self| (it.tag.is_none(), it.tag.clone());
        (self.major, self.minor)
            .cmp(&(other.major, other.minor))
            .then_with(|| tag(self).cmp(&tag(other)))
            .then_with(|| (self.patch, self.build).cmp(&(other.patch, other.build)))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A text that is no version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    #[error("invalid version {0:?}")]
    Number(String),
    #[error("invalid binary version {0:?}")]
    Binary(String),
}

impl FromStr for Version {
    type Err = VersionError;
    fn from_str(text: &str) -> Result<Self, VersionError> {
        parse(text).ok_or_else(|| VersionError::Number(text.to_owned()))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tag {
            Some(tag) => write!(f, "{}.{}-{tag}{}", self.major, self.minor, self.patch)?,
            None => write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?,
        }
        if self.build > 0 {
            write!(f, ".{}", self.build)?;
        }
        Ok(())
    }
}

/// The agent binary of a version, for one operating system and architecture: `3.6.28-ubuntu-amd64`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binary {
    pub number: Version,
    /// `ubuntu`, `centos`, `genericlinux`; the name of a series in what old agents say.
    pub os: String,
    pub arch: String,
}

impl Binary {
    pub fn new(number: Version, os: &str, arch: Arch) -> Self {
        Binary { number, os: os.to_owned(), arch: arch.as_str().to_owned() }
    }
}

impl FromStr for Binary {
    type Err = VersionError;
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let parse = || {
            let (rest, arch) = text.rsplit_once('-')?;
            let (number, os) = rest.rsplit_once('-')?;
            let word =
                |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
            (word(os) && word(arch)).then_some(())?;
            Some(Binary { number: number.parse().ok()?, os: os.to_owned(), arch: arch.to_owned() })
        };
        parse().ok_or_else(|| VersionError::Binary(text.to_owned()))
    }
}

impl fmt::Display for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.number, self.os, self.arch)
    }
}

crate::ids::text_serde!(Version);
crate::ids::text_serde!(Binary);

fn parse(text: &str) -> Option<Version> {
    let number = |it: &str| {
        let valid = (1..=9).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_digit());
        if valid { it.parse::<u32>().ok() } else { None }
    };
    let (major, rest) = text.split_once('.')?;
    let at = rest.find(['.', '-'])?;
    let (minor, separator, rest) = (&rest[..at], &rest[at..at + 1], &rest[at + 1..]);
    let (rest, build) = match rest.split_once('.') {
        Some((rest, build)) => (rest, number(build)?),
        None => (rest, 0),
    };
    let (tag, patch) = if separator == "-" {
        let (tag, patch) = rest.split_at(rest.find(|it: char| !it.is_ascii_lowercase())?);
        if tag.is_empty() {
            return None;
        }
        (Some(tag.into()), patch)
    } else {
        (None, rest)
    };
    Some(Version { major: number(major)?, minor: number(minor)?, tag, patch: number(patch)?, build })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_ones_keep_their_text() {
        for text in ["3.6.28", "3.6.28.1", "3.7-beta1", "3.7-beta1.2", "0.0.0", "999999999.1.2", "2.9-rc12"] {
            assert_eq!(text.parse::<Version>().unwrap().to_string(), text);
            let binary = format!("{text}-ubuntu-amd64");
            let parsed: Binary = binary.parse().unwrap();
            assert_eq!((parsed.to_string(), parsed.number.to_string().as_str()), (binary.clone(), text));
        }
        assert_eq!("3.6.28".parse(), Ok(CURRENT));
        assert_eq!(Binary::new(CURRENT, "ubuntu", Arch::Amd64).to_string(), "3.6.28-ubuntu-amd64");
    }

    #[test]
    fn bad_ones_are_refused() {
        for text in [
            "",
            "3",
            "3.6",
            "3.6.",
            ".6.28",
            "3.6.28.",
            "3.6.28.1.2",
            "3.6.x",
            "v3.6.28",
            "3.6-28",
            "3.6-beta",
            "3.6-Beta1",
            "1234567890.1.2",
            "3.6.28-",
            "3.6.+1",
            "3..6",
            "3.6.28 ",
            "3.ü.1",
        ] {
            assert_eq!(text.parse::<Version>().unwrap_err().to_string(), format!("invalid version {text:?}"));
        }
        for text in [
            "",
            "3.6.28",
            "3.6.28-ubuntu",
            "3.6.28-ubuntu-",
            "3.6.28--amd64",
            "x-ubuntu-amd64",
            "3.6.28-a/b-c",
        ] {
            assert_eq!(
                text.parse::<Binary>().unwrap_err().to_string(),
                format!("invalid binary version {text:?}")
            );
        }
    }

    #[test]
    fn order() {
        let ascending = [
            "2.9.49",
            "3.6-alpha1",
            "3.6-beta1",
            "3.6-beta1.1",
            "3.6-beta2",
            "3.6-rc1",
            "3.6.0",
            "3.6.9",
            "3.6.28",
            "3.6.28.1",
            "3.6.28.2",
            "3.6.29",
            "3.10.0",
            "4.0-beta1",
        ];
        let parsed: Vec<Version> = ascending.iter().map(|it| it.parse().unwrap()).collect();
        for (at, one) in parsed.iter().enumerate() {
            for (other_at, other) in parsed.iter().enumerate() {
                assert_eq!(one.cmp(other), at.cmp(&other_at), "{one} and {other}");
            }
        }
        assert!(Version::ZERO.is_zero());
        assert_eq!("3.6.28.1".parse::<Version>().unwrap().without_build(), CURRENT);
    }
}
