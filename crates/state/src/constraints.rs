//! What machines are to be like: constraints of the model, of applications, and of what was made from them.

use juju_core::{ApplicationName, Constraints, MachineId, ModelUuid, UnitName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Error, Key, Model, Result, Tx, V, model};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstraintsDoc {
    pub v: V<1>,
    pub constraints: Constraints,
}

impl Doc for ConstraintsDoc {
    const KIND: &'static str = "constraints";
}

/// Whose constraints.
#[derive(Clone, Copy, Debug)]
pub enum Of<'a> {
    Model,
    Machine(&'a MachineId),
    Application(&'a ApplicationName),
    /// Those that its machine has to meet: its application's over the model's, when it was made.
    Unit(&'a UnitName),
}

fn key(m: &ModelUuid, of: Of<'_>) -> Key<ConstraintsDoc> {
    match of {
        Of::Model => model::key_in(m, "cons/model"),
        Of::Machine(id) => model::key_in(m, format_args!("cons/machine/{id}")),
        Of::Application(name) => model::key_in(m, format_args!("cons/app/{name}")),
        Of::Unit(name) => model::key_in(m, format_args!("cons/unit/{name}")),
    }
}

pub fn read(image: &Image, m: &ModelUuid, of: Of<'_>) -> Result<Constraints> {
    Ok(key(m, of).read(image)?.map(|it| it.constraints.clone()).unwrap_or_default())
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid, of: Of<'_>) -> Result<Constraints> {
    Ok(key(m, of).get(tx).await?.map(|it| it.constraints.clone()).unwrap_or_default())
}

/// Writes them; those that say nothing need no document.
pub(crate) fn put(tx: &Tx, m: &ModelUuid, of: Of<'_>, constraints: &Constraints) -> Result<()> {
    if *constraints == Constraints::default() {
        delete(tx, m, of);
        return Ok(());
    }
    key(m, of).put(tx, &ConstraintsDoc { v: V, constraints: constraints.clone() })
}

pub(crate) fn delete(tx: &Tx, m: &ModelUuid, of: Of<'_>) {
    key(m, of).delete(tx);
}

impl Model {
    pub fn constraints(&self, of: Of<'_>) -> Result<Constraints> {
        read(&self.image(), self.uuid(), of)
    }

    pub async fn set_model_constraints(&self, constraints: &Constraints) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            model::get_alive(&tx, m).await?;
            if constraints.container.is_some() {
                return Err(Error::not_valid("container constraint not valid for a model"));
            }
            put(&tx, m, Of::Model, constraints)
        };
        self.transact(set).await
    }
}
