//! The units on a machine: its principals and their subordinates.

use std::collections::{BTreeMap, BTreeSet};

use juju_core::{Life, MachineId, ModelUuid, UnitName};
use juju_store::{Image, Interest};

use super::{key, read};
use crate::{
    Model, Result, unit,
    watch::{Lives, Looking, Watcher},
};

/// All units on the machine, by name.
pub(crate) fn units(image: &Image, m: &ModelUuid, id: &MachineId) -> Result<BTreeSet<UnitName>> {
    let mut units = BTreeSet::new();
    let Some(machine) = key(m, id).read(image)? else { return Ok(units) };
    for name in &machine.principals {
        if let Some(principal) = unit::key(m, name).read(image)? {
            units.extend(principal.subordinates.iter().cloned());
        }
        units.insert(name.clone());
    }
    Ok(units)
}

impl Model {
    pub fn machine_units(&self, id: &MachineId) -> Result<BTreeSet<UnitName>> {
        let image = self.image();
        read(&image, self.uuid(), id)?;
        units(&image, self.uuid(), id)
    }

    /// Reports the units on a machine by their lives: those assigned to it, and those that leave it.
    pub fn watch_machine_units(&self, id: &MachineId) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        self.machine(id)?;
        let (m, id) = (self.uuid().clone(), id.clone());
        let interest = Interest::key(key(&m, &id).path());
        let mut followed = BTreeSet::new();
        let mut known = Lives::default();
        let look = move |at: &mut Looking<'_>| {
            let units = units(at.image, &m, &id)?;
            let path = |name: &UnitName| unit::key(&m, name).path().to_owned();
            units.difference(&followed).for_each(|it| at.follow(Interest::key(path(it))));
            followed.difference(&units).for_each(|it| at.leave(Interest::key(path(it))));
            let mut lives: BTreeMap<String, Life> = BTreeMap::new();
            for name in &units {
                if let Some(unit) = unit::key(&m, name).read(at.image)? {
                    lives.insert(name.to_string(), unit.life);
                }
            }
            followed = units;
            Ok(known.update(lives))
        };
        Watcher::open(self.view(), interest, look)
    }
}
