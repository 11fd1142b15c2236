//! A worker that only holds a value for others. See also [`Manifold::value`](crate::Manifold::value).

use crate::scope::Scope;

/// Publishes `value` until it has to stop.
pub async fn hold<T: Send + Sync + 'static>(scope: Scope<T>, value: T) -> anyhow::Result<()> {
    scope.publish(value);
    scope.cancelled().await;
    Ok(())
}
