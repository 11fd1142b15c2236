//! The plain types, one by one.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use juju_wire::{
    Bytes, Time, Wire,
    codec::{De, Ser},
    facade::all_watcher::{AllWatcherNextResults, Delta},
    params::{Error, ErrorResult, HostPort, LifeResults, LogMessage, LogRecord},
};
use serde_json::{Value, json};

fn read<T: Wire>(json: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str::<De<T>>(json).map(|it| it.0)
}
fn write<T: Wire>(value: &T) -> String {
    serde_json::to_string(&Ser(value)).unwrap()
}

#[test]
fn null_is_the_default_of_everything() {
    assert_eq!(read::<String>("null").unwrap(), "");
    assert!(!read::<bool>("null").unwrap());
    assert_eq!(read::<i64>("null").unwrap(), 0);
    assert_eq!(read::<u64>("null").unwrap(), 0);
    assert_eq!(read::<f64>("null").unwrap(), 0.0);
    assert_eq!(read::<Value>("null").unwrap(), Value::Null);
    assert_eq!(read::<Option<String>>("null").unwrap(), None);
    assert_eq!(read::<Vec<i64>>("null").unwrap(), Vec::<i64>::new());
    assert_eq!(read::<Vec<String>>("[null, \"a\"]").unwrap(), ["", "a"]);
    assert_eq!(read::<BTreeMap<String, i64>>("{\"A\": null}").unwrap(), BTreeMap::from([("A".into(), 0)]));
    assert_eq!(read::<Box<HostPort>>("null").unwrap(), Box::new(HostPort::default()));
    assert_eq!(read::<Bytes>("null").unwrap(), Bytes::default());
    assert_eq!(read::<Time>("null").unwrap(), Time(None));
}

#[test]
fn map_keys_are_data_and_keep_their_case() {
    let map: BTreeMap<String, HostPort> = read(r#"{"Eth0": {"VALUE": "::1", "Port": 7}}"#).unwrap();
    assert_eq!(map["Eth0"].value, "::1");
    assert_eq!(map["Eth0"].port, 7);
}

#[test]
fn times_are_rfc_3339_and_never_is_the_year_one() {
    for text in ["\"\"", "\"0001-01-01T00:00:00Z\""] {
        assert_eq!(read::<Time>(text).unwrap(), Time(None));
    }
    assert_eq!(write(&Time(None)), "\"0001-01-01T00:00:00Z\"");
    for text in
        ["\"2026-03-02T10:11:12Z\"", "\"2026-03-02T10:11:12.5Z\"", "\"2026-03-02T10:11:12.000000001Z\""]
    {
        assert_eq!(write(&read::<Time>(text).unwrap()), text);
    }
    // An offset is the same moment.
    assert_eq!(write(&read::<Time>("\"2026-03-02T12:00:00+02:00\"").unwrap()), "\"2026-03-02T10:00:00Z\"");
    for text in ["\"yesterday\"", "7", "\"2026-13-02T10:11:12Z\""] {
        assert!(read::<Time>(text).is_err(), "{text}");
    }
    assert!(Time(None) < Time(Some(jiff::Timestamp::MIN)));
}

#[test]
fn bytes_are_base64_and_are_not_printed() {
    let bytes: Bytes = read("\"c2VjcmV0\"").unwrap();
    assert_eq!(bytes.0, b"secret");
    assert_eq!(write(&bytes), "\"c2VjcmV0\"");
    assert_eq!(format!("{bytes:?}"), "Bytes(6)");
    assert!(read::<Bytes>("\"%%\"").is_err());
}

#[test]
fn numbers_have_bounds() {
    assert_eq!(read::<u64>("18446744073709551615").unwrap(), u64::MAX);
    assert!(read::<u64>("-1").is_err());
    assert!(read::<i64>("9223372036854775808").is_err());
    assert!(read::<i64>("1.5").is_err());
    assert_eq!(read::<f64>("3").unwrap(), 3.0);
}

#[test]
fn nothing_travels_as_an_empty_object() {
    assert_eq!(write(&()), "{}");
    read::<()>("{\"anything\": [1]}").unwrap();
}

/// python-libjuju looks into `error` of every result, and breaks on null.
#[test]
fn an_absent_error_is_left_out() {
    assert_eq!(write(&ErrorResult::default()), "{}");
    let failed = ErrorResult { error: Some(Error::other("no")) };
    assert_eq!(write(&failed), r#"{"error":{"code":"","message":"no"}}"#);
    let info = Error { info: BTreeMap::from([("a".to_owned(), json!(1))]), ..Error::other("no") };
    assert_eq!(
        write(&ErrorResult { error: Some(info.clone()) }),
        r#"{"error":{"code":"","info":{"a":1},"message":"no"}}"#
    );
    assert_eq!(
        read::<ErrorResult>(r#"{"ERROR":{"Message":"no","Info":{"a":1}}}"#).unwrap().error,
        Some(info)
    );
}

#[test]
fn embedded_structs_are_flat() {
    let text = r#"{"port":17070,"scope":"local-cloud","type":"ipv4","value":"10.8.0.4"}"#;
    let it: HostPort = read(text).unwrap();
    assert_eq!((it.type_.as_str(), it.port), ("ipv4", 17070));
    assert_eq!(write(&it), text);
}

#[test]
fn a_repeated_key_counts_the_last_time() {
    let it: LifeResults =
        read(r#"{"results":[{"life":"alive"}],"Results":[{"life":"dead","LIFE":"dying"}]}"#).unwrap();
    assert_eq!(it.results.len(), 1);
    assert_eq!(it.results[0].life, "dying");
}

#[test]
fn deltas_are_arrays_of_three() {
    let text = r#"{"deltas":[["unit","change",{"name":"web/0"}],["machine","remove",{"id":"0"}]]}"#;
    let it: AllWatcherNextResults = read(text).unwrap();
    assert_eq!(it.deltas[1], Delta { kind: "machine".into(), removed: true, entity: json!({ "id": "0" }) });
    assert_eq!(write(&it), text);
    for wrong in [r#"[["unit","changed",{}]]"#, r#"[["unit","change"]]"#, r#"[{"entity":{}}]"#] {
        assert!(read::<Vec<Delta>>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn log_records_have_short_keys() {
    let text = r#"{"t":"2026-03-02T10:11:12.123Z","m":"juju.worker","l":"x.rs:1","v":"INFO","x":"hello"}"#;
    let it: LogRecord = read(text).unwrap();
    assert_eq!(
        (it.module.as_str(), it.level.as_str(), it.message.as_str()),
        ("juju.worker", "INFO", "hello")
    );
    assert_eq!(write(&it), text);
    let text = r#"{"tag":"unit-web-0","ts":"2026-03-02T10:11:12.123Z","sev":"INFO","mod":"a","loc":"b","msg":"c","lab":[]}"#;
    assert_eq!(write(&read::<LogMessage>(text).unwrap()), text);
}
