//! Entering and leaving relations.

use super::{Executor, OperationError, Outcome};
use crate::{
    link::ApiError,
    relations::{self, Entering},
    remote::RemoteState,
    resolver::Relation,
};

impl Executor {
    pub(super) async fn enter_scope(
        &mut self,
        id: i64,
        seen: &RemoteState,
    ) -> Result<Outcome, OperationError> {
        let Some(key) = seen.relations.get(&id).map(|it| it.key.clone()) else { return Ok(Outcome::Wait) };
        let meta = self.deployer.meta()?;
        let relation = match relations::look(&self.api, &key, &meta, id).await? {
            // Its end is on its way; until then it is none of ours.
            None | Some(Relation::PassedOver) => {
                self.local.relations.insert(id, Relation::PassedOver);
                return Ok(Outcome::Done);
            }
            Some(Relation::Entered(it)) => it,
        };
        // Saved first, so that no scope is entered of which nothing is known.
        self.local.relations.insert(id, Relation::Entered(relation.clone()));
        self.save_relations().await?;
        match relations::enter(&self.api, relation).await? {
            Entering::Settled(relation) => {
                let entered = relation != Relation::PassedOver;
                self.local.relations.insert(id, relation);
                if entered {
                    // Leadership may have gone meanwhile; then the new leader says it.
                    let told =
                        if seen.leader { self.api.set_relation_status(id, "joined").await } else { Ok(()) };
                    match told {
                        Err(err @ ApiError::Api(_)) => {
                            tracing::warn!("cannot set the status of relation {key:?}: {err}");
                        }
                        other => other?,
                    }
                } else {
                    self.save_relations().await?;
                }
                Ok(Outcome::Done)
            }
            Entering::NotYet => {
                self.local.relations.remove(&id);
                self.save_relations().await?;
                Ok(Outcome::Wait)
            }
        }
    }

    /// Leaves a relation that has no hooks to say so.
    pub(super) async fn leave_scope(&mut self, id: i64) -> Result<Outcome, OperationError> {
        if let Some(Relation::Entered(it)) = self.local.relations.get(&id) {
            match self.api.leave_scope(&it.key).await {
                Err(err) if !err.is_gone() => return Err(err.into()),
                _ => {}
            }
        }
        self.forget_relation(id).await
    }

    pub(super) async fn forget_relation(&mut self, id: i64) -> Result<Outcome, OperationError> {
        self.local.relations.remove(&id);
        self.save_relations().await?;
        Ok(Outcome::Done)
    }

    async fn save_relations(&mut self) -> Result<(), OperationError> {
        let state = self.local.state.clone();
        self.save_all(state, true).await
    }
}
