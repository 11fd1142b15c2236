//! What the leader of an application has said to its peers: the old way, which charms still use.

use std::{collections::BTreeMap, sync::Arc};

use juju_core::{ApplicationName, ModelUuid, UnitName};
use juju_store::Interest;
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Key, Model, Result, Tx, V, application, lease, model,
    watch::{self, Watcher},
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeaderSettingsDoc {
    pub v: V<1>,
    pub settings: BTreeMap<String, String>,
}

impl Doc for LeaderSettingsDoc {
    const KIND: &'static str = "leader settings";
}

fn key(m: &ModelUuid, name: &ApplicationName) -> Key<LeaderSettingsDoc> {
    model::key_in(m, format_args!("leader/{name}"))
}

pub(super) fn delete(tx: &Tx, m: &ModelUuid, name: &ApplicationName) {
    key(m, name).delete(tx);
}

impl Model {
    pub fn leader_settings(&self, name: &ApplicationName) -> Result<Arc<LeaderSettingsDoc>> {
        let image = self.image();
        application::read(&image, self.uuid(), name)?;
        Ok(key(self.uuid(), name).read(&image)?.unwrap_or_default())
    }

    /// Changes some settings, which only the leader may; an empty value takes one away.
    pub async fn merge_leader_settings(
        &self,
        leader: &UnitName,
        changes: &BTreeMap<String, String>,
    ) -> Result<()> {
        let merge = async |tx: Tx| {
            let (m, name) = (self.uuid(), leader.app());
            application::get(&tx, m, name).await?;
            lease::guard_leader(&tx, m, leader).await?;
            let mut settings = key(m, name).get(&tx).await?.map(|it| it.settings.clone()).unwrap_or_default();
            for (name, value) in changes {
                match value.is_empty() {
                    true => settings.remove(name),
                    false => settings.insert(name.clone(), value.clone()),
                };
            }
            key(m, name).put(&tx, &LeaderSettingsDoc { v: V, settings })
        };
        self.transact(merge).await
    }

    pub fn watch_leader_settings(&self, name: &ApplicationName) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(self.uuid(), name).path()))
    }
}
