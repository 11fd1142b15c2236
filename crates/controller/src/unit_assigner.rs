//! `unit-assigner`: gives each new unit a machine (Juju 3.6 `worker/unitassigner`).

use juju_core::{Status, UnitName};
use juju_engine::Scope;
use juju_state::{Error, Model, status::NewStatus};

pub async fn run(model: Model, scope: Scope) -> anyhow::Result<()> {
    let (mut units, mut watcher) = model.watch_staged_units()?;
    scope.publish(());
    loop {
        for unit in units {
            let name = unit.parse()?;
            assign(&model, &name).await?;
        }
        units = tokio::select! {
            () = scope.cancelled() => return Ok(()),
            next = watcher.next() => next?,
        };
    }
}

/// What cannot be done is said in the unit's status; only a store that fails ends the worker.
async fn assign(model: &Model, unit: &UnitName) -> anyhow::Result<()> {
    match model.assign_unit(unit).await {
        Ok(machine) => tracing::debug!("unit {unit} is assigned to machine {machine}"),
        // It was removed while it waited.
        Err(err) if err.is_not_found() => {}
        Err(err @ (Error::Store(_) | Error::Contention(_) | Error::Damaged(_))) => return Err(err.into()),
        Err(err) => {
            tracing::error!("cannot assign unit {unit}: {err}");
            let told = model.set_agent_status(unit, &NewStatus::new(Status::Error, err.to_string())).await;
            if let Err(err) = told {
                tracing::warn!("the status of unit {unit} does not say so: {err}");
            }
        }
    }
    Ok(())
}
