//! One record as text: Juju's line, and Juju's names for our modules.

use jiff::Timestamp;
use tracing::Level;

/// `2024-05-06 07:08:09 INFO juju.worker.upgrader upgrader.go:123 text`, in UTC.
pub(super) fn format(at: Timestamp, level: Level, module: &str, location: &str, message: &str) -> String {
    let time = at.strftime("%Y-%m-%d %H:%M:%S");
    let location = if location.is_empty() { String::new() } else { format!("{location} ") };
    format!("{time} {} {module} {location}{message}\n", word(level))
}

/// Juju's word for a level.
pub(super) fn word(level: Level) -> &'static str {
    match level {
        Level::TRACE => "TRACE",
        Level::DEBUG => "DEBUG",
        Level::INFO => "INFO",
        Level::WARN => "WARNING",
        Level::ERROR => "ERROR",
    }
}

/// The Juju module that a Rust target stands for. Operators filter by these names.
pub(super) fn module(target: &str) -> String {
    let (head, tail) = target.split_once("::").unwrap_or((target, ""));
    let place = match head {
        "juju_workers" | "juju_controller" => "juju.worker",
        "juju_uniter" => "juju.worker.uniter",
        "juju_engine" => "juju.worker.dependency",
        "juju_apiserver" => "juju.apiserver",
        "juju_rpc" => "juju.rpc",
        "juju_state" | "juju_store" => "juju.state",
        "juju_provider" => "juju.provider",
        "juju_agent" => "juju.agent",
        "jujud" => "juju.cmd.jujud",
        // Juju's own names, and those of units (`unit.mysql/0.juju-log`), pass as they are.
        other => return if tail.is_empty() { other.to_owned() } else { target.replace("::", ".") },
    };
    if tail.is_empty() {
        place.to_owned()
    } else {
        format!("{place}.{}", tail.replace("::", ".").replace('_', "-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_jujus() {
        let at = "2024-05-06T07:08:09.123Z".parse().unwrap();
        let line = format(at, Level::WARN, "juju.worker.upgrader", "upgrader.rs:12", "text");
        assert_eq!(line, "2024-05-06 07:08:09 WARNING juju.worker.upgrader upgrader.rs:12 text\n");
    }

    #[test]
    fn modules_have_jujus_names() {
        for (target, expected) in [
            ("juju_workers::api_caller", "juju.worker.api-caller"),
            ("juju_uniter", "juju.worker.uniter"),
            ("juju_engine::engine", "juju.worker.dependency.engine"),
            ("unit.mysql/0.juju-log", "unit.mysql/0.juju-log"),
            ("rustls::conn", "rustls.conn"),
        ] {
            assert_eq!(module(target), expected);
        }
    }
}
