//! Machines that are to be kept apart: those with units of the same applications.

use std::collections::BTreeSet;

use juju_core::{ApplicationName, MachineId};

use super::{all, read};
use crate::{Model, Result};

impl Model {
    /// The other machines that have units of the applications on this one; where it runs a controller, those that run
    /// controllers too.
    pub fn distribution_group(&self, id: &MachineId) -> Result<Vec<MachineId>> {
        let (image, m) = (self.image(), self.uuid());
        let own = read(&image, m, id)?;
        let applications: BTreeSet<&ApplicationName> = own.principals.iter().map(|it| it.app()).collect();
        let mut group = Vec::new();
        for machine in all(&image, m)? {
            let shares = machine.principals.iter().any(|it| applications.contains(it.app()));
            if machine.id != *id && (shares || (own.is_controller() && machine.is_controller())) {
                group.push(machine.id.clone());
            }
        }
        Ok(group)
    }
}
