//! The agent's recent log records, kept until they are sent to the controller (Juju 3.6 `worker/logsender`).

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use juju_wire::{Time, codec};
use tokio::sync::Notify;

/// Records an agent keeps while it cannot send them (Juju's number).
pub const CAPACITY: usize = 1_048_576;
/// The bytes that the buffered texts of one agent may take, so that a flood of long lines stays bounded as well.
const MAX_BYTES: usize = 16 << 20;

/// One log record, as it travels to `/logsink`.
#[derive(Clone, Debug, Default, PartialEq, juju_wire_derive::Wire)]
pub struct Record {
    #[wire("t")]
    pub time: Time,
    #[wire("m")]
    pub module: String,
    #[wire("l")]
    pub location: String,
    #[wire("v")]
    pub level: String,
    #[wire("x")]
    pub message: String,
    /// Left out by agents: the connection says who they are.
    #[wire("e", omit)]
    pub entity: String,
    #[wire("c", omit)]
    pub labels: Vec<String>,
}

/// A bounded queue of records; when it is full the oldest go, and how many did is told later.
#[derive(Clone, Default)]
pub struct LogBuffer {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    added: Notify,
}

#[derive(Default)]
struct State {
    records: VecDeque<Record>,
    bytes: usize,
    dropped: u64,
}

impl LogBuffer {
    pub fn push(&self, record: Record) {
        let mut state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.bytes += size(&record);
        state.records.push_back(record);
        while state.records.len() > CAPACITY || state.bytes > MAX_BYTES {
            let Some(oldest) = state.records.pop_front() else { break };
            state.bytes -= size(&oldest);
            state.dropped += 1;
        }
        drop(state);
        self.inner.added.notify_one();
    }

    /// The next record to send, and how many were dropped before it. One caller at a time.
    pub async fn next(&self) -> (Record, u64) {
        loop {
            if let Some(next) = self.take() {
                return next;
            }
            self.inner.added.notified().await;
        }
    }

    /// Puts back a record that was not sent.
    pub fn put_back(&self, record: Record) {
        let mut state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.bytes += size(&record);
        state.records.push_front(record);
    }

    fn take(&self) -> Option<(Record, u64)> {
        let mut state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        let record = state.records.pop_front()?;
        state.bytes -= size(&record);
        Some((record, std::mem::take(&mut state.dropped)))
    }
}

fn size(record: &Record) -> usize {
    record.message.len() + record.module.len() + record.location.len() + std::mem::size_of::<Record>()
}

/// Encodes a record as one line of JSON.
pub fn to_json(record: &Record) -> serde_json::Result<String> {
    serde_json::to_string(&codec::Ser(record))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(message: &str) -> Record {
        Record { message: message.into(), level: "INFO".into(), ..Record::default() }
    }

    #[tokio::test(start_paused = true)]
    async fn records_come_in_order_and_wait_when_there_are_none() {
        let buffer = LogBuffer::default();
        buffer.push(record("a"));
        buffer.push(record("b"));
        assert_eq!(buffer.next().await.0.message, "a");
        let (b, _) = buffer.next().await;
        buffer.put_back(b);
        assert_eq!(buffer.next().await.0.message, "b");
        let (next, ()) = tokio::join!(buffer.next(), async { buffer.push(record("c")) });
        assert_eq!(next.0.message, "c");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_drops_the_oldest_and_says_so() {
        let buffer = LogBuffer::default();
        let long = "x".repeat(MAX_BYTES / 4);
        for _ in 0..6 {
            buffer.push(record(&long));
        }
        let (_, dropped) = buffer.next().await;
        assert_eq!(dropped, 3);
        assert_eq!(buffer.next().await.1, 0);
    }

    #[test]
    fn the_wire_form_is_jujus() {
        let text = to_json(&Record { module: "juju.worker".into(), ..record("hello") }).unwrap();
        assert_eq!(text, r#"{"t":"0001-01-01T00:00:00Z","m":"juju.worker","l":"","v":"INFO","x":"hello"}"#);
    }
}
