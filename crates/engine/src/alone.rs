//! One worker without an engine: in tests, and where a process has just one.

use std::{future::Future, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use tokio::sync::watch;

use crate::{
    life::{Life, Run},
    report::View,
    scope::{Said, Scope, Tell},
    stop::{Lineage, Stop},
};

/// A worker that runs once, outside any engine. See [`alone`].
pub struct Alone<T> {
    run: Run,
    life: Life,
    published: watch::Receiver<Option<Arc<T>>>,
    start: Box<dyn FnOnce(Scope<T>) -> BoxFuture<'static, anyhow::Result<()>> + Send>,
}

/// Prepares to run the worker `start` once, with a scope as an engine would give it.
pub fn alone<T, W>(name: &str, start: impl FnOnce(Scope<T>) -> W + Send + 'static) -> Alone<T>
where
    T: Send + Sync + 'static,
    W: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let (publish, published) = watch::channel(None);
    let tell: Tell = Arc::new(move |said| match said {
        Said::Started => {}
        // It cannot be of another type: only the scope made below publishes here.
        Said::Published(value) => {
            publish.send_replace(value.downcast::<T>().ok());
        }
        Said::Withdrawn | Said::Leaving => {
            publish.send_replace(None);
        }
    });
    let (run, life) = Run::new(0, name.into(), tell, Lineage::default());
    Alone { run, life, published, start: Box::new(move |scope| start(scope).boxed()) }
}

impl<T: Send + Sync + 'static> Alone<T> {
    /// What the worker publishes, as it does.
    pub fn published(&self) -> watch::Receiver<Option<Arc<T>>> {
        self.published.clone()
    }

    /// What the worker says about itself, now.
    pub fn report(&self) -> impl Fn() -> Option<serde_json::Value> + Send + Sync + use<T> {
        let source = self.run.report.clone();
        move || View { source: Some(source.clone()), ..View::default() }.report().report
    }

    /// Runs it to its end, and all its children to theirs.
    pub async fn run(mut self, stop: impl Into<Stop>) -> anyhow::Result<()> {
        let Stop { token, lineage } = stop.into();
        self.life.lineage = lineage;
        let mut run = self.run;
        let start = self.start;
        let mut life = self.life.run(move |scope| start(Scope::new(scope))).boxed();
        tokio::select! {
            biased;
            result = &mut life => return result,
            () = token.cancelled() => run.stop(),
        };
        life.await
    }
}
