//! A process that writes to SQLite is killed at a random moment, again and again: every commit that was
//! acknowledged is there, and none is there by half.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use juju_store::{Revision, Sqlite, Store, TxnId};
use support::put;

mod support;

const DIRECTORY: &str = "STORE_KILL_TEST_DIRECTORY";
const WRITERS: usize = 16;
/// Each of the rounds goes on until so many commits have been acknowledged, and then a random while.
const AT_LEAST: usize = 500;
const ROUNDS: usize = 6;

/// The process to be killed, when the environment says so. Each writer commits three keys at once, again and
/// again, and says so on standard output once it is told that they are committed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let store = Sqlite::open(directory).await.expect("a store");
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            let last = store.get(&[&format!("last/{writer}")], None).await.expect("get").entries.pop();
            let first = last.map_or(0, |it| parse(&it.value) + 1);
            for n in first.. {
                let writes = vec![
                    put(&format!("one/{writer:02}/{n:06}"), vec![b'x'; 300]),
                    put(&format!("two/{writer:02}/{n:06}"), vec![b'y'; n % 5000]),
                    put(&format!("last/{writer}"), format!("{n}")),
                ];
                let at = store.commit(vec![], writes, TxnId::new()).await.expect("commit");
                // A line is one write, so that a kill leaves lines whole or not at all.
                let line = format!("ack {writer} {n} {at}\n");
                std::io::stdout().lock().write_all(line.as_bytes()).expect("the parent reads");
                if n % 400 == 399 {
                    store.compact(Revision(at.0 - 100)).await.expect("compact");
                }
            }
        });
    }
    writers.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_commits_survive() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut acknowledged = BTreeMap::new();
    for round in 0..ROUNDS {
        let mut child = start(directory.path());
        let lines = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut count = 0;
        let mut until = None;
        for line in lines.lines() {
            let line = line.expect("readable");
            // The test harness has something to say as well.
            let Some(ack) = line.split_once("ack ").map(|(_, ack)| ack) else { continue };
            let words: Vec<usize> = ack.split(' ').map(|it| it.parse().expect("a number")).collect();
            let [writer, n, at] = words[..] else { panic!("{line:?}") };
            acknowledged.insert((writer, n), Revision(at as u64));
            count += 1;
            if count == AT_LEAST {
                until = Some(Instant::now() + Duration::from_micros(rand::random_range(0..150_000)));
            }
            if until.is_some_and(|it| Instant::now() >= it) {
                child.kill().expect("killed");
                until = None;
            }
        }
        let status = child.wait().expect("it ends");
        assert!(status.code().is_none(), "it was to be killed, and ended with {status}");
        assert!(count >= AT_LEAST, "round {round}: {count}");
        check(directory.path(), &acknowledged).await;
    }
    println!("{} commits were acknowledged in {ROUNDS} rounds, and all are there", acknowledged.len());
    assert!(acknowledged.len() >= AT_LEAST * ROUNDS);
}

fn start(directory: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "child", "--nocapture"]).env(DIRECTORY, directory);
    command.stdout(Stdio::piped()).spawn().expect("it starts")
}

async fn check(directory: &Path, acknowledged: &BTreeMap<(usize, usize), Revision>) {
    // The lock went with the process.
    let store = Sqlite::open(directory).await.expect("the store");
    let one = all(&*store, "one/").await;
    let two = all(&*store, "two/").await;
    assert_eq!(one, two, "a commit is there by half");
    for (commit, at) in acknowledged {
        assert_eq!(one.get(commit), Some(at), "{commit:?} was acknowledged");
    }
    // Those that were not acknowledged may be there, but only whole, and at the end.
    for writer in 0..WRITERS {
        let numbers: BTreeSet<usize> = one.keys().filter(|it| it.0 == writer).map(|it| it.1).collect();
        assert_eq!(numbers.last().map(|it| it + 1), Some(numbers.len()), "writer {writer} has a gap");
        let last = store.get(&[&format!("last/{writer}")], None).await.expect("get").entries.remove(0);
        assert_eq!(Some(&parse(&last.value)), numbers.last());
    }
    let revisions: BTreeSet<Revision> = one.values().copied().collect();
    assert_eq!(revisions.len(), one.len(), "each commit has a revision of its own");
}

async fn all(store: &dyn Store, prefix: &str) -> BTreeMap<(usize, usize), Revision> {
    let mut found = BTreeMap::new();
    let mut after: Option<String> = None;
    loop {
        let page = store.list(prefix, after.as_deref(), 1000, None).await.expect("list");
        for entry in &page.entries {
            let words: Vec<&str> = entry.key.split('/').collect();
            found.insert(
                (words[1].parse().expect("a number"), words[2].parse().expect("a number")),
                entry.modified,
            );
        }
        if !page.more {
            return found;
        }
        after = page.entries.last().map(|it| it.key.clone());
    }
}

fn parse(value: &[u8]) -> usize {
    std::str::from_utf8(value).expect("text").parse().expect("a number")
}
