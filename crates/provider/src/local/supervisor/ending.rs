//! Ends all processes of a machine, however they take it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::census::CensusTaker;
use super::procfs::{self, Process};

/// How often an empty result must be seen: a process that forks while it is looked for can be
/// missed once.
const EMPTY: u32 = 2;

/// Returns when the machine has no process left. Each gets SIGTERM once, and SIGKILL when the grace
/// is over. Processes that the kernel does not let go are waited for, and named in the log.
pub(super) async fn end_all(taker: &Arc<CensusTaker>, key: &str, grace: Duration) {
    let began = Instant::now();
    let mut complain_at = began + grace + Duration::from_secs(10);
    let mut asked: HashSet<(i32, u64)> = HashSet::new();
    let mut empty = 0;
    let mut pause = Duration::from_millis(2);
    loop {
        match taker.of(key).await {
            Ok(processes) if processes.is_empty() => {
                empty += 1;
                if empty == EMPTY {
                    taker.forget(key);
                    return;
                }
                continue;
            }
            Ok(processes) => {
                empty = 0;
                let patient = began.elapsed() < grace;
                for process in &processes {
                    if !patient {
                        signal(process, Signal::SIGKILL);
                    } else if asked.insert((process.pid, process.start)) {
                        signal(process, Signal::SIGTERM);
                        // A stopped process sees the first signal only when it continues.
                        signal(process, Signal::SIGCONT);
                    }
                }
                if Instant::now() > complain_at {
                    let pids: Vec<_> = processes.iter().map(|process| process.pid).collect();
                    tracing::warn!(machine = key, ?pids, "processes do not end");
                    complain_at = Instant::now() + Duration::from_secs(60);
                }
            }
            Err(error) => {
                empty = 0;
                tracing::warn!(machine = key, %error, "cannot look for processes");
                pause = Duration::from_millis(500);
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Sends a signal to a process, and not to another that has its pid by now.
pub(super) fn signal(process: &Process, signal: Signal) {
    if procfs::is_alive(process.pid, process.start) {
        // It may end at this moment, and a process of another user cannot be signalled.
        if let Err(error) = kill(Pid::from_raw(process.pid), signal) {
            tracing::debug!(pid = process.pid, %error, "not signalled");
        }
    }
}
