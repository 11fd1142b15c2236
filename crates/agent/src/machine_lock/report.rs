//! The words of the machine lock: its log lines and its reports, as Juju has them.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use jiff::ZonedDateTime;
use serde::Serialize;

use crate::yaml;

/// One request on its way from asked for to released.
#[derive(Debug, Clone)]
pub(super) struct Record {
    worker: String,
    comment: String,
    requested: (ZonedDateTime, Instant),
    pub(super) acquired: Option<(ZonedDateTime, Instant)>,
    pub(super) released: Option<(ZonedDateTime, Instant)>,
}

/// What a report shows beyond holder and waiting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReportOptions {
    /// Maps with times instead of one line each.
    pub yaml: bool,
    pub history: bool,
}

const TIME: &str = "%Y-%m-%d %H:%M:%S";

impl Record {
    pub(super) fn new(worker: String, comment: String) -> Self {
        Self {
            worker,
            comment,
            requested: (ZonedDateTime::now(), Instant::now()),
            acquired: None,
            released: None,
        }
    }

    pub(super) fn log_line(&self, agent: &str) -> String {
        format!("{} {agent}: {}\n", time(self.released.as_ref()), self.line())
    }

    fn line(&self) -> String {
        let mut line = self.worker.clone();
        if !self.comment.is_empty() {
            line.push_str(&format!(" ({})", self.comment));
        }
        match (&self.acquired, &self.released) {
            (None, _) => line.push_str(&format!(", waiting {}", seconds(self.requested.1.elapsed()))),
            (Some((_, at)), None) => line.push_str(&format!(", holding {}", seconds(at.elapsed()))),
            (Some(_), Some(_)) => line.push_str(&format!(
                ", waited {}, held {}",
                seconds(self.wait_time().unwrap_or_default()),
                seconds(self.hold_time().unwrap_or_default()),
            )),
        }
        line
    }

    fn wait_time(&self) -> Option<Duration> {
        Some(self.acquired.as_ref()?.1 - self.requested.1)
    }

    fn hold_time(&self) -> Option<Duration> {
        Some(self.released.as_ref()?.1 - self.acquired.as_ref()?.1)
    }

    fn entry(&self, yaml: bool, with_time: bool) -> Entry {
        if yaml {
            let wait = self.wait_time().unwrap_or_else(|| self.requested.1.elapsed());
            let hold = self.hold_time().or_else(|| Some(self.acquired.as_ref()?.1.elapsed()));
            Entry::Map(RecordMap {
                worker: self.worker.clone(),
                comment: self.comment.clone(),
                requested: time(Some(&self.requested)),
                acquired: time(self.acquired.as_ref()),
                released: time(self.released.as_ref()),
                wait_time: some_seconds(Some(wait)),
                hold_time: some_seconds(hold),
            })
        } else if with_time {
            Entry::Line(format!("{} {}", time(self.released.as_ref()), self.line()))
        } else {
            Entry::Line(self.line())
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Line(String),
    Map(RecordMap),
    Many(Vec<Entry>),
    None(Option<()>),
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct RecordMap {
    worker: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    comment: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    requested: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    acquired: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    released: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hold_time: Option<String>,
}

#[derive(Serialize)]
struct Report {
    holder: Entry,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Entry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Entry>,
}

pub(super) fn render(
    agent: &str,
    holding: &BTreeMap<u64, Record>,
    waiting: &BTreeMap<u64, Record>,
    history: &VecDeque<Record>,
    options: ReportOptions,
) -> String {
    let mut holders: Vec<_> = holding.values().map(|record| record.entry(options.yaml, false)).collect();
    let holder = match holders.len() {
        0 if options.yaml => Entry::None(None),
        0 => Entry::Line("none".to_owned()),
        1 => holders.remove(0),
        // Requests of different groups hold at the same time; Juju shows the last of them only.
        _ => Entry::Many(holders),
    };
    let history = if options.history { Some(history) } else { None };
    let report = Report {
        holder,
        waiting: waiting.values().map(|record| record.entry(options.yaml, false)).collect(),
        history: history.into_iter().flatten().map(|record| record.entry(options.yaml, true)).collect(),
    };
    yaml::to_string(&BTreeMap::from([(agent, report)])).unwrap_or_else(|error| format!("error: {error}\n"))
}

pub(super) fn start_line(agent: &str, started: &ZonedDateTime) -> String {
    format!("{} === agent {agent} started ===\n", started.strftime(TIME))
}

fn time(at: Option<&(ZonedDateTime, Instant)>) -> String {
    at.map(|(at, _)| at.strftime(TIME).to_string()).unwrap_or_default()
}

/// Zero is left out, as Go leaves it out.
fn some_seconds(duration: Option<Duration>) -> Option<String> {
    duration.map(seconds).filter(|text| text != "0s")
}

/// A duration in whole seconds as Go prints it: `0s`, `1m3s`, `2h0m5s`.
fn seconds(duration: Duration) -> String {
    let total = (duration + Duration::from_millis(500)).as_secs();
    let (hours, minutes, seconds) = (total / 3600, total / 60 % 60, total % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, _) => format!("{minutes}m{seconds}s"),
        _ => format!("{hours}h{minutes}m{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_gos() {
        for (millis, want) in
            [(0, "0s"), (499, "0s"), (500, "1s"), (63_000, "1m3s"), (60_000, "1m0s"), (7_205_000, "2h0m5s")]
        {
            assert_eq!(seconds(Duration::from_millis(millis)), want);
        }
    }

    #[test]
    fn a_report_as_text_and_as_maps() {
        let mut held = Record::new("mysql/0 uniter".into(), "run start hook".into());
        held.acquired = Some((ZonedDateTime::now(), Instant::now()));
        let waits = Record::new("juju-exec".into(), String::new());
        let mut past = held.clone();
        past.released = past.acquired.clone();
        let (holding, waiting, history) =
            (BTreeMap::from([(0, held)]), BTreeMap::from([(1, waits)]), VecDeque::from([past]));
        let at = |options| render("machine-4", &holding, &waiting, &history, options);

        let text = at(ReportOptions::default());
        assert_eq!(
            text,
            "machine-4:\n  holder: mysql/0 uniter (run start hook), holding 0s\n  waiting:\n  - juju-exec, waiting 0s\n"
        );
        let text = at(ReportOptions { history: true, yaml: false });
        assert!(text.contains("  history:\n  - "), "{text}");
        assert!(text.contains(" mysql/0 uniter (run start hook), waited 0s, held 0s"), "{text}");

        let text = at(ReportOptions { history: true, yaml: true });
        let back: serde_json::Value = yaml::from_str(&text).unwrap();
        assert_eq!(back["machine-4"]["holder"]["worker"], "mysql/0 uniter");
        assert_eq!(back["machine-4"]["waiting"][0]["comment"], serde_json::Value::Null);
        assert!(back["machine-4"]["history"][0]["released"].is_string());
    }

    #[test]
    fn nothing_held_is_none_or_null() {
        let empty = BTreeMap::new();
        let text = render("m", &empty, &empty, &VecDeque::new(), ReportOptions::default());
        assert_eq!(text, "m:\n  holder: none\n");
        let text =
            render("m", &empty, &empty, &VecDeque::new(), ReportOptions { yaml: true, history: false });
        assert_eq!(text, "m:\n  holder: null\n");
    }
}
