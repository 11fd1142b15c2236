//! Next, Stop and the end of a connection's watchers.

use std::sync::Arc;

use juju_wire::facade::watchers::{EntitiesChanges, StringsChanges};
use tokio::sync::mpsc::unbounded_channel;

use super::*;

fn changes(id: &str) -> StringsChanges {
    StringsChanges { changes: vec![id.into()] }
}

#[tokio::test]
async fn ids_count_from_one_and_events_come_in_order() {
    let watchers = Watchers::default();
    let (send, events) = unbounded_channel();
    assert_eq!(watchers.add::<()>(unbounded_channel().1).unwrap(), "1");
    assert_eq!(watchers.add::<StringsChanges>(events).unwrap(), "2");
    send.send(Ok(changes("a"))).unwrap();
    send.send(Ok(changes("b"))).unwrap();
    assert_eq!(watchers.next::<StringsChanges>("2").await.unwrap(), changes("a"));
    assert_eq!(watchers.next::<StringsChanges>("2").await.unwrap(), changes("b"));
    watchers.stop::<()>("1").unwrap();
    assert_eq!(watchers.add::<()>(unbounded_channel().1).unwrap(), "3", "an id is used once");
}

#[tokio::test]
async fn an_unknown_id_or_one_of_another_kind_is_not_found() {
    let watchers = Watchers::default();
    watchers.add::<StringsChanges>(unbounded_channel().1).unwrap();
    for result in [
        watchers.next::<StringsChanges>("7").await.map(drop),
        watchers.next::<StringsChanges>("").await.map(drop),
        watchers.next::<EntitiesChanges>("1").await.map(drop),
        watchers.stop::<EntitiesChanges>("1"),
        watchers.stop::<StringsChanges>("2"),
    ] {
        let err = result.unwrap_err();
        assert_eq!((err.code(), err.to_string().as_str()), ("not found", "unknown watcher id"));
    }
    assert_eq!(watchers.len(), 1);
}

#[tokio::test]
async fn stop_ends_a_blocked_next() {
    let watchers = Arc::new(Watchers::default());
    let (_keep, events) = unbounded_channel();
    watchers.add::<()>(events).unwrap();
    let waiting = watchers.clone();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move { waiting.next::<()>("1").await });
    tokio::task::yield_now().await;
    watchers.stop::<()>("1").unwrap();
    let err = tasks.join_next().await.unwrap().unwrap().unwrap_err();
    assert_eq!((err.code(), err.to_string().as_str()), ("stopped", "watcher has been stopped"));
    assert_eq!(watchers.next::<()>("1").await.unwrap_err().code(), "not found");
}

#[tokio::test]
async fn a_failure_is_told_once() {
    let watchers = Watchers::default();
    let (send, events) = unbounded_channel();
    watchers.add::<()>(events).unwrap();
    send.send(Err(Error::other("the store is gone"))).unwrap();
    assert_eq!(watchers.next::<()>("1").await.unwrap_err().to_string(), "the store is gone");
    assert_eq!(watchers.next::<()>("1").await.unwrap_err().code(), "stopped");
    watchers.stop::<()>("1").unwrap();
}

#[tokio::test]
async fn closing_ends_all_that_are_and_will_be() {
    let watchers = Arc::new(Watchers::default());
    let (_keep, events) = unbounded_channel();
    watchers.add::<()>(events).unwrap();
    let waiting = watchers.clone();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move { waiting.next::<()>("1").await });
    tokio::task::yield_now().await;
    watchers.close();
    assert_eq!(tasks.join_next().await.unwrap().unwrap().unwrap_err().code(), "stopped");
    assert!(watchers.is_empty());
    let (_keep, events) = unbounded_channel();
    let late = watchers.add::<()>(events).unwrap();
    assert_eq!(watchers.next::<()>(&late).await.unwrap_err().code(), "stopped");
}

#[tokio::test]
async fn two_who_ask_get_an_event_each() {
    let watchers = Arc::new(Watchers::default());
    let (send, events) = unbounded_channel();
    watchers.add::<StringsChanges>(events).unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..2 {
        let watchers = watchers.clone();
        tasks.spawn(async move { watchers.next::<StringsChanges>("1").await.unwrap().changes });
    }
    tokio::task::yield_now().await;
    send.send(Ok(changes("a"))).unwrap();
    send.send(Ok(changes("b"))).unwrap();
    let mut got = vec![];
    while let Some(changes) = tasks.join_next().await {
        got.extend(changes.unwrap());
    }
    got.sort();
    assert_eq!(got, ["a", "b"]);
}
