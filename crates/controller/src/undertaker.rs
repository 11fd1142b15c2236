//! `undertaker`: takes a model down that is not alive any more (Juju 3.6 `worker/undertaker`).
//!
//! It waits until nothing is left in the model, has the provider remove what it has of it, and then removes the model. With
//! force both waits end after the model's time-out. The controller's own model goes with the controller.

use std::{sync::Arc, time::Duration};

use juju_core::Status;
use juju_engine::{Scope, TransientExt as _};
use juju_provider::Provider;
use juju_state::{Error, Model, model::ModelDoc, status::NewStatus};
use tokio::time::{Instant, sleep, timeout_at};

pub async fn run(
    model: Model,
    provider: Arc<dyn Provider>,
    forget: impl Fn(&ModelDoc) -> std::io::Result<()> + Send,
    scope: Scope,
) -> anyhow::Result<()> {
    scope.publish(());
    let Some(done) = scope.until_cancelled(bury(&model, &*provider, forget)).await else { return Ok(()) };
    done
}

async fn bury(
    model: &Model,
    provider: &dyn Provider,
    forget: impl Fn(&ModelDoc) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let doc = model.doc()?;
    let status = |text: &str| NewStatus::new(Status::Destroying, text);
    model.set_model_status(&status("cleaning up cloud resources")).await?;
    let limit = force_timeout(&doc).map(|it| Instant::now() + it);
    match limit {
        None => until_empty(model).await?,
        Some(limit) => match timeout_at(limit, until_empty(model)).await {
            Ok(emptied) => emptied?,
            Err(_) => {
                tracing::warn!(
                    "model {} is not empty after its time-out: removing it by force",
                    doc.qualified_name()
                );
                model.force_dead().await?;
            }
        },
    }
    if doc.uuid == model.state().controller()?.model {
        // Its machine is this one: who destroys the controller does the rest.
        return Ok(());
    }
    model.set_model_status(&status("tearing down cloud environment")).await?;
    let destroyed = provider.destroy().await;
    match (destroyed, limit) {
        (Err(err), Some(_)) => {
            tracing::warn!("the cloud resources of model {} may not all be gone: {err}", doc.uuid)
        }
        (destroyed, _) => destroyed.transient()?,
    }
    model.remove().await?;
    if let Err(err) = forget(&doc) {
        tracing::warn!("the log of model {} stays: {err}", doc.uuid);
    }
    tracing::info!("model {} is gone", doc.qualified_name());
    Ok(())
}

/// How long each wait may take, of a model that is removed by force.
fn force_timeout(doc: &ModelDoc) -> Option<Duration> {
    let ending = doc.ending.as_ref().filter(|it| it.force)?;
    ending.timeout_seconds.map(Duration::from_secs)
}

/// How often the model is looked at without a word of change: cleanups that wait for time change nothing.
const LOOK: Duration = Duration::from_secs(2);

/// Sets the model dead as soon as it is empty.
async fn until_empty(model: &Model) -> anyhow::Result<()> {
    let mut watcher = model.watch_contents()?;
    loop {
        match model.finish_dying().await {
            Ok(()) => return Ok(()),
            Err(Error::ModelNotEmpty(_) | Error::HasHostedModels) => {}
            Err(err) => return Err(err.into()),
        }
        tokio::select! {
            changed = watcher.next() => changed?,
            () = sleep(LOOK) => {}
        }
    }
}
