//! A service that answers what a test tells it to.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::manual_async_fn
)]

use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex},
};

use juju_rpc::{Connection, End, Options, Request, Service, memory, serve};
use juju_wire::{Error, code};
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// Answers a few facades with real behaviour: watchers that block, calls that wait for each other.
pub struct Fake {
    pub log: Mutex<Vec<String>>,
    pub events: Mutex<HashMap<String, mpsc::UnboundedReceiver<Vec<String>>>>,
    pub gate: watch::Sender<bool>,
    pub closing: CancellationToken,
}

impl Default for Fake {
    fn default() -> Self {
        Fake {
            log: Mutex::default(),
            events: Mutex::default(),
            gate: watch::channel(false).0,
            closing: CancellationToken::new(),
        }
    }
}

impl Fake {
    /// A strings watcher: what is sent comes out of its `Next`.
    pub fn watcher(&self, id: &str) -> mpsc::UnboundedSender<Vec<String>> {
        let (events, receiver) = mpsc::unbounded_channel();
        self.events.lock().unwrap().insert(id.into(), receiver);
        events
    }
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

impl Service for Fake {
    fn call(
        self: Arc<Self>,
        request: Request,
    ) -> impl Future<Output = Result<Box<RawValue>, Error>> + Send + 'static {
        async move {
            let Request { facade, version, method, object, params, .. } = request;
            self.log.lock().unwrap().push(format!("{facade}({version}).{method}[{object}]"));
            let json = |value: serde_json::Value| Ok(to_raw_value(&value).unwrap());
            match (facade.as_str(), method.as_str()) {
                ("Admin", "Login") => json(serde_json::json!({
                    "facades": [{"name": "Pinger", "versions": [1]}, {"name": "StringsWatcher", "versions": [1]},
                        {"name": "Application", "versions": [15, 16, 17, 19]}],
                    "server-version": "3.6.28",
                })),
                ("Pinger", "Ping") => json(serde_json::json!({})),
                ("Pinger", "Stop") => std::future::pending().await,
                ("Machiner", "Life") => match params {
                    Some(params) if params.get().contains("panic") => panic!("told to"),
                    Some(params) if params.get().contains("wait") => {
                        self.gate.subscribe().wait_for(|it| *it).await.unwrap();
                        json(serde_json::json!({"results": [{"life": "dying"}]}))
                    }
                    Some(params) if params.get().contains("open") => {
                        self.gate.send_replace(true);
                        json(serde_json::json!({"results": [{"life": "alive"}]}))
                    }
                    _ => json(serde_json::json!({"results": "nonsense"})),
                },
                ("StringsWatcher", "Next") => {
                    let events = self.events.lock().unwrap().remove(&object);
                    let Some(mut events) = events else {
                        return Err(Error::new(code::NOT_FOUND, "unknown watcher id"));
                    };
                    let changes = tokio::select! {
                        changes = events.recv() => changes,
                        () = self.closing.cancelled() => None,
                    };
                    let Some(changes) = changes else {
                        return Err(Error::new(code::STOPPED, "watcher has been stopped"));
                    };
                    self.events.lock().unwrap().insert(object, events);
                    json(serde_json::json!({"watcher-id": "", "changes": changes}))
                }
                ("StringsWatcher", "Stop") => json(serde_json::json!({})),
                _ => Err(Error::new(code::NOT_IMPLEMENTED, format!("unknown object type {facade:?}"))),
            }
        }
    }

    fn closing(&self) {
        self.closing.cancel();
    }
}

/// A client and, in memory, its server.
pub struct Pair {
    pub client: Connection,
    pub fake: Arc<Fake>,
    pub stop: CancellationToken,
    pub end: tokio::task::JoinHandle<End>,
}

pub fn pair_with(options: Options) -> Pair {
    let (ours, theirs) = memory();
    let (fake, stop) = (Arc::new(Fake::default()), CancellationToken::new());
    let end = tokio::spawn(serve(theirs, fake.clone(), options, stop.clone()));
    Pair { client: Connection::over(ours), fake, stop, end }
}

pub fn pair() -> Pair {
    pair_with(Options::default())
}

pub fn entities(tag: &str) -> juju_wire::params::Entities {
    juju_wire::params::Entities { entities: vec![juju_wire::params::Entity { tag: tag.into() }] }
}
