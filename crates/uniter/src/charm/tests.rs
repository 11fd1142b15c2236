//! Charms that are fetched, laid out and replaced in a directory of the test.

use std::{
    collections::BTreeMap,
    os::unix::fs::PermissionsExt as _,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use async_trait::async_trait;

use super::*;

/// Archives by URL; an attempt fails as often as `refuse` says.
#[derive(Default)]
struct Shelf {
    archives: Mutex<BTreeMap<String, PathBuf>>,
    refuse: AtomicU32,
    fetched: AtomicU32,
}

#[async_trait]
impl CharmSource for Shelf {
    async fn fetch(&self, charm: &str, target: &Path) -> Result<(), FetchError> {
        if self.refuse.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| it.checked_sub(1)).is_ok() {
            return Err(FetchError::NotYet(anyhow::anyhow!("later")));
        }
        self.fetched.fetch_add(1, Ordering::SeqCst);
        let archive = self.archives.lock().unwrap().get(charm).cloned();
        let archive = archive.ok_or_else(|| FetchError::Refused(anyhow::anyhow!("not found")))?;
        fs::copy(archive, target).map_err(|err| FetchError::Refused(err.into()))?;
        Ok(())
    }
}

struct Room {
    dir: tempfile::TempDir,
    shelf: Arc<Shelf>,
    deployer: Deployer,
}

impl Room {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Arc::new(Shelf::default());
        let paths = Paths::under(dir.path());
        let deployer = Deployer::new(&paths, "unit-shop-0", shelf.clone());
        deployer.prepare().unwrap();
        Room { dir, shelf, deployer }
    }

    /// Packs a charm and puts it on the shelf.
    fn charm(&self, url: &str, files: &[(&str, &str)]) -> String {
        let tree = self.dir.path().join(quote(url));
        fs::create_dir_all(tree.join("hooks")).unwrap();
        fs::write(
            tree.join("metadata.yaml"),
            "name: shop\nsummary: s\ndescription: d\nrequires: {db: pgsql}\n",
        )
        .unwrap();
        fs::write(tree.join("hooks/install"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(tree.join("hooks/install"), fs::Permissions::from_mode(0o755)).unwrap();
        for (name, text) in files {
            let path = tree.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let archive = self.dir.path().join(format!("{}.charm", quote(url)));
        let mut out = fs::File::create(&archive).unwrap();
        juju_charm::pack::pack(&tree, &mut out).unwrap();
        drop(out);
        let sha = archive::sha256(&archive).unwrap().0.to_string();
        self.shelf.archives.lock().unwrap().insert(url.to_owned(), archive);
        sha
    }

    /// Gives the file `zz-data` of an archive a wrong sum, which shows only when it is unpacked; the archive's hash from
    /// then on.
    fn damage(&self, url: &str) -> String {
        let path = self.shelf.archives.lock().unwrap()[url].clone();
        let mut bytes = fs::read(&path).unwrap();
        // In the central directory the sum is 30 bytes before the name.
        let at = bytes.windows(7).rposition(|it| it == b"zz-data").unwrap();
        bytes[at - 30] ^= 0xff;
        fs::write(&path, bytes).unwrap();
        archive::sha256(&path).unwrap().0.to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.deployer.dir().join(name)
    }

    async fn deploy(&self, url: &str, sha: &str) -> Result<(), DeployError> {
        self.deployer.stage(url, sha).await?;
        self.deployer.deploy(url).await
    }
}

#[test]
fn urls_as_names() {
    assert_eq!(quote("ch:amd64/jammy/shop-4"), "ch_3a_amd64_2f_jammy_2f_shop-4");
    assert_eq!(quote("local:a.b_c-0"), "local_3a_a.b_5f_c-0");
}

#[tokio::test]
async fn a_charm_is_laid_out_and_replaced_and_strangers_stay() {
    let room = Room::new();
    let one = room.charm(
        "local:shop-1",
        &[("revision", "1"), ("lib/old.py", "1"), ("src/charm.py", "one"), ("hooks/start", "#!/bin/sh\n")],
    );
    assert_eq!(room.deployer.deployed().unwrap(), None);
    room.deploy("local:shop-1", &one).await.unwrap();
    assert_eq!(room.deployer.deployed().unwrap().as_deref(), Some("local:shop-1"));
    assert_eq!(fs::read_to_string(room.path(".juju-charm")).unwrap(), "local:shop-1\n");
    assert_eq!(fs::read_to_string(room.path("revision")).unwrap().trim(), "1");
    // A hook that was packed without it gets the execute bit.
    assert_eq!(fs::metadata(room.path("hooks/start")).unwrap().permissions().mode() & 0o100, 0o100);
    assert_eq!(room.deployer.meta().unwrap().name, "shop");

    fs::write(room.path(".unit-state.db"), "mine").unwrap();
    fs::write(room.path("lib/cache"), "mine").unwrap();
    let two = room.charm("local:shop-2", &[("src/charm.py", "two"), ("src/more.py", "x")]);
    room.deploy("local:shop-2", &two).await.unwrap();
    assert_eq!(room.deployer.deployed().unwrap().as_deref(), Some("local:shop-2"));
    assert_eq!(fs::read_to_string(room.path("src/charm.py")).unwrap(), "two");
    assert!(!room.path("lib/old.py").exists() && !room.path("hooks/start").exists());
    assert!(room.path(".unit-state.db").exists() && room.path("lib/cache").exists());
    assert!(!room.path(".juju-deploying").exists());
}

#[tokio::test]
async fn archives_are_checked_cached_and_waited_for() {
    let room = Room::new();
    let sha = room.charm("local:shop-1", &[]);
    let err = room.deploy("local:shop-1", &"0".repeat(64)).await.unwrap_err();
    assert!(matches!(err, DeployError::Checksum { .. }), "{err:?}");
    assert_eq!(fs::read_dir(&room.deployer.downloads).unwrap().count(), 0);
    room.shelf.refuse.store(2, Ordering::SeqCst);
    room.deploy("local:shop-1", &sha).await.unwrap();
    let fetched = room.shelf.fetched.load(Ordering::SeqCst);
    room.deploy("local:shop-1", &sha).await.unwrap();
    assert_eq!(room.shelf.fetched.load(Ordering::SeqCst), fetched, "a cached archive is not fetched again");
    // A cached archive that has been harmed is.
    fs::write(room.deployer.bundles.join(quote("local:shop-1")), "harmed").unwrap();
    room.deploy("local:shop-1", &sha).await.unwrap();
    assert_eq!(room.shelf.fetched.load(Ordering::SeqCst), fetched + 1);
    let err = room.deploy("local:other-1", &sha).await.unwrap_err();
    assert!(matches!(err, DeployError::Fetch { source: FetchError::Refused(_), .. }), "{err:?}");
}

#[tokio::test]
async fn what_cannot_be_replaced_is_a_conflict_and_a_first_install_is_not() {
    let room = Room::new();
    room.charm("local:shop-1", &[("zz-data", "1")]);
    let broken = room.damage("local:shop-1");
    let err = room.deploy("local:shop-1", &broken).await.unwrap_err();
    assert!(!matches!(err, DeployError::Conflict { .. }), "{err:?}");
    let one = room.charm("local:shop-1", &[("zz-data", "1")]);
    room.deploy("local:shop-1", &one).await.unwrap();

    room.charm("local:shop-2", &[("a-first", "2"), ("zz-data", "2")]);
    let broken = room.damage("local:shop-2");
    let err = room.deploy("local:shop-2", &broken).await.unwrap_err();
    assert!(matches!(&err, DeployError::Conflict { deployed, .. } if deployed == "local:shop-1"), "{err:?}");
    assert_eq!(room.deployer.deployed().unwrap().as_deref(), Some("local:shop-1"));
    assert!(room.path("a-first").exists());

    // Resolved by a user, in favour of a third charm: the second leaves nothing behind.
    let three = room.charm("local:shop-3", &[("zz-data", "3")]);
    room.deploy("local:shop-3", &three).await.unwrap();
    assert_eq!(fs::read_to_string(room.path("zz-data")).unwrap(), "3");
    assert!(!room.path("a-first").exists());
}

#[tokio::test]
async fn files_that_a_link_now_leads_to_are_not_removed() {
    let room = Room::new();
    let one = room.charm("local:shop-1", &[("lib/a.py", "1")]);
    room.deploy("local:shop-1", &one).await.unwrap();
    let outside = room.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.py"), "precious").unwrap();
    fs::remove_dir_all(room.path("lib")).unwrap();
    std::os::unix::fs::symlink(&outside, room.path("lib")).unwrap();
    let two = room.charm("local:shop-2", &[]);
    room.deploy("local:shop-2", &two).await.unwrap();
    assert_eq!(fs::read_to_string(outside.join("a.py")).unwrap(), "precious");
}
