//! What spans several kinds of documents, on a store in memory.

mod crowds;
mod deploying;
mod leases;
mod models;
mod random;
mod relating;
mod removing;
mod users;
mod watching;

/// Handlers run in tasks of their own: what they await must be `Send`, also where it borrows.
#[test]
fn calls_can_be_spawned() {
    fn sends<T: Send>(_: T) {}
    let call = |model: crate::Model, unit: juju_core::UnitName| {
        sends(async move {
            let changes = crate::commit::HookChanges::default();
            model.commit_hook(&unit, &changes).await?;
            model.run_cleanups().await?;
            let (_, mut watcher) = model.watch_all()?;
            watcher.next().await
        });
    };
    let _ = call;
    let claim = |leases: crate::lease::LeaseManager, id: crate::lease::LeaseId| {
        sends(async move {
            leases.claim(&id, "db/0", std::time::Duration::from_secs(60), std::time::Duration::ZERO).await?;
            leases.expire(std::time::Duration::ZERO).await?;
            leases.released(&id).await
        });
    };
    let _ = claim;
}
