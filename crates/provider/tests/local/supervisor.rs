//! What a supervisor promises.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use juju_provider::local::supervisor::protocol::{MachineSpec, MachineState};
use juju_provider::local::supervisor::{ClientError, ensure_supervisor};

use crate::host::*;

#[tokio::test]
async fn an_agent_starts_in_its_root_with_a_session_and_an_environment_of_its_own() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    let pid = host.start(&mut client, "a").await;
    let status = status(&mut client, "a").await.unwrap();
    assert_eq!((status.state, status.pid, status.starts), (MachineState::Running, Some(pid), 1));
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<_> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    assert_eq!(fields[3], pid.to_string(), "session");
    let environment = fs::read_to_string(host.root("a").join("environment")).unwrap();
    assert!(environment.contains("JUJU_LOCAL_MACHINE=a@"), "{environment}");
    assert!(!environment.contains(SUPERVISE) && !environment.contains("CARGO"), "{environment}");
    // Asking again changes nothing.
    client.ensure(host.spec("a")).await.unwrap();
    assert!(alive(pid));
    client.shutdown().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn a_failing_agent_is_started_again_later_and_later() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    fs::write(host.root("a").join("exit"), "3").unwrap();
    client.ensure(host.spec("a")).await.unwrap();
    let starts = host.root("a").join("starts");
    let times: Vec<u64> = until("five starts", || {
        let text = fs::read_to_string(&starts).ok()?;
        let times: Vec<_> = text.lines().filter_map(|line| line.parse().ok()).collect();
        (times.len() >= 5).then_some(times)
    })
    .await;
    let delays: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]) / 1_000_000).collect();
    for (delay, least) in delays.iter().zip([50, 100, 200, 400]) {
        assert!(*delay >= least, "{delays:?}");
    }
    let status = until_state(&mut client, "a", MachineState::Restarting).await;
    assert_eq!(status.last_end, "exit code 3");
    host.no_overlap("a");

    // A signal counts as a failure as well.
    fs::remove_file(host.root("a").join("exit")).unwrap();
    let pid = until_state(&mut client, "a", MachineState::Running).await.pid.unwrap();
    kill_9(pid);
    let next = host.next_agent("a", pid).await;
    assert_ne!(next, pid);
    host.no_overlap("a");
    client.shutdown().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn an_agent_that_ends_well_stays_down_until_it_is_asked_for() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    let pid = host.start(&mut client, "a").await;
    fs::write(host.root("a").join("exit"), "0").unwrap();
    let status = until_state(&mut client, "a", MachineState::Stopped).await;
    assert_eq!((status.last_end.as_str(), status.pid), ("exit code 0", None));
    assert!(!alive(pid));
    host.none_left().await;

    // Also over a restart of the supervisor.
    kill_9(client.ping().await.unwrap().0);
    let mut client = host.supervisor().await;
    until_state(&mut client, "a", MachineState::Stopped).await;
    assert_eq!(status.starts, 1);
    fs::remove_file(host.root("a").join("exit")).unwrap();
    host.start(&mut client, "a").await;
    client.shutdown().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn what_a_killed_agent_left_has_ended_before_the_next_begins() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    let mut pid = host.start(&mut client, "a").await;
    let other = host.start(&mut client, "b").await;
    for _ in 0..3 {
        kill_9(pid);
        pid = host.next_agent("a", pid).await;
        host.no_overlap("a");
    }
    // The other machine has nothing to do with it.
    assert!(alive(other));
    let orphans = fs::read_to_string(host.root("b").join("orphans")).unwrap();
    assert_eq!(orphans.lines().count(), 3);
    assert!(orphans.lines().all(|pid| alive(pid.parse().unwrap())), "{orphans}\n{}", host.log());
    client.shutdown().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn agents_outlive_their_supervisor_and_are_adopted() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    let (a, b) = (host.start(&mut client, "a").await, host.start(&mut client, "b").await);
    let first = client.ping().await.unwrap().0;
    kill_9(first);
    until("the end of the supervisor", || (!alive(first)).then_some(())).await;
    assert!(matches!(client.ping().await, Err(ClientError::Lost)));
    assert!(alive(a) && alive(b));

    let mut client = host.supervisor().await;
    assert_ne!(client.ping().await.unwrap().0, first);
    for (key, pid) in [("a", a), ("b", b)] {
        let status = status(&mut client, key).await.unwrap();
        assert_eq!((status.state, status.pid, status.starts), (MachineState::Running, Some(pid), 0));
    }
    // It notices the end of an adopted agent too.
    kill_9(a);
    let next = host.next_agent("a", a).await;
    assert_eq!(status(&mut client, "a").await.unwrap().pid, Some(next));
    host.no_overlap("a");
    client.stop("b", true).await.unwrap();
    assert!(!alive(b));
    client.shutdown().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn what_ended_while_there_was_no_supervisor_is_cleared_and_started() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    let pid = host.start(&mut client, "a").await;
    kill_9(client.ping().await.unwrap().0);
    kill_9(pid);
    // Orphans with the marker live on; the one without it does not tell whose it is any more.
    assert!(!host.processes().is_empty());
    let orphans = fs::read_to_string(host.root("a").join("orphans")).unwrap();
    let unmarked: i32 = orphans.lines().nth(1).unwrap().parse().unwrap();
    kill_9(unmarked);
    let mut client = host.supervisor().await;
    host.next_agent("a", pid).await;
    host.no_overlap("a");
    assert_eq!(until_state(&mut client, "a", MachineState::Running).await.starts, 1);
    client.shutdown().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn a_stop_leaves_no_process_however_stubborn() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    fs::write(host.root("a").join("stubborn"), "").unwrap();
    host.start(&mut client, "a").await;
    let b = host.start(&mut client, "b").await;
    client.stop("a", false).await.unwrap();
    assert_eq!(status(&mut client, "a").await.unwrap().state, MachineState::Stopped);
    let others: Vec<_> =
        host.processes().into_iter().filter(|process| process.cwd != host.root("b")).collect();
    assert_eq!(others, []);
    assert!(alive(b));

    client.stop("a", true).await.unwrap();
    assert_eq!(status(&mut client, "a").await, None);
    assert!(matches!(client.stop("a", true).await, Err(ClientError::Unknown { .. })));
    client.stop("b", true).await.unwrap();
    host.none_left().await;
    // A machine that was forgotten is not brought back.
    kill_9(client.ping().await.unwrap().0);
    assert_eq!(host.supervisor().await.ping().await.unwrap().1, 0);
}

#[tokio::test]
async fn a_stop_that_was_cut_off_is_finished() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    fs::write(host.root("a").join("stubborn"), "").unwrap();
    let pid = host.start(&mut client, "a").await;
    let supervisor = client.ping().await.unwrap().0;
    let mut other = host.supervisor().await;
    let (stopped, ()) = tokio::join!(client.stop("a", true), async {
        until_state(&mut other, "a", MachineState::Stopping).await;
        kill_9(supervisor);
    });
    assert!(matches!(stopped, Err(ClientError::Lost)));
    assert!(alive(pid));
    let mut client = host.supervisor().await;
    let deadline = Instant::now() + Duration::from_secs(20);
    while status(&mut client, "a").await.is_some() {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    host.none_left().await;
}

#[tokio::test]
async fn a_shutdown_leaves_no_process_and_a_destroy_no_file() {
    for destroy in [false, true] {
        let host = Host::new();
        let mut client = host.supervisor().await;
        fs::write(host.root("a").join("hidden"), "").unwrap();
        for key in ["a", "b", "c"] {
            host.start(&mut client, key).await;
        }
        let supervisor = client.ping().await.unwrap().0;
        if destroy {
            client.destroy().await.unwrap();
        } else {
            client.shutdown().await.unwrap();
        }
        // Not soon, but now.
        assert_eq!(host.processes(), []);
        until("the end of the supervisor", || (!alive(supervisor)).then_some(())).await;
        assert_eq!(host.dirs.dir().exists(), !destroy);
        assert_eq!(host.dirs.runtime_dir().exists(), !destroy);
        if destroy {
            assert!(matches!(ensure_supervisor(&host.dirs, &host.command).await, Err(ClientError::Dirs(_))));
            assert!(!host.dirs.dir().exists());
        }
    }
}

#[tokio::test]
async fn a_broken_lifeline_destroys_everything_and_a_released_one_nothing() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    host.start(&mut client, "a").await;
    let mut released = host.supervisor().await;
    released.lifeline().await.unwrap();
    released.release().await.unwrap();
    drop(released);
    let mut held = host.supervisor().await;
    held.lifeline().await.unwrap();
    assert_eq!(client.list().await.unwrap().len(), 1);
    drop(held);
    until("nothing left", || (!host.dirs.dir().exists()).then_some(())).await;
    host.none_left().await;
}

#[tokio::test]
async fn a_reboot_empties_what_is_transient_and_starts_again() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    let pid = host.start(&mut client, "a").await;
    let run = host.root("a").join("run");
    fs::create_dir_all(run.join("deep/er")).unwrap();
    fs::write(run.join("deep/er/file"), "x").unwrap();
    let kept = host.root("a").join("kept");
    fs::write(&kept, "x").unwrap();
    std::os::unix::fs::symlink(&kept, run.join("link")).unwrap();
    client.reboot("a").await.unwrap();
    host.next_agent("a", pid).await;
    assert!(!alive(pid) && kept.exists());
    assert_eq!(fs::read_dir(&run).unwrap().count(), 1);
    host.no_overlap("a");
    assert_eq!(status(&mut client, "a").await.unwrap().state, MachineState::Running);
    assert!(matches!(client.reboot("z").await, Err(ClientError::Unknown { .. })));
    client.shutdown().await.unwrap();
    host.none_left().await;
}

#[tokio::test]
async fn many_who_start_a_supervisor_at_once_get_one() {
    let host = Host::new();
    let clients = (0..8).map(|_| async { host.supervisor().await.ping().await.unwrap().0 });
    let pids = futures_util::future::join_all(clients).await;
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    host.supervisor().await.shutdown().await.unwrap();
}

#[tokio::test]
async fn bad_requests_are_refused_by_name() {
    let host = Host::new();
    let mut client = host.supervisor().await;
    let missing = MachineSpec { program: "/no/such/jujud".into(), ..host.spec("a") };
    let error = client.ensure(missing).await.unwrap_err().to_string();
    assert!(error.contains("cannot start /no/such/jujud: No such file"), "{error}");
    client.stop("a", true).await.unwrap();
    let outside = MachineSpec { transient_dir: "/tmp".into(), ..host.spec("a") };
    let error = client.ensure(outside).await.unwrap_err().to_string();
    assert!(error.contains("is not below the root"), "{error}");
    assert!(client.list().await.unwrap().is_empty());

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut raw = tokio::net::UnixStream::connect(host.dirs.supervisor_socket()).await.unwrap();
    raw.write_all(b"{\"op\":\"explode\"}\n").await.unwrap();
    let mut got = [0; 300];
    let n = raw.read(&mut got).await.unwrap();
    assert!(String::from_utf8_lossy(&got[..n]).contains("not a request"));
    // An endless line is not collected for ever.
    let _ = raw.write_all(&vec![b'x'; 2 << 20]).await;
    assert_eq!(raw.read(&mut got).await.unwrap_or(0), 0);
    let mode = fs::metadata(host.dirs.supervisor_socket()).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
    client.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_lost_runtime_directory_is_made_again() {
    let host = Host::new();
    let pid = host.supervisor().await.ping().await.unwrap().0;
    fs::remove_dir_all(host.temp.path().join("run")).unwrap();
    until("the socket", || host.dirs.supervisor_socket().exists().then_some(())).await;
    assert_eq!(host.supervisor().await.ping().await.unwrap().0, pid);
    host.supervisor().await.shutdown().await.unwrap();
}

/// Kills supervisors and agents at odd moments; in the end every machine runs once.
#[tokio::test]
async fn kills_at_any_moment_are_mended() {
    let host = Host::new();
    let keys = ["a", "b", "c"];
    let mut client = host.supervisor().await;
    for key in keys {
        client.ensure(host.spec(key)).await.unwrap();
    }
    for round in 0u64..10 {
        let pause = Duration::from_millis((round * 37) % 90);
        tokio::time::sleep(pause).await;
        let mut client = host.supervisor().await;
        if let Some(pid) = status(&mut client, keys[round as usize % 3]).await.and_then(|status| status.pid) {
            // Between spawn and the stand-in's first lines as well.
            kill_9(pid);
        }
        tokio::time::sleep(pause / 2).await;
        if round % 2 == 0 {
            kill_9(client.ping().await.unwrap().0);
        }
    }
    let mut client = host.supervisor().await;
    for key in keys {
        let pid = until_state(&mut client, key, MachineState::Running).await.pid.unwrap();
        let file = host.root(key).join("pid");
        until("a settled agent", || {
            (fs::read_to_string(&file).ok()?.trim().parse() == Ok(pid)).then_some(())
        })
        .await;
        let overlap = fs::read_to_string(host.root(key).join("overlap")).unwrap_or_default();
        assert!(!overlap.contains("two agents"), "{overlap}\n{}", host.log());
    }
    client.shutdown().await.unwrap();
    // The orphan with a clean environment may have hidden while there was no supervisor.
    for process in host.processes() {
        assert!(process.stat.contains("(sleep)"), "{process:?}");
    }
}
