//! What only shows from inside: that watchers are found without a search, and leave nothing behind.

use std::{
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    task::{Wake, Waker},
};

use super::*;
use crate::{Memory, TxnId, Write};

async fn put(view: &View, keys: &[&str]) -> Revision {
    let writes = keys.iter().map(|&key| Write::Put(key.to_owned(), "1".into())).collect();
    let at = view.store().commit(vec![], writes, TxnId::new()).await.expect("commit");
    view.wait(at).await.expect("open");
    at
}

/// Counts how often a watcher is woken.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

impl Count {
    /// Lets the watch wait, to be counted when it is woken.
    fn on(self: &Arc<Self>, watch: &mut Watch) {
        let waker = Waker::from(Arc::clone(self));
        let mut next = std::pin::pin!(watch.next());
        assert!(next.as_mut().poll(&mut std::task::Context::from_waker(&waker)).is_pending());
    }
}

#[tokio::test]
async fn of_very_many_only_those_concerned_are_woken() {
    const UNITS: usize = 5000;
    let view = View::open(Memory::new()).await.expect("a view");
    let woken = Arc::new(Count::default());
    let mut watches = Vec::new();
    for unit in 0..UNITS {
        for interest in [
            Interest::key(format!("m/unit/{unit}")),
            Interest::key(format!("m/status/{unit}")).and_key(format!("m/config/{}", unit % 50)),
            Interest::prefix(format!("m/scope/{unit}/")),
            Interest::key("m/model"),
        ] {
            let (_, mut watch) = view.watch(interest).expect("a watch");
            woken.on(&mut watch);
            watches.push(watch);
        }
    }
    let woken_by = async |keys: &[&str]| {
        put(&view, keys).await;
        woken.0.swap(0, Relaxed)
    };
    assert_eq!(woken_by(&["m/unit/7", "m/unit/77", "m/unit/none"]).await, 2);
    assert_eq!(woken_by(&["m/scope/9/a/b", "m/scope/9/c"]).await, 1, "two of its keys wake it once");
    assert_eq!(woken_by(&["m/scope/9/d"]).await, 0, "it has not yet looked");
    assert_eq!(woken_by(&["m/config/3"]).await, UNITS / 50);
    assert_eq!(woken_by(&["m/model"]).await, UNITS);
    assert_eq!(woken_by(&["m/other", "n/unit/1", "m/scope"]).await, 0);

    watches.clear();
    assert!(view.shared.waiting().watchers.is_empty(), "nothing is left of watchers that went");
}

#[tokio::test]
async fn a_watch_that_changes_its_interest_leaves_nothing_behind() {
    let view = View::open(Memory::new()).await.expect("a view");
    let since = put(&view, &["a/1"]).await;
    let (_, mut watch) = view.watch(Interest::prefix("a/").and_prefix("a/").and_key("k")).expect("a watch");
    let (_, other) = view.watch(Interest::key("k")).expect("a watch");
    watch.add(Interest::key("k").and_key("l")).expect("valid");
    watch.add_since(Interest::prefix("b/"), since).expect("not long ago");
    watch.remove(&Interest::key("k").and_key("never"));
    let woken = Arc::new(Count::default());
    woken.on(&mut watch);
    put(&view, &["k"]).await;
    assert_eq!(woken.0.load(Relaxed), 0);
    put(&view, &["l", "a/2", "b/2"]).await;
    assert_eq!(watch.next().await.expect("open").keys.len(), 3);
    drop((watch, other));
    assert!(view.shared.waiting().watchers.is_empty());
}

#[tokio::test]
async fn all_are_woken_when_the_view_closes() {
    let view = View::open(Memory::new()).await.expect("a view");
    let (_, mut one) = view.watch(Interest::key("a")).expect("a watch");
    let (_, mut none) = view.watch(Interest::none()).expect("a watch");
    let woken = Arc::new(Count::default());
    woken.on(&mut one);
    woken.on(&mut none);
    drop(view);
    assert_eq!(woken.0.load(Relaxed), 2);
    assert!(matches!(one.next().await, Err(Error::Unavailable(_))));
    assert!(matches!(none.next().await, Err(Error::Unavailable(_))));
}

/// A watch made while others write: all that its image does not show is told, and nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn image_and_watch_fit_together() {
    let view = View::open(Memory::new()).await.expect("a view");
    let writer = async {
        for n in 0..2000_u32 {
            let write = Write::Put("a/count".to_owned(), format!("{n}").into());
            view.store().commit(vec![], vec![write], TxnId::new()).await.expect("commit");
            if n % 8 == 0 {
                tokio::task::yield_now().await;
            }
        }
    };
    let watcher = async {
        let mut looks = 0;
        loop {
            let (image, mut watch) = view.watch(Interest::prefix("a/")).expect("a watch");
            let Some(before) = image.read::<u32>("a/count").expect("a number") else {
                tokio::task::yield_now().await;
                continue;
            };
            if *before == 1999 {
                return looks;
            }
            let changed = watch.next().await.expect("open");
            assert!(changed.revision > image.revision());
            let after = view.image().read::<u32>("a/count").expect("a number").expect("there");
            assert!(after > before, "told of what the image showed already");
            looks += 1;
        }
    };
    let ((), looks) = tokio::join!(writer, watcher);
    assert!(looks > 0);
}
