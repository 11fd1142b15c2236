//! The names of units and applications, as far as charms may get them wrong.

/// The application of a unit's name, or nothing if it is no such name.
pub(crate) fn application_of(unit: &str) -> Option<&str> {
    let (application, number) = unit.rsplit_once('/')?;
    let canonical = number == "0" || (!number.starts_with('0') && !number.is_empty());
    let valid = canonical && number.bytes().all(|it| it.is_ascii_digit()) && is_application(application);
    valid.then_some(application)
}

/// Letters, digits and dashes; every part starts with a letter (Juju `names.ApplicationSnippet`).
pub(crate) fn is_application(name: &str) -> bool {
    let mut parts = name.split('-');
    let lower = |part: &str| {
        !part.is_empty() && part.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    let first = parts.next().unwrap_or_default();
    lower(first)
        && first.starts_with(|it: char| it.is_ascii_lowercase())
        && parts.all(|part| lower(part) && part.bytes().any(|it| it.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_applications() {
        for (name, want) in [
            ("db/0", Some("db")),
            ("my-db2/12", Some("my-db2")),
            ("db", None),
            ("db/", None),
            ("db/01", None),
            ("db/x", None),
            ("/0", None),
            ("Db/0", None),
            ("db-2/0", None),
            ("a/b/0", None),
        ] {
            assert_eq!(application_of(name), want, "{name}");
        }
        for (name, want) in [
            ("a", true),
            ("a-b", true),
            ("", false),
            ("2a", false),
            ("a-", false),
            ("a-2", false),
            ("a_b", false),
        ] {
            assert_eq!(is_application(name), want, "{name}");
        }
    }
}
