//! A unit agent of a test: directories, a charm of shell scripts, what its hooks wrote down.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use juju_agent::{
    machine_lock::{self, MachineLock},
    paths::Paths,
};
use juju_uniter::{
    charm::{CharmSource, FetchError},
    clock::Clock,
    link::Dial,
    log::Level,
    unit::{self, Config, Ended},
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::fake::{Docs, Fake, UNIT};

pub(crate) const CHARM: &str = "local:shop-1";

/// A machine with room for one unit.
pub(crate) struct Machine {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) lines: Lines,
}

/// What was logged: level, module, message.
pub(crate) type Lines = Arc<Mutex<Vec<(Level, String, String)>>>;

impl Machine {
    pub(crate) fn new() -> Self {
        Self::in_dir(tempfile::tempdir().unwrap())
    }

    pub(crate) fn in_dir(dir: tempfile::TempDir) -> Self {
        let machine = Machine { dir, lines: Lines::default() };
        let tools = machine.paths().agent_tools("unit-shop-0");
        fs::create_dir_all(&tools).unwrap();
        fs::create_dir_all(machine.paths().tmp_dir()).unwrap();
        fs::create_dir_all(machine.paths().log_dir()).unwrap();
        fs::hard_link(env!("CARGO_BIN_EXE_jujuc"), tools.join("jujuc"))
            .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_jujuc"), tools.join("jujuc")).map(drop))
            .unwrap();
        machine
    }

    pub(crate) fn paths(&self) -> Paths {
        Paths::under(&self.dir.path().join("root"))
    }

    /// Packs a charm of these hooks and makes it the one of this URL.
    pub(crate) fn charm(&self, docs: &mut Docs, url: &str, hooks: &[(&str, &str)]) {
        let tree = self.dir.path().join("charms").join(url.replace([':', '/'], "_"));
        fs::create_dir_all(tree.join("hooks")).unwrap();
        fs::write(
            tree.join("metadata.yaml"),
            "name: shop\nsummary: s\ndescription: d\nrequires: {db: pgsql}\npeers: {ring: pgsql}\n",
        )
        .unwrap();
        for (name, text) in hooks {
            let path = tree.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Each notes that it ran, and runs with what a charm author may rely on.
            let head = format!(
                "#!/bin/bash\nset -e\nexec 3>>{}\necho $JUJU_HOOK_NAME >&3\n",
                self.trace().display()
            );
            fs::write(&path, head + text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let archive = self.archive(url);
        juju_charm::pack::pack(&tree, fs::File::create(&archive).unwrap()).unwrap();
        let sha256 = juju_charm::archive::sha256(&archive).unwrap().0.to_string();
        docs.archives.insert(url.to_owned(), sha256);
        docs.charm = url.to_owned();
        docs.modified += 1;
    }

    /// Breaks the archive of a charm in a way that shows only when it is unpacked: the sum of one file is wrong.
    pub(crate) fn damage(&self, docs: &mut Docs, url: &str) {
        let path = self.archive(url);
        let mut bytes = fs::read(&path).unwrap();
        // Of the central directory, which has the sum 30 bytes before the name.
        let at = bytes.windows(7).rposition(|it| it == b"zz-data").unwrap();
        bytes[at - 30] ^= 0xff;
        fs::write(&path, bytes).unwrap();
        docs.archives.insert(url.to_owned(), juju_charm::archive::sha256(&path).unwrap().0.to_string());
    }

    fn archive(&self, url: &str) -> PathBuf {
        self.dir.path().join("charms").join(url.replace([':', '/'], "_") + ".charm")
    }

    fn trace(&self) -> PathBuf {
        self.dir.path().join("trace")
    }

    /// The hooks that ran, in order, and what they wrote beside.
    pub(crate) fn traced(&self) -> Vec<String> {
        let text = fs::read_to_string(self.trace()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn clear_trace(&self) {
        let _ = fs::remove_file(self.trace());
    }

    pub(crate) fn config(&self) -> Config {
        config(self.dir.path(), self.lines.clone())
    }

    /// Starts an agent in this process.
    pub(crate) fn start(&self, dial: Dial) -> Agent {
        let stop = CancellationToken::new();
        let config = self.config();
        #[allow(clippy::disallowed_methods)]
        let task = tokio::spawn(unit::run(config, dial, vec![], stop.clone(), |_| {}));
        Agent { stop, task }
    }

    pub(crate) fn logged(&self, module: &str) -> Vec<String> {
        let lines = self.lines.lock().unwrap();
        lines
            .iter()
            .filter(|(_, it, _)| it == module)
            .map(|(level, _, text)| format!("{level} {text}"))
            .collect()
    }
}

/// The configuration of an agent whose machine is in `dir`; processes of their own use it too.
pub(crate) fn config(dir: &Path, lines: Lines) -> Config {
    let paths = Paths::under(&dir.join("root"));
    let lock = machine_lock::Config { paths: paths.clone(), lock_owner: None, log_owner: None };
    let charms = dir.join("charms");
    Config {
        unit: UNIT.parse().unwrap(),
        lock: MachineLock::new("machine-0", lock).for_agent("unit-shop-0"),
        paths,
        version: "3.6.28".into(),
        charms: Arc::new(Shelf { charms }),
        log: Arc::new(move |level, module, text| {
            lines.lock().unwrap().push((level, module.to_owned(), text.to_owned()));
        }),
        path: "/usr/bin:/bin".into(),
        variables: vec![],
        ubuntu: true,
        clock: Clock::tokio(),
        logging: Arc::new(|_| {}),
    }
}

/// Archives in a directory.
struct Shelf {
    charms: PathBuf,
}

#[async_trait]
impl CharmSource for Shelf {
    async fn fetch(&self, charm: &str, target: &Path) -> Result<(), FetchError> {
        let archive = self.charms.join(charm.replace([':', '/'], "_") + ".charm");
        fs::copy(archive, target).map(drop).map_err(|err| FetchError::Refused(err.into()))
    }
}

pub(crate) struct Agent {
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<anyhow::Result<Ended>>,
}

impl Agent {
    pub(crate) async fn stop(self) -> Ended {
        self.stop.cancel();
        self.ended().await
    }

    pub(crate) async fn ended(self) -> Ended {
        let limit = std::time::Duration::from_secs(60);
        tokio::time::timeout(limit, self.task).await.expect("the agent ends").unwrap().unwrap()
    }
}

/// A unit that was just assigned, alone, leading.
pub(crate) fn docs() -> Docs {
    Docs {
        life: "alive".into(),
        status: ("waiting".into(), "installing agent".into()),
        addresses: "a1".into(),
        retry: true,
        config: [("port".to_owned(), serde_json::json!(80)), ("title".to_owned(), serde_json::json!("x"))]
            .into(),
        ..Docs::default()
    }
}

/// Whether the unit is idle and active.
pub(crate) fn settled(docs: &Docs) -> bool {
    docs.status.0 == "active" && is_idle(docs)
}

pub(crate) fn is_idle(docs: &Docs) -> bool {
    docs.agent_statuses.last().is_some_and(|(status, ..)| status == "idle")
}

pub(crate) async fn deployed(hooks: &[(&str, &str)]) -> (Machine, Arc<Fake>, Agent) {
    let machine = Machine::new();
    let mut docs = docs();
    machine.charm(&mut docs, CHARM, hooks);
    let fake = Fake::new(docs);
    let agent = machine.start(fake.dial());
    (machine, fake, agent)
}
