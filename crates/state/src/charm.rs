//! Charms: what each says of itself, and where its archive is.
//!
//! A local charm's revision is taken when it is uploaded and never given again. The archive is a file named by its
//! hash; the document is there before the bytes are, and says so. What uses a charm is marked, a document a user, so
//! that a thousand units can take up a charm without meeting on a counter; a charm that nothing uses is cleaned up.

use std::{collections::BTreeMap, sync::Arc};

use juju_charm::Charm;
use juju_core::{ApplicationName, Base, CharmUrl, EndpointName, Life, ModelUuid, Sha256, UnitName};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V,
    attributes::Values,
    cleanup::{self, Work},
    model,
    relation::Endpoint,
    sequence,
    watch::{self, Watcher},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CharmDoc {
    pub v: V<1>,
    pub url: CharmUrl,
    pub life: Life,
    /// What it says of itself; not known while a revision is only reserved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charm: Option<Arc<Charm>>,
    /// The archive's, once it is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Sha256>,
    #[serde(default)]
    pub size: u64,
}

impl Doc for CharmDoc {
    const KIND: &'static str = "charm";
}

/// That an application, or a unit of it, uses a charm.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct UseDoc {
    v: V<1>,
}

impl Doc for UseDoc {
    const KIND: &'static str = "charm use";
}

fn key(m: &ModelUuid, url: &CharmUrl) -> Key<CharmDoc> {
    model::key_in(m, format_args!("charm/{url}"))
}

pub(crate) fn prefix(m: &ModelUuid) -> Prefix<CharmDoc> {
    model::prefix_in(m, "charm/")
}

fn uses(m: &ModelUuid, url: &CharmUrl) -> Prefix<UseDoc> {
    model::prefix_in(m, format_args!("charmuse/{url}/"))
}

fn application_use(m: &ModelUuid, url: &CharmUrl, name: &ApplicationName) -> Key<UseDoc> {
    model::key_in(m, format_args!("charmuse/{url}/{name}"))
}

fn unit_use(m: &ModelUuid, url: &CharmUrl, name: &UnitName) -> Key<UseDoc> {
    model::key_in(m, format_args!("charmuse/{url}/{name}"))
}

fn not_found(url: &CharmUrl) -> Error {
    Error::NotFound(format!("charm \"{url}\""))
}

pub fn read(image: &Image, m: &ModelUuid, url: &CharmUrl) -> Result<Arc<CharmDoc>> {
    key(m, url).read(image)?.ok_or_else(|| not_found(url))
}

/// What the charm of this URL says of itself.
pub fn describe(image: &Image, m: &ModelUuid, url: &CharmUrl) -> Result<Arc<Charm>> {
    read(image, m, url)?.charm.clone().ok_or_else(|| not_found(url))
}

pub fn all(image: &Image, m: &ModelUuid) -> Result<Vec<Arc<CharmDoc>>> {
    let prefix = prefix(m);
    prefix.read(image).map(|it| it.map(|(_, doc)| doc)).collect()
}

/// A charm that may be deployed: it is alive, and known.
pub(crate) async fn get_usable(tx: &Tx, m: &ModelUuid, url: &CharmUrl) -> Result<Arc<Charm>> {
    let doc = key(m, url).get(tx).await?.filter(|it| it.life == Life::Alive).ok_or_else(|| not_found(url))?;
    doc.charm.clone().ok_or_else(|| not_found(url))
}

/// What a charm in use says of itself, whatever becomes of it.
pub(crate) async fn get(tx: &Tx, m: &ModelUuid, url: &CharmUrl) -> Result<Arc<Charm>> {
    key(m, url).get(tx).await?.and_then(|it| it.charm.clone()).ok_or_else(|| not_found(url))
}

/// Takes a revision for a local charm: the one that it has, or the next after the last that was taken.
async fn reserve(tx: &Tx, m: &ModelUuid, url: &CharmUrl) -> Result<CharmUrl> {
    model::get_alive(tx, m).await?;
    let base = url.clone().without_revision();
    let least = url.revision.unwrap_or_default();
    let revision = sequence::next_from(tx, m, &format!("charmrev-{base}"), least, 1).await?;
    let url = base.with_revision(revision);
    let doc = CharmDoc { v: V, url: url.clone(), life: Life::Alive, charm: None, sha256: None, size: 0 };
    key(m, &url).put(tx, &doc)?;
    Ok(url)
}

/// Says where the archive of a reserved charm is, and what it says.
async fn set_uploaded(
    tx: &Tx,
    m: &ModelUuid,
    url: &CharmUrl,
    charm: &Arc<Charm>,
    sha256: &Sha256,
    size: u64,
) -> Result<()> {
    let doc = key(m, url).get(tx).await?.filter(|it| it.life == Life::Alive).ok_or_else(|| not_found(url))?;
    if doc.sha256.as_ref().is_some_and(|it| it != sha256) {
        return Err(Error::AlreadyExists(format!("charm \"{url}\"")));
    }
    let doc = CharmDoc {
        charm: Some(Arc::clone(charm)),
        sha256: Some(sha256.clone()),
        size,
        ..CharmDoc::clone(&doc)
    };
    key(m, url).put(tx, &doc)
}

/// Marks that the application uses the charm.
pub(crate) fn take(tx: &Tx, m: &ModelUuid, url: &CharmUrl, name: &ApplicationName) -> Result<()> {
    application_use(m, url, name).put(tx, &UseDoc { v: V })
}

/// Marks that the unit uses the charm.
pub(crate) fn take_for_unit(tx: &Tx, m: &ModelUuid, url: &CharmUrl, name: &UnitName) -> Result<()> {
    unit_use(m, url, name).put(tx, &UseDoc { v: V })
}

/// The application no longer uses the charm; its last user takes it along.
pub(crate) fn give(tx: &Tx, m: &ModelUuid, url: &CharmUrl, name: &ApplicationName) -> Result<()> {
    application_use(m, url, name).delete(tx);
    cleanup::queue(tx, m, Work::CharmConfig { application: name.clone(), url: url.clone() })?;
    cleanup::queue(tx, m, Work::Charm { url: url.clone() })
}

/// The unit no longer uses the charm. That is looked at only if its application does not use it either.
pub(crate) async fn give_for_unit(tx: &Tx, m: &ModelUuid, url: &CharmUrl, name: &UnitName) -> Result<()> {
    unit_use(m, url, name).delete(tx);
    if application_use(m, url, name.app()).exists(tx).await? {
        return Ok(());
    }
    cleanup::queue(tx, m, Work::CharmConfig { application: name.app().clone(), url: url.clone() })?;
    cleanup::queue(tx, m, Work::Charm { url: url.clone() })
}

/// Whether the application or a unit of it uses the charm.
pub(crate) async fn is_used_by(
    tx: &Tx,
    m: &ModelUuid,
    url: &CharmUrl,
    name: &ApplicationName,
) -> Result<bool> {
    if application_use(m, url, name).exists(tx).await? {
        return Ok(true);
    }
    let units: Prefix<UseDoc> = model::prefix_in(m, format_args!("charmuse/{url}/{name}/"));
    Ok(!units.is_empty(tx).await?)
}

/// Sets a charm that nothing uses dead. Who keeps the archives then removes its own, and the document.
pub(crate) async fn clean(model: &Model, url: CharmUrl) -> Result<()> {
    let clean = async |tx: Tx| {
        let m = model.uuid();
        let Some(doc) = key(m, &url).get(&tx).await? else { return Ok(()) };
        if doc.life == Life::Dead || !uses(m, &url).is_empty(&tx).await? {
            return Ok(());
        }
        key(m, &url).put(&tx, &CharmDoc { life: Life::Dead, ..CharmDoc::clone(&doc) })
    };
    model.transact(clean).await
}

// What follows is all that this crate asks of a charm's description.

pub(crate) fn is_subordinate(charm: &Charm) -> bool {
    charm.meta.subordinate
}

/// The endpoints that an application with the charm has, the implicit one last.
pub(crate) fn endpoints(charm: &Charm, name: &ApplicationName) -> Vec<Endpoint> {
    let declared = charm.meta.relations().cloned();
    let all = declared.chain([juju_charm::Relation::juju_info()]).map(|relation| {
        Some(Endpoint {
            application: name.clone(),
            name: relation.name.parse::<EndpointName>().ok()?,
            role: relation.role,
            interface: relation.interface,
            optional: relation.optional,
            limit: relation.limit,
            scope: relation.scope,
        })
    });
    all.flatten().collect()
}

/// What may be bound to a space beside the endpoints.
pub(crate) fn extra_bindings(charm: &Charm) -> impl Iterator<Item = &str> {
    charm.meta.extra_bindings.iter().map(String::as_str)
}

pub(crate) fn bases(charm: &Charm) -> Vec<Base> {
    charm.bases().unwrap_or_default()
}

/// Values as documents carry them, each checked against its option. A null stays: it resets the option.
pub fn check_config(charm: &Charm, values: &Values) -> Result<Values> {
    let settings = juju_core::Settings(values.clone());
    let checked = charm.config.validate(&settings).map_err(|err| Error::not_valid(err.to_string()))?;
    Ok(checked.into_iter().map(|(name, it)| (name, it.map_or(Value::Null, |it| it.to_json()))).collect())
}

/// Values as people type them.
pub fn parse_config(charm: &Charm, texts: &BTreeMap<String, String>) -> Result<Values> {
    let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let parsed = charm.config.parse_strings(texts).map_err(|err| Error::not_valid(err.to_string()))?;
    Ok(parsed.into_iter().map(|(name, it)| (name, it.map_or(Value::Null, |it| it.to_json()))).collect())
}

/// The values that a charm of another revision still has options for.
pub(crate) fn carry_config(charm: &Charm, values: &Values) -> Values {
    charm.config.filter(&juju_core::Settings(values.clone())).0
}

/// What a charm sees: the values over its defaults.
pub fn effective_config(charm: &Charm, values: &Values) -> Values {
    let effective = charm.config.effective(&juju_core::Settings(values.clone()));
    effective.into_iter().map(|(name, it)| (name, it.to_json())).collect()
}

impl Model {
    pub fn charm(&self, url: &CharmUrl) -> Result<Arc<CharmDoc>> {
        read(&self.image(), self.uuid(), url)
    }

    /// Takes a revision for a charm that is about to be uploaded.
    pub async fn reserve_charm(&self, url: &CharmUrl) -> Result<CharmUrl> {
        self.transact(async |tx| reserve(&tx, self.uuid(), url).await).await
    }

    pub async fn set_charm_uploaded(
        &self,
        url: &CharmUrl,
        charm: Charm,
        sha256: &Sha256,
        size: u64,
    ) -> Result<()> {
        let charm = Arc::new(charm);
        self.transact(async |tx| set_uploaded(&tx, self.uuid(), url, &charm, sha256, size).await).await
    }

    /// The archive of a charm that is there.
    pub fn charm_archive(&self, url: &CharmUrl) -> Result<Sha256> {
        let doc = self.charm(url)?;
        doc.sha256.clone().ok_or_else(|| Error::NotYetAvailable(format!("charm \"{url}\"")))
    }

    /// The charms that are dead and whose archives may be removed.
    pub fn dead_charms(&self) -> Result<Vec<Arc<CharmDoc>>> {
        let mut all = all(&self.image(), self.uuid())?;
        all.retain(|it| it.life == Life::Dead);
        Ok(all)
    }

    /// Removes the document of a dead charm, whose archive was removed.
    pub async fn remove_charm(&self, url: &CharmUrl) -> Result<()> {
        let remove = async |tx: Tx| {
            let key = key(self.uuid(), url);
            match key.get(&tx).await? {
                Some(doc) if doc.life != Life::Dead => {
                    Err(Error::NotSupported(format!("cannot remove charm \"{url}\": it is not dead")))
                }
                _ => {
                    key.delete(&tx);
                    Ok(())
                }
            }
        };
        self.transact(remove).await
    }

    /// Tells when charms are added, uploaded, die or are removed.
    pub fn watch_charms(&self) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::prefix(prefix(self.uuid()).path()))
    }
}
