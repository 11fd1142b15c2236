//! `machine-undertaker`: removes machines whose instances are gone (Juju 3.6 `worker/machineundertaker`).
//!
//! Juju releases the addresses of containers here, where the provider can; ours have none that would need it.

use juju_engine::Scope;
use juju_state::Model;

pub async fn run(model: Model, scope: Scope) -> anyhow::Result<()> {
    let mut watcher = model.watch_machine_removals()?;
    scope.publish(());
    loop {
        let removals = model.machine_removals();
        if !removals.is_empty() {
            model.complete_machine_removals(&removals).await?;
        }
        tokio::select! {
            () = scope.cancelled() => return Ok(()),
            changed = watcher.next() => changed?,
        }
    }
}
