use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use juju_store::{Error, Interest, Revision, Store, View, limits};
use tokio::task::JoinSet;

use crate::support::{commit, delete, put, soon};

pub async fn it_shows_what_is_stored(store: Arc<dyn Store>) {
    commit(&*store, vec![put("v/a", "1"), put("v/b", "2"), put("v/a/x", "3"), put("w", "4")]).await;
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    for n in 0..50 {
        let key = format!("v/{}", n % 7);
        let at =
            commit(&*store, vec![if n % 4 == 3 { delete(&key) } else { put(&key, format!("{n}")) }]).await;
        soon("the revision", view.wait(at)).await.expect("open");
        let doc = view.get(&key).map(|it| it.value().clone());
        assert_eq!(doc, (n % 4 != 3).then(|| Bytes::from(format!("{n}"))));
    }
    let listed = store.list("", None, 1000, None).await.expect("list");
    let shown = view.image();
    assert!(shown.revision() >= listed.at);
    let shown: Vec<_> =
        shown.list("").map(|it| (it.key().to_owned(), it.value().clone(), it.modified())).collect();
    let stored: Vec<_> = listed.entries.into_iter().map(|it| (it.key, it.value, it.modified)).collect();
    assert_eq!(shown, stored);
    assert_eq!(view.list("v/a/").len(), 1, "v/a itself is not under it");

    let decoded = view.get("w").expect("there").decode::<u32>().expect("a number");
    let again = view.get("w").expect("there").decode::<u32>().expect("a number");
    assert!(Arc::ptr_eq(&decoded, &again), "it is decoded once");
    assert_eq!(*view.get("w").expect("there").decode::<i64>().expect("another type"), 4);
    let wrong = view.get("w").expect("there").decode::<String>();
    assert!(matches!(wrong, Err(Error::Decode { key, .. }) if key == "w"));

    let revision = commit(&*store, vec![put("w", "5")]).await;
    assert!(soon("to catch up", view.catch_up()).await.expect("open") >= revision);
    assert_eq!(*view.image().read::<u32>("w").expect("a number").expect("there"), 5);

    let closed = view.closed();
    view.close().await;
    assert_eq!(&*soon("the end", closed).await, "the view was closed");
    assert!(view.wait(revision).await.is_ok(), "it has reached this one");
    assert!(matches!(view.wait(Revision(revision.0 + 1)).await, Err(Error::Unavailable(_))));
    assert!(matches!(view.watch(Interest::key("w")), Err(Error::Unavailable(_))));
}

/// Writers keep two documents equal and one the sum of all; no image ever shows otherwise.
pub async fn it_is_never_torn(store: Arc<dyn Store>) {
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    let writers = (0..4).map(|writer| {
        let store = Arc::clone(&store);
        async move {
            for n in 0..50 {
                let value = format!("{n}");
                let writes =
                    vec![put(&format!("t/{writer}/a"), value.clone()), put(&format!("t/{writer}/z"), value)];
                commit(&*store, writes).await;
            }
        }
    });
    let mut readers = JoinSet::new();
    for _ in 0..2 {
        let view = view.clone();
        readers.spawn(async move {
            let (mut looks, mut last) = (0, Revision::ZERO);
            loop {
                let image = view.image();
                assert!(image.revision() >= last, "it never goes back");
                last = image.revision();
                let mut finished = 0;
                for writer in 0..4 {
                    let prefix = format!("t/{writer}/");
                    let docs: Vec<_> = image.list(&prefix).collect();
                    assert!(docs.len() == 2 || docs.is_empty());
                    assert!(docs.windows(2).all(|it| it[0].value() == it[1].value()), "torn");
                    finished += usize::from(docs.first().is_some_and(|it| it.value() == "49"));
                }
                looks += 1;
                if finished == 4 {
                    return looks;
                }
                tokio::task::yield_now().await;
            }
        });
    }
    soon("the writers", futures_util::future::join_all(writers)).await;
    while let Some(looks) = soon("the readers", readers.join_next()).await {
        assert!(looks.expect("no torn image") > 0);
    }
}

pub async fn watchers_hear_of_their_own(store: Arc<dyn Store>) {
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    commit(&*store, vec![put("w/a/1", "x"), put("w/b/1", "x")]).await;
    let since = view.catch_up().await.expect("catch up");
    let (_, mut everything) = view.watch(Interest::prefix("")).expect("a watch");
    let (_, mut a) = view.watch(Interest::prefix("w/a/")).expect("a watch");
    let (_, mut one) = view.watch(Interest::key("w/a/1").and_key("w/c")).expect("a watch");
    let (_, mut quiet) = view.watch(Interest::prefix("w/b/x/").and_key("w/b")).expect("a watch");

    // However often a key changes before its watcher looks, it hears of it once; it hears of nothing else.
    let mut last = since;
    for n in 0..20 {
        let both = [put("w/a/1", format!("{n}")), put(&format!("w/a/{}", n % 2 * 2), "y")];
        last = commit(&*store, both[n % 3 / 2..].to_vec()).await;
        commit(&*store, vec![put("w/b/1", format!("{n}"))]).await;
    }
    last = last.max(commit(&*store, vec![delete("w/a/2")]).await);
    view.wait(last).await.expect("open");
    let changed = soon("a change", a.next()).await.expect("open");
    assert!(changed.revision >= last);
    let keys: Vec<&str> = changed.keys.iter().map(|it| &**it).collect();
    assert_eq!(keys, ["w/a/0", "w/a/1", "w/a/2"]);
    let changed = soon("a change", one.next()).await.expect("open");
    assert_eq!(changed.keys.iter().map(|it| &**it).collect::<Vec<_>>(), ["w/a/1"]);
    assert_eq!(soon("a change", everything.next()).await.expect("open").keys.len(), 4);

    // Nothing new is nothing to hear; then the next thing is heard by whom it concerns.
    let next = commit(&*store, vec![put("w/c", "x"), put("w/b/x/1", "x")]).await;
    assert_eq!(soon("a change", one.next()).await.expect("open").keys.len(), 1);
    assert_eq!(soon("a change", quiet.next()).await.expect("open").revision, next);
    let later = commit(&*store, vec![put("w/a/1", "last")]).await;
    assert_eq!(
        soon("a change", a.next()).await.expect("open").revision,
        later,
        "w/c was none of its concern"
    );

    // From a revision on: what changed since, with what was deleted.
    let mut late = view.watch_since(Interest::prefix("w/a/"), since).expect("a watch");
    assert_eq!(soon("a change", late.next()).await.expect("open").keys.len(), 3);
    let once = soon("a change", view.changed(Interest::key("w/c"), since)).await.expect("open");
    assert_eq!(&*once.keys[0], "w/c");

    // Its interest can change.
    late.remove(&Interest::prefix("w/a/"));
    late.add(Interest::key("w/new")).expect("valid");
    late.add_since(Interest::key("w/c"), since).expect("not so long ago");
    assert_eq!(&*soon("a change", late.next()).await.expect("open").keys[0], "w/c");
    commit(&*store, vec![put("w/a/1", "not any more")]).await;
    commit(&*store, vec![put("w/new", "x")]).await;
    let changed = soon("a change", late.next()).await.expect("open");
    assert_eq!(changed.keys.iter().map(|it| &**it).collect::<Vec<_>>(), ["w/new"]);

    view.close().await;
    for watch in [&mut a, &mut one, &mut quiet, &mut late] {
        while let Ok(changed) = soon("the end", watch.next()).await {
            assert!(!changed.keys.is_empty());
        }
    }
}

pub async fn removed_keys_are_known_until_compaction(store: Arc<dyn Store>) {
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    let start = commit(&*store, vec![put("r/a", "1"), put("r/b", "1"), put("r/c", "1")]).await;
    let first = commit(&*store, vec![delete("r/a"), delete("r/c")]).await;
    let second = commit(&*store, vec![delete("r/b"), put("r/c", "2")]).await;
    view.wait(second).await.expect("open");
    let removed = |view: &View| {
        let image = view.image();
        image.removed("r/").map(|(key, at)| (key.to_owned(), at)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(removed(&view), BTreeMap::from([("r/a".to_owned(), first), ("r/b".to_owned(), second)]));
    assert_eq!(view.list("r/").len(), 1);
    let changed = view.image().changed(&Interest::prefix("r/"), start).expect("not so long ago");
    assert_eq!(changed.iter().map(|it| &**it).collect::<Vec<_>>(), ["r/a", "r/b", "r/c"]);

    store.compact(first).await.expect("compact");
    view.catch_up().await.expect("catch up");
    assert_eq!(removed(&view), BTreeMap::from([("r/b".to_owned(), second)]));
    let forgotten = view.image().changed(&Interest::prefix("r/"), start);
    assert!(matches!(forgotten, Err(Error::Compacted(at)) if at == start), "{forgotten:?}");
    assert!(matches!(view.watch_since(Interest::key("r/a"), start), Err(Error::Compacted(_))));
    store.compact(second).await.expect("compact");
    view.catch_up().await.expect("catch up");
    assert!(removed(&view).is_empty());
    assert_eq!(view.list("r/").len(), 1, "what came back is there");
}

pub async fn large_values_are_shown(store: Arc<dyn Store>) {
    let large = Bytes::from(vec![b'x'; limits::INLINE_BYTES * 3]);
    commit(&*store, vec![put("l/before", large.clone())]).await;
    let view = View::open(Arc::clone(&store)).await.expect("a view");
    let at = commit(&*store, vec![put("l/after", large.clone())]).await;
    soon("the revision", view.wait(at)).await.expect("open");
    for key in ["l/before", "l/after"] {
        assert!(*view.get(key).expect("there").value() == large, "{key}");
    }
    assert_eq!(view.list("").len(), 2);
}

pub async fn it_starts_from_what_is_there(store: Arc<dyn Store>) {
    let keys: BTreeSet<String> = (0..2500).map(|n| format!("m/{:02}/{n}", n % 17)).collect();
    let all: Vec<&String> = keys.iter().collect();
    for some in all.chunks(120) {
        commit(&*store, some.iter().map(|it| put(it, "x")).collect()).await;
    }
    // It is opened while others write.
    let writing = async {
        let mut last = Revision::ZERO;
        for n in 0..100 {
            last = commit(&*store, vec![put("m/during", format!("{n}"))]).await;
        }
        last
    };
    let (view, last) = tokio::join!(View::open(Arc::clone(&store)), writing);
    let view = view.expect("a view");
    soon("the revision", view.wait(last)).await.expect("open");
    assert_eq!(view.get("m/during").expect("there").value(), "99");
    let mut shown: BTreeSet<String> = view.list("").iter().map(|it| it.key().to_owned()).collect();
    assert!(shown.remove("m/during"));
    assert_eq!(shown, keys);
}
