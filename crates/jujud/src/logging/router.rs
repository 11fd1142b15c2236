//! Hands each record to the sink of the agent whose worker made it.

use std::{
    collections::HashMap,
    fmt::Write as _,
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use jiff::Timestamp;
use juju_agent::log_file::LogFile;
use juju_workers::log_buffer::{LogBuffer, Record};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{config::LevelConfig, line};

/// Where the records of one agent go.
#[derive(Clone)]
pub struct Sink {
    inner: Arc<Inner>,
}

struct Inner {
    levels: RwLock<LevelConfig>,
    out: Mutex<Out>,
    buffer: LogBuffer,
}

enum Out {
    File(LogFile),
    Stderr,
}

impl Sink {
    pub fn file(file: LogFile, levels: LevelConfig) -> Self {
        Self::new(Out::File(file), levels)
    }

    pub fn stderr(levels: LevelConfig) -> Self {
        Self::new(Out::Stderr, levels)
    }

    fn new(out: Out, levels: LevelConfig) -> Self {
        let inner = Inner { levels: RwLock::new(levels), out: Mutex::new(out), buffer: LogBuffer::default() };
        Sink { inner: Arc::new(inner) }
    }

    /// What is to be sent to the controller.
    pub fn buffer(&self) -> LogBuffer {
        self.inner.buffer.clone()
    }

    pub fn set_levels(&self, levels: LevelConfig) {
        *self.inner.levels.write().unwrap_or_else(PoisonError::into_inner) = levels;
    }

    fn enabled(&self, module: &str, level: Level) -> bool {
        self.inner.levels.read().unwrap_or_else(PoisonError::into_inner).enabled(module, level)
    }

    fn write(&self, level: Level, module: String, location: String, message: String) {
        let at = Timestamp::now();
        let text = line::format(at, level, &module, &location, &message);
        {
            let mut out = self.inner.out.lock().unwrap_or_else(PoisonError::into_inner);
            // A log that cannot be written has nowhere to say so; a full disk must not end the agent.
            let _ = match &mut *out {
                Out::File(file) => file.write_all(text.as_bytes()),
                Out::Stderr => io::stderr().lock().write_all(text.as_bytes()),
            };
        }
        self.inner.buffer.push(Record {
            time: at.into(),
            module,
            location,
            level: line::word(level).to_owned(),
            message,
            ..Record::default()
        });
    }
}

/// The span inside which the workers of the agent `tag` run.
pub fn agent_span(tag: &str) -> tracing::Span {
    tracing::info_span!(target: "jujud", "agent", agent = tag)
}

/// The layer of the process. Clones are the same router.
#[derive(Clone)]
pub struct Router {
    own: Sink,
    agents: Arc<RwLock<HashMap<String, Sink>>>,
}

impl Router {
    /// Records of no agent in particular go to `own`.
    pub fn new(own: Sink) -> Self {
        Router { own, agents: Arc::default() }
    }

    pub fn add(&self, tag: &str, sink: Sink) {
        self.agents.write().unwrap_or_else(PoisonError::into_inner).insert(tag.to_owned(), sink);
    }

    pub fn remove(&self, tag: &str) {
        self.agents.write().unwrap_or_else(PoisonError::into_inner).remove(tag);
    }

    fn sink(&self, tag: Option<&str>) -> Sink {
        let agents = self.agents.read().unwrap_or_else(PoisonError::into_inner);
        tag.and_then(|tag| agents.get(tag)).unwrap_or(&self.own).clone()
    }
}

/// Kept with a span that names an agent.
struct AgentTag(String);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Router {
    /// Nothing below DEBUG is ever asked for except of our own crates, which keeps libraries quiet and cheap.
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        let target = metadata.target();
        let ours = target.starts_with("juju") || target.starts_with("unit.");
        ours || *metadata.level() <= Level::WARN
    }

    fn on_new_span(&self, attrs: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attrs.record(&mut fields);
        if let (Some(tag), Some(span)) = (fields.agent, context.span(id)) {
            span.extensions_mut().insert(AgentTag(tag));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let tag = fields.agent.take().or_else(|| {
            let mut spans = context.event_scope(event)?;
            spans.find_map(|span| span.extensions().get::<AgentTag>().map(|it| it.0.clone()))
        });
        let sink = self.sink(tag.as_deref());
        let metadata = event.metadata();
        let level = *metadata.level();
        let module = fields.module.take().unwrap_or_else(|| line::module(metadata.target()));
        if !sink.enabled(&module, level) {
            return;
        }
        let location = match (metadata.file(), metadata.line()) {
            // Units' own words come from no file of ours.
            _ if module.starts_with("unit.") => String::new(),
            (Some(file), Some(line)) => {
                format!("{}:{line}", Path::new(file).file_name().unwrap_or_default().to_string_lossy())
            }
            _ => String::new(),
        };
        sink.write(level, module, location, fields.text());
    }
}

/// The fields of an event or a span, as text.
#[derive(Default)]
struct Fields {
    message: String,
    rest: String,
    /// `module` overrides the target: units' log lines name theirs.
    module: Option<String>,
    agent: Option<String>,
}

impl Fields {
    fn text(self) -> String {
        self.message + &self.rest
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message = value.to_owned(),
            "module" => self.module = Some(value.to_owned()),
            "agent" => self.agent = Some(value.to_owned()),
            name => {
                let _ = write!(self.rest, " {name}={value:?}");
            }
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        match field.name() {
            "message" => {
                let _ = write!(self.message, "{value:?}");
            }
            "module" => self.module = Some(format!("{value:?}")),
            "agent" => self.agent = Some(format!("{value:?}")),
            name => {
                let _ = write!(self.rest, " {name}={value:?}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    fn sink() -> Sink {
        Sink::stderr(LevelConfig::default())
    }

    #[tokio::test]
    async fn records_go_to_the_agent_whose_worker_made_them() {
        let (own, unit) = (sink(), sink());
        let router = Router::new(own.clone());
        router.add("unit-a-0", unit.clone());
        let subscriber = tracing_subscriber::registry().with(router);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(target: "juju_workers::machiner", "of the machine");
            agent_span("unit-a-0").in_scope(|| {
                tracing::info!(target: "juju_uniter", module = "unit.a/0.juju-log", "of the {}", "unit");
                tracing::debug!(target: "juju_uniter", "too quiet");
            });
            tracing::info!(target: "rustls::conn", "a library");
        });
        let (record, _) = own.buffer().next().await;
        assert_eq!(
            (record.module.as_str(), record.message.as_str()),
            ("juju.worker.machiner", "of the machine")
        );
        let (record, _) = unit.buffer().next().await;
        assert_eq!((record.module.as_str(), record.message.as_str()), ("unit.a/0.juju-log", "of the unit"));
        assert_eq!(record.location, "");
        for rest in [own, unit] {
            let more =
                tokio::time::timeout(std::time::Duration::ZERO, async { rest.buffer().next().await }).await;
            assert!(more.is_err(), "{more:?}");
        }
    }
}
