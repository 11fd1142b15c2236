//! Charm URLs as far as status shows them.

/// The parts of `ch:amd64/jammy/web-12` or `local:web-0` that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharmUrl<'a> {
    pub schema: &'a str,
    pub name: &'a str,
    pub revision: Option<i64>,
}

impl<'a> CharmUrl<'a> {
    /// Takes a URL apart; one without a schema is Charmhub's.
    pub fn parse(url: &'a str) -> Option<Self> {
        let (schema, path) = url.split_once(':').unwrap_or(("ch", url));
        let last = path.rsplit('/').next()?;
        let (name, revision) = match last.rsplit_once('-') {
            Some((name, digits)) if is_number(digits) => (name, digits.parse().ok()),
            _ => (last, None),
        };
        (!name.is_empty()).then_some(Self { schema, name, revision })
    }

    /// The word of `charm-origin`.
    pub fn origin(&self) -> &'static str {
        match self.schema {
            "ch" => "charmhub",
            "local" => "local",
            _ => "unknown",
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::CharmUrl;

    #[test]
    fn urls_come_apart() {
        for (url, want) in [
            ("local:web-0", Some(("local", "web", Some(0)))),
            ("local:jammy/my-web-2-13", Some(("local", "my-web-2", Some(13)))),
            ("ch:amd64/jammy/postgresql-345", Some(("ch", "postgresql", Some(345)))),
            ("ch:postgresql", Some(("ch", "postgresql", None))),
            ("postgresql", Some(("ch", "postgresql", None))),
            ("local:web-99999999999999999999", Some(("local", "web", None))),
            ("local:", None),
            ("", None),
        ] {
            let got = CharmUrl::parse(url).map(|it| (it.schema, it.name, it.revision));
            assert_eq!(got, want, "{url}");
        }
    }
}
