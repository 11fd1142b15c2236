//! What happens when SQLite itself fails: a full disk, and a commit whose outcome nobody knows.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;

use super::*;

fn put(key: &str, size: usize) -> Write {
    Write::Put(key.to_owned(), Bytes::from(vec![b'x'; size]))
}

async fn commit(store: &Sqlite, key: &str, size: usize) -> Result<Revision> {
    store.commit(vec![], vec![put(key, size)], TxnId::new()).await
}

/// A store whose connection was prepared by the function.
fn open_with(directory: &Path, prepare: impl FnOnce(&rusqlite::Connection)) -> Sqlite {
    let lock = Lock::take(directory).expect("the lock");
    let path = directory.join("store.db");
    let connection = schema::open(&path).expect("a connection");
    prepare(&connection);
    let (requests, queue) = mpsc::channel(QUEUE);
    let writer = Writer::new(connection, queue).expect("a writer");
    let recent = Arc::clone(writer.recent());
    let writer = Some(thread::spawn(move || writer.run()));
    Sqlite { requests: Some(requests), writer, readers: Arc::new(Readers::new(path)), recent, _lock: lock }
}

#[tokio::test]
async fn a_full_disk_refuses_and_goes_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open_with(directory.path(), |connection| {
        connection.pragma_update(None, "max_page_count", 60).expect("a limit");
    });
    let mut last = commit(&store, "first", 10).await.expect("there is room");
    let mut refused = 0;
    for n in 0..30 {
        match commit(&store, &format!("k/{n}"), 20_000).await {
            Ok(at) => {
                assert_eq!(at, last.next(), "a refused commit takes no revision");
                last = at;
            }
            Err(Error::Unavailable(cause)) => {
                assert!(format!("{cause:#}").contains("full"), "{cause:#}");
                refused += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(refused > 10, "{refused}");
    // What is small still fits, what is there can be read, and the stream has no gap.
    let small = commit(&store, "small", 10).await.expect("there is room for this");
    assert_eq!(small, last.next());
    let page = store.list("", None, 100, None).await.expect("list");
    assert_eq!((page.at, page.entries.len()), (small, 32 - refused));
    let mut stream = store.follow(Revision::ZERO).await.expect("follow");
    for at in 1..=small.0 {
        assert_eq!(stream.next().await.expect("more").expect("changes").revision, Revision(at));
    }
}

/// One bad apple in a group: a commit that is refused does not undo those that share its sync.
#[tokio::test]
async fn a_refusal_leaves_its_group_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Arc::new(open_with(directory.path(), |_| {}));
    let guards = |n: usize| match n % 3 {
        0 => vec![Guard::Key("never".to_owned(), Revision(7))],
        _ => vec![],
    };
    let commits = (0..300).map(|n| store.commit(guards(n), vec![put(&format!("k/{n:03}"), 1)], TxnId::new()));
    let outcomes = futures_util::future::join_all(commits).await;
    let done = outcomes.iter().filter(|it| it.is_ok()).count();
    assert_eq!(done, 200);
    let entries = store.list("", None, 1000, None).await.expect("list").entries;
    assert_eq!(entries.len(), 200);
    for entry in entries {
        let n: usize = entry.key[2..].parse().expect("a number");
        assert_eq!(*outcomes[n].as_ref().expect("it was done"), entry.modified);
    }
}

/// SQLite cannot say whether a commit is on the disk: the answer is that, and the store ends for all.
#[tokio::test]
async fn a_commit_in_doubt_ends_the_store() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open_with(directory.path(), |connection| {
        // A broken rule that is only looked at in the end makes COMMIT fail, which stands for a disk that does.
        let rule = "
            PRAGMA foreign_keys = on;
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER doubt AFTER INSERT ON kv WHEN NEW.key = CAST('doubtful' AS BLOB)
            BEGIN INSERT INTO child VALUES (1); END;";
        connection.execute_batch(rule).expect("a rule");
    });
    let mut stream = store.follow(Revision::ZERO).await.expect("follow");
    for n in 0..3 {
        commit(&store, &format!("k/{n}"), 10).await.expect("commit");
        assert!(stream.next().await.expect("more").is_ok());
    }
    let doubtful = commit(&store, "doubtful", 10).await;
    assert!(matches!(doubtful, Err(Error::Unknown { .. })), "{doubtful:?}");
    let after = tokio::time::timeout(Duration::from_secs(10), async {
        let ended = stream.next().await;
        (ended, commit(&store, "after", 10).await, store.committed(TxnId::new()).await)
    });
    let (ended, after, settled) = after.await.expect("nothing hangs");
    assert!(matches!(ended, Some(Err(Error::Unavailable(_)))), "{ended:?}");
    assert!(matches!(after, Err(Error::Unavailable(_))), "{after:?}");
    assert!(matches!(settled, Err(Error::Unavailable(_))), "{settled:?}");
    drop(store);
    // Whoever opens it again finds what is there.
    let store = open_with(directory.path(), |_| {});
    let entries = store.list("", None, 10, None).await.expect("list").entries;
    assert!(entries.len() == 3 || entries.len() == 4, "{}", entries.len());
}

/// Nobody waits any more for the outcome of a commit that was handed in; it is done all the same, and the store
/// closes after it.
#[tokio::test]
async fn closing_finishes_what_was_handed_in() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open_with(directory.path(), |_| {});
    for n in 0..100 {
        let (reply, _) = oneshot::channel();
        let writes = vec![put(&format!("k/{n}"), 10)];
        let request = Request::Commit { guards: vec![], writes, txn: TxnId::new(), reply };
        store.requests.as_ref().expect("open").try_send(request).expect("room");
    }
    drop(store);
    let store = open_with(directory.path(), |_| {});
    assert_eq!(store.list("", None, 1000, None).await.expect("list").entries.len(), 100);
}

/// A compaction that was cut short goes on with the next, from where it came to.
#[tokio::test]
async fn a_compaction_cut_short_is_finished() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = open_with(directory.path(), |_| {});
    let mut last = Revision::ZERO;
    for n in 0..100 {
        last = commit(&store, &format!("k/{}", n % 5), 10).await.expect("commit");
        if n == 50 {
            // A tombstone that is superseded, and one that is not.
            let deletes = ["k/0", "k/gone"].map(|it| Write::Delete(it.to_owned()));
            commit(&store, "k/gone", 10).await.expect("commit");
            store.commit(vec![], deletes.into(), TxnId::new()).await.expect("commit");
        }
    }
    drop(store);
    let path = directory.path().join("store.db");
    let connection = schema::open(&path).expect("a connection");
    // As it is when the process ends between the two.
    connection.execute("UPDATE meta SET compacted = ?1", [last.0 as i64]).expect("raised");
    drop(connection);

    let store = open_with(directory.path(), |_| {});
    assert!(matches!(store.get(&["k/1"], Some(Revision(1))).await, Err(Error::Compacted(_))));
    store.compact(last).await.expect("compact");
    drop(store);
    let connection = schema::open(&path).expect("a connection");
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a count");
    assert_eq!((count("SELECT count(*) FROM kv"), count("SELECT count(*) FROM txn")), (5, 0));
}
