//! Adding units to an application. Many are added in several transactions, the later ones as deferred work.

use juju_core::{ApplicationName, Constraints, Life, ModelUuid, Placement, UnitName};
use serde::{Deserialize, Serialize};

use super::{assign, create, key, sequence_of};
use crate::{
    Error, Key, Model, Result, Tx,
    application::{self, ApplicationDoc},
    cleanup::{self, CleanupDoc, Work},
    constraints, model, sequence,
};

/// How many units one transaction adds, beside the application.
const AT_ONCE: u32 = 12;

/// Units whose numbers are taken and that are still to be added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoreUnits {
    pub application: ApplicationName,
    pub first: u32,
    pub count: u32,
    /// Those of the first of them; for the others any machine does.
    pub placements: Vec<StoredPlacement>,
}

/// A placement as its scope and directive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPlacement {
    pub scope: String,
    pub directive: String,
}

impl From<&Placement> for StoredPlacement {
    fn from(placement: &Placement) -> StoredPlacement {
        StoredPlacement { scope: placement.scope().to_owned(), directive: placement.directive().to_owned() }
    }
}

/// Adds units, and queues those that are too many. All their names are known at once.
pub(crate) async fn add_several(
    tx: &Tx,
    m: &ModelUuid,
    application: &ApplicationDoc,
    count: u32,
    placements: &[Placement],
) -> Result<Vec<UnitName>> {
    if application.subordinate {
        return Err(Error::not_valid(format!(
            "cannot add unit to application \"{}\": application is a subordinate",
            application.name
        )));
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    let first = sequence::next_from(tx, m, &sequence_of(&application.name), 0, count).await?;
    let cons = resolved_constraints(tx, m, &application.name).await?;
    let mut placements = placements.iter().map(StoredPlacement::from);
    let now = count.min(AT_ONCE);
    for number in first..first + now {
        add_one(tx, m, application, number, &cons, placements.next()).await?;
    }
    let mut placements: Vec<StoredPlacement> = placements.collect();
    let mut next = first + now;
    while next < first + count {
        let step = (first + count - next).min(AT_ONCE);
        let rest = placements.split_off(placements.len().min(step as usize));
        let more = MoreUnits { application: application.name.clone(), first: next, count: step, placements };
        cleanup::queue(tx, m, Work::AddUnits(more))?;
        placements = rest;
        next += step;
    }
    Ok((first..first + count).map(|it| UnitName::new(application.name.clone(), it)).collect())
}

/// Adds the units that a transaction has left, and takes the work off the queue with them, so that they are added
/// once. An application that is going gets no more.
pub(crate) async fn add_more(model: &Model, more: MoreUnits, queued: &Key<CleanupDoc>) -> Result<()> {
    let add = async |tx: Tx| {
        let m = model.uuid();
        if !queued.exists(&tx).await? {
            return Ok(());
        }
        queued.delete(&tx);
        let application = match application::get(&tx, m, &more.application).await {
            Ok(application) if application.life == Life::Alive => application,
            Ok(_) | Err(Error::NotFound(_)) => return Ok(()),
            Err(err) => return Err(err),
        };
        let cons = resolved_constraints(&tx, m, &more.application).await?;
        let mut placements = more.placements.iter().cloned();
        for number in more.first..more.first + more.count {
            add_one(&tx, m, &application, number, &cons, placements.next()).await?;
        }
        Ok(())
    };
    model.transact(add).await
}

async fn add_one(
    tx: &Tx,
    m: &ModelUuid,
    application: &ApplicationDoc,
    number: u32,
    cons: &Constraints,
    placement: Option<StoredPlacement>,
) -> Result<()> {
    let name = create(tx, m, application, number, None).await?;
    constraints::put(tx, m, constraints::Of::Unit(&name), cons)?;
    assign::stage(tx, m, &name, placement)
}

/// What a new unit's machine has to meet.
async fn resolved_constraints(tx: &Tx, m: &ModelUuid, name: &ApplicationName) -> Result<Constraints> {
    let own = constraints::get(tx, m, constraints::Of::Application(name)).await?;
    Ok(own.or(&constraints::get(tx, m, constraints::Of::Model).await?))
}

impl Model {
    /// Adds units to an application.
    pub async fn add_units(
        &self,
        name: &ApplicationName,
        count: u32,
        placements: &[Placement],
    ) -> Result<Vec<UnitName>> {
        let add = async |tx: Tx| {
            let m = self.uuid();
            model::get_alive(&tx, m).await?;
            let application = application::get_alive(&tx, m, name).await?;
            add_several(&tx, m, &application, count, placements).await
        };
        self.transact(add).await
    }

    /// Whether a unit of this name is there.
    pub fn has_unit(&self, name: &UnitName) -> bool {
        self.image().get(key(self.uuid(), name).path()).is_some()
    }
}
