//! The contract on SQLite, and what is SQLite's own: its files, its lock, and what is there after a restart.

use std::os::unix::fs::PermissionsExt;

use juju_store::{Error, Revision, Sqlite, TxnId};
use support::{commit, delete, put};

mod contract;
mod support;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keeps_the_contract() {
    let directory = tempfile::tempdir().expect("a directory");
    contract::all(async |case| Sqlite::open(directory.path().join(case)).await.expect("a store")).await;
}

#[tokio::test]
async fn what_was_committed_is_there_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let name = TxnId::new();
    let (first, last) = {
        let store = Sqlite::open(directory.path()).await.expect("a store");
        let first = store.commit(vec![], vec![put("a", "1"), put("b", "1")], name).await.expect("commit");
        commit(&*store, vec![put("a", "2"), delete("b")]).await;
        let large = vec![7; 1_000_000];
        let last = commit(&*store, vec![put("large", large)]).await;
        store.compact(first).await.expect("compact");
        (first, last)
    };
    let store = Sqlite::open(directory.path()).await.expect("the store again");
    let found = store.get(&["a", "b", "large"], None).await.expect("get");
    assert!(found.at > last, "compaction wrote its floor");
    assert_eq!(found.entries.len(), 2);
    assert_eq!(found.entries[0].value, "2");
    assert!(found.entries[1].value == vec![7; 1_000_000]);
    assert_eq!(store.get(&["a"], Some(first)).await.expect("the floor").entries[0].value, "1");
    assert!(matches!(store.get(&["a"], Some(Revision(0))).await, Err(Error::Compacted(_))));
    let next = commit(&*store, vec![put("a", "3")]).await;
    assert_eq!(next, Revision(found.at.0 + 1), "revisions go on");
}

#[tokio::test]
async fn a_second_opener_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path()).await.expect("a store");
    let refused = Sqlite::open(directory.path()).await.err().expect("it is taken");
    assert!(matches!(&refused, Error::Locked { path } if path == directory.path()));
    let expected = format!("the store in {} is in use by another process", directory.path().display());
    assert_eq!(refused.to_string(), expected);
    drop(store);
    Sqlite::open(directory.path()).await.expect("it is free");
}

#[tokio::test]
async fn its_files_are_private() {
    let root = tempfile::tempdir().expect("a directory");
    let directory = root.path().join("data/store");
    let store = Sqlite::open(&directory).await.expect("a store");
    commit(&*store, vec![put("secret", "x")]).await;
    let mode = |path: &std::path::Path| path.metadata().expect("exists").permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory).expect("readable") {
        let path = entry.expect("an entry").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        names.push(path.file_name().expect("a name").to_string_lossy().into_owned());
    }
    names.sort_unstable();
    assert_eq!(names, ["lock", "store.db", "store.db-shm", "store.db-wal"]);
}

#[tokio::test]
async fn what_is_not_a_store_is_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("store.db");
    std::fs::write(&file, b"these are somebody's notes, and no database").expect("written");
    let refused = Sqlite::open(directory.path()).await.err().expect("it is no store");
    assert!(refused.to_string() == "the store is unavailable", "{refused}");
    let chain = format!("{:#}", anyhow::Error::from(refused));
    assert!(chain.contains(&file.display().to_string()) && chain.contains("not a database"), "{chain}");

    std::fs::remove_file(&file).expect("removed");
    let connection = rusqlite::Connection::open(&file).expect("a database");
    connection.execute_batch("PRAGMA user_version = 7; CREATE TABLE notes (text)").expect("a table");
    drop(connection);
    let refused = Sqlite::open(directory.path()).await.err().expect("it is no store");
    assert!(matches!(&refused, Error::Damaged(what) if what.contains("is not a store of ours")), "{refused}");

    let file_as_directory = directory.path().join("file");
    std::fs::write(&file_as_directory, b"").expect("written");
    let refused = Sqlite::open(&file_as_directory).await.err().expect("not a directory");
    let chain = format!("{:#}", anyhow::Error::from(refused));
    assert!(chain.contains(&file_as_directory.display().to_string()), "{chain}");
}

/// The file does not grow with the number of changes, once they are compacted.
#[tokio::test]
async fn compaction_frees_what_it_removes() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Sqlite::open(directory.path()).await.expect("a store");
    let size = || directory.path().join("store.db").metadata().expect("exists").len();
    let mut sizes = Vec::new();
    for round in 0..6 {
        let mut last = Revision(0);
        for n in 0..200 {
            let large = vec![round; 300_000 * usize::from(n == 0)];
            last = commit(&*store, vec![put("hot", vec![n; 20_000]), put("large", large)]).await;
        }
        store.compact(last).await.expect("compact");
        sizes.push(size());
    }
    assert!(sizes[5] < sizes[1] * 2, "{sizes:?}");
    assert_eq!(store.list("", None, 10, None).await.expect("list").entries.len(), 2);
}
