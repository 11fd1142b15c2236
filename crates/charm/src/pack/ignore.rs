//! What is left out when a directory is packed: Juju's own list, then the rules of `.jujuignore`.
//!
//! The rules look like git's. As in Juju, one that does not begin with a slash counts in every folder, even if it has
//! a slash further on.

use std::{io::ErrorKind, path::Path};

use regex::Regex;

use crate::{CharmError, Result};

const FILE: &str = ".jujuignore";

/// What never belongs to a charm. `revision` and `version` are written anew.
const ALWAYS: [&str; 9] =
    [".git", ".svn", ".hg", ".bzr", ".tox", "/build/", "/revision", "/version", ".jujuignore"];

/// The rules for one directory.
pub(super) struct Ignore {
    rules: Vec<Rule>,
}

struct Rule {
    pattern: Regex,
    /// Takes back in what an earlier rule left out.
    keep: bool,
    only_dirs: bool,
}

impl Ignore {
    pub(super) fn for_dir(dir: &Path) -> Result<Self> {
        match std::fs::read_to_string(dir.join(FILE)) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => Self::parse(""),
            Err(error) => Err(CharmError::io("read", dir.join(FILE), error)),
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let mut rules = vec![];
        for line in ALWAYS.into_iter().chain(text.lines()) {
            let line = line.trim_start();
            if !line.is_empty() && !line.starts_with('#') {
                let rule = Rule::parse(line);
                rules.push(rule.ok_or_else(|| CharmError::invalid(format!("{FILE}: bad rule {line:?}")))?);
            }
        }
        Ok(Ignore { rules })
    }

    /// Whether a path is left out; with a folder, all that is in it. The last rule that fits decides.
    pub(super) fn matches(&self, path: &str, is_dir: bool) -> bool {
        let fits = |rule: &&Rule| (is_dir || !rule.only_dirs) && rule.pattern.is_match(path);
        self.rules.iter().rev().find(fits).is_some_and(|it| !it.keep)
    }
}

impl Rule {
    fn parse(line: &str) -> Option<Self> {
        let (keep, line) = match line.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let line = without_blanks(line);
        let only_dirs = line.ends_with('/');
        let line = line.trim_end_matches('/');
        let (anchored, line) = match line.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let glob = translate(line)?;
        let pattern = if anchored { format!("^{glob}$") } else { format!("^(?:.*/)?{glob}$") };
        Some(Rule { pattern: Regex::new(&pattern).ok()?, keep, only_dirs })
    }
}

/// Without the blanks at its end, unless a backslash protects the last.
fn without_blanks(line: &str) -> &str {
    let short = line.trim_end();
    if short.ends_with('\\') && short.len() < line.len() { &line[..short.len() + 1] } else { short }
}

/// A glob as a regular expression.
fn translate(glob: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut rest = glob;
    while let Some(it) = rest.chars().next() {
        rest = &rest[it.len_utf8()..];
        match it {
            '*' if rest.starts_with('*') => {
                rest = rest.trim_start_matches('*');
                let starts = pattern.is_empty() || pattern.ends_with('/');
                match rest.strip_prefix('/') {
                    // Any number of folders, none included.
                    Some(after) if starts => {
                        pattern.push_str("(?:.*/)?");
                        rest = after;
                    }
                    _ if starts && rest.is_empty() => pattern.push_str(".*"),
                    _ => pattern.push_str("[^/]*"),
                }
            }
            '*' => pattern.push_str("[^/]*"),
            '?' => pattern.push_str("[^/]"),
            '[' => {
                let end = rest.char_indices().skip(1).find(|(_, it)| *it == ']')?.0;
                let (class, after) = (&rest[..end], &rest[end + 1..]);
                let (negated, class) = match class.strip_prefix(['!', '^']) {
                    Some(class) => ("^/", class),
                    None => ("", class),
                };
                let escaped =
                    class.replace('\\', r"\\").replace('[', r"\[").replace('&', r"\&").replace('~', r"\~");
                pattern.push_str(&format!("[{negated}{escaped}]"));
                rest = after;
            }
            '\\' => {
                let next = rest.chars().next()?;
                pattern.push_str(&regex::escape(next.encode_utf8(&mut [0; 4])));
                rest = &rest[next.len_utf8()..];
            }
            it => pattern.push_str(&regex::escape(it.encode_utf8(&mut [0; 4]))),
        }
    }
    Some(pattern)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rules() {
        for (rules, ignored, kept) in [
            (
                "",
                &[".git/", "a/.git/", ".tox/", "build/", "revision", "version", ".jujuignore", "a/.svn/"][..],
                &["a/build/", "build", "a/revision", "a/version", ".gitignore", "hooks/"][..],
            ),
            ("target", &["target", "target/", "a/target"], &["mytarget", "targets"]),
            ("target/", &["target/", "a/target/"], &["target", "a/1target/"]),
            ("/target", &["target"], &["a/target"]),
            ("*.py[co]", &["x.pyc", "a/x.pyo"], &["x.py", "x.pyx"]),
            ("[!a]b", &["cb"], &["ab", "b"]),
            ("a?c", &["abc"], &["ac", "a/c"]),
            ("doc/*.txt", &["doc/x.txt", "a/doc/x.txt"], &["doc/a/x.txt", "x.txt"]),
            ("/doc/**/x", &["doc/x", "doc/a/x", "doc/a/b/x"], &["docx", "a/doc/x"]),
            ("/doc/**", &["doc/x", "doc/a/b"], &["doc/"]),
            ("**/x", &["x", "a/b/x"], &["ax"]),
            ("a**b", &["ab", "axb"], &["a/b"]),
            ("*.log\n!keep.log", &["x.log"], &["keep.log", "a/keep.log"]),
            ("!.git", &[".svn/"], &[".git/"]),
            ("# comment\n\n  x  ", &["x"], &["# comment"]),
            (r"\#x", &["#x"], &["x"]),
            (r"\!x", &["!x"], &["x"]),
            (r"x\ ", &["x "], &["x"]),
            ("a.b", &["a.b"], &["axb"]),
            ("x\r\n", &["x"], &["y"]),
        ] {
            let ignore = Ignore::parse(rules).unwrap();
            let matches = |path: &str| ignore.matches(path.trim_end_matches('/'), path.ends_with('/'));
            for path in ignored {
                assert!(matches(path), "{rules:?} leaves out {path:?}");
            }
            for path in kept {
                assert!(!matches(path), "{rules:?} keeps {path:?}");
            }
        }
        assert_eq!(Ignore::parse("a[").err().unwrap().to_string(), r#".jujuignore: bad rule "a[""#);
    }

    proptest! {
        #[test]
        fn any_text_is_rules_or_refused(text in "[ab*?\\[\\]\\\\!#/ .\\n^&~-]{0,30}", path in "[ab/.]{1,10}") {
            if let Ok(ignore) = Ignore::parse(&text) {
                let _ = ignore.matches(&path, false);
            }
        }
    }
}
