//! What paths and links of an archive must be like. Pure: it knows only names.

use std::collections::BTreeMap;

use super::{Entry, Kind};
use crate::{CharmError, Result, meta};

/// The bits of a Unix mode that say what a file is.
pub(super) const TYPE: u32 = 0o170_000;
pub(super) const REGULAR: u32 = 0o100_000;
pub(super) const DIRECTORY: u32 = 0o040_000;
pub(super) const SYMLINK: u32 = 0o120_000;

const MAX_HOPS: usize = 40;

/// A name as a path below the root, or none for the root itself.
pub(super) fn clean(name: &str) -> Result<Option<String>> {
    let hostile = |why: &str| Err(CharmError::refused(format!("entry {name:?} {why}")));
    if name.starts_with('/') {
        return hostile("has an absolute path");
    }
    if name.contains('\0') {
        return hostile("has a NUL in its name");
    }
    let mut parts = vec![];
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => return hostile("leads out of the charm"),
            // No file system takes these, and a path is kept in memory many times over.
            part if part.len() > 255 => return hostile("has a name that is too long"),
            part => parts.push(part),
        }
    }
    if parts.len() > 128 {
        return hostile("lies too deep");
    }
    Ok(Some(parts.join("/")).filter(|it| !it.is_empty()))
}

/// Everything above an entry is a folder: nothing lies below a file, nor below a link, through which it would be
/// written somewhere else.
pub(super) fn structure(entries: &BTreeMap<String, Entry>) -> Result<()> {
    for path in entries.keys() {
        let mut parent = path.as_str();
        while let Some((above, _)) = parent.rsplit_once('/') {
            parent = above;
            match entries.get(parent).map(|it| &it.kind) {
                None | Some(Kind::Dir) => {}
                Some(Kind::Link(_)) => {
                    return Err(CharmError::refused(format!(
                        "entry {path:?} lies behind the link {parent:?}"
                    )));
                }
                Some(Kind::File) => {
                    return Err(CharmError::refused(format!(
                        "entry {path:?} lies below the file {parent:?}"
                    )));
                }
            }
        }
    }
    Ok(())
}

/// The folder that holds the charm: the one of the shallowest `metadata.yaml`.
pub(super) fn top<'a>(files: impl Iterator<Item = &'a str>) -> Result<String> {
    let depth = |it: &str| it.matches('/').count();
    let mut found: Vec<&str> = files.filter(|it| it.rsplit('/').next() == Some(meta::FILE)).collect();
    found.sort_by_key(|it| depth(it));
    match found[..] {
        // No charm then; who asks for one is told so.
        [] => Ok(String::new()),
        [first, second, ..] if depth(first) == depth(second) => {
            Err(CharmError::invalid("invalid charm archive: ambiguous root directory"))
        }
        [first, ..] => Ok(first[..first.len() - meta::FILE.len()].to_owned()),
    }
}

/// Every link of the charm leads to something inside it, or to nothing, but never out: neither by itself nor through
/// other links.
pub(super) fn links(entries: &BTreeMap<String, Entry>, root: &str) -> Result<()> {
    for (path, entry) in entries {
        let Kind::Link(target) = &entry.kind else { continue };
        let Some(inside) = path.strip_prefix(root) else { continue };
        if target.starts_with('/') {
            return Err(CharmError::refused(format!("symlink {inside:?} is absolute: {target:?}")));
        }
        if resolve(entries, root, inside).is_err() {
            return Err(CharmError::refused(format!("symlink {inside:?} links out of charm: {target:?}")));
        }
    }
    Ok(())
}

/// The entry that a path below the root leads to, all links followed.
pub(super) fn follow(entries: &BTreeMap<String, Entry>, root: &str, path: &str) -> Option<String> {
    resolve(entries, root, path).ok().map(|it| format!("{root}{it}"))
}

/// A path leads out of the charm, or in circles.
struct Out;

fn resolve(entries: &BTreeMap<String, Entry>, root: &str, path: &str) -> std::result::Result<String, Out> {
    let mut ahead: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut at: Vec<String> = vec![];
    let mut hops = 0;
    while let Some(part) = ahead.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                at.pop().ok_or(Out)?;
                continue;
            }
            _ => at.push(part),
        }
        if let Some(Kind::Link(target)) = entries.get(&format!("{root}{}", at.join("/"))).map(|it| &it.kind) {
            hops += 1;
            if hops > MAX_HOPS || target.starts_with('/') {
                return Err(Out);
            }
            at.pop();
            ahead.extend(target.split('/').rev().map(str::to_owned));
        }
    }
    Ok(at.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(list: &[(&str, &str)]) -> BTreeMap<String, Entry> {
        let entry = |(path, kind): &(&str, &str)| {
            let kind = match *kind {
                "file" => Kind::File,
                "dir" => Kind::Dir,
                target => Kind::Link(target.trim_start_matches("-> ").to_owned()),
            };
            ((*path).to_owned(), Entry { path: (*path).to_owned(), kind, mode: 0o644, size: 0, index: 0 })
        };
        list.iter().map(entry).collect()
    }

    #[test]
    fn names() {
        for (name, expected) in [
            ("a/b", Ok(Some("a/b"))),
            ("./a//b/", Ok(Some("a/b"))),
            ("./", Ok(None)),
            ("a..b", Ok(Some("a..b"))),
            ("/a", Err(r#"refusing charm archive: entry "/a" has an absolute path"#)),
            ("../a", Err(r#"refusing charm archive: entry "../a" leads out of the charm"#)),
            ("a/../b", Err(r#"refusing charm archive: entry "a/../b" leads out of the charm"#)),
            ("a/..", Err(r#"refusing charm archive: entry "a/.." leads out of the charm"#)),
            ("a\0b", Err(r#"refusing charm archive: entry "a\0b" has a NUL in its name"#)),
        ] {
            let found = clean(name).map_err(|it| it.to_string());
            assert_eq!(found, expected.map(|it| it.map(str::to_owned)).map_err(str::to_owned), "{name:?}");
        }
        assert!(clean(&"x".repeat(256)).is_err() && clean(&"x/".repeat(200)).is_err());
    }

    #[test]
    fn nothing_lies_behind_a_link() {
        assert!(structure(&entries(&[("a", "dir"), ("a/b", "file"), ("c/d", "file")])).is_ok());
        for (list, error) in [
            (&[("a", "-> /etc"), ("a/passwd", "file")], r#"entry "a/passwd" lies behind the link "a""#),
            (&[("a", "file"), ("a/b", "file")], r#"entry "a/b" lies below the file "a""#),
        ] {
            let found = structure(&entries(list)).unwrap_err().to_string();
            assert_eq!(found, format!("refusing charm archive: {error}"));
        }
    }

    #[test]
    fn tops() {
        for (files, expected) in [
            (&["metadata.yaml", "x/metadata.yaml"][..], Ok("")),
            (&["x/metadata.yaml", "x/y/metadata.yaml"], Ok("x/")),
            (&["x/y/metadata.yaml"], Ok("x/y/")),
            (&["x/metadata.yaml", "y/metadata.yaml"], Err("invalid charm archive: ambiguous root directory")),
            (&["xmetadata.yaml"], Ok("")),
        ] {
            let found = top(files.iter().copied()).map_err(|it| it.to_string());
            assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
        }
    }

    #[test]
    fn links_stay_inside() {
        for (list, bad) in [
            (&[("hooks/install", "-> ../src/charm.py")][..], None),
            (&[("a", "-> b"), ("b", "-> c/d")], None),
            (&[("a", "-> nowhere")], None),
            (&[("a/b", "-> .."), ("c", "-> a/b/a")], None),
            (&[("a", "-> /etc/passwd")], Some(r#"symlink "a" is absolute: "/etc/passwd""#)),
            (&[("a", "-> ..")], Some(r#"symlink "a" links out of charm: "..""#)),
            (&[("a/b", "-> ../../x")], Some(r#"symlink "a/b" links out of charm: "../../x""#)),
            (&[("a", "-> b"), ("b", "-> a")], Some(r#"symlink "a" links out of charm: "b""#)),
            // By its text alone the second stays inside; through the first it does not.
            (
                &[("d/e/up", "-> ../.."), ("z", "-> d/e/up/../x")],
                Some(r#"symlink "z" links out of charm: "d/e/up/../x""#),
            ),
        ] {
            let found = links(&entries(list), "").map_err(|it| it.to_string());
            assert_eq!(
                found,
                bad.map_or(Ok(()), |it| Err(format!("refusing charm archive: {it}"))),
                "{list:?}"
            );
        }
        // The charm's folder is the border, not the archive's.
        let nested = entries(&[("x/a", "-> ../y")]);
        assert!(links(&nested, "").is_ok() && links(&nested, "x/").is_err());
    }
}
