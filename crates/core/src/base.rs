//! Bases: the operating system and release that a machine runs, `ubuntu@24.04`.

mod series;

use std::{fmt, str::FromStr};

pub use series::{DEFAULT, base_of_series, is_lts, is_supported, supported};

/// How much the publisher of a release vouches for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    #[default]
    Stable,
    Candidate,
    Beta,
    Edge,
}

impl Risk {
    pub const ALL: [Risk; 4] = [Risk::Stable, Risk::Candidate, Risk::Beta, Risk::Edge];

    pub const fn as_str(self) -> &'static str {
        match self {
            Risk::Stable => "stable",
            Risk::Candidate => "candidate",
            Risk::Beta => "beta",
            Risk::Edge => "edge",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

/// A release of an operating system: `22.04/stable`. On the wire the risk is always written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BaseChannel {
    pub track: String,
    pub risk: Risk,
}

impl BaseChannel {
    pub fn stable(track: &str) -> Self {
        BaseChannel { track: track.to_owned(), risk: Risk::Stable }
    }

    /// `22.04`, and `22.04/edge` where the risk is not stable.
    pub fn display(&self) -> String {
        if self.risk == Risk::Stable { self.track.clone() } else { self.to_string() }
    }
}

impl FromStr for BaseChannel {
    type Err = BaseError;
    fn from_str(text: &str) -> Result<Self, BaseError> {
        if text.is_empty() {
            return Err(BaseError::Empty);
        }
        let (track, risk) = match text.split_once('/') {
            None => (text, Risk::Stable),
            Some((_, rest)) if rest.contains('/') => return Err(BaseError::TooMany(text.to_owned())),
            Some((track, risk)) => {
                (track, Risk::parse(risk).ok_or_else(|| BaseError::Risk(text.to_owned()))?)
            }
        };
        if track.is_empty() || !track.bytes().all(|it| it.is_ascii_alphanumeric() || b".-_".contains(&it)) {
            return Err(BaseError::Track(text.to_owned()));
        }
        Ok(BaseChannel { track: track.to_owned(), risk })
    }
}

impl fmt::Display for BaseChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.track, self.risk.as_str())
    }
}

/// An operating system and its release. Its text has the risk, as on the wire; [`Base::display`] is for people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base {
    pub os: String,
    pub channel: BaseChannel,
}

impl Base {
    /// From the name and channel that the wire has apart. Both empty is no base.
    pub fn from_parts(os: &str, channel: &str) -> Result<Option<Self>, BaseError> {
        match (os, channel) {
            ("", "") => Ok(None),
            ("", _) | (_, "") => Err(BaseError::Half),
            (os, channel) => Ok(Some(Base { os: checked_os(os)?, channel: channel.parse()? })),
        }
    }

    pub fn ubuntu(track: &str) -> Self {
        Base { os: "ubuntu".to_owned(), channel: BaseChannel::stable(track) }
    }

    /// `ubuntu@22.04`: what people write and read.
    pub fn display(&self) -> String {
        format!("{}@{}", self.os, self.channel.display())
    }

    /// Whether a charm for one runs on the other: the same system and track, whatever the risk.
    pub fn is_compatible(&self, other: &Base) -> bool {
        self.os == other.os && self.channel.track == other.channel.track
    }

    /// The name of its series, `jammy`, where it has one.
    pub fn series(&self) -> Option<String> {
        series::series_of_base(self)
    }
}

/// A text that is no base.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    #[error("expected base string to contain os and channel separated by '@'")]
    Form,
    #[error("missing base os or channel not valid")]
    Half,
    #[error("empty channel not valid")]
    Empty,
    #[error("channel is malformed and has too many components {0:?}")]
    TooMany(String),
    #[error("risk in channel {0:?} not valid")]
    Risk(String),
    #[error("track in channel {0:?} not valid")]
    Track(String),
    #[error("base os {0:?} not valid")]
    Os(String),
    #[error("unknown series {0:?}")]
    Series(String),
}

impl FromStr for Base {
    type Err = BaseError;
    fn from_str(text: &str) -> Result<Self, BaseError> {
        let (os, channel) = text.split_once('@').ok_or(BaseError::Form)?;
        if channel.contains('@') {
            return Err(BaseError::Form);
        }
        Ok(Base { os: checked_os(os)?, channel: channel.parse()? })
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.os, self.channel)
    }
}

crate::ids::text_serde!(BaseChannel);
crate::ids::text_serde!(Base);

fn checked_os(os: &str) -> Result<String, BaseError> {
    let os = os.to_ascii_lowercase();
    let valid =
        !os.is_empty() && os.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-');
    if valid { Ok(os) } else { Err(BaseError::Os(os)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text() {
        for (text, full, display) in [
            ("ubuntu@22.04", "ubuntu@22.04/stable", "ubuntu@22.04"),
            ("ubuntu@22.04/stable", "ubuntu@22.04/stable", "ubuntu@22.04"),
            ("Ubuntu@24.04/edge", "ubuntu@24.04/edge", "ubuntu@24.04/edge"),
            ("centos@9", "centos@9/stable", "centos@9"),
            ("genericlinux@genericlinux", "genericlinux@genericlinux/stable", "genericlinux@genericlinux"),
        ] {
            let base: Base = text.parse().unwrap();
            assert_eq!((base.to_string().as_str(), base.display().as_str()), (full, display));
            assert_eq!(full.parse(), Ok(base));
        }
    }

    #[test]
    fn bad() {
        for (text, error) in [
            ("ubuntu", "expected base string to contain os and channel separated by '@'"),
            ("a@b@c", "expected base string to contain os and channel separated by '@'"),
            ("", "expected base string to contain os and channel separated by '@'"),
            ("ubuntu@", "empty channel not valid"),
            ("@22.04", r#"base os "" not valid"#),
            ("ubuntu@22.04/stable/x", r#"channel is malformed and has too many components "22.04/stable/x""#),
            ("ubuntu@22.04/risky", r#"risk in channel "22.04/risky" not valid"#),
            ("ubuntu@/stable", r#"track in channel "/stable" not valid"#),
            ("ubuntu@22 04", r#"track in channel "22 04" not valid"#),
            ("ub untu@22.04", r#"base os "ub untu" not valid"#),
        ] {
            assert_eq!(text.parse::<Base>().unwrap_err().to_string(), error);
        }
        assert_eq!(Base::from_parts("", ""), Ok(None));
        assert_eq!(Base::from_parts("ubuntu", ""), Err(BaseError::Half));
        assert_eq!(Base::from_parts("ubuntu", "22.04/stable"), Ok(Some(Base::ubuntu("22.04"))));
    }

    #[test]
    fn compatible_whatever_the_risk() {
        let [a, b, c]: [Base; 3] =
            ["ubuntu@22.04", "ubuntu@22.04/edge", "ubuntu@24.04"].map(|it| it.parse().unwrap());
        assert!(a.is_compatible(&b) && !a.is_compatible(&c));
    }
}
