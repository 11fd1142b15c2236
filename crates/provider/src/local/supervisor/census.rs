//! Which process is whose.
//!
//! A machine's processes are its agent and all that came of it, wherever they are by now. They are
//! known by the marker in their environment, by the session that their agent leads, by their
//! parents, or by having been known before. One that left the session, cleared its environment and
//! lost its parent before anyone looked is known no more; it takes a program that means to.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::procfs::{self, Process};

/// The variable that marks a machine's processes.
pub const MARKER: &str = "JUJU_LOCAL_MACHINE";

/// All processes of all machines at one moment, by key.
pub(super) type Census = HashMap<String, Vec<Process>>;

/// Takes a census for all who ask; those who ask while one is taken share the next.
#[derive(Debug)]
pub(super) struct CensusTaker {
    /// What the marker of this supervisor's machines ends with, so that two supervisors of one user
    /// never take each other's machines for theirs.
    suffix: String,
    knowledge: Mutex<Knowledge>,
    latest: tokio::sync::Mutex<Option<(Instant, Arc<Census>)>>,
}

#[derive(Debug, Default)]
struct Knowledge {
    /// Keys by the agents' pids, which are their sessions too, with their start times.
    agents: HashMap<i32, (u64, String)>,
    /// Keys of processes seen before.
    seen: HashMap<(i32, u64), String>,
}

impl CensusTaker {
    pub(super) fn new(domain: &str) -> Self {
        Self {
            suffix: format!("@{domain}"),
            knowledge: Mutex::default(),
            latest: tokio::sync::Mutex::default(),
        }
    }

    /// The value of [`MARKER`] for a machine.
    pub(super) fn marker(&self, key: &str) -> String {
        format!("{key}{}", self.suffix)
    }

    /// From now on this session is that of a machine.
    pub(super) fn add_agent(&self, pid: i32, start: u64, key: &str) {
        self.knowledge().agents.insert(pid, (start, key.to_owned()));
    }

    /// All processes of a machine have ended, so its pids may belong to others from now on.
    pub(super) fn forget(&self, key: &str) {
        let mut knowledge = self.knowledge();
        knowledge.agents.retain(|_, (_, of)| of != key);
        knowledge.seen.retain(|_, of| of != key);
    }

    /// The processes that a machine has, as of some moment after the call.
    pub(super) async fn of(self: &Arc<Self>, key: &str) -> io::Result<Vec<Process>> {
        Ok(self.take().await?.get(key).cloned().unwrap_or_default())
    }

    pub(super) async fn take(self: &Arc<Self>) -> io::Result<Arc<Census>> {
        let asked = Instant::now();
        let mut latest = self.latest.lock().await;
        if let Some((began, census)) = latest.as_ref()
            && *began >= asked
        {
            return Ok(census.clone());
        }
        let began = Instant::now();
        let taker = self.clone();
        let census = tokio::task::spawn_blocking(move || taker.count()).await.map_err(io::Error::other)??;
        let census = Arc::new(census);
        *latest = Some((began, census.clone()));
        Ok(census)
    }

    fn count(&self) -> io::Result<Census> {
        let processes = procfs::processes()?;
        let marked = |pid| {
            let value = procfs::env_value(pid, MARKER)?;
            Some(value.strip_suffix(&self.suffix)?.to_owned())
        };
        let mut knowledge = self.knowledge();
        Ok(knowledge.attribute(&processes, std::process::id() as i32, marked))
    }

    fn knowledge(&self) -> std::sync::MutexGuard<'_, Knowledge> {
        self.knowledge.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Knowledge {
    /// Sorts processes by machine and remembers what it found. The supervisor itself is nobody's,
    /// and descent ends at it.
    fn attribute(
        &mut self,
        processes: &[Process],
        own: i32,
        marked: impl Fn(i32) -> Option<String>,
    ) -> Census {
        let by_pid: HashMap<i32, &Process> = processes.iter().map(|process| (process.pid, process)).collect();
        let mut direct: HashMap<i32, String> = HashMap::new();
        for process in processes.iter().filter(|process| process.pid != own) {
            let seen = self.seen.get(&(process.pid, process.start)).cloned();
            let key = seen.or_else(|| self.by_session(process, &by_pid)).or_else(|| marked(process.pid));
            if let Some(key) = key {
                direct.insert(process.pid, key);
            }
        }
        let mut census = Census::new();
        let mut seen = HashMap::new();
        for process in processes.iter().filter(|process| process.pid != own && !process.zombie) {
            if let Some(key) = by_descent(process, own, &by_pid, &direct) {
                seen.insert((process.pid, process.start), key.clone());
                census.entry(key).or_default().push(*process);
            }
        }
        self.seen = seen;
        census
    }

    /// A session whose leader is a process other than the agent is another's: the pid was reused.
    fn by_session(&self, process: &Process, by_pid: &HashMap<i32, &Process>) -> Option<String> {
        let (start, key) = self.agents.get(&process.session)?;
        match by_pid.get(&process.session) {
            Some(leader) if leader.start != *start => None,
            _ => Some(key.clone()),
        }
    }
}

fn by_descent(
    process: &Process,
    own: i32,
    by_pid: &HashMap<i32, &Process>,
    direct: &HashMap<i32, String>,
) -> Option<String> {
    let mut at = process;
    // Bounded, since what is read piece by piece may even have a circle in it.
    for _ in 0..by_pid.len() {
        if let Some(key) = direct.get(&at.pid) {
            return Some(key.clone());
        }
        if at.parent == own || at.parent <= 1 {
            return None;
        }
        at = by_pid.get(&at.parent)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: i32 = 10;

    fn process(pid: i32, parent: i32, session: i32) -> Process {
        Process { pid, parent, session, start: pid as u64, zombie: false }
    }

    fn pids(census: &Census, key: &str) -> Vec<i32> {
        let mut pids: Vec<_> = census.get(key).into_iter().flatten().map(|process| process.pid).collect();
        pids.sort_unstable();
        pids
    }

    #[test]
    fn processes_are_told_by_marker_session_and_descent() {
        let mut knowledge = Knowledge::default();
        knowledge.agents.insert(20, (20, "a".into()));
        let processes = [
            process(1, 0, 1),
            process(OWN, 1, OWN),
            process(20, OWN, 20), // the agent of a
            process(21, 20, 20),  // its hook
            process(22, 21, 22),  // its hook's child with a session of its own
            process(23, OWN, 20), // an orphan in its session
            process(24, OWN, 24), // an orphan of b by its marker
            process(25, 24, 25),  // and its child
            process(26, OWN, 26), // nobody's
            process(27, 1, 27),   // nobody's
            process(28, 99, 28),  // with a parent that has just gone
        ];
        let marked = |pid| (pid == 24 || pid == OWN).then(|| "b".to_owned());
        let census = knowledge.attribute(&processes, OWN, marked);
        assert_eq!(pids(&census, "a"), [20, 21, 22, 23]);
        assert_eq!(pids(&census, "b"), [24, 25]);
        assert_eq!(census.len(), 2);

        // Next time 22 is an orphan; it was seen before. And 25 is another process now.
        let mut reused = process(25, 1, 25);
        reused.start = 500;
        let processes = [process(1, 0, 1), process(22, 1, 22), reused];
        let census = knowledge.attribute(&processes, OWN, |_| None);
        assert_eq!(pids(&census, "a"), [22]);
        assert!(pids(&census, "b").is_empty());
    }

    #[test]
    fn a_reused_session_and_zombies_are_nobodys() {
        let mut knowledge = Knowledge::default();
        knowledge.agents.insert(20, (3, "a".into()));
        knowledge.agents.insert(30, (30, "b".into()));
        let zombie = Process { zombie: true, ..process(30, OWN, 30) };
        let processes = [process(20, 1, 20), process(21, 20, 20), zombie, process(31, OWN, 30)];
        let census = knowledge.attribute(&processes, OWN, |_| None);
        assert!(pids(&census, "a").is_empty());
        assert_eq!(pids(&census, "b"), [31]);
    }

    #[test]
    fn a_circle_of_parents_ends() {
        let mut knowledge = Knowledge::default();
        let census = knowledge.attribute(&[process(20, 21, 1), process(21, 20, 1)], OWN, |_| None);
        assert!(census.is_empty());
    }

    #[tokio::test]
    async fn a_census_is_taken_of_this_host() {
        let taker = Arc::new(CensusTaker::new("/somewhere"));
        assert!(taker.of("none").await.unwrap().is_empty());
        assert_eq!(taker.marker("a"), "a@/somewhere");
    }
}
