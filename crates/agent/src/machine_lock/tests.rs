//! The lock between processes, its report and its log.

use std::path::Path;
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};
use tokio::time::timeout;

use super::*;

fn lock(dir: &Path) -> MachineLock {
    let paths = Paths::host().with_tmp_dir(dir).with_log_dir(dir.join("log"));
    MachineLock::new("machine-4", Config { paths, lock_owner: None, log_owner: None })
}

fn request(worker: &str) -> Request {
    Request::new(worker, "")
}

async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let wait = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(Duration::from_secs(10), wait).await.unwrap_or_else(|_| panic!("{what} did not come true"));
}

#[tokio::test]
async fn requests_are_served_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let first = lock.acquire(request("first")).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    let (tx, mut rx) = tokio::sync::mpsc::unbounded_channel();
    for i in 0..5 {
        let (waiter, tx) = (lock.for_agent(format!("unit-a-{i}")), tx.clone());
        tasks.spawn(async move {
            let _guard = waiter.acquire(request("w")).await.unwrap();
            tx.send(i).unwrap();
        });
        // Each is in the queue before the next asks.
        let queue = lock.shared.queue(None).unwrap();
        until("queued", || format!("{queue:?}").matches("Sender").count() == i + 1).await;
    }
    assert!(rx.try_recv().is_err());
    drop(first);
    while tasks.join_next().await.is_some() {}
    let order: Vec<_> = std::iter::from_fn(|| rx.try_recv().ok()).collect();
    assert_eq!(order, [0, 1, 2, 3, 4]);
}

#[tokio::test]
async fn another_process_is_waited_for_and_a_given_up_request_takes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let path = dir.path().join("juju-machine-lock");
    // Another open file is what another process has.
    let other = File::create(&path).unwrap();
    let other = Flock::lock(other, FlockArg::LockExclusive).unwrap();

    let given_up = timeout(Duration::from_millis(50), lock.acquire(request("gives up"))).await;
    assert!(given_up.is_err());
    assert_eq!(lock.report(ReportOptions::default()), "machine-4:\n  holder: none\n");

    let waiter = lock.acquire(request("waits"));
    tokio::pin!(waiter);
    assert!(timeout(Duration::from_millis(50), &mut waiter).await.is_err());
    drop(other);
    let guard = timeout(Duration::from_secs(10), waiter).await.unwrap().unwrap();
    drop(guard);
    // Nobody of this process keeps it.
    let free = || Flock::lock(File::open(&path).unwrap(), FlockArg::LockExclusiveNonblock).is_ok();
    until("free", free).await;
}

#[tokio::test]
async fn a_lock_that_comes_when_nobody_waits_any_more_is_let_go() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let path = dir.path().join("juju-machine-lock");
    let other = Flock::lock(File::create(&path).unwrap(), FlockArg::LockExclusive).unwrap();
    assert!(timeout(Duration::from_millis(50), lock.acquire(request("gives up"))).await.is_err());
    drop(other);
    until("free", || Flock::lock(File::open(&path).unwrap(), FlockArg::LockExclusiveNonblock).is_ok()).await;
    let _again = timeout(Duration::from_secs(10), lock.acquire(request("again"))).await.unwrap().unwrap();
}

#[tokio::test]
async fn groups_do_not_wait_for_each_other_and_bad_ones_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let _all = lock.acquire(request("all")).await.unwrap();
    let _one = lock.acquire(request("one").in_group("a-1")).await.unwrap();
    assert!(dir.path().join("juju-machine-lock-a-1").exists());
    assert!(lock.report(ReportOptions::default()).contains("  - one, holding"));
    for bad in ["", "a b", "a/b", &"x".repeat(28)] {
        let error = lock.acquire(request("bad").in_group(bad)).await.unwrap_err();
        assert!(matches!(error, MachineLockError::Group { .. }), "{error}");
    }
}

#[tokio::test]
async fn holds_are_logged_after_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(dir.path());
    let unit = lock.for_agent("unit-mysql-0");
    drop(lock.acquire(Request::new("reboot", "reboot")).await.unwrap());
    drop(unit.acquire(Request::new("mysql/0 uniter", "run start hook")).await.unwrap());
    drop(lock.acquire(request("juju-exec")).await.unwrap());
    let log = std::fs::read_to_string(dir.path().join("log/machine-lock.log")).unwrap();
    let lines: Vec<_> = log.lines().map(|line| &line["2024-05-06 07:08:09 ".len()..]).collect();
    assert_eq!(
        lines,
        [
            "=== agent machine-4 started ===",
            "machine-4: reboot (reboot), waited 0s, held 0s",
            "=== agent unit-mysql-0 started ===",
            "unit-mysql-0: mysql/0 uniter (run start hook), waited 0s, held 0s",
            "machine-4: juju-exec, waited 0s, held 0s",
        ]
    );
    let history = lock.report(ReportOptions { history: true, yaml: false });
    assert!(history.find("juju-exec").unwrap() < history.find("reboot").unwrap(), "{history}");
    assert!(!history.contains("mysql"), "{history}");
}

#[tokio::test]
async fn a_place_that_cannot_be_locked_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let lock = lock(&dir.path().join("none"));
    let error = lock.acquire(request("w")).await.unwrap_err();
    assert!(error.to_string().contains("none/juju-machine-lock"), "{error}");
    // And the queue is not stuck.
    std::fs::create_dir(dir.path().join("none")).unwrap();
    let _guard = lock.acquire(request("w")).await.unwrap();
}

use std::fs::File;
