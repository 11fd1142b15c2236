//! Charm URLs: which charm, in which revision.

use std::{fmt, str::FromStr};

use super::pattern;
use crate::Arch;

/// Where a charm comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CharmSchema {
    /// Uploaded by a client.
    Local,
    /// From Charmhub.
    CharmHub,
}

impl CharmSchema {
    pub const fn as_str(self) -> &'static str {
        match self {
            CharmSchema::Local => "local",
            CharmSchema::CharmHub => "ch",
        }
    }
}

/// A charm: `local:web-3`, `local:jammy/web-3`, `ch:amd64/jammy/web-12`. Whatever is stored has a revision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CharmUrl {
    pub schema: CharmSchema,
    pub arch: Option<Arch>,
    pub series: Option<String>,
    name: String,
    pub revision: Option<u32>,
}

impl CharmUrl {
    /// A charm that a client brings, before the controller gives it a revision.
    pub fn local(name: &str) -> Result<Self, CharmUrlError> {
        let url = format!("local:{name}");
        let name = checked_name(&url, name)?;
        Ok(CharmUrl { schema: CharmSchema::Local, arch: None, series: None, name, revision: None })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn is_local(&self) -> bool {
        self.schema == CharmSchema::Local
    }

    #[must_use]
    pub fn with_revision(self, revision: u32) -> Self {
        CharmUrl { revision: Some(revision), ..self }
    }

    #[must_use]
    pub fn without_revision(self) -> Self {
        CharmUrl { revision: None, ..self }
    }

    /// Whether a charm may have this name.
    pub fn is_valid_name(name: &str) -> bool {
        pattern::is_application(name)
    }

    /// The URL as a file's name: whatever is not a letter, digit, `.` or `-` becomes its hexadecimal in underscores.
    pub fn quoted(&self) -> String {
        let mut quoted = String::new();
        for byte in self.to_string().bytes() {
            if byte.is_ascii_alphanumeric() || b".-".contains(&byte) {
                quoted.push(byte.into());
            } else {
                quoted.push_str(&format!("_{byte:02x}_"));
            }
        }
        quoted
    }
}

/// A text that is no charm URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CharmUrlError {
    #[error("cannot parse URL {url:?}: schema {schema:?} not valid")]
    Schema { url: String, schema: String },
    #[error("local charm or bundle URL with user name: {0:?}")]
    UserName(String),
    #[error("charm or bundle URL has invalid form: {0:?}")]
    Form(String),
    #[error("cannot parse URL {url:?}: series name {series:?} not valid")]
    Series { url: String, series: String },
    #[error("cannot parse URL {url:?}: architecture name {arch:?} not valid")]
    Arch { url: String, arch: String },
    #[error("cannot parse URL {url:?}: name {name:?} not valid")]
    Name { url: String, name: String },
}

/// Without a schema it is Charmhub's.
impl FromStr for CharmUrl {
    type Err = CharmUrlError;
    fn from_str(url: &str) -> Result<Self, CharmUrlError> {
        let (schema, rest) = match url.split_once(':') {
            None | Some(("ch", _)) => (CharmSchema::CharmHub, url.strip_prefix("ch:").unwrap_or(url)),
            Some(("local", rest)) => (CharmSchema::Local, rest),
            Some((schema, _)) => {
                return Err(CharmUrlError::Schema { url: url.to_owned(), schema: schema.to_owned() });
            }
        };
        if rest.starts_with('~') {
            return Err(CharmUrlError::UserName(url.to_owned()));
        }
        let parts: Vec<_> = rest.split('/').collect();
        let (arch, series, last) = match (schema, &parts[..]) {
            (_, [name]) => (None, None, *name),
            (CharmSchema::Local, [series, name]) => (None, Some(*series), *name),
            // Both are optional: the first part is an architecture if it names one.
            (CharmSchema::CharmHub, [first, name]) => match first.parse() {
                Ok(arch) => (Some(arch), None, *name),
                Err(_) => (None, Some(*first), *name),
            },
            (CharmSchema::CharmHub, [arch, series, name]) => {
                let error = || CharmUrlError::Arch { url: url.to_owned(), arch: (*arch).to_owned() };
                (Some(arch.parse().map_err(|_| error())?), Some(*series), *name)
            }
            _ => return Err(CharmUrlError::Form(url.to_owned())),
        };
        if let Some(series) = series.filter(|it| !is_series(it)) {
            return Err(CharmUrlError::Series { url: url.to_owned(), series: series.to_owned() });
        }
        let (name, revision) = match last.rsplit_once('-') {
            Some((name, digits)) if !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) => {
                (name, Some(digits.parse().map_err(|_| CharmUrlError::Form(url.to_owned()))?))
            }
            _ => (last, None),
        };
        let name = checked_name(url, name)?;
        Ok(CharmUrl { schema, arch, series: series.map(str::to_owned), name, revision })
    }
}

impl fmt::Display for CharmUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.schema.as_str())?;
        if let Some(arch) = self.arch {
            write!(f, "{arch}/")?;
        }
        if let Some(series) = &self.series {
            write!(f, "{series}/")?;
        }
        f.write_str(&self.name)?;
        match self.revision {
            Some(revision) => write!(f, "-{revision}"),
            None => Ok(()),
        }
    }
}

super::text_serde!(CharmUrl);

fn checked_name(url: &str, name: &str) -> Result<String, CharmUrlError> {
    if pattern::is_application(name) {
        Ok(name.to_owned())
    } else {
        Err(CharmUrlError::Name { url: url.to_owned(), name: name.to_owned() })
    }
}

fn is_series(text: &str) -> bool {
    text.bytes().next().is_some_and(|it| it.is_ascii_lowercase())
        && text.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good() {
        for (text, full) in [
            ("local:web-3", "local:web-3"),
            ("local:web", "local:web"),
            ("local:jammy/web-0", "local:jammy/web-0"),
            ("ch:amd64/jammy/web-12", "ch:amd64/jammy/web-12"),
            ("ch:amd64/web-12", "ch:amd64/web-12"),
            ("ch:jammy/web", "ch:jammy/web"),
            ("web-front-end-7", "ch:web-front-end-7"),
            ("a1-b2c", "ch:a1-b2c"),
            ("local:web-007", "local:web-7"),
        ] {
            assert_eq!(text.parse::<CharmUrl>().map(|it| it.to_string()), Ok(full.to_owned()), "{text}");
        }
        let url: CharmUrl = "ch:amd64/jammy/shop-4".parse().unwrap();
        assert_eq!((url.arch, url.series.as_deref()), (Some(Arch::Amd64), Some("jammy")));
        assert_eq!((url.name(), url.revision), ("shop", Some(4)));
        assert_eq!(url.quoted(), "ch_3a_amd64_2f_jammy_2f_shop-4");
        assert_eq!(url.clone().with_revision(5).to_string(), "ch:amd64/jammy/shop-5");
        assert_eq!(url.without_revision().to_string(), "ch:amd64/jammy/shop");
        assert_eq!(CharmUrl::local("web").unwrap().to_string(), "local:web");
        assert!(CharmUrl::local("web-3").is_err());
    }

    #[test]
    fn bad() {
        for (text, error) in [
            ("cs:web-3", r#"cannot parse URL "cs:web-3": schema "cs" not valid"#),
            ("local:~bob/web", r#"local charm or bundle URL with user name: "local:~bob/web""#),
            ("local:a/b/web", r#"charm or bundle URL has invalid form: "local:a/b/web""#),
            ("ch:a/b/c/d", r#"charm or bundle URL has invalid form: "ch:a/b/c/d""#),
            ("local:Jammy/web", r#"cannot parse URL "local:Jammy/web": series name "Jammy" not valid"#),
            (
                "ch:pdp11/jammy/web",
                r#"cannot parse URL "ch:pdp11/jammy/web": architecture name "pdp11" not valid"#,
            ),
            ("local:Web", r#"cannot parse URL "local:Web": name "Web" not valid"#),
            ("local:", r#"cannot parse URL "local:": name "" not valid"#),
            ("", r#"cannot parse URL "": name "" not valid"#),
            ("local:web--3", r#"cannot parse URL "local:web--3": name "web-" not valid"#),
            ("local:../web", r#"cannot parse URL "local:../web": series name ".." not valid"#),
            ("local:web-99999999999", r#"charm or bundle URL has invalid form: "local:web-99999999999""#),
        ] {
            assert_eq!(text.parse::<CharmUrl>().unwrap_err().to_string(), error);
        }
    }
}
