//! A host with one controller, and looks at its processes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use juju_core::{Arch, Binary, version};
use juju_provider::local::dirs::Dirs;
use juju_provider::local::environment::passed_on;
use juju_provider::local::supervisor::protocol::{MachineSpec, MachineState, MachineStatus};
use juju_provider::local::supervisor::{self, Client, SupervisorCommand, ensure_supervisor};
use juju_provider::local::{install_binaries, supervisor_command};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Says to this test program that it is to be a supervisor, and of what.
pub(crate) const SUPERVISE: &str = "TEST_SUPERVISE";

/// The stand-in. It does what files in its root say, and tells if it is not alone.
const AGENT: &str = r#"
date +%s%N >> starts
env > environment
exec 9> lock
flock -n 9 || echo "two agents" >> overlap
# What an agent that ran before left must be gone by now.
for orphan in $(cat orphans 2>/dev/null); do
    case "$(cat "/proc/$orphan/stat" 2>/dev/null)" in ''|*') Z '*) ;; *) echo "orphan $orphan" >> overlap ;; esac
done
: > orphans
[ -e stubborn ] && trap '' TERM
# A hook in a session of its own, one with a clean environment, and one that was left by its parent.
setsid sleep 1001 9>&- & echo $! >> orphans
env -i "$(command -v sleep)" 1002 9>&- & echo $! >> orphans
(sh -c 'sleep 1003 & echo $! >> orphans' 9>&-)
if [ -e hidden ]; then (env -i "$(command -v setsid)" "$(command -v sleep)" 1004 9>&- &); fi
mkdir -p run && touch run/started
echo $$ > pid.new && mv pid.new pid
while :; do
    [ -e exit ] && exit "$(cat exit)"
    sleep 0.02 9>&-
done
"#;

pub(crate) struct Host {
    pub(crate) temp: tempfile::TempDir,
    pub(crate) dirs: Dirs,
    pub(crate) command: SupervisorCommand,
}

/// A process of a machine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) pid: i32,
    pub(crate) cwd: PathBuf,
    pub(crate) stat: String,
}

impl Host {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let dirs = Dirs::create(&temp.path().join("ctl"), &temp.path().join("run")).unwrap();
        let jujud = temp.path().join("jujud");
        let this = std::env::current_exe().unwrap();
        let supervise = format!(
            "#!/bin/sh\n[ \"$1\" = local-supervisor ] && {SUPERVISE}=\"$3\" exec '{}' --exact be_a_supervisor --ignored --nocapture\n",
            this.display()
        );
        fs::write(&jujud, supervise + AGENT).unwrap();
        fs::set_permissions(&jujud, fs::Permissions::from_mode(0o755)).unwrap();
        install_binaries(&dirs, &version(), &[jujud]).unwrap();
        let command = supervisor_command(&dirs, &environment());
        Self { temp, dirs, command }
    }

    pub(crate) async fn supervisor(&self) -> Client {
        match ensure_supervisor(&self.dirs, &self.command).await {
            Ok(client) => client,
            Err(error) => panic!("{error}\n{}", self.log()),
        }
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(supervisor::log_path(self.dirs.dir())).unwrap_or_default()
    }

    pub(crate) fn root(&self, key: &str) -> PathBuf {
        let root = self.dirs.machines().join(key);
        fs::create_dir_all(&root).unwrap();
        root
    }

    pub(crate) fn spec(&self, key: &str) -> MachineSpec {
        let root = self.root(key);
        MachineSpec {
            key: key.into(),
            transient_dir: root.join("run"),
            program: self.command.program.clone(),
            args: vec!["machine".into()],
            env: environment(),
            output: root.join("log/agent.log"),
            root,
        }
    }

    /// Starts a machine and waits until its stand-in has settled.
    pub(crate) async fn start(&self, client: &mut Client, key: &str) -> i32 {
        let _ = fs::remove_file(self.root(key).join("pid"));
        client.ensure(self.spec(key)).await.unwrap();
        self.agent(key).await
    }

    /// The pid of a machine's stand-in once it has one.
    pub(crate) async fn agent(&self, key: &str) -> i32 {
        let file = self.root(key).join("pid");
        until("an agent", || fs::read_to_string(&file).ok()?.trim().parse().ok()).await
    }

    /// The pid of the stand-in that follows another.
    pub(crate) async fn next_agent(&self, key: &str, last: i32) -> i32 {
        let file = self.root(key).join("pid");
        until("another agent", || {
            fs::read_to_string(&file).ok()?.trim().parse().ok().filter(|pid| *pid != last)
        })
        .await
    }

    pub(crate) fn no_overlap(&self, key: &str) {
        let overlap = fs::read_to_string(self.root(key).join("overlap")).unwrap_or_default();
        assert_eq!(overlap, "", "{}", self.log());
    }

    /// All processes that run for this controller's machines, by environment or by working directory.
    pub(crate) fn processes(&self) -> Vec<Seen> {
        let (dir, machines) = (self.dirs.dir().to_string_lossy().into_owned(), self.dirs.machines());
        let mine = |name: String| -> Option<Seen> {
            let pid = name.parse().ok()?;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let cwd = fs::read_link(format!("/proc/{pid}/cwd")).ok()?;
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let environ = String::from_utf8_lossy(&environ);
            let marked = environ.contains("JUJU_LOCAL_MACHINE=") && environ.contains(&dir);
            // One that ended by now was none.
            ((cwd.starts_with(&machines) || marked) && alive(pid)).then_some(Seen { pid, cwd, stat })
        };
        let names =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
        names.filter_map(mine).collect()
    }

    pub(crate) async fn none_left(&self) {
        until("no process left", || self.processes().is_empty().then_some(())).await;
    }
}

impl Drop for Host {
    /// A test that failed must not leave processes to the next.
    fn drop(&mut self) {
        for process in self.processes() {
            kill_9(process.pid);
        }
        let dir = self.dirs.dir().to_string_lossy().into_owned();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
            if String::from_utf8_lossy(&environ).contains(&format!("{SUPERVISE}={dir}")) {
                kill_9(entry.file_name().to_string_lossy().parse().unwrap());
            }
        }
    }
}

/// The version that the stand-in is.
pub(crate) fn version() -> Binary {
    Binary::new(version::CURRENT, "ubuntu", Arch::of_this_build().unwrap())
}

/// What the supervisor and its agents see of ours.
pub(crate) fn environment() -> BTreeMap<String, String> {
    passed_on(std::env::vars())
}

pub(crate) fn kill_9(pid: i32) {
    let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
}

pub(crate) fn alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

pub(crate) async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited too long for {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) async fn status(client: &mut Client, key: &str) -> Option<MachineStatus> {
    client.list().await.unwrap().into_iter().find(|machine| machine.key == key)
}

pub(crate) async fn until_state(client: &mut Client, key: &str, state: MachineState) -> MachineStatus {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let now = status(client, key).await.unwrap();
        if now.state == state {
            return now;
        }
        assert!(Instant::now() < deadline, "{now:?} is not {state:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
