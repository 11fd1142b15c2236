//! Calls, watchers and endings over two ends in memory, with time paused.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{entities, pair, pair_with};
use juju_rpc::{CallError, Closed, End, Message, Options, memory, serve};
use juju_wire::{
    code,
    facade::{admin, application, machiner, pinger},
};
use tokio_util::sync::CancellationToken;

type Life = machiner::call::Life;

#[tokio::test(start_paused = true)]
async fn replies_come_in_the_order_in_which_calls_end() {
    let it = pair();
    let (waits, opens) =
        tokio::join!(it.client.call::<Life>(entities("wait")), it.client.call::<Life>(entities("open")));
    assert_eq!(waits.unwrap().results[0].life, "dying");
    assert_eq!(opens.unwrap().results[0].life, "alive");
}

#[tokio::test(start_paused = true)]
async fn errors_keep_their_code_and_panics_are_errors() {
    let it = pair();
    let err = it.client.call::<juju_wire::facade::block::call::List>(()).await.unwrap_err();
    assert_eq!(err.code(), code::NOT_IMPLEMENTED);
    assert_eq!(err.to_string(), "unknown object type \"Block\"");
    let err = it.client.call::<Life>(entities("panic")).await.unwrap_err();
    assert_eq!(err.to_string(), "panic: told to");
    let err = it.client.call::<Life>(entities("nonsense")).await.unwrap_err();
    assert!(matches!(err, CallError::Decode { .. }), "{err:?}");
    it.client.call::<pinger::call::Ping>(()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_uses_the_best_version_both_ends_know() {
    let it = pair();
    let result = it.client.login(admin::LoginRequest::default()).await.unwrap();
    assert_eq!(result.server_version, "3.6.28");
    assert!(it.client.serves::<pinger::call::Ping>());
    assert!(!it.client.serves::<Life>());
    // 16 to 22 here, 15 to 17 and 19 there.
    type Destroy = application::call::DestroyApplication;
    assert_eq!(it.client.best_version::<Destroy>(), 19);
    let _ = it.client.call::<Destroy>(Default::default()).await;
    assert_eq!(it.fake.log().last().unwrap(), "Application(19).DestroyApplication[]");
}

#[tokio::test(start_paused = true)]
async fn a_call_may_be_given_up() {
    let it = pair();
    let limit = Duration::from_secs(5);
    let err = it.client.call_within::<pinger::call::Stop>(limit, ()).await.unwrap_err();
    assert!(matches!(err, CallError::Timeout { .. }), "{err:?}");
    // The connection does not mind.
    it.client.call::<pinger::call::Ping>(()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_next_loses_no_event() {
    let it = pair();
    let events = it.fake.watcher("3");
    let mut watcher = it.client.strings_watcher("3").starting_with(vec!["first".into()]);
    assert_eq!(watcher.next().await.unwrap(), ["first"]);
    let short = Duration::from_millis(1);
    assert!(tokio::time::timeout(short, watcher.next()).await.is_err());
    events.send(vec!["a".into()]).unwrap();
    assert!(tokio::time::timeout(Duration::ZERO, watcher.next()).await.is_err());
    tokio::time::sleep(short).await;
    assert_eq!(watcher.next().await.unwrap(), ["a"]);
    events.send(vec!["b".into()]).unwrap();
    assert_eq!(watcher.next().await.unwrap(), ["b"]);
    let nexts = it.fake.log().iter().filter(|it| it.contains("Next")).count();
    assert_eq!(nexts, 2, "one request an event");
}

#[tokio::test(start_paused = true)]
async fn a_watcher_is_stopped_once_by_hand_or_by_drop() {
    let it = pair();
    it.client.strings_watcher("1").stop().await.unwrap();
    drop(it.client.strings_watcher("2"));
    it.client.call::<pinger::call::Ping>(()).await.unwrap();
    let log = it.fake.log();
    let stops: Vec<_> = log.iter().filter(|it| it.contains("Stop")).collect();
    assert_eq!(stops, ["StringsWatcher(1).Stop[1]", "StringsWatcher(1).Stop[2]"]);
    let err = it.client.strings_watcher("9").next().await.unwrap_err();
    assert!(err.is_not_found(), "{err:?}");
}

#[tokio::test(start_paused = true)]
async fn closing_says_goodbye_and_ends_every_call() {
    let it = pair();
    let blocked = it.client.clone();
    let blocked = tokio::spawn(async move { blocked.call::<pinger::call::Stop>(()).await });
    tokio::task::yield_now().await;
    it.client.close().await;
    assert!(matches!(it.client.closed().await, Closed::Here));
    assert!(matches!(blocked.await.unwrap(), Err(CallError::Closed(Closed::Here))));
    assert!(it.client.call::<pinger::call::Ping>(()).await.unwrap_err().is_closed());
    // A request that will not end is aborted when the drain is over.
    assert!(matches!(it.end.await.unwrap(), End::Peer));
}

#[tokio::test(start_paused = true)]
async fn the_last_handle_closes() {
    let it = pair();
    it.client.keep_alive();
    it.client.call::<pinger::call::Ping>(()).await.unwrap();
    let other = it.client.clone();
    drop(it.client);
    other.call::<pinger::call::Ping>(()).await.unwrap();
    drop(other);
    assert!(matches!(it.end.await.unwrap(), End::Peer));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_server_ends_watchers_and_drains() {
    let it = pair();
    let _events = it.fake.watcher("1");
    let mut watcher = it.client.strings_watcher("1");
    let next = tokio::spawn(async move { watcher.next().await });
    let slow = it.client.clone();
    let slow = tokio::spawn(async move { slow.call::<Life>(entities("wait")).await });
    while it.fake.log().len() < 2 {
        tokio::task::yield_now().await;
    }
    it.stop.cancel();
    assert_eq!(next.await.unwrap().unwrap_err().code(), code::STOPPED);
    it.fake.gate.send_replace(true);
    assert_eq!(slow.await.unwrap().unwrap().results[0].life, "dying");
    assert!(matches!(it.end.await.unwrap(), End::Stopped));
    let closed = it.client.closed().await;
    assert!(closed.to_string().contains("closed by the server"), "{closed}");
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_noticed() {
    let (ours, theirs) = memory();
    let client = juju_rpc::Connection::over(ours);
    client.keep_alive();
    let start = tokio::time::Instant::now();
    assert!(matches!(client.closed().await, Closed::Silent));
    assert_eq!(start.elapsed(), Duration::from_secs(90));
    drop(theirs);
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_answered_and_stop_still_heard() {
    let it = pair_with(Options { outstanding: 2, ..Options::default() });
    let calls: Vec<_> = (0..2)
        .map(|_| {
            let client = it.client.clone();
            tokio::spawn(async move { client.call::<Life>(entities("wait")).await })
        })
        .collect();
    while it.fake.log().len() < 2 {
        tokio::task::yield_now().await;
    }
    let err = it.client.call::<pinger::call::Ping>(()).await.unwrap_err();
    assert_eq!(err.code(), code::QUOTA_LIMIT_EXCEEDED);
    it.fake.gate.send_replace(true);
    for call in calls {
        call.await.unwrap().unwrap();
    }
    it.client.call::<pinger::call::Ping>(()).await.unwrap();
}

/// Sends raw frames and returns what comes back until the server is done.
async fn raw(frames: &[&str]) -> (Vec<Message>, End) {
    use futures_util::{SinkExt as _, StreamExt as _};
    let (mut ours, theirs) = memory();
    let fake = std::sync::Arc::new(common::Fake::default());
    let end = tokio::spawn(serve(theirs, fake, Options::default(), CancellationToken::new()));
    for frame in frames {
        ours.send(Message::text(*frame)).await.unwrap();
    }
    ours.send(Message::Close(None)).await.unwrap();
    let mut got = vec![];
    while let Some(Ok(message)) = ours.next().await {
        got.push(message);
    }
    (got, end.await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn malformed_frames_end_the_connection_with_a_reason() {
    for frame in ["", "{", "[]", "{\"request-id\":1.5}", r#"{"type":"Pinger","request":"Ping"}"#] {
        let (got, end) = raw(&[frame]).await;
        assert!(matches!(end, End::Malformed(_)), "{frame}: {end:?}");
        let [Message::Close(Some(close))] = &got[..] else { panic!("{frame}: {got:?}") };
        assert!(close.reason.starts_with("malformed frame: "), "{close:?}");
    }
    let (got, end) = raw(&[r#"{"x":1}"#, r#"{"request-id":5,"type":"Pinger","request":"Ping"}"#]).await;
    assert!(matches!(end, End::Peer), "{end:?}");
    assert_eq!(got[0], Message::text(r#"{"request-id":5,"response":{}}"#));
}

#[tokio::test(start_paused = true)]
async fn a_reply_to_nobody_and_a_request_are_ignored_and_nonsense_ends() {
    use futures_util::{SinkExt as _, StreamExt as _};
    let (ours, mut theirs) = memory();
    let client = juju_rpc::Connection::over(ours);
    theirs.send(Message::text(r#"{"request-id":77,"response":{}}"#)).await.unwrap();
    theirs.send(Message::text(r#"{"request-id":1,"type":"X","request":"Y"}"#)).await.unwrap();
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.call::<pinger::call::Ping>(()).await }
    });
    let Some(Ok(Message::Text(text))) = theirs.next().await else { panic!() };
    assert_eq!(text, r#"{"request-id":1,"type":"Pinger","version":1,"request":"Ping","params":{}}"#);
    // No result at all reads as an empty one.
    theirs.send(Message::text(r#"{"request-id":1}"#)).await.unwrap();
    call.await.unwrap().unwrap();
    theirs.send(Message::text("nonsense")).await.unwrap();
    assert!(matches!(client.closed().await, Closed::Malformed(_)));
}
