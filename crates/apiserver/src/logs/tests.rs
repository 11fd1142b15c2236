//! Records kept, read back and filtered.

use std::time::Duration;

use futures_util::StreamExt as _;
use juju_wire::Time;
use tokio::time::timeout;

use super::*;

fn model(name: &str, uuid: &str) -> ModelDoc {
    let doc = serde_json::json!({
        "v": 1, "uuid": uuid, "name": name, "owner": "admin", "cloud": "local", "region": "",
        "life": "alive", "created": "2026-03-02T10:00:00Z",
    });
    serde_json::from_value(doc).unwrap()
}

const UUID: &str = "5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f";

fn message(text: &str) -> LogMessage {
    LogMessage {
        tag: "unit-web-0".into(),
        time: Time(Some("2026-03-02T10:11:12.5Z".parse().unwrap())),
        severity: "INFO".into(),
        module: "juju.worker.uniter".into(),
        location: "uniter.rs:1".into(),
        message: text.into(),
        labels: vec![],
    }
}

fn messages(range: std::ops::Range<usize>) -> Vec<LogMessage> {
    range.map(|it| message(&format!("line {it}"))).collect()
}

struct Fixture {
    dir: tempfile::TempDir,
    logs: Logs,
    log: Arc<ModelLog>,
}

fn fixture(max_bytes: u64) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let rotation = Rotation { max_bytes, max_backups: 100, mode: 0o600 };
    let logs = Logs::open(dir.path(), rotation).unwrap();
    let log = logs.model(&model("demo", UUID)).unwrap();
    Fixture { dir, logs, log }
}

async fn collect(log: &Arc<ModelLog>, query: &str) -> Vec<String> {
    let mut stream = log.read(Query::parse(query).unwrap());
    let mut got = vec![];
    while let Some(message) = timeout(Duration::from_secs(10), stream.next()).await.expect("it ends") {
        got.push(message.unwrap().message);
    }
    got
}

async fn next(stream: &mut (impl Stream<Item = io::Result<LogMessage>> + Unpin)) -> String {
    timeout(Duration::from_secs(10), stream.next()).await.expect("there is more").unwrap().unwrap().message
}

#[tokio::test]
async fn what_was_written_is_read_also_out_of_rotated_files() {
    let it = fixture(2000);
    it.logs.write(it.log.clone(), messages(0..100)).await.unwrap();
    lock(&it.log.file).settle();
    let files = std::fs::read_dir(it.dir.path().join("models")).unwrap().count();
    assert!(files > 5, "{files} files");
    let all: Vec<_> = (0..100).map(|it| format!("line {it}")).collect();
    assert_eq!(collect(&it.log, "noTail=true").await, all);
    assert_eq!(collect(&it.log, "noTail=true&replay=true&backlog=3").await, all);
    assert_eq!(collect(&it.log, "noTail=true&backlog=3").await, all[97..]);
    assert_eq!(collect(&it.log, "noTail=true&backlog=60").await, all[40..]);
    assert_eq!(collect(&it.log, "noTail=true&maxLines=200").await, all);
    assert!(collect(&it.log, "noTail=true&level=ERROR").await.is_empty());
}

#[tokio::test]
async fn a_tail_goes_on_where_the_backlog_ends_and_over_rotations() {
    let it = fixture(2000);
    it.logs.write(it.log.clone(), messages(0..10)).await.unwrap();
    let mut stream = it.log.read(Query::parse("backlog=2").unwrap());
    assert_eq!(next(&mut stream).await, "line 8");
    // Nobody reads while this is written, over several files.
    it.logs.write(it.log.clone(), messages(10..30)).await.unwrap();
    assert_eq!(next(&mut stream).await, "line 9");
    let writing = async {
        for at in 30..60 {
            it.logs.write(it.log.clone(), messages(at..at + 1)).await.unwrap();
        }
    };
    let reading = async {
        let mut got = vec![];
        while got.last().is_none_or(|it| it != "line 59") {
            got.push(next(&mut stream).await);
        }
        got
    };
    let ((), got) = tokio::join!(writing, reading);
    let expected: Vec<_> = (10..60).map(|it| format!("line {it}")).collect();
    assert_eq!(got, expected);
}

#[tokio::test]
async fn a_tail_filters_and_waits() {
    let it = fixture(1 << 20);
    let mut stream = it.log.read(Query::parse("includeEntity=machine-*").unwrap());
    assert!(timeout(Duration::from_millis(50), stream.next()).await.is_err());
    let other = LogMessage { tag: "machine-3".into(), ..message("mine") };
    it.logs.write(it.log.clone(), vec![message("not mine"), other]).await.unwrap();
    assert_eq!(next(&mut stream).await, "mine");
}

#[tokio::test]
async fn damaged_lines_are_left_out() {
    let it = fixture(1 << 20);
    it.logs.write(it.log.clone(), messages(0..1)).await.unwrap();
    lock(&it.log.file).write_all(b"garbage\n{\"tag\":7}\n").unwrap();
    it.logs.write(it.log.clone(), messages(1..2)).await.unwrap();
    assert_eq!(collect(&it.log, "noTail=true").await, ["line 0", "line 1"]);
}

#[tokio::test]
async fn the_sink_has_a_line_a_message_and_models_do_not_meet() {
    let it = fixture(1 << 20);
    let other = it.logs.model(&model("demo2", "6d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f")).unwrap();
    it.logs.write(it.log.clone(), vec![message("two\nlines")]).await.unwrap();
    it.logs.write(other.clone(), vec![message("elsewhere")]).await.unwrap();
    let sink = std::fs::read_to_string(it.dir.path().join("logsink.log")).unwrap();
    let lines: Vec<_> = sink.lines().collect();
    assert_eq!(
        lines[0],
        format!("{UUID}: unit-web-0 2026-03-02 10:11:12 INFO juju.worker.uniter uniter.rs:1 two\\nlines")
    );
    assert_eq!(lines.len(), 2);
    assert_eq!(collect(&it.log, "noTail=true").await, ["two\nlines"]);
    assert_eq!(collect(&other, "noTail=true").await, ["elsewhere"]);

    let names = || {
        let dir = std::fs::read_dir(it.dir.path().join("models")).unwrap();
        let mut names: Vec<_> = dir.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["admin-demo-5d9f6e.log", "admin-demo2-6d9f6e.log"]);
    it.logs.remove(&model("demo", UUID)).unwrap();
    assert_eq!(names(), ["admin-demo2-6d9f6e.log"]);
}

#[tokio::test]
async fn a_tail_ends_with_its_model() {
    let Fixture { dir, logs, log } = fixture(1 << 20);
    let mut stream = log.read(Query::parse("").unwrap());
    logs.write(log.clone(), messages(0..1)).await.unwrap();
    assert_eq!(next(&mut stream).await, "line 0");
    logs.remove(&model("demo", UUID)).unwrap();
    drop(log);
    assert!(timeout(Duration::from_secs(10), stream.next()).await.expect("it ends").is_none());
    drop(dir);
}
