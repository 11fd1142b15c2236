//! Relations between applications, and of one with itself: the record of each, and how it comes to be.
//!
//! Who is in a relation ([`scope`]), what each has said in it ([`settings`]) and its end stand in files beside this one.

use std::{fmt, sync::Arc};

use juju_charm::{RelationScope, Role};
use juju_core::{
    ApplicationName, EndpointName, EndpointRef, Life, ModelUuid, RelationId, RelationKey, Status, UnitName,
};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Prefix, Result, Tx, V, application, charm, model, sequence,
    status::{self, NewStatus, StatusOf},
    unit::UnitDoc,
    watch::{self, Watcher},
};

mod destroy;
pub(crate) use destroy::{clean_left, clean_settings, destroy, destroy_all_of, force_destroy};
mod infer;
pub use infer::infer;
pub mod scope;
pub mod settings;
mod watching;
pub use watching::RelationUnitsChange;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelationDoc {
    pub v: V<1>,
    pub id: RelationId,
    pub key: RelationKey,
    /// In the order of the key: one for peers, else the requirer and the provider.
    pub endpoints: Vec<Endpoint>,
    pub life: Life,
    #[serde(default)]
    pub suspended: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suspended_reason: String,
}

impl Doc for RelationDoc {
    const KIND: &'static str = "relation";
}

/// An application's end of a relation, as its charm declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    pub application: ApplicationName,
    pub name: EndpointName,
    pub role: Role,
    pub interface: String,
    #[serde(default)]
    pub optional: bool,
    /// How many relations it takes; 0 is any number.
    #[serde(default)]
    pub limit: u32,
    pub scope: RelationScope,
}

impl Endpoint {
    /// Whether every charm has it without saying so.
    pub fn is_implicit(&self) -> bool {
        self.name == "juju-info" && self.interface == "juju-info" && self.role == Role::Provider
    }

    pub fn reference(&self) -> EndpointRef {
        EndpointRef { app: self.application.clone(), endpoint: self.name.clone() }
    }

    /// Whether a relation can be between the two.
    fn fits(&self, other: &Endpoint) -> bool {
        self.application != other.application
            && self.role != Role::Peer
            && self.role.counterpart() == other.role
            && self.interface == other.interface
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.application, self.name)
    }
}

impl RelationDoc {
    pub fn is_peer(&self) -> bool {
        self.key.is_peer()
    }

    pub fn endpoint(&self, name: &ApplicationName) -> Result<&Endpoint> {
        let found = self.endpoints.iter().find(|it| it.application == *name);
        found.ok_or_else(|| {
            Error::NoSuch(format!("application \"{name}\" is not a member of \"{}\"", self.key))
        })
    }

    /// The other side of an application's endpoint: its own one among peers.
    pub fn other_side(&self, name: &ApplicationName) -> Result<&Endpoint> {
        let own = self.endpoint(name)?;
        Ok(self.endpoints.iter().find(|it| it.application != *name).unwrap_or(own))
    }

    /// Where either side says so, a relation is between a principal and its subordinates alone.
    pub fn scope(&self) -> RelationScope {
        let container = self.endpoints.iter().any(|it| it.scope == RelationScope::Container);
        if container { RelationScope::Container } else { RelationScope::Global }
    }
}

/// Finds a relation by its key.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ByKeyDoc {
    v: V<1>,
    id: RelationId,
}

impl Doc for ByKeyDoc {
    const KIND: &'static str = "relation key";
}

/// Finds the relations of an application, with what is asked of them most, so that one read answers for all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OfApplicationDoc {
    v: V<1>,
    pub(crate) key: RelationKey,
    /// The application's own end.
    pub(crate) endpoint: Endpoint,
}

impl Doc for OfApplicationDoc {
    const KIND: &'static str = "application's relation";
}

pub(crate) fn key(m: &ModelUuid, id: RelationId) -> Key<RelationDoc> {
    model::key_in(m, format_args!("relation/{id}"))
}

pub(crate) fn prefix(m: &ModelUuid) -> Prefix<RelationDoc> {
    model::prefix_in(m, "relation/")
}

fn by_key(m: &ModelUuid, key: &RelationKey) -> Key<ByKeyDoc> {
    model::key_in(m, format_args!("relkey/{key}"))
}

pub(crate) fn of_application(m: &ModelUuid, name: &ApplicationName) -> Prefix<OfApplicationDoc> {
    model::prefix_in(m, format_args!("apprel/{name}/"))
}

fn of_application_key(m: &ModelUuid, name: &ApplicationName, id: RelationId) -> Key<OfApplicationDoc> {
    model::key_in(m, format_args!("apprel/{name}/{id}"))
}

pub(crate) fn not_found(id: RelationId) -> Error {
    Error::NotFound(format!("relation {id}"))
}

pub fn read(image: &Image, m: &ModelUuid, id: RelationId) -> Result<Arc<RelationDoc>> {
    key(m, id).read(image)?.ok_or_else(|| not_found(id))
}

pub fn read_by_key(image: &Image, m: &ModelUuid, wanted: &RelationKey) -> Result<Arc<RelationDoc>> {
    let missing = || Error::NotFound(format!("relation \"{wanted}\""));
    let found = by_key(m, wanted).read(image)?.ok_or_else(missing)?;
    key(m, found.id).read(image)?.ok_or_else(missing)
}

/// All relations of a model, by id.
pub fn all(image: &Image, m: &ModelUuid) -> Result<Vec<Arc<RelationDoc>>> {
    let prefix = prefix(m);
    let mut all = prefix.read(image).map(|it| it.map(|(_, doc)| doc)).collect::<Result<Vec<_>>>()?;
    all.sort_by_key(|it| it.id);
    Ok(all)
}

/// The relations of an application, by id.
pub fn read_of(image: &Image, m: &ModelUuid, name: &ApplicationName) -> Result<Vec<Arc<RelationDoc>>> {
    let prefix = of_application(m, name);
    let mut all = Vec::new();
    for id in prefix.read_names(image) {
        all.extend(key(m, parse_id(id)?).read(image)?);
    }
    all.sort_by_key(|it| it.id);
    Ok(all)
}

fn parse_id(text: &str) -> Result<RelationId> {
    text.parse().map_err(|_| Error::Damaged(format!("a relation stands at {text:?}")))
}

pub(crate) async fn find_by_key(tx: &Tx, m: &ModelUuid, wanted: &RelationKey) -> Result<Arc<RelationDoc>> {
    let missing = || Error::NotFound(format!("relation \"{wanted}\""));
    let found = by_key(m, wanted).get(tx).await?.ok_or_else(missing)?;
    key(m, found.id).get(tx).await?.ok_or_else(missing)
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid, id: RelationId) -> Result<Arc<RelationDoc>> {
    key(m, id).get(tx).await?.ok_or_else(|| not_found(id))
}

/// The relations of an application. The transaction then depends upon which there are.
pub(crate) async fn list_of(tx: &Tx, m: &ModelUuid, name: &ApplicationName) -> Result<Vec<Arc<RelationDoc>>> {
    let mut all = Vec::new();
    for id in of_application(m, name).names(tx).await? {
        all.push(get(tx, m, parse_id(&id)?).await?);
    }
    all.sort_by_key(|it| it.id);
    Ok(all)
}

/// Relates two endpoints; those of applications that live, with charms that have them.
pub(crate) async fn add(
    tx: &Tx,
    m: &ModelUuid,
    one: &EndpointRef,
    other: &EndpointRef,
) -> Result<Arc<RelationDoc>> {
    model::get_alive(tx, m).await?;
    let (first, second) = (find(tx, m, one).await?, find(tx, m, other).await?);
    let (requirer, provider) = match first.0.role {
        Role::Requirer => (first, second),
        _ => (second, first),
    };
    let ((requirer, sub_a), (provider, sub_b)) = (requirer, provider);
    let key = RelationKey::Pair { requirer: requirer.reference(), provider: provider.reference() };
    let cannot = |why: String| Error::not_valid(format!("cannot add relation \"{key}\": {why}"));
    if !requirer.fits(&provider) || requirer.role != Role::Requirer {
        return Err(cannot("endpoints do not relate".into()));
    }
    if by_key(m, &key).exists(tx).await? {
        return Err(Error::AlreadyExists(format!("cannot add relation \"{key}\": relation {key}")));
    }
    let mut endpoints = vec![requirer, provider];
    if endpoints.iter().any(|it| it.scope == RelationScope::Container) {
        if !sub_a && !sub_b {
            return Err(cannot("container scoped relations require a subordinate application".into()));
        }
        endpoints.iter_mut().for_each(|it| it.scope = RelationScope::Container);
        let base_a = application::get(tx, m, &endpoints[0].application).await?.base.clone();
        let base_b = application::get(tx, m, &endpoints[1].application).await?.base.clone();
        if !base_a.is_compatible(&base_b) {
            return Err(Error::IncompatibleBase(format!(
                "cannot add relation \"{key}\": principal and subordinate applications' bases must match"
            )));
        }
    }
    for endpoint in &endpoints {
        check_limit(tx, m, endpoint).await?;
    }
    create(tx, m, key, endpoints).await
}

/// Relates the units of a new application with each other.
pub(crate) async fn add_peer(tx: &Tx, m: &ModelUuid, endpoint: Endpoint) -> Result<Arc<RelationDoc>> {
    create(tx, m, RelationKey::Peer(endpoint.reference()), vec![endpoint]).await
}

async fn create(
    tx: &Tx,
    m: &ModelUuid,
    by: RelationKey,
    endpoints: Vec<Endpoint>,
) -> Result<Arc<RelationDoc>> {
    let id = RelationId(sequence::next(tx, m, "relation").await?);
    for endpoint in &endpoints {
        of_application_key(m, &endpoint.application, id)
            .put(tx, &OfApplicationDoc { v: V, key: by.clone(), endpoint: endpoint.clone() })?;
    }
    by_key(m, &by).put(tx, &ByKeyDoc { v: V, id })?;
    let doc = RelationDoc {
        v: V,
        id,
        key: by,
        endpoints,
        life: Life::Alive,
        suspended: false,
        suspended_reason: String::new(),
    };
    put(tx, m, &doc)?;
    status::create(tx, m, StatusOf::Relation(id))?;
    Ok(Arc::new(doc))
}

pub(crate) fn put(tx: &Tx, m: &ModelUuid, doc: &RelationDoc) -> Result<()> {
    key(m, doc.id).put(tx, doc)
}

/// The endpoint of an application that lives, and whether that is a subordinate one.
async fn find(tx: &Tx, m: &ModelUuid, wanted: &EndpointRef) -> Result<(Endpoint, bool)> {
    let application = application::get_alive(tx, m, &wanted.app).await?;
    let charm = charm::get(tx, m, &application.charm_url).await?;
    let found = charm::endpoints(&charm, &wanted.app).into_iter().find(|it| it.name == wanted.endpoint);
    let found = found.ok_or_else(|| {
        Error::NoSuch(format!(
            "application \"{}\" has no {:?} relation",
            wanted.app,
            wanted.endpoint.as_str()
        ))
    })?;
    Ok((found, application.subordinate))
}

async fn check_limit(tx: &Tx, m: &ModelUuid, endpoint: &Endpoint) -> Result<()> {
    if endpoint.limit == 0 {
        return Ok(());
    }
    let existing = of_application(m, &endpoint.application).list(tx).await?;
    let used = existing.iter().filter(|(_, it)| it.endpoint.name == endpoint.name).count();
    if used >= endpoint.limit as usize {
        return Err(Error::QuotaLimitExceeded(format!(
            "establishing a new relation for {endpoint} would exceed its maximum relation limit of {}",
            endpoint.limit
        )));
    }
    Ok(())
}

/// Suspends a relation, or lets it go on.
async fn set_suspended(tx: &Tx, m: &ModelUuid, id: RelationId, suspended: bool, reason: &str) -> Result<()> {
    let doc = get(tx, m, id).await?;
    if doc.life != Life::Alive {
        return Err(Error::NotAlive(format!("relation \"{}\"", doc.key)));
    }
    let reason = if suspended { reason.to_owned() } else { String::new() };
    if (doc.suspended, &doc.suspended_reason) == (suspended, &reason) {
        return Ok(());
    }
    let status = if suspended { Status::Suspending } else { Status::Joining };
    status::write(tx, m, &StatusOf::Relation(id), NewStatus::new(status, reason.as_str()))?;
    put(tx, m, &RelationDoc { suspended, suspended_reason: reason, ..RelationDoc::clone(&doc) })
}

/// Whether a unit may take part in the relation at all: a subordinate is related to its own principal alone, where the
/// relation is within a machine.
pub(crate) fn concerns(doc: &RelationDoc, unit: &UnitDoc) -> bool {
    let Ok(other) = doc.other_side(unit.name.app()) else { return false };
    match (&unit.principal, doc.scope()) {
        (Some(principal), RelationScope::Container) if !doc.is_peer() => {
            other.application == *principal.app()
        }
        _ => true,
    }
}

impl Model {
    pub fn relation(&self, id: RelationId) -> Result<Arc<RelationDoc>> {
        read(&self.image(), self.uuid(), id)
    }

    pub fn relation_by_key(&self, key: &RelationKey) -> Result<Arc<RelationDoc>> {
        read_by_key(&self.image(), self.uuid(), key)
    }

    pub fn relations(&self) -> Result<Vec<Arc<RelationDoc>>> {
        all(&self.image(), self.uuid())
    }

    pub fn application_relations(&self, name: &ApplicationName) -> Result<Vec<Arc<RelationDoc>>> {
        let image = self.image();
        application::read(&image, self.uuid(), name)?;
        read_of(&image, self.uuid(), name)
    }

    /// Relates two applications, each named with its endpoint or without where only one relation is possible.
    pub async fn add_relation(&self, one: &str, other: &str) -> Result<Arc<RelationDoc>> {
        let (one, other) = infer(&self.image(), self.uuid(), one, other)?;
        self.add_relation_between(&one.reference(), &other.reference()).await
    }

    pub async fn add_relation_between(
        &self,
        one: &EndpointRef,
        other: &EndpointRef,
    ) -> Result<Arc<RelationDoc>> {
        self.transact(async |tx| add(&tx, self.uuid(), one, other).await).await
    }

    pub async fn set_relation_suspended(&self, id: RelationId, suspended: bool, reason: &str) -> Result<()> {
        self.transact(async |tx| set_suspended(&tx, self.uuid(), id, suspended, reason).await).await
    }

    /// Sets the status of a relation; its application's leader alone may, if a unit does.
    pub async fn set_relation_status(
        &self,
        id: RelationId,
        by: Option<&UnitName>,
        new: &NewStatus,
    ) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            let relation = get(&tx, m, id).await?;
            if let Some(name) = by {
                relation.endpoint(name.app())?;
                crate::lease::guard_leader(&tx, m, name).await?;
            }
            status::set(&tx, m, &StatusOf::Relation(id), new, true).await
        };
        self.transact(set).await
    }

    /// Tells when the relation changes: its life, and whether it is suspended.
    pub fn watch_relation(&self, id: RelationId) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(self.uuid(), id).path()))
    }
}
