//! SQLite does what the store in memory does, whatever is asked of them.

use std::sync::Arc;

use juju_store::{Error, Guard, Memory, Result, Revision, Sqlite, Store, TxnId, Write, limits};
use proptest::prelude::*;

/// One request. Revisions are counted back from the newest, and forward a little.
#[derive(Clone, Debug)]
enum Op {
    Commit {
        guards: Vec<G>,
        writes: Vec<W>,
    },
    /// The commit before the last, once more.
    Again,
    /// Asks for a commit that was made, or for one that never was.
    Committed {
        made: bool,
    },
    Get {
        keys: Vec<u8>,
        back: Option<i8>,
    },
    List {
        prefix: u8,
        after: Option<u8>,
        limit: u8,
        back: Option<i8>,
    },
    Follow {
        back: u8,
    },
    Compact {
        back: u8,
    },
    /// Closes SQLite and opens it again.
    Reopen,
}

#[derive(Clone, Debug)]
enum G {
    /// The key is as it is now, or is not.
    Now {
        key: u8,
        holds: bool,
    },
    Key {
        key: u8,
        back: i8,
    },
    Prefix {
        prefix: u8,
        back: i8,
    },
}

#[derive(Clone, Debug)]
struct W {
    key: u8,
    /// Nothing deletes.
    size: Option<u32>,
}

const KEYS: [&str; 10] = ["a", "a/b", "a/b/c", "a/bc", "a/c", "b", "b/c", "b/c/d", "c/é", "c/~"];
const PREFIXES: [&str; 6] = ["", "a/", "a/b/", "b/", "c/", "d/"];

fn key(n: u8) -> String {
    KEYS[n as usize % KEYS.len()].to_owned()
}

fn prefix(n: u8) -> String {
    PREFIXES[n as usize % PREFIXES.len()].to_owned()
}

fn op() -> impl Strategy<Value = Op> {
    let guard = prop_oneof![
        3 => (any::<u8>(), prop::bool::weighted(0.9)).prop_map(|(key, holds)| G::Now { key, holds }),
        1 => (any::<u8>(), -1..6i8).prop_map(|(key, back)| G::Key { key, back }),
        2 => (any::<u8>(), 0..6i8).prop_map(|(prefix, back)| G::Prefix { prefix, back }),
    ];
    let size = prop_oneof![3 => (0..40u32).prop_map(Some), 2 => Just(None), 1 => (0..5000u32).prop_map(Some)];
    let large = (limits::INLINE_BYTES as u32 - 2..limits::INLINE_BYTES as u32 * 2).prop_map(Some);
    let size = prop_oneof![40 => size, 1 => large];
    let write = (any::<u8>(), size).prop_map(|(key, size)| W { key, size });
    let back = prop::option::of(-1..12i8);
    prop_oneof![
        12 => (prop::collection::vec(guard, 0..3), prop::collection::vec(write, 0..5))
            .prop_map(|(guards, writes)| Op::Commit { guards, writes }),
        1 => Just(Op::Again),
        1 => any::<bool>().prop_map(|made| Op::Committed { made }),
        3 => (prop::collection::vec(any::<u8>(), 0..4), back.clone()).prop_map(|(keys, back)| Op::Get { keys, back }),
        3 => (any::<u8>(), prop::option::of(any::<u8>()), 1..8u8, back)
            .prop_map(|(prefix, after, limit, back)| Op::List { prefix, after, limit, back }),
        1 => (0..10u8).prop_map(|back| Op::Follow { back }),
        1 => (0..10u8).prop_map(|back| Op::Compact { back }),
        1 => Just(Op::Reopen),
    ]
}

/// What both must agree on in an outcome.
fn outcome<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(
            err @ (Error::Conflict { .. } | Error::Compacted(_) | Error::Invalid(_) | Error::TooLarge(_)),
        ) => {
            format!("{err:?}")
        }
        Err(err) => panic!("neither store is to fail like this: {err:?}"),
    }
}

type Made = (Vec<Guard>, Vec<Write>, TxnId);

/// Carries out the request, and says all there is to say of the outcome.
async fn carry_out(store: &dyn Store, op: &Op, made: &[Made]) -> String {
    let now = store.get(&[], None).await.expect("now").at;
    let ago = |back: i8| Revision(now.0.saturating_add_signed(-i64::from(back)));
    match op {
        Op::Commit { .. } | Op::Again => {
            let place =
                if matches!(op, Op::Again) { made.len().checked_sub(2) } else { made.len().checked_sub(1) };
            let Some((guards, writes, txn)) = place.map(|it| made[it].clone()) else { return String::new() };
            outcome(store.commit(guards, writes, txn).await)
        }
        Op::Committed { made: true } => match made.last() {
            Some((_, _, txn)) => outcome(store.committed(*txn).await),
            None => String::new(),
        },
        Op::Committed { made: false } => outcome(store.committed(TxnId::new()).await),
        Op::Get { keys, back } => {
            let keys: Vec<String> = keys.iter().map(|it| key(*it)).collect();
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            outcome(store.get(&keys, back.map(ago)).await)
        }
        Op::List { prefix: under, after, limit, back } => {
            let after = after.map(key);
            let page =
                store.list(&prefix(*under), after.as_deref(), usize::from(*limit), back.map(ago)).await;
            outcome(page)
        }
        Op::Follow { back } => {
            use futures_util::StreamExt;
            let from = Revision(now.0.saturating_sub(u64::from(*back)));
            let mut stream = match store.follow(from).await {
                Ok(stream) => stream,
                Err(err) => return outcome::<()>(Err(err)),
            };
            let mut seen = Vec::new();
            let mut last = from;
            while last < now {
                match stream.next().await.expect("it does not end") {
                    Ok(changes) => {
                        last = changes.revision;
                        // Housekeeping need not be told.
                        seen.extend((!changes.changes.is_empty()).then_some(changes));
                    }
                    Err(err) => return outcome::<()>(Err(err)),
                }
            }
            format!("{seen:?}")
        }
        Op::Compact { back } => {
            outcome(store.compact(Revision(now.0.saturating_sub(u64::from(*back)))).await)
        }
        Op::Reopen => String::new(),
    }
}

/// Makes a commit's request from what is stored now.
async fn make(store: &dyn Store, guards: &[G], writes: &[W]) -> Made {
    let now = store.get(&[], None).await.expect("now").at;
    let ago = |back: i8| Revision(now.0.saturating_add_signed(-i64::from(back)));
    let mut made = Vec::new();
    for guard in guards {
        made.push(match guard {
            G::Now { key: n, holds } => {
                let entry = store.get(&[&key(*n)], None).await.expect("get").entries.pop();
                let modified = entry.map_or(0, |it| it.modified.0);
                Guard::Key(key(*n), Revision(if *holds { modified } else { modified + 1 }))
            }
            G::Key { key: n, back } => Guard::Key(key(*n), ago(*back)),
            G::Prefix { prefix: n, back } => Guard::Prefix(prefix(*n), ago(*back)),
        });
    }
    let mut unique = std::collections::BTreeMap::new();
    for W { key: n, size } in writes {
        unique.insert(key(*n), *size);
    }
    let writes = unique.into_iter().map(|(key, size)| match size {
        Some(size) => Write::Put(key, vec![size as u8; size as usize].into()),
        None => Write::Delete(key),
    });
    (made, writes.collect(), TxnId::new())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn sqlite_does_what_memory_does(ops in prop::collection::vec(op(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let directory = tempfile::tempdir().expect("a directory");
            let memory: Arc<dyn Store> = Memory::new();
            let mut sqlite = Some(Sqlite::open(directory.path()).await.expect("a store"));
            let mut made = Vec::new();
            for (n, op) in ops.iter().enumerate() {
                if let Op::Commit { guards, writes } = op {
                    made.push(make(&*memory, guards, writes).await);
                }
                if matches!(op, Op::Reopen) {
                    drop(sqlite.take());
                    sqlite = Some(Sqlite::open(directory.path()).await.expect("the store"));
                }
                let sqlite = sqlite.as_deref().expect("open");
                let expected = carry_out(&*memory, op, &made).await;
                let actual = carry_out(sqlite, op, &made).await;
                assert!(actual == expected, "step {n}, {op:?}:\nmemory {expected:.2000}\nsqlite {actual:.2000}");
            }
            let sqlite = sqlite.as_deref().expect("open");
            let all = async |store: &dyn Store| format!("{:?}", store.list("", None, 100, None).await);
            assert!(all(&*memory).await == all(sqlite).await, "they end in different states");
        });
    }
}
