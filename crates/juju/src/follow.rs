//! Following a model until it has settled. Pure: statuses in, lines and a verdict out.

use std::{collections::BTreeMap, time::Duration};

use crate::status::{Info, Status, Unit, each_subordinate};

/// Where a model stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every application has units, all of them are active, and their agents have nothing left to do.
    Active,
    /// Something failed and will not mend itself.
    Failed(String),
    /// Not yet; what is waited for.
    Waiting(String),
}

/// Judges a model of which these applications are expected.
pub fn verdict(status: &Status, expected: &[String]) -> Verdict {
    let mut waiting = None;
    for (id, machine) in &status.machines {
        let failed = ["error", "provisioning error", "down"];
        for info in [&machine.juju_status, &machine.machine_status] {
            if failed.contains(&info.current.as_str()) {
                return Verdict::Failed(format!(
                    "machine {id} is in state {}{}",
                    info.current,
                    because(info)
                ));
            }
        }
    }
    for name in expected {
        let Some(application) = status.applications.get(name) else {
            waiting.get_or_insert_with(|| format!("application {name}"));
            continue;
        };
        if let Some(error) = &application.error {
            return Verdict::Failed(format!("application {name}: {error}"));
        }
        let units = units_of(status, name);
        if units.is_empty() && (application.subordinate_to.is_empty() || application.relations.is_empty()) {
            waiting.get_or_insert_with(|| format!("units of {name}"));
        }
        for (unit, it) in units {
            let (workload, agent) = (&it.workload_status, &it.juju_status);
            if workload.current == "error" || agent.current == "error" || workload.current == "terminated" {
                return Verdict::Failed(format!(
                    "unit {unit} is in state {}{}",
                    workload.current,
                    because(workload)
                ));
            }
            if workload.current != "active" || agent.current != "idle" {
                waiting.get_or_insert_with(|| format!("{unit}: {}{}", workload.current, because(workload)));
            }
        }
    }
    waiting.map_or(Verdict::Active, Verdict::Waiting)
}

fn because(info: &Info) -> String {
    if info.message.is_empty() { String::new() } else { format!(": {}", info.message) }
}

/// The units of an application, those of a subordinate wherever they are.
fn units_of<'a>(status: &'a Status, name: &str) -> Vec<(&'a str, &'a Unit)> {
    let mut units = vec![];
    let is_its = |unit: &str| unit.rsplit_once('/').is_some_and(|it| it.0 == name);
    for (unit, it) in status.applications.values().flat_map(|it| &it.units) {
        if is_its(unit) {
            units.push((unit.as_str(), &it.value));
        }
        each_subordinate(&it.value, 1, &mut |unit, it, _| {
            if is_its(unit) {
                units.push((unit, it));
            }
        });
    }
    units
}

/// What has changed since the last look, a line each.
#[derive(Debug, Default)]
pub struct Changes {
    seen: BTreeMap<String, String>,
}

impl Changes {
    /// Lines for what is new, with the time since the start.
    pub fn since_last(&mut self, status: &Status, elapsed: Duration) -> Vec<String> {
        let mut now = BTreeMap::new();
        for (id, machine) in &status.machines {
            let (state, message) = (&machine.juju_status.current, &machine.machine_status.message);
            now.insert(format!("machine {id}"), text(state, message));
        }
        let mut unit = |name: &str, it: &Unit| {
            let (workload, agent) = (&it.workload_status, &it.juju_status);
            let doing = if agent.current == "executing" && !agent.message.is_empty() {
                format!(" ({})", agent.message)
            } else {
                String::new()
            };
            now.insert(name.to_owned(), text(&workload.current, &workload.message) + &doing);
        };
        for (name, it) in status.applications.values().flat_map(|it| &it.units) {
            unit(name, &it.value);
            each_subordinate(&it.value, 1, &mut |name, it, _| unit(name, it));
        }
        let is_new = |it: &(&String, &String)| self.seen.get(it.0) != Some(it.1);
        let line =
            |(name, text): (&String, &String)| format!("{:>6.1} s  {name}: {text}", elapsed.as_secs_f64());
        let lines = now.iter().filter(is_new).map(line).collect();
        self.seen = now;
        lines
    }
}

fn text(state: &str, message: &str) -> String {
    if message.is_empty() { state.to_owned() } else { format!("{state}, {message}") }
}

#[cfg(test)]
mod tests {
    use juju_wire::{codec::De, facade::client::FullStatus};

    use super::*;
    use crate::{
        output::time::Zone,
        status::{Options, convert},
    };

    fn status(applications: &str, machines: &str) -> Status {
        let text = format!(
            r#"{{"model":{{"name":"try","cloud-tag":"cloud-local"}},"applications":{applications},"machines":{machines}}}"#
        );
        let De(reply) = serde_json::from_str::<De<FullStatus>>(&text).unwrap();
        let zone = Zone { iso: true, local: jiff::tz::TimeZone::UTC };
        convert(&reply, &Options { controller: "c".into(), zone, relations: false, storage: false })
    }

    fn unit(workload: &str, message: &str, agent: &str) -> String {
        format!(
            r#"{{"workload-status":{{"status":"{workload}","info":"{message}"}},"agent-status":{{"status":"{agent}"}}}}"#
        )
    }

    fn web(unit: &str) -> Status {
        status(&format!(r#"{{"web":{{"charm":"local:web-0","units":{{"web/0":{unit}}}}}}}"#), "{}")
    }

    #[test]
    fn a_model_is_active_when_all_of_it_rests() {
        let expected = ["web".to_owned()];
        for (status, want) in [
            (web(&unit("active", "", "idle")), Verdict::Active),
            (web(&unit("active", "", "executing")), Verdict::Waiting("web/0: active".into())),
            (
                web(&unit("waiting", "for machine", "allocating")),
                Verdict::Waiting("web/0: waiting: for machine".into()),
            ),
            (web(&unit("blocked", "needs db", "idle")), Verdict::Waiting("web/0: blocked: needs db".into())),
            (
                web(&unit("error", "hook failed: install", "idle")),
                Verdict::Failed("unit web/0 is in state error: hook failed: install".into()),
            ),
            (status("{}", "{}"), Verdict::Waiting("application web".into())),
            (status(r#"{"web":{"charm":"local:web-0"}}"#, "{}"), Verdict::Waiting("units of web".into())),
            (
                status(
                    "{}",
                    r#"{"0":{"id":"0","instance-status":{"status":"provisioning error","info":"no room"}}}"#,
                ),
                Verdict::Failed("machine 0 is in state provisioning error: no room".into()),
            ),
        ] {
            assert_eq!(verdict(&status, &expected), want);
        }
    }

    #[test]
    fn a_failure_beats_what_is_still_waited_for() {
        let both = format!(
            r#"{{"a":{{"charm":"local:a-0","units":{{"a/0":{}}}}},"b":{{"charm":"local:b-0","units":{{"b/0":{}}}}}}}"#,
            unit("waiting", "", "allocating"),
            unit("error", "", "idle")
        );
        let expected = ["a", "b"].map(String::from);
        assert_eq!(
            verdict(&status(&both, "{}"), &expected),
            Verdict::Failed("unit b/0 is in state error".into())
        );
    }

    #[test]
    fn subordinates_count_where_they_are() {
        let text = |log: &str| {
            format!(
                r#"{{"web":{{"charm":"local:web-0","units":{{"web/0":{{"workload-status":{{"status":"active"}},
                "agent-status":{{"status":"idle"}},"subordinates":{{"log/0":{log}}}}}}}}},
                "log":{{"charm":"local:log-0","subordinate-to":["web"],"relations":{{"juju-info":["web"]}}}}}}"#
            )
        };
        let expected = ["web", "log"].map(String::from);
        assert_eq!(verdict(&status(&text(&unit("active", "", "idle")), "{}"), &expected), Verdict::Active);
        let waiting = status(&text(&unit("waiting", "", "allocating")), "{}");
        assert_eq!(verdict(&waiting, &expected), Verdict::Waiting("log/0: waiting".into()));
    }

    #[test]
    fn only_what_is_new_is_said() {
        let mut changes = Changes::default();
        let at = |n| Duration::from_millis(n);
        let first = changes.since_last(&web(&unit("waiting", "for machine", "allocating")), at(120));
        assert_eq!(first, ["   0.1 s  web/0: waiting, for machine"]);
        assert!(changes.since_last(&web(&unit("waiting", "for machine", "allocating")), at(200)).is_empty());
        assert_eq!(
            changes.since_last(&web(&unit("active", "", "idle")), at(1500)),
            ["   1.5 s  web/0: active"]
        );
    }
}
