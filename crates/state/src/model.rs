//! Models: the record of each, where its documents stand, and its making. Its end is in [`destroy`](crate::destroy).
//!
//! All documents of a model stand under one prefix, so that they are watched, copied and removed as one; its own
//! record stands with the controller's, because it says that the model exists, until the last of them is gone.

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use juju_core::{CloudName, Constraints, CredentialId, Life, ModelName, ModelUuid, UserName};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Model, Prefix, Result, State, Tx, V,
    access::{self, Access, Object},
    cloud, constraints, controller, credential,
    model_config::{self, Values},
    status::{self, StatusOf},
    watch::{self, Watcher},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelDoc {
    pub v: V<1>,
    pub uuid: ModelUuid,
    pub name: ModelName,
    pub owner: UserName,
    pub cloud: CloudName,
    pub region: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialId>,
    pub life: Life,
    /// It runs the controller.
    #[serde(default)]
    pub is_controller: bool,
    pub created: Timestamp,
    /// The provider's own steps that this model has seen.
    #[serde(default)]
    pub environ_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
}

/// How a model is to end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// When it was told to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dying: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead: Option<Timestamp>,
    /// Errors on the way are not to keep it.
    #[serde(default)]
    pub force: bool,
    /// How long each step may take when it is forced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

impl Doc for ModelDoc {
    const KIND: &'static str = "model";
}

impl ModelDoc {
    /// As people write it: `admin/demo`.
    pub fn qualified_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }
}

/// Keeps the name of a model unique for its owner.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct NameDoc {
    v: V<1>,
    uuid: ModelUuid,
}

impl Doc for NameDoc {
    const KIND: &'static str = "model name";
}

/// Where a document of a model stands.
pub(crate) fn key_in<D: Doc>(m: &ModelUuid, name: impl fmt::Display) -> Key<D> {
    Key::new(format!("m/{m}/{name}"))
}

/// Where documents of one kind stand; the name ends in `/`.
pub(crate) fn prefix_in<D: Doc>(m: &ModelUuid, name: impl fmt::Display) -> Prefix<D> {
    Prefix::new(format!("m/{m}/{name}"))
}

/// All that belongs to the model.
pub(crate) fn everything(m: &ModelUuid) -> String {
    format!("m/{m}/")
}

pub(crate) fn key(m: &ModelUuid) -> Key<ModelDoc> {
    Key::new(format!("c/model/{m}"))
}

fn records() -> Prefix<ModelDoc> {
    Prefix::new("c/model/".into())
}

fn name_key(owner: &UserName, name: &ModelName) -> Key<NameDoc> {
    Key::new(format!("c/modelname/{}/{name}", owner.key()))
}

fn not_found(m: &ModelUuid) -> Error {
    Error::ModelNotFound(m.to_string())
}

pub fn read(image: &Image, m: &ModelUuid) -> Result<Arc<ModelDoc>> {
    key(m).read(image)?.ok_or_else(|| not_found(m))
}

/// All models, dead ones among them.
pub fn all(image: &Image) -> Result<Vec<Arc<ModelDoc>>> {
    records().read(image).map(|it| it.map(|(_, doc)| doc)).collect()
}

pub(crate) fn uuids(image: &Image) -> Vec<ModelUuid> {
    records().read_names(image).filter_map(|it| it.parse().ok()).collect()
}

/// The model of this name, if its owner has one.
pub fn by_name(image: &Image, owner: &UserName, name: &ModelName) -> Result<Option<ModelUuid>> {
    Ok(name_key(owner, name).read(image)?.map(|it| it.uuid.clone()))
}

/// The models that a user can see, with his access to each: all of them for a superuser.
pub fn for_user(image: &Image, user: &UserName) -> Result<Vec<(Arc<ModelDoc>, Access)>> {
    let mut models = Vec::new();
    for model in all(image)? {
        if let Some(access) = access::of(image, &Object::Model(model.uuid.clone()), user)? {
            models.push((model, access));
        }
    }
    Ok(models)
}

pub(crate) async fn get(tx: &Tx, m: &ModelUuid) -> Result<Arc<ModelDoc>> {
    key(m).get(tx).await?.ok_or_else(|| not_found(m))
}

pub(crate) async fn list(tx: &Tx) -> Result<Vec<Arc<ModelDoc>>> {
    Ok(records().list(tx).await?.into_iter().map(|(_, doc)| doc).collect())
}

/// Lets the transaction go through only if the model is alive: so begins everything that adds to it.
pub(crate) async fn get_alive(tx: &Tx, m: &ModelUuid) -> Result<Arc<ModelDoc>> {
    let doc = get(tx, m).await?;
    match doc.life {
        Life::Alive => Ok(doc),
        life => Err(Error::NotSupported(format!("model {:?} is {life}", doc.name.as_str()))),
    }
}

pub(crate) async fn put(tx: &Tx, doc: &ModelDoc) -> Result<()> {
    key(&doc.uuid).put(tx, doc)
}

/// Removes the record, which is the last thing that is left of a model.
pub(crate) async fn remove_record(tx: &Tx, doc: &ModelDoc) -> Result<()> {
    access::forget(tx, &Object::Model(doc.uuid.clone())).await?;
    name_key(&doc.owner, &doc.name).delete(tx);
    key(&doc.uuid).delete(tx);
    Ok(())
}

/// What a model is made of.
#[derive(Clone, Debug)]
pub struct NewModel {
    pub uuid: ModelUuid,
    pub name: ModelName,
    pub owner: UserName,
    /// Who makes it, if not its owner.
    pub creator: UserName,
    pub cloud: CloudName,
    /// Empty for the cloud's default.
    pub region: String,
    pub credential: Option<CredentialId>,
    /// The values given for it alone; `name`, `type` and `uuid` are added.
    pub config: Values,
    pub constraints: Constraints,
}

/// Adds a model. Its owner may do everything with it.
pub(crate) async fn add(tx: &Tx, new: &NewModel, is_controller: bool) -> Result<ModelDoc> {
    let cloud = cloud::get(tx, &new.cloud).await?;
    let region = cloud.region(&new.region)?.map(|it| it.name.clone()).unwrap_or_default();
    match &new.credential {
        Some(id) if id.cloud() != &new.cloud => {
            let id = id.to_string();
            return Err(Error::not_valid(format!(
                "credential {id:?} is not for cloud {:?}",
                new.cloud.as_str()
            )));
        }
        Some(id) => {
            credential::get_usable(tx, id).await?;
        }
        None if !cloud.auth_types.iter().any(|it| it == "empty") => {
            let name = cloud.name.as_str();
            return Err(Error::not_valid(format!("missing CloudCredential: cloud {name:?} requires one")));
        }
        None => {}
    }
    let name_key = name_key(&new.owner, &new.name);
    if name_key.exists(tx).await? || key(&new.uuid).exists(tx).await? {
        let (name, owner) = (new.name.as_str(), &new.owner);
        return Err(Error::AlreadyExists(format!("model {name:?} for {owner}")));
    }
    let doc = ModelDoc {
        v: V,
        uuid: new.uuid.clone(),
        name: new.name.clone(),
        owner: new.owner.clone(),
        cloud: new.cloud.clone(),
        region,
        credential: new.credential.clone(),
        life: Life::Alive,
        is_controller,
        created: tx.now,
        environ_version: 0,
        ending: None,
    };
    put(tx, &doc).await?;
    name_key.put(tx, &NameDoc { v: V, uuid: new.uuid.clone() })?;
    let object = Object::Model(new.uuid.clone());
    access::grant(tx, &object, &new.owner, Access::Admin, &new.creator).await?;
    model_config::create(tx, &doc, &cloud.kind, new.config.clone()).await?;
    constraints::put(tx, &new.uuid, constraints::Of::Model, &new.constraints)?;
    status::create(tx, &new.uuid, StatusOf::Model)?;
    Ok(doc)
}

impl State {
    /// Makes a model; fails if its owner has one of that name.
    pub async fn add_model(&self, new: &NewModel) -> Result<Model> {
        let uuid = new.uuid.clone();
        let add = async |tx: Tx| {
            // A controller that is going takes no more models.
            let home = controller::get(&tx).await?.model.clone();
            get_alive(&tx, &home).await?;
            add(&tx, new, false).await
        };
        self.transact(add).await?;
        self.model(&uuid)
    }

    /// Reports the ids of models that are added or change; not those that are removed.
    pub fn watch_models(&self) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let name = |key: &str| records().name_in(key).map(str::to_owned);
        watch::names(self.view(), records().path(), false, name)
    }

    /// Reports models by their lives.
    pub fn watch_model_lives(&self) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
        let id = |key: &str| records().name_in(key).map(str::to_owned);
        let life = |image: &Image, id: &str| {
            let Ok(uuid) = id.parse() else { return Ok(None) };
            Ok(key(&uuid).read(image)?.map(|it| it.life))
        };
        watch::lives_under(self.view(), records().path(), id, life)
    }
}

impl Model {
    /// The model's record as it is now.
    pub fn doc(&self) -> Result<Arc<ModelDoc>> {
        read(&self.image(), self.uuid())
    }

    /// Tells when the model's record changes.
    pub fn watch(&self) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(self.uuid()).path()))
    }

    pub async fn set_environ_version(&self, version: u32) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            let doc = get(&tx, m).await?;
            put(&tx, &ModelDoc { environ_version: version, ..ModelDoc::clone(&doc) }).await
        };
        self.transact(set).await
    }

    /// Gives the model another credential for its cloud.
    pub async fn set_credential(&self, id: &CredentialId) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            let doc = get(&tx, m).await?;
            if id.cloud() != &doc.cloud {
                return Err(Error::not_valid(format!("cloud {:?} not valid", id.cloud().as_str())));
            }
            credential::get_usable(&tx, id).await?;
            put(&tx, &ModelDoc { credential: Some(id.clone()), ..ModelDoc::clone(&doc) }).await
        };
        self.transact(set).await
    }
}
