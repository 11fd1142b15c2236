//! The version of the workload that a charm says it runs.

use jiff::Timestamp;
use juju_core::{ApplicationName, ModelUuid, UnitName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Key, Model, Prefix, Result, Tx, V, model, unit};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct VersionDoc {
    v: V<1>,
    version: String,
    since: Timestamp,
}

impl Doc for VersionDoc {
    const KIND: &'static str = "workload version";
}

fn key(m: &ModelUuid, name: &UnitName) -> Key<VersionDoc> {
    model::key_in(m, format_args!("version/{name}"))
}

pub(super) fn delete(tx: &Tx, m: &ModelUuid, name: &UnitName) {
    key(m, name).delete(tx);
}

impl Model {
    /// The version that the unit's charm set; empty if it did not.
    pub fn workload_version(&self, name: &UnitName) -> Result<String> {
        let image = self.image();
        unit::read(&image, self.uuid(), name)?;
        Ok(key(self.uuid(), name).read(&image)?.map(|it| it.version.clone()).unwrap_or_default())
    }

    /// The version that was set last among an application's units; empty if none was.
    pub fn application_workload_version(&self, name: &ApplicationName) -> Result<String> {
        of_application(&self.image(), self.uuid(), name)
    }

    pub async fn set_workload_version(&self, name: &UnitName, version: &str) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            unit::get(&tx, m, name).await?;
            let key = key(m, name);
            if key.get(&tx).await?.is_some_and(|it| it.version == version) {
                return Ok(());
            }
            key.put(&tx, &VersionDoc { v: V, version: version.to_owned(), since: tx.now })
        };
        self.transact(set).await
    }
}

pub(crate) fn of_application(image: &Image, m: &ModelUuid, name: &ApplicationName) -> Result<String> {
    let prefix: Prefix<VersionDoc> = model::prefix_in(m, format_args!("version/{name}/"));
    let mut last: Option<std::sync::Arc<VersionDoc>> = None;
    for version in prefix.read(image) {
        let (_, doc) = version?;
        if last.as_ref().is_none_or(|it| doc.since >= it.since) {
            last = Some(doc);
        }
    }
    Ok(last.map(|it| it.version.clone()).unwrap_or_default())
}
