//! `.jujuignore`: which files of a directory are not packed, in the manner of `.gitignore`.

use regex::Regex;

use crate::{CharmError, Result};

/// Never packed, whatever a charm's own rules say.
const ALWAYS: &str = ".git\n.svn\n.hg\n.bzr\n.tox\n/build/\n/revision\n/version\n.jujuignore\n";

/// An ordered set of rules; the last that matches decides.
pub(crate) struct Ignore(Vec<Rule>);

struct Rule {
    /// Matches the whole path below the charm, without a leading slash.
    pattern: Regex,
    include: bool,
    directories_only: bool,
}

impl Ignore {
    pub(crate) fn new(own: &str) -> Result<Ignore> {
        let mut rules = vec![];
        for line in ALWAYS.lines().chain(own.lines()) {
            if let Some(rule) = rule(line)? {
                rules.push(rule);
            }
        }
        Ok(Ignore(rules))
    }

    /// Whether the path (with `/` between its parts) is left out. What is below a directory that is left out is not
    /// asked for.
    pub(crate) fn matches(&self, path: &str, directory: bool) -> bool {
        let decides =
            self.0.iter().rev().find(|it| (directory || !it.directories_only) && it.pattern.is_match(path));
        decides.is_some_and(|it| !it.include)
    }
}

fn rule(line: &str) -> Result<Option<Rule>> {
    let line = line.trim_start();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    // A trailing blank counts only behind a backslash.
    let line = match line.trim_end() {
        it if it.ends_with('\\') && it.len() < line.len() => format!("{} ", &it[..it.len() - 1]),
        it => it.to_owned(),
    };
    let (include, line) = match line.strip_prefix('!') {
        Some(rest) => (true, rest.to_owned()),
        None => (
            false,
            line.strip_prefix('\\').filter(|it| it.starts_with(['!', '#'])).unwrap_or(&line).to_owned(),
        ),
    };
    let (directories_only, body) = match line.strip_suffix('/') {
        Some(body) => (true, body),
        None => (false, line.as_str()),
    };
    // A slash anywhere but at the end ties the pattern to the top.
    let anchored = body.contains('/');
    let pattern =
        format!("^{}{}$", if anchored { "" } else { "(?:.*/)?" }, translate(body.trim_start_matches('/')));
    let pattern = Regex::new(&pattern)
        .map_err(|err| CharmError::Parse { file: ".jujuignore", why: format!("rule {line:?}: {err}") })?;
    Ok(Some(Rule { pattern, include, directories_only }))
}

/// A glob as a regular expression.
fn translate(glob: &str) -> String {
    let mut out = String::new();
    let mut rest = glob;
    while let Some(c) = rest.chars().next() {
        if let Some(tail) = rest.strip_prefix("**/") {
            out.push_str("(?:.*/)?");
            rest = tail;
            continue;
        }
        if let Some(tail) = rest.strip_prefix("**") {
            out.push_str(".*");
            rest = tail;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '[' => match rest.find(']').filter(|it| *it > 0) {
                Some(end) => {
                    let class = rest[..end].replace('\\', "\\\\").replacen(
                        '!',
                        "^",
                        usize::from(rest.starts_with('!')),
                    );
                    out.push_str(&format!("[{class}]"));
                    rest = &rest[end + 1..];
                }
                None => out.push_str("\\["),
            },
            '\\' => {
                if let Some(next) = rest.chars().next() {
                    out.push_str(&regex::escape(&next.to_string()));
                    rest = &rest[next.len_utf8()..];
                }
            }
            other => out.push_str(&regex::escape(&other.to_string())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_decide_by_the_last_match() {
        let ignore =
            Ignore::new("*.pyc\n!keep.pyc\n/top.txt\ndocs/*.md\ntmp/\n# comment\n\\#odd\n**/deep\n[ab].c\n")
                .unwrap();
        for (path, directory, left_out) in [
            (".git", true, true),
            ("sub/.git", true, true),
            ("build", true, true),
            ("sub/build", true, false),
            ("revision", false, true),
            ("src/a.pyc", false, true),
            ("keep.pyc", false, false),
            ("top.txt", false, true),
            ("sub/top.txt", false, false),
            ("docs/x.md", false, true),
            ("docs/sub/x.md", false, false),
            ("tmp", true, true),
            ("tmp", false, false),
            ("#odd", false, true),
            ("a/b/deep", false, true),
            ("a.c", false, true),
            ("c.c", false, false),
            ("hooks/install", false, false),
        ] {
            assert_eq!(ignore.matches(path, directory), left_out, "{path}");
        }
    }
}
