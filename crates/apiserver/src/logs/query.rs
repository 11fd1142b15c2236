//! Which messages of a log somebody wants.

use jiff::Timestamp;
use juju_wire::params::LogMessage;

use crate::{Error, Result};

/// A debug-log request (Juju 3.6 `apiserver/debuglog.go`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    min_level: Option<Level>,
    include_entity: Vec<String>,
    exclude_entity: Vec<String>,
    include_module: Vec<String>,
    exclude_module: Vec<String>,
    include_label: Vec<String>,
    exclude_label: Vec<String>,
    since: Option<Timestamp>,
    /// Of what is there already, only the last so many that match; all of it if not given.
    pub(super) last: Option<usize>,
    /// Goes on with what comes.
    pub(crate) tail: bool,
}

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Trace,
    Debug,
    Info,
    Warning,
    Error,
    Critical,
}

impl Level {
    fn parse(text: &str) -> Option<Level> {
        Some(match text.to_ascii_uppercase().as_str() {
            "TRACE" => Level::Trace,
            "DEBUG" => Level::Debug,
            "INFO" => Level::Info,
            "WARNING" | "WARN" => Level::Warning,
            "ERROR" => Level::Error,
            "CRITICAL" => Level::Critical,
            _ => return None,
        })
    }
}

impl Query {
    /// Reads the query of a URL.
    pub fn parse(query: &str) -> Result<Query> {
        let mut it = Query { tail: true, ..Query::default() };
        let (mut replay, mut backlog, mut max_lines) = (false, 0, 0);
        for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let bad = || Error::bad_request(format_args!("{key} value {value:?} is not valid"));
            let number = || value.parse::<usize>().map_err(|_| bad());
            let flag = || match &*value {
                "true" => Ok(true),
                "false" | "" => Ok(false),
                _ => Err(bad()),
            };
            match &*key {
                "level" => it.min_level = Some(level(&value)?),
                "includeEntity" => it.include_entity.push(value.into_owned()),
                "excludeEntity" => it.exclude_entity.push(value.into_owned()),
                "includeModule" => it.include_module.push(value.into_owned()),
                "excludeModule" => it.exclude_module.push(value.into_owned()),
                "includeLabel" => it.include_label.push(value.into_owned()),
                "excludeLabel" => it.exclude_label.push(value.into_owned()),
                "replay" => replay = flag()?,
                "noTail" => it.tail = !flag()?,
                "backlog" => backlog = number()?,
                "maxLines" => max_lines = number()?,
                "startTime" => it.since = Some(value.parse().map_err(|_| bad())?),
                // What comes later and is not known here asks for less, if anything.
                _ => {}
            }
        }
        // Juju 3.6 takes the largest number of lines as the number of last ones too.
        let last = if backlog > 0 { backlog } else { max_lines };
        it.last = (last > 0 && !replay).then_some(last);
        Ok(it)
    }

    pub(super) fn matches(&self, message: &LogMessage) -> bool {
        let level = || Level::parse(&message.severity).unwrap_or(Level::Critical);
        self.min_level.is_none_or(|least| level() >= least)
            && self.since.is_none_or(|since| message.time.0.is_some_and(|at| at >= since))
            && wanted(&self.include_entity, &self.exclude_entity, |it| glob(it, &message.tag))
            && wanted(&self.include_module, &self.exclude_module, |it| is_within(&message.module, it))
            && wanted(&self.include_label, &self.exclude_label, |it| {
                message.labels.iter().any(|own| own == it)
            })
    }
}

fn level(text: &str) -> Result<Level> {
    let refusal = || {
        Error::bad_request(format_args!(
            "level value {text:?} is not one of \"TRACE\", \"DEBUG\", \"INFO\", \"WARNING\", \"ERROR\""
        ))
    };
    Level::parse(text).ok_or_else(refusal)
}

fn wanted(include: &[String], exclude: &[String], matches: impl Fn(&str) -> bool) -> bool {
    (include.is_empty() || include.iter().any(|it| matches(it))) && !exclude.iter().any(|it| matches(it))
}

/// Dotted names: `juju.worker` holds `juju.worker.uniter`, but not `juju.workers`.
fn is_within(module: &str, prefix: &str) -> bool {
    module.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether the text matches a pattern in which `*` stands for anything. In time linear in the text for each `*`.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(tag: &str, module: &str, severity: &str) -> LogMessage {
        LogMessage {
            tag: tag.into(),
            module: module.into(),
            severity: severity.into(),
            time: "2026-03-02T10:00:00Z".parse::<Timestamp>().unwrap().into(),
            labels: vec!["http".into()],
            ..LogMessage::default()
        }
    }

    #[test]
    fn filters() {
        let it = message("unit-web-0", "juju.worker.uniter", "INFO");
        for (query, expected) in [
            ("", true),
            ("level=INFO", true),
            ("level=info", true),
            ("level=WARNING", false),
            ("includeEntity=unit-web-0", true),
            ("includeEntity=unit-web-*", true),
            ("includeEntity=*", true),
            ("includeEntity=machine-0&includeEntity=unit-*-0", true),
            ("includeEntity=unit-web", false),
            ("excludeEntity=unit-*", false),
            ("includeModule=juju.worker", true),
            ("includeModule=juju.work", false),
            ("excludeModule=juju.worker.uniter", false),
            ("excludeModule=unit", true),
            ("includeLabel=http", true),
            ("includeLabel=charmhub", false),
            ("excludeLabel=http", false),
            ("startTime=2026-03-02T10:00:00Z", true),
            ("startTime=2026-03-02T10:00:00.000000001Z", false),
            ("something=new", true),
        ] {
            assert_eq!(Query::parse(query).unwrap().matches(&it), expected, "{query}");
        }
        // What says nothing of its level is not hidden.
        assert!(Query::parse("level=ERROR").unwrap().matches(&message("a", "b", "")));
    }

    #[test]
    fn how_much_and_how_long() {
        for (query, last, tail) in [
            ("", None, true),
            ("backlog=10", Some(10), true),
            ("maxLines=5", Some(5), true),
            ("backlog=10&maxLines=5", Some(10), true),
            ("backlog=10&replay=true", None, true),
            ("replay=true&noTail=true", None, false),
            ("noTail=false", None, true),
        ] {
            let it = Query::parse(query).unwrap();
            assert_eq!((it.last, it.tail), (last, tail), "{query}");
        }
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        for (query, text) in [
            (
                "level=LOUD",
                "level value \"LOUD\" is not one of \"TRACE\", \"DEBUG\", \"INFO\", \"WARNING\", \"ERROR\"",
            ),
            ("backlog=-1", "backlog value \"-1\" is not valid"),
            ("replay=maybe", "replay value \"maybe\" is not valid"),
            ("startTime=now", "startTime value \"now\" is not valid"),
        ] {
            let err = Query::parse(query).unwrap_err();
            assert_eq!((err.to_string().as_str(), err.code()), (text, "bad request"), "{query}");
        }
    }

    #[test]
    fn globs() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("", "", true),
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("aa*aa", "aaa", false),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
