//! Processes as the kernel shows them in `/proc`.

use std::fs;
use std::io;
use std::path::Path;

/// One process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: i32,
    pub(super) parent: i32,
    pub(super) session: i32,
    /// In clock ticks since the boot. With the pid it names a process for good, until the next boot.
    pub(super) start: u64,
    pub(super) zombie: bool,
}

/// A process of this pid, if there is one.
pub(super) fn process(pid: i32) -> Option<Process> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Whether the very same process still runs.
pub(super) fn is_alive(pid: i32, start: u64) -> bool {
    process(pid).is_some_and(|process| process.start == start && !process.zombie)
}

/// All processes of this host, those that end meanwhile aside.
pub(super) fn processes() -> io::Result<Vec<Process>> {
    let mut all = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let pid = entry?.file_name().to_str().and_then(|name| name.parse().ok());
        all.extend(pid.and_then(process));
    }
    Ok(all)
}

/// The value of a variable in the environment that a process was started with. Processes of other
/// users do not show theirs.
pub(super) fn env_value(pid: i32, name: &str) -> Option<String> {
    let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environ
        .split(|byte| *byte == 0)
        .filter_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
        .map(|value| String::from_utf8_lossy(value).into_owned())
        .next()
}

/// Changes with every boot.
pub(super) fn boot_id() -> String {
    fs::read_to_string(Path::new("/proc/sys/kernel/random/boot_id"))
        .map(|id| id.trim().to_owned())
        .unwrap_or_default()
}

/// The second field is the program's name in parentheses and may hold anything, parentheses too.
fn parse_stat(text: &str) -> Option<Process> {
    let (pid, rest) = text.split_once(" (")?;
    let (_, rest) = rest.rsplit_once(") ")?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    // Field 22 of the line; the state is field 3.
    let start = fields.nth(15)?.parse().ok()?;
    Some(Process { pid: pid.parse().ok()?, parent, session, start, zombie: matches!(state, "Z" | "X") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whatever_the_programs_name() {
        let line = "42 (a) (b) S) R 7 42 41 34816 42 4194304 99 0 0 0 1 2 3 4 20 0 1 0 123456 0 0 18446744073709551615";
        assert_eq!(
            parse_stat(line),
            Some(Process { pid: 42, parent: 7, session: 41, start: 123_456, zombie: false })
        );
        assert!(parse_stat("42 (x) Z 7").is_none());
        assert!(parse_stat("").is_none());
    }

    #[test]
    fn this_process_is_found() {
        let pid = std::process::id() as i32;
        let own = process(pid).unwrap();
        assert!(is_alive(pid, own.start) && !is_alive(pid, own.start + 1));
        assert!(processes().unwrap().contains(&Process { zombie: false, ..own }));
        assert_eq!(env_value(pid, "CARGO_PKG_NAME").as_deref(), Some(env!("CARGO_PKG_NAME")));
        assert_eq!(env_value(pid, "CARGO_PKG_NAM"), None);
        assert_eq!(boot_id().len(), 36);
    }
}
