use std::sync::Arc;

use juju_store::{Error, Guard, Revision, Store, TxnId, Write};

use crate::support::{commit, delete, put};

pub async fn an_empty_store(store: Arc<dyn Store>) {
    let now = store.get(&[], None).await.expect("now");
    assert!(now.entries.is_empty());
    assert!(store.get(&["a"], None).await.expect("get").entries.is_empty());
    let page = store.list("", None, 10, None).await.expect("list");
    assert!(page.entries.is_empty() && !page.more);
    assert_eq!(page.at, now.at);
}

pub async fn what_was_put_is_read(store: Arc<dyn Store>) {
    let values: [&[u8]; 4] = [b"", b"{}", b"\x00\x01\xff", "ünï".as_bytes()];
    let writes = values.iter().enumerate().map(|(n, value)| put(&format!("v/{n}"), value.to_vec())).collect();
    let first = commit(&*store, writes).await;
    let second = commit(&*store, vec![put("v/1", "new"), delete("v/3")]).await;
    assert_eq!(second, Revision(first.0 + 1), "each commit that writes makes the next revision");

    // In the order asked for; what is not there is left out.
    let found = store.get(&["v/2", "v/9", "v/3", "v/1", "v/0"], None).await.expect("get");
    assert_eq!(found.at, second);
    let found: Vec<_> =
        found.entries.iter().map(|it| (it.key.as_str(), &it.value[..], it.modified)).collect();
    assert_eq!(
        found,
        [("v/2", &b"\x00\x01\xff"[..], first), ("v/1", &b"new"[..], second), ("v/0", &b""[..], first)]
    );
    // More keys than fit in one request of any backend.
    let keys: Vec<String> = (0..300).map(|n| format!("v/{n}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    assert_eq!(store.get(&keys, None).await.expect("get").entries.len(), 3);
    assert_eq!(store.get(&keys, Some(first)).await.expect("get").entries.len(), 4);
}

pub async fn lists_are_paged_in_byte_order(store: Arc<dyn Store>) {
    let mut keys: Vec<String> = (0..400).map(|n| format!("l/{:03}/{}", (n * 7919) % 400, n % 3)).collect();
    keys.extend(["l/~", "l/Z", "l/a.b/c", "l/a/b", "l/a0", "l/é", "l/\u{10ffff}"].map(str::to_owned));
    for some in keys.chunks(100) {
        commit(&*store, some.iter().map(|it| put(it, it.clone())).collect()).await;
    }
    commit(&*store, vec![delete("l/000/0"), put("m", "not under l/"), put("l", "nor this")]).await;
    keys.retain(|it| it != "l/000/0");
    keys.sort_unstable();

    for limit in [1, 7, 100, 1000] {
        let mut listed = Vec::new();
        let mut at = None;
        let mut after: Option<String> = None;
        loop {
            let page = store.list("l/", after.as_deref(), limit, at).await.expect("a page");
            assert!(page.entries.len() <= limit);
            if page.more {
                assert!(!page.entries.is_empty(), "each page leads on");
            }
            at = Some(*at.get_or_insert(page.at));
            assert_eq!(at, Some(page.at));
            listed.extend(page.entries.into_iter().map(|it| it.key));
            if !page.more {
                break;
            }
            after = listed.last().cloned();
            if limit == 7 && listed.len() < 20 {
                // Pages of one revision do not see what comes after it.
                commit(&*store, vec![put("l/zzz", "later")]).await;
                commit(&*store, vec![delete("l/zzz")]).await;
            }
        }
        assert_eq!(listed, keys, "with pages of {limit}");
    }
    let rest = store.list("l/", Some("l/a/"), 2, None).await.expect("a page").entries;
    assert_eq!(rest.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(), ["l/a/b", "l/a0"]);
    let all = store.list("l/", Some("a"), 1, None).await.expect("a page");
    assert_eq!(all.entries[0].key, keys[0], "what comes before the prefix does not matter");
    assert!(store.list("l/", Some("z"), 1, None).await.expect("a page").entries.is_empty());
}

pub async fn prefixes_end_at_slashes(store: Arc<dyn Store>) {
    let keys = ["u/a", "u/a/1", "u/a/10", "u/a/1/x", "u/ab", "u/ab/1", "u/a.b/1"];
    commit(&*store, keys.iter().map(|it| put(it, "x")).collect()).await;
    let under = async |prefix: &str| {
        let page = store.list(prefix, None, 100, None).await.expect("list");
        page.entries.into_iter().map(|it| it.key).collect::<Vec<_>>()
    };
    assert_eq!(under("u/a/").await, ["u/a/1", "u/a/1/x", "u/a/10"]);
    assert_eq!(under("u/a/1/").await, ["u/a/1/x"]);
    assert_eq!(under("u/ab/").await, ["u/ab/1"]);
    assert_eq!(under("u/").await.len(), 7);
    assert_eq!(under("").await.len(), 7);
    assert!(under("u/b/").await.is_empty());
}

pub async fn reads_are_repeatable(store: Arc<dyn Store>) {
    let start = store.get(&[], None).await.expect("now").at;
    let mut history = Vec::new();
    for n in 0..30 {
        let at = commit(
            &*store,
            match n % 5 {
                4 => vec![delete("r/a"), delete("r/b")],
                n => vec![put("r/a", format!("{n}")), put(&format!("r/c{n}"), "x")],
            },
        )
        .await;
        let listed = store.list("r/", None, 100, Some(at)).await.expect("list");
        let got = store.get(&["r/a", "r/c1"], Some(at)).await.expect("get");
        history.push((at, listed, got));
    }
    for (at, listed, got) in history {
        assert_eq!(store.list("r/", None, 100, Some(at)).await.expect("list again"), listed);
        assert_eq!(store.get(&["r/a", "r/c1"], Some(at)).await.expect("get again"), got);
    }
    assert!(store.list("r/", None, 100, Some(start)).await.expect("the start").entries.is_empty());
    let future = Revision(store.get(&[], None).await.expect("now").at.0 + 1000);
    let early = store.get(&["r/a"], Some(future)).await;
    assert!(matches!(early, Err(Error::Invalid(_))), "{early:?}");
}

pub async fn bad_requests_are_refused(store: Arc<dyn Store>) {
    let before = store.get(&[], None).await.expect("now").at;
    let refused =
        |outcome: Result<(), Error>| assert!(matches!(outcome, Err(Error::Invalid(_))), "{outcome:?}");
    for bad in ["", "a/", "a\0"] {
        refused(store.get(&[bad], None).await.map(drop));
        refused(store.commit(vec![], vec![put(bad, "")], TxnId::new()).await.map(drop));
        refused(store.commit(vec![], vec![delete(bad)], TxnId::new()).await.map(drop));
        let guards = vec![Guard::Key(bad.to_owned(), Revision(0))];
        refused(store.commit(guards, vec![put("ok", "")], TxnId::new()).await.map(drop));
    }
    for bad in ["a", "a/b", "\0/"] {
        refused(store.list(bad, None, 1, None).await.map(drop));
        let guards = vec![Guard::Prefix(bad.to_owned(), Revision(0))];
        refused(store.commit(guards, vec![put("ok", "")], TxnId::new()).await.map(drop));
    }
    let twice: Vec<Write> = vec![put("twice", "1"), delete("twice")];
    refused(store.commit(vec![], twice, TxnId::new()).await.map(drop));
    assert_eq!(store.get(&[], None).await.expect("now").at, before, "nothing was written");
}
