//! Flags: workers that publish only while something is true, so that others run only then.
//!
//! A manifold names its flags with [`Manifold::when`](crate::Manifold::when). The functions here are the start
//! functions of the usual flags:
//!
//! ```
//! # use juju_engine::{Exit, Flag, Gate, Key, Manifold, flag};
//! # const AGENT: Key<bool> = Key::new("agent");
//! const UPGRADED: Key<Flag> = Key::new("upgrade-steps-flag");
//! const IS_CONTROLLER: Key<Flag> = Key::new("is-controller-flag");
//! # let gate = Gate::new();
//! # let _: Vec<Manifold<u8>> =
//! vec![
//!     Manifold::new(UPGRADED, (), move |(), scope| flag::gate(scope, gate.clone()), Exit::of),
//!     Manifold::new(IS_CONTROLLER, (AGENT,), |(controller,), scope| flag::fixed(scope, controller), Exit::of),
//! ];
//! ```

use anyhow::Context;
use tokio::sync::watch;

use crate::{gate::Gate, scope::Scope};

/// What a flag publishes, while it is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag;

/// A flag whose truth does not change as long as its inputs do not.
pub async fn fixed(scope: Scope<Flag>, truth: bool) -> anyhow::Result<()> {
    set(&scope, truth);
    scope.cancelled().await;
    Ok(())
}

/// A flag that follows `truths`. If its sender is dropped that is an error: the truth is no longer known.
pub async fn follow(scope: Scope<Flag>, mut truths: watch::Receiver<bool>) -> anyhow::Result<()> {
    let mut last = None;
    loop {
        let truth = *truths.borrow_and_update();
        if last.replace(truth) != Some(truth) {
            set(&scope, truth);
        }
        let Some(changed) = scope.until_cancelled(truths.changed()).await else { return Ok(()) };
        changed.context("the flag's source is gone")?;
    }
}

/// A flag that becomes true once `gate` opens.
pub async fn gate(scope: Scope<Flag>, gate: Gate) -> anyhow::Result<()> {
    follow(scope, gate.subscribe()).await
}

/// For flags that find out for themselves: publishes or withdraws, and says so in the report.
pub fn set(scope: &Scope<Flag>, truth: bool) {
    if truth {
        scope.publish(Flag);
    } else {
        scope.withdraw();
    }
    scope.set_report(serde_json::json!({ "value": truth }));
}
