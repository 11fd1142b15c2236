//! How fast commits are, alone and together, beside what the disk takes for one sync; and what a change costs
//! when very many watch. `cargo bench -p juju-store`.

use std::{
    fs::OpenOptions,
    io::Write as _,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use juju_store::{Error, Interest, Memory, Revision, Sqlite, Store, TxnId, View, Write, transact};
use tokio::task::JoinSet;

const FOR: Duration = Duration::from_secs(2);

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    // Beside the build, where the disk is the one that matters, and not in a temporary directory in memory.
    let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a directory");
    let mut out = std::io::stdout();
    let mut line = |what: &str, figures: &str| writeln!(out, "{what:<44} {figures}").expect("written");

    line("fdatasync of 4 KiB, appended", &fdatasync(directory.path()));
    for callers in [1, 8, 64, 256] {
        let store = Sqlite::open(directory.path().join(format!("{callers}"))).await.expect("a store");
        line(&format!("sqlite, {callers} callers"), &commits(&store, callers).await);
    }
    let store = Sqlite::open(directory.path().join("transact")).await.expect("a store");
    let view = View::open(store).await.expect("a view");
    for callers in [1, 64] {
        line(&format!("sqlite, read-modify-write, {callers} callers"), &transactions(&view, callers).await);
    }
    line("memory, 64 callers", &commits(&Memory::new(), 64).await);
    line("a change under 200,000 watchers", &watchers().await);
    line("10,000 documents of a view, decoded", &reads().await);
}

fn fdatasync(directory: &Path) -> String {
    let path = directory.join("sync");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
    let mut taken = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < FOR {
        let one = Instant::now();
        file.write_all(&[7; 4096]).expect("written");
        file.sync_data().expect("synced");
        taken.push(one.elapsed());
    }
    figures(taken, begun.elapsed())
}

/// Commits of one value of 512 bytes with one guard.
async fn commits(store: &Arc<dyn Store>, callers: usize) -> String {
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for caller in 0..callers {
        let store = Arc::clone(store);
        tasks.spawn(async move {
            let key = format!("k/{caller}");
            let (mut taken, mut last) = (Vec::new(), Revision::ZERO);
            while begun.elapsed() < FOR {
                let one = Instant::now();
                let guards = vec![juju_store::Guard::Key(key.clone(), last)];
                let writes = vec![Write::Put(key.clone(), vec![b'x'; 512].into())];
                last = store.commit(guards, writes, TxnId::new()).await.expect("a commit");
                taken.push(one.elapsed());
            }
            taken
        });
    }
    let taken = tasks.join_all().await.concat();
    figures(taken, begun.elapsed())
}

/// Whole transactions over a view, each caller on a document of its own.
async fn transactions(view: &View, callers: usize) -> String {
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for caller in 0..callers {
        let view = view.clone();
        tasks.spawn(async move {
            let key = format!("count/{caller}");
            let mut taken = Vec::new();
            while begun.elapsed() < FOR {
                let one = Instant::now();
                transact(&view, async |txn| {
                    let count: u64 = txn.get(&key).await?.unwrap_or_default();
                    txn.put(&key, &(count + 1))?;
                    Ok::<_, Error>(())
                })
                .await
                .expect("a transaction");
                taken.push(one.elapsed());
            }
            taken
        });
    }
    let taken = tasks.join_all().await.concat();
    figures(taken, begun.elapsed())
}

/// From the commit to the watcher that it concerns, while 200,000 watch.
async fn watchers() -> String {
    let view = View::open(Memory::new()).await.expect("a view");
    let mut watches: Vec<_> = (0..200_000)
        .map(|n| match n % 2 {
            0 => Interest::key(format!("m/unit/{n}")),
            _ => Interest::prefix(format!("m/scope/{n}/")),
        })
        .map(|interest| view.watch(interest).expect("a watch").1)
        .collect();
    let mut taken = Vec::new();
    let begun = Instant::now();
    let mut n = 0;
    while begun.elapsed() < FOR {
        n = (n + 7919) % watches.len();
        let key = if n.is_multiple_of(2) { format!("m/unit/{n}") } else { format!("m/scope/{n}/x") };
        let one = Instant::now();
        let write = Write::Put(key, vec![b'x'; 512].into());
        let at = view.store().commit(vec![], vec![write], TxnId::new()).await.expect("a commit");
        let changed = watches[n].next().await.expect("open");
        taken.push(one.elapsed());
        assert_eq!(changed.revision, at);
    }
    figures(taken, begun.elapsed())
}

/// A status: every document under a prefix, from the decoded ones.
async fn reads() -> String {
    let store = Memory::new();
    for first in (0..10_000).step_by(100) {
        let document = r#"{"name":"mysql/0","life":"alive","ports":[80,443],"message":"ready"}"#;
        let writes = (first..first + 100).map(|n| Write::Put(format!("m/unit/{n:05}"), document.into()));
        store.commit(vec![], writes.collect(), TxnId::new()).await.expect("a commit");
    }
    let view = View::open(store).await.expect("a view");
    let mut taken = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < FOR {
        let one = Instant::now();
        let image = view.image();
        let documents = image.list("m/unit/").map(|it| it.decode::<serde_json::Value>().expect("json"));
        assert_eq!(documents.filter(|it| it["life"] == "alive").count(), 10_000);
        taken.push(one.elapsed());
    }
    figures(taken, begun.elapsed())
}

fn figures(mut taken: Vec<Duration>, wall: Duration) -> String {
    taken.sort_unstable();
    let at = |part: f64| taken[((taken.len() - 1) as f64 * part) as usize];
    let rate = taken.len() as f64 / wall.as_secs_f64();
    format!("{rate:>9.0}/s   p50 {:>9.1?}   p99 {:>9.1?}", at(0.5), at(0.99))
}
