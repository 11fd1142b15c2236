//! `juju debug-log`.

use std::time::Duration;

use jiff::{Timestamp, tz::TimeZone};
use juju_core::{ApplicationName, MachineId, Tag, UnitName};
use juju_rpc::{DialConfig, stream::JsonStream, stream::StreamError};
use serde_json::Value;
use url::form_urlencoded::Serializer;

use crate::{
    Context,
    api::Session,
    cli::{
        About, Command, duration,
        flags::{ModelFlags, Positional},
    },
    context::block_on,
    error::{Error, Result, told},
    output::Tone,
};

/// Lines of the past that are shown before what comes.
const LINES: u32 = 10;
const LEVELS: [&str; 5] = ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"];

#[derive(clap::Args)]
pub struct Args {
    /// Use colours even where there is no terminal
    #[arg(long)]
    color: bool,
    /// Show dates as well as times
    #[arg(long)]
    date: bool,
    /// Leave out what these say: units, machines, applications
    #[arg(long, short = 'x', value_name = "ENTITY")]
    exclude: Vec<String>,
    /// Leave out messages with these labels
    #[arg(long, value_name = "LABEL")]
    exclude_label: Vec<String>,
    /// Leave out messages of these modules
    #[arg(long, value_name = "MODULE")]
    exclude_module: Vec<String>,
    /// Show only what these say: units, machines, applications
    #[arg(long, short, value_name = "ENTITY")]
    include: Vec<String>,
    /// Show only messages with these labels
    #[arg(long, value_name = "LABEL")]
    include_label: Vec<String>,
    /// Show only messages of these modules
    #[arg(long, value_name = "MODULE")]
    include_module: Vec<String>,
    /// The least severe messages to show: TRACE, DEBUG, INFO, WARNING or ERROR
    #[arg(long, short, value_name = "LEVEL", default_value = "")]
    level: String,
    /// Show this many messages and end
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: u32,
    /// Show this many of the last messages first (default 10)
    #[arg(long, short = 'n', value_name = "N")]
    lines: Option<u32>,
    /// Show where in the source a message comes from
    #[arg(long)]
    location: bool,
    /// Show milliseconds
    #[arg(long)]
    ms: bool,
    /// End after the messages that there are
    #[arg(long)]
    no_tail: bool,
    /// Show all messages from the start
    #[arg(long)]
    replay: bool,
    /// Connect again when the connection is lost
    #[arg(long)]
    retry: bool,
    /// How long to wait before connecting again
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = duration::parse)]
    retry_delay: Duration,
    /// Wait for new messages
    #[arg(long, short = 'T')]
    tail: bool,
    /// Show times in UTC
    #[arg(long)]
    utc: bool,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    positional: Positional,
}

/// What is asked for, checked.
#[derive(Debug)]
struct Request {
    query: Vec<(&'static str, String)>,
    limit: u32,
    style: Style,
    retry: Option<Duration>,
}

/// How a message looks.
#[derive(Clone, Debug)]
struct Style {
    date: bool,
    ms: bool,
    location: bool,
    color: bool,
    zone: TimeZone,
}

impl Command for Args {
    const ABOUT: About = About {
        name: "debug-log",
        purpose: "Displays log messages for a model.",
        details: "Without options the last ten messages are shown and, on a terminal, those that follow. Entities are \
                  unit names, machine numbers, application names or tags such as unit-mysql-0; * stands for \
                  anything. A module stands for all below it.",
        examples: &[
            ("juju debug-log --replay --no-tail", "All messages there are"),
            ("juju debug-log --include mysql/0 --level ERROR", ""),
            ("juju debug-log --limit 100", ""),
        ],
        see_also: &["status"],
        ..About::NONE
    };

    fn run(self, ctx: &mut Context) -> Result {
        self.positional.clone().none()?;
        ctx.printer.settings_mut().force_color |= self.color;
        let color = ctx.printer.color();
        let zone = if self.utc { TimeZone::UTC } else { (ctx.clock.zone)() };
        let model = self.model.model.clone();
        let request = self.check(ctx.printer.settings().out_is_terminal, color, zone)?;
        block_on(request.run(ctx, model.as_deref()))
    }
}

impl Args {
    fn check(self, is_terminal: bool, color: bool, zone: TimeZone) -> Result<Request> {
        if self.tail && self.no_tail {
            return Err(Error::usage("setting --tail and --no-tail not valid"));
        }
        if self.replay && self.lines.is_some() {
            return Err(Error::usage("setting --replay and --lines not valid"));
        }
        if self.tail && self.limit > 0 {
            return Err(Error::usage("setting --tail and --limit not valid"));
        }
        let level = self.level.to_uppercase();
        if !level.is_empty() && !LEVELS.contains(&level.as_str()) {
            let levels: Vec<_> = LEVELS.iter().map(|it| format!("{it:?}")).collect();
            return Err(Error::usage(format!(
                "level value {:?} is not one of {}",
                self.level,
                levels.join(", ")
            )));
        }
        let mut query = vec![];
        let mut add = |name, value: String| query.push((name, value));
        for (name, values) in [("includeEntity", &self.include), ("excludeEntity", &self.exclude)] {
            values.iter().for_each(|it| add(name, entity(it)));
        }
        for (name, values) in [
            ("includeModule", &self.include_module),
            ("excludeModule", &self.exclude_module),
            ("includeLabel", &self.include_label),
            ("excludeLabel", &self.exclude_label),
        ] {
            values.iter().for_each(|it| add(name, it.clone()));
        }
        if !level.is_empty() {
            add("level", level);
        }
        if self.replay {
            add("replay", "true".to_owned());
        } else if self.limit == 0 {
            add("backlog", self.lines.unwrap_or(LINES).to_string());
        } else {
            add("maxLines", self.limit.to_string());
        }
        let tails = self.tail || (is_terminal && !self.no_tail && self.limit == 0);
        if !tails {
            add("noTail", "true".to_owned());
        }
        let style = Style { date: self.date, ms: self.ms, location: self.location, color, zone };
        let retry = (self.retry && tails).then_some(self.retry_delay);
        Ok(Request { query, limit: self.limit, style, retry })
    }
}

impl Request {
    async fn run(mut self, ctx: &mut Context, model: Option<&str>) -> Result {
        loop {
            let Err(e) = self.follow(ctx, model).await? else { return Ok(()) };
            let Some(delay) = self.retry else { return Err(e) };
            ctx.printer.warning(format!("{e}; connecting again"));
            tokio::time::sleep(delay).await;
        }
    }

    /// Prints until the end. The inner error is one that another connection may cure.
    async fn follow(&mut self, ctx: &mut Context, model: Option<&str>) -> Result<Result> {
        let session = Session::model(ctx, model).await?;
        let uuid = &session.open_model()?.uuid;
        let credentials = &session.credentials;
        let query = Serializer::new(String::new()).extend_pairs(&self.query).finish();
        let config = DialConfig {
            path: format!("/model/{uuid}/log?{query}"),
            headers: credentials.headers(),
            ..DialConfig::controller(credentials.addresses.clone(), &credentials.ca_cert)
        };
        session.connection.close().await;
        let mut stream = match JsonStream::open(&config).await {
            Ok(stream) => stream,
            Err(StreamError::Refused(e)) => return Err(e.into()),
            Err(e) => return Ok(Err(Error::chain(&e))),
        };
        let mut shown = 0;
        loop {
            let message: Value = match stream.next().await {
                Ok(message) => message,
                Err(StreamError::Closed { reason }) if reason.is_empty() => return Ok(Ok(())),
                Err(e) => return Ok(Err(Error::failed(told(&e)))),
            };
            ctx.printer.data(&self.style.line(&message))?;
            // The next connection goes on where this one ended.
            if let Some(at) = message.get("ts").and_then(Value::as_str) {
                self.query.retain(|it| !matches!(it.0, "startTime" | "backlog" | "replay" | "maxLines"));
                self.query.push(("startTime", at.to_owned()));
            }
            shown += 1;
            if self.limit > 0 && shown >= self.limit {
                return Ok(Ok(()));
            }
        }
    }
}

impl Style {
    fn line(&self, message: &Value) -> String {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let when = text("ts").parse::<Timestamp>().map(|at| self.time(at)).unwrap_or_default();
        let severity = text("sev");
        let severity = match severity {
            _ if !self.color => severity.to_owned(),
            "WARNING" => Tone::Warning.paint(severity),
            "ERROR" | "CRITICAL" => Tone::Bad.paint(severity),
            "INFO" => Tone::Info.paint(severity),
            _ => severity.to_owned(),
        };
        let location = if self.location { format!("{} ", text("loc")) } else { String::new() };
        format!("{}: {when} {severity} {} {location}{}\n", text("tag"), text("mod"), text("msg"))
    }

    fn time(&self, at: Timestamp) -> String {
        let zoned = at.to_zoned_datetime(self.zone.clone());
        let format = match (self.date, self.ms) {
            (false, false) => "%H:%M:%S",
            (false, true) => "%H:%M:%S%.3f",
            (true, false) => "%Y-%m-%d %H:%M:%S",
            (true, true) => "%Y-%m-%d %H:%M:%S%.3f",
        };
        zoned.strftime(format).to_string()
    }
}

/// The tag of what a person names; what is none already, or holds a `*`, stays as it is.
fn entity(name: &str) -> String {
    if let Ok(unit) = name.parse::<UnitName>() {
        return Tag::from(unit).to_string();
    }
    if let Ok(machine) = name.parse::<MachineId>() {
        return Tag::from(machine).to_string();
    }
    if name.parse::<Tag>().is_err() && ApplicationName::is_valid(name) {
        return format!("unit-{name}-*");
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;
    use crate::cli::Definition;

    fn ask(line: &str, is_terminal: bool) -> std::result::Result<Vec<String>, String> {
        let matches =
            Definition::of::<Args>().parser().try_get_matches_from(line.split_whitespace()).unwrap();
        let request = Args::from_arg_matches(&matches).unwrap().check(is_terminal, false, TimeZone::UTC);
        let pairs = |it: Request| it.query.into_iter().map(|(k, v)| format!("{k}={v}")).collect();
        request.map(pairs).map_err(|e| e.to_string())
    }

    #[test]
    fn flags_become_a_query() {
        for (line, is_terminal, want) in [
            ("", true, &["backlog=10"][..]),
            ("", false, &["backlog=10", "noTail=true"]),
            ("--tail", false, &["backlog=10"]),
            ("--no-tail", true, &["backlog=10", "noTail=true"]),
            ("--replay --no-tail", true, &["replay=true", "noTail=true"]),
            ("--replay", true, &["replay=true"]),
            ("--lines 5", true, &["backlog=5"]),
            ("--limit 15", true, &["maxLines=15", "noTail=true"]),
            ("--limit 15 --replay", true, &["replay=true", "noTail=true"]),
            (
                "-i web/0 -i 0 -x web --include-module juju.worker -l error",
                true,
                &[
                    "includeEntity=unit-web-0",
                    "includeEntity=machine-0",
                    "excludeEntity=unit-web-*",
                    "includeModule=juju.worker",
                    "level=ERROR",
                    "backlog=10",
                ],
            ),
            (
                "-i unit-web-* -i machine-0-lxd-1",
                true,
                &["includeEntity=unit-web-*", "includeEntity=machine-0-lxd-1", "backlog=10"],
            ),
        ] {
            assert_eq!(ask(line, is_terminal).unwrap(), want, "{line:?}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (line, want) in [
            ("--tail --no-tail", "setting --tail and --no-tail not valid"),
            ("--replay --lines 3", "setting --replay and --lines not valid"),
            (
                "--level loud",
                "level value \"loud\" is not one of \"TRACE\", \"DEBUG\", \"INFO\", \"WARNING\", \"ERROR\"",
            ),
        ] {
            assert_eq!(ask(line, true), Err(want.to_owned()));
        }
    }

    #[test]
    fn lines_are_jujus() {
        let message = serde_json::json!({"tag": "unit-web-0", "ts": "2026-03-02T10:05:02.123456Z", "sev": "INFO",
            "mod": "juju.worker.uniter", "loc": "uniter.go:334", "msg": "text", "lab": []});
        let plain = Style { date: false, ms: false, location: false, color: false, zone: TimeZone::UTC };
        assert_eq!(plain.line(&message), "unit-web-0: 10:05:02 INFO juju.worker.uniter text\n");
        let all = Style { date: true, ms: true, location: true, ..plain };
        assert_eq!(
            all.line(&message),
            "unit-web-0: 2026-03-02 10:05:02.123 INFO juju.worker.uniter uniter.go:334 text\n"
        );
    }
}
