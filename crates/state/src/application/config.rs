//! What an application is told: the values of its charm's options, a document a charm, and its own settings, such as
//! whether it is trusted.

use std::collections::BTreeMap;

use juju_core::{ApplicationName, CharmUrl, ModelUuid, UnitName};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{get, get_alive};
use crate::{
    Doc, Error, Key, Model, Result, Tx, V,
    attributes::{Values, parse_flag},
    charm, model, unit,
    watch::{self, Watcher},
};

/// The values that were set, by option; the others have the charm's defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConfigDoc {
    pub v: V<1>,
    pub values: Values,
}

impl Doc for ConfigDoc {
    const KIND: &'static str = "application config";
}

/// What concerns the application and not its charm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OptionsDoc {
    pub v: V<1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<bool>,
}

impl Doc for OptionsDoc {
    const KIND: &'static str = "application options";
}

pub(crate) fn key(m: &ModelUuid, name: &ApplicationName, url: &CharmUrl) -> Key<ConfigDoc> {
    model::key_in(m, format_args!("appcfg/{name}/{url}"))
}

pub(crate) fn options_key(m: &ModelUuid, name: &ApplicationName) -> Key<OptionsDoc> {
    model::key_in(m, format_args!("appopts/{name}"))
}

/// The values that were set for an application with this charm.
pub fn read(image: &Image, m: &ModelUuid, name: &ApplicationName, url: &CharmUrl) -> Result<Values> {
    Ok(key(m, name, url).read(image)?.map(|it| it.values.clone()).unwrap_or_default())
}

pub(crate) async fn get_values(
    tx: &Tx,
    m: &ModelUuid,
    name: &ApplicationName,
    url: &CharmUrl,
) -> Result<Values> {
    Ok(key(m, name, url).get(tx).await?.map(|it| it.values.clone()).unwrap_or_default())
}

/// Writes all values; nulls are none.
pub(super) fn put(
    tx: &Tx,
    m: &ModelUuid,
    name: &ApplicationName,
    url: &CharmUrl,
    values: &Values,
) -> Result<()> {
    let mut values = values.clone();
    values.retain(|_, it| !it.is_null());
    key(m, name, url).put(tx, &ConfigDoc { v: V, values })
}

/// Values as they come in: those of the charm's options, and the application's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Split {
    pub(super) charm: Values,
    pub(super) trust: Option<Option<bool>>,
}

/// Takes the application's own settings out of what was given; a null resets one.
pub(super) fn split(given: &Values) -> Result<Split> {
    let mut split = Split { charm: given.clone(), trust: None };
    if let Some(trust) = split.charm.remove("trust") {
        split.trust = Some(match &trust {
            Value::Null => None,
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => {
                let bad = || Error::not_valid(format!("trust: expected bool, got string({text:?})"));
                Some(parse_flag(text).ok_or_else(bad)?)
            }
            other => return Err(Error::not_valid(format!("trust: expected bool, got {other}"))),
        });
    }
    Ok(split)
}

pub(super) async fn put_trust(
    tx: &Tx,
    m: &ModelUuid,
    name: &ApplicationName,
    trust: Option<Option<bool>>,
) -> Result<()> {
    match trust {
        Some(trust) => options_key(m, name).put(tx, &OptionsDoc { v: V, trust }),
        None => Ok(()),
    }
}

/// Sets values of an application's options; a null resets one to its default. Typed values and texts may both be given.
async fn update(
    tx: &Tx,
    m: &ModelUuid,
    name: &ApplicationName,
    typed: &Values,
    texts: &BTreeMap<String, String>,
) -> Result<()> {
    let application = get_alive(tx, m, name).await?;
    let charm = charm::get(tx, m, &application.charm_url).await?;
    let mut texts = texts.clone();
    let mut given = typed.clone();
    // The application's own setting is not the charm's, unless the charm says that it is.
    if let Some(trust) = texts.remove("trust") {
        given.insert("trust".into(), trust.into());
    }
    let split = split(&given)?;
    let mut values = get_values(tx, m, name, &application.charm_url).await?;
    for change in [charm::check_config(&charm, &split.charm)?, charm::parse_config(&charm, &texts)?] {
        values.extend(change);
    }
    put(tx, m, name, &application.charm_url, &values)?;
    put_trust(tx, m, name, split.trust).await
}

/// Deletes the values for a charm that neither the application nor a unit of it uses any more.
pub(crate) async fn clean_config(model: &Model, name: ApplicationName, url: CharmUrl) -> Result<()> {
    let clean = async |tx: Tx| {
        if !charm::is_used_by(&tx, model.uuid(), &url, &name).await? {
            key(model.uuid(), &name, &url).delete(&tx);
        }
        Ok(())
    };
    model.transact(clean).await
}

/// A text that changes with what is hashed.
fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hex::encode(hasher.finalize())
}

impl Model {
    /// The values that were set for an application.
    pub fn application_config(&self, name: &ApplicationName) -> Result<Values> {
        let image = self.image();
        let application = super::read(&image, self.uuid(), name)?;
        read(&image, self.uuid(), name, &application.charm_url)
    }

    /// Whether the application is trusted, as far as somebody said so.
    pub fn application_trust(&self, name: &ApplicationName) -> Result<Option<bool>> {
        let image = self.image();
        super::read(&image, self.uuid(), name)?;
        Ok(options_key(self.uuid(), name).read(&image)?.and_then(|it| it.trust))
    }

    /// Sets options: typed values, in which a null resets one, and values as people type them.
    pub async fn update_application_config(
        &self,
        name: &ApplicationName,
        typed: &Values,
        texts: &BTreeMap<String, String>,
    ) -> Result<()> {
        self.transact(async |tx| update(&tx, self.uuid(), name, typed, texts).await).await
    }

    /// What the charm of a unit sees: the values for the charm that it runs, over that charm's defaults.
    pub fn unit_config(&self, name: &UnitName) -> Result<Values> {
        let image = self.image();
        let unit = unit::read(&image, self.uuid(), name)?;
        let no_charm = || Error::not_valid(format!("unit \"{name}\" has no charm URL set"));
        let url = unit.charm_url.as_ref().ok_or_else(no_charm)?;
        let charm = charm::describe(&image, self.uuid(), url)?;
        Ok(charm::effective_config(&charm, &read(&image, self.uuid(), name.app(), url)?))
    }

    /// Reports a hash of the values for the charm that the unit runs.
    pub fn watch_unit_config(&self, name: &UnitName) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let unit = self.unit(name)?;
        let no_charm = || Error::not_valid(format!("unit \"{name}\" has no charm URL set"));
        let url = unit.charm_url.as_ref().ok_or_else(no_charm)?;
        let key = key(self.uuid(), name.app(), url);
        let path = key.path().to_owned();
        let compute = move |image: &Image| {
            let values = image.get(key.path()).map(|it| it.value().clone()).unwrap_or_default();
            Ok(hash(&[key.path().as_bytes(), &values]))
        };
        watch::text(self.view(), Interest::key(path), compute)
    }

    /// Reports a hash of the application's own settings.
    pub fn watch_trust(&self, name: &ApplicationName) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let key = options_key(self.uuid(), name);
        let path = key.path().to_owned();
        let compute = move |image: &Image| {
            let values = image.get(key.path()).map(|it| it.value().clone()).unwrap_or_default();
            Ok(hash(&[key.path().as_bytes(), &values]))
        };
        watch::text(self.view(), Interest::key(path), compute)
    }

    /// Reports a hash of a unit's addresses and of the spaces that its application is bound to.
    pub fn watch_unit_addresses(&self, name: &UnitName) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let machine = self.unit_machine(name)?;
        let m = self.uuid();
        let (addresses, bindings) = (crate::address::key(m, &machine), crate::bindings::key(m, name.app()));
        let interest = Interest::key(addresses.path()).and_key(bindings.path());
        let compute = move |image: &Image| {
            let known = addresses.read(image)?.unwrap_or_default();
            let all: Vec<String> =
                known.all().iter().map(|it| format!("{} {} {}", it.value, it.kind, it.scope)).collect();
            let bound = image.get(bindings.path()).map(|it| it.value().clone()).unwrap_or_default();
            Ok(hash(&[all.join("\n").as_bytes(), &bound]))
        };
        watch::text(self.view(), interest, compute)
    }
}

/// Deletes what the application itself was told.
pub(super) fn forget(tx: &Tx, m: &ModelUuid, name: &ApplicationName) {
    options_key(m, name).delete(tx);
}

/// An application's charm and its values, as one transaction sees them.
pub(super) async fn current(tx: &Tx, m: &ModelUuid, name: &ApplicationName) -> Result<Values> {
    let application = get(tx, m, name).await?;
    get_values(tx, m, name, &application.charm_url).await
}
