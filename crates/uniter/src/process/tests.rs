//! Scripts that end well, badly and by force, and what they leave behind.

use std::{
    fs,
    sync::Mutex,
    time::{Duration, Instant},
};

use super::*;

struct Charm {
    dir: tempfile::TempDir,
}

impl Charm {
    fn new(scripts: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("metadata.yaml"), "name: x\n").unwrap();
        for (name, text) in scripts {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("#!/bin/bash\n{text}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Charm { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn mark(&self) -> Mark {
        Mark::new(self.path("mark"), "x/0-test")
    }

    async fn run(&self, stop: &CancellationToken) -> (Ended, Vec<(Stream, String)>) {
        let lines = Mutex::new(vec![]);
        let script = self.path("run");
        let process = Process {
            script: &script,
            dir: self.dir.path(),
            variables: vec![
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("JUJU_CONTEXT_ID".into(), "x/0-test".into()),
            ],
            mark: self.mark(),
        };
        let log = |stream, line: &str| lines.lock().unwrap().push((stream, line.to_owned()));
        let ended = process.run(stop, &log).await.unwrap();
        (ended, lines.into_inner().unwrap())
    }
}

#[test]
fn scripts_are_found_in_jujus_order() {
    let charm = Charm::new(&[("hooks/install", ""), ("hooks/start", "")]);
    let find = |hook: &str| Script::find(charm.dir.path(), hook);
    assert_eq!(find("install").unwrap(), Script::Hook(charm.path("hooks/install")));
    assert_eq!(find("stop").unwrap(), Script::Missing);
    fs::set_permissions(charm.path("hooks/start"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(find("start"), Err(ScriptError::NotExecutable(_))));
    fs::create_dir(charm.path("hooks/remove")).unwrap();
    assert!(matches!(find("remove"), Err(ScriptError::NotExecutable(_))));
    // A dispatch that cannot be run does not count, one that can takes over.
    fs::write(charm.path("dispatch"), "#!/bin/bash\n").unwrap();
    assert_eq!(find("install").unwrap(), Script::Hook(charm.path("hooks/install")));
    fs::set_permissions(charm.path("dispatch"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(find("stop").unwrap(), Script::Dispatch(charm.path("dispatch")));
    fs::remove_file(charm.path("metadata.yaml")).unwrap();
    assert!(matches!(find("install"), Err(ScriptError::NoCharm)));
}

#[tokio::test]
async fn ends_are_told_apart_and_output_is_kept() {
    for (text, want) in [
        ("echo out; echo err >&2", Ended::Well),
        ("echo out; echo err >&2; exit 3", Ended::Badly("exit status 3".into())),
        ("echo out; echo err >&2; kill -TERM $$", Ended::Killed),
        ("echo out; echo err >&2; kill -KILL $$", Ended::Killed),
        ("echo out; echo err >&2; kill -HUP $$", Ended::Badly("signal: 1".into())),
    ] {
        let charm = Charm::new(&[("run", text)]);
        let (ended, mut lines) = charm.run(&CancellationToken::new()).await;
        assert_eq!(ended, want, "{text}");
        lines.sort_by_key(|(_, it)| it.clone());
        assert_eq!(lines, [(Stream::Stderr, "err".to_owned()), (Stream::Stdout, "out".to_owned())], "{text}");
        assert!(!charm.path("mark").exists());
    }
}

#[tokio::test]
async fn a_script_runs_with_what_it_was_given_and_nothing_else() {
    let charm = Charm::new(&[("run", "env | grep -v -e ^_= -e ^SHLVL= | sort; pwd; cat; echo $0 $#")]);
    let (_, lines) = charm.run(&CancellationToken::new()).await;
    let lines: Vec<_> = lines.into_iter().map(|(_, it)| it).collect();
    let dir = charm.dir.path().display().to_string();
    let want = [
        "JUJU_CONTEXT_ID=x/0-test",
        "PATH=/usr/bin:/bin",
        &format!("PWD={dir}"),
        &dir,
        &format!("{dir}/run 0"),
    ];
    assert_eq!(lines, want);
}

#[tokio::test]
async fn a_child_in_the_background_holds_nothing_up() {
    let charm = Charm::new(&[("run", "sleep 60 & echo started")]);
    let begun = Instant::now();
    let (ended, lines) = charm.run(&CancellationToken::new()).await;
    assert_eq!(ended, Ended::Well);
    assert_eq!(lines, [(Stream::Stdout, "started".to_owned())]);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_stopped_agent_ends_the_whole_group() {
    // Neither the script nor its child listens to SIGTERM.
    let charm =
        Charm::new(&[("run", "trap '' TERM; (trap '' TERM; echo $BASHPID > child; sleep 300) & sleep 300")]);
    let stop = CancellationToken::new();
    let child = charm.path("child");
    let watch = async {
        wait_for(|| fs::read_to_string(&child).is_ok_and(|it| it.ends_with('\n'))).await;
        stop.cancel();
    };
    let ((ended, _), ()) = tokio::join!(charm.run(&stop), watch);
    assert_eq!(ended, Ended::Killed);
    let pid = fs::read_to_string(&child).unwrap();
    wait_for(|| gone(pid.trim())).await;
}

#[tokio::test]
async fn a_script_that_was_killed_takes_its_children_along() {
    let charm = Charm::new(&[("run", "sleep 300 & echo $! > child; kill -KILL $$")]);
    let (ended, _) = charm.run(&CancellationToken::new()).await;
    assert_eq!(ended, Ended::Killed);
    let pid = fs::read_to_string(charm.path("child")).unwrap();
    wait_for(|| gone(pid.trim())).await;
}

#[tokio::test]
async fn what_a_killed_agent_left_is_ended_before_anything_else() {
    let charm = Charm::new(&[("run", "(echo $BASHPID > child; exec sleep 300) & sleep 300")]);
    // As an agent would that is killed in the middle: nobody waits, nobody cleans up.
    let mut command = std::process::Command::new(charm.path("run"));
    command
        .env_clear()
        .env("JUJU_CONTEXT_ID", "x/0-test")
        .env("PATH", "/usr/bin:/bin")
        .current_dir(charm.dir.path());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut orphan = command.spawn().unwrap();
    let child = charm.path("child");
    wait_for(|| fs::read_to_string(&child).is_ok_and(|it| it.ends_with('\n'))).await;
    let mark = charm.mark();
    mark.write().unwrap();
    mark.set_group(Some(orphan.id() as i32)).unwrap();

    assert_eq!(end_leftovers(&charm.path("mark")).await.unwrap(), 3);
    assert!(!orphan.wait().unwrap().success());
    assert!(gone(fs::read_to_string(&child).unwrap().trim()));
    assert_eq!(end_leftovers(&charm.path("mark")).await.unwrap(), 0);
}

#[tokio::test]
async fn a_mark_of_another_hook_harms_nobody() {
    let charm = Charm::new(&[]);
    let mut sleeper = tokio::process::Command::new("/bin/sleep");
    sleeper.arg("300").env("JUJU_CONTEXT_ID", "y/0-other").process_group(0).kill_on_drop(true);
    let mut sleeper = sleeper.spawn().unwrap();
    let mark = charm.mark();
    mark.write().unwrap();
    mark.set_group(sleeper.id().map(|it| it as i32)).unwrap();
    assert_eq!(end_leftovers(&charm.path("mark")).await.unwrap(), 0);
    assert!(sleeper.try_wait().unwrap().is_none());
}

#[tokio::test]
async fn a_hundred_megabytes_of_output_pass_through() {
    let charm = Charm::new(&[("run", "head -c 100000000 /dev/zero | tr '\\0' x")]);
    let script = charm.path("run");
    let process = Process {
        script: &script,
        dir: charm.dir.path(),
        variables: vec![("PATH".into(), "/usr/bin:/bin".into())],
        mark: charm.mark(),
    };
    let total = Mutex::new((0, 0));
    let log = |_, line: &str| {
        let mut total = total.lock().unwrap();
        total.0 += line.len();
        total.1 = total.1.max(line.len());
    };
    assert_eq!(process.run(&CancellationToken::new(), &log).await.unwrap(), Ended::Well);
    assert_eq!(*total.lock().unwrap(), (100_000_000, 4096));
}

fn gone(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_err() || stat.is_ok_and(|it| it.contains(") Z "))
}

async fn wait_for(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "the condition did not come true");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
