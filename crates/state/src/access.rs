//! Who may do what with the controller, a model or a cloud.

use jiff::Timestamp;
use juju_core::{CloudName, ModelUuid, UserName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Error, Key, Prefix, Result, State, Tx, V, user};

/// The access of one user to one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessDoc {
    pub v: V<1>,
    pub user: UserName,
    pub access: Access,
    pub granted_by: UserName,
    pub granted: Timestamp,
}

impl Doc for AccessDoc {
    const KIND: &'static str = "access";
}

/// What access is given to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    Controller,
    Model(ModelUuid),
    Cloud(CloudName),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    Login,
    Superuser,
    Read,
    Write,
    AddModel,
    Admin,
}

impl Access {
    pub fn as_str(self) -> &'static str {
        match self {
            Access::Login => "login",
            Access::Superuser => "superuser",
            Access::Read => "read",
            Access::Write => "write",
            Access::AddModel => "add-model",
            Access::Admin => "admin",
        }
    }
}

impl Object {
    /// The levels that there are, from the lowest; each holds those before it.
    pub fn levels(&self) -> &'static [Access] {
        match self {
            Object::Controller => &[Access::Login, Access::Superuser],
            Object::Model(_) => &[Access::Read, Access::Write, Access::Admin],
            Object::Cloud(_) => &[Access::AddModel, Access::Admin],
        }
    }

    /// The level of this name.
    pub fn level(&self, name: &str) -> Result<Access> {
        let (found, kind) = (self.levels().iter().find(|it| it.as_str() == name), self.kind());
        found.copied().ok_or_else(|| Error::not_valid(format!("{name:?} {kind} access not valid")))
    }

    /// Whether who has one access has the other with it.
    pub fn includes(&self, has: Access, wants: Access) -> bool {
        let rank = |access| self.levels().iter().position(|it| *it == access);
        rank(has).is_some_and(|has| rank(wants).is_some_and(|wants| has >= wants))
    }

    fn kind(&self) -> &'static str {
        match self {
            Object::Controller => "controller",
            Object::Model(_) => "model",
            Object::Cloud(_) => "cloud",
        }
    }

    fn prefix(&self) -> Prefix<AccessDoc> {
        Prefix::new(match self {
            Object::Controller => "c/access/c/".to_owned(),
            Object::Model(uuid) => format!("c/access/m/{uuid}/"),
            Object::Cloud(name) => format!("c/access/cloud/{name}/"),
        })
    }

    fn key(&self, user: &UserName) -> Key<AccessDoc> {
        Key::new(format!("{}{}", self.prefix().path(), user.key()))
    }
}

/// The access that was given to the user, without what follows from other access.
pub fn given(image: &Image, object: &Object, user: &UserName) -> Result<Option<Access>> {
    Ok(object.key(user).read(image)?.map(|it| it.access))
}

/// The access that the user has: a superuser may do everything, and every user of an identity provider what its
/// group of all may.
pub fn of(image: &Image, object: &Object, user: &UserName) -> Result<Option<Access>> {
    if given(image, &Object::Controller, user)? == Some(Access::Superuser) {
        return Ok(object.levels().last().copied());
    }
    let own = given(image, object, user)?;
    if *object != Object::Controller || user.is_local() {
        return Ok(own);
    }
    let everyone = given(image, object, &everyone())?;
    Ok(match (own, everyone) {
        (Some(own), Some(floor)) if object.includes(floor, own) => Some(floor),
        (None, floor) => floor,
        (own, _) => own,
    })
}

/// Everyone to whom access to the thing was given.
pub fn all(image: &Image, object: &Object) -> Result<Vec<AccessDoc>> {
    let prefix = object.prefix();
    let docs = prefix.read(image).map(|it| it.map(|(_, doc)| AccessDoc::clone(&doc)));
    docs.collect()
}

pub(crate) fn everyone() -> UserName {
    "everyone@external".parse().expect("it is a user's name")
}

/// Gives access where there was none, or less.
pub(crate) async fn grant(
    tx: &Tx,
    object: &Object,
    user: &UserName,
    access: Access,
    by: &UserName,
) -> Result<()> {
    debug_assert!(object.levels().contains(&access));
    user::ensure_can_be_given_access(tx, user).await?;
    let key = object.key(user);
    if let Some(doc) = key.get(tx).await?
        && object.includes(doc.access, access)
    {
        let level = access.as_str();
        return Err(Error::AlreadySo(format!("user already has {level:?} access or greater")));
    }
    let granted = tx.now;
    key.put(tx, &AccessDoc { v: V, user: user.clone(), access, granted_by: by.clone(), granted })
}

/// Takes access away; what is below it stays.
pub(crate) async fn revoke(tx: &Tx, object: &Object, user: &UserName, access: Access) -> Result<()> {
    let key = object.key(user);
    let missing = || Error::NotFound(format!("{} user {:?}", object.kind(), user.to_string()));
    let doc = key.get(tx).await?.ok_or_else(missing)?;
    if !object.includes(doc.access, access) {
        return Err(missing());
    }
    let levels = object.levels();
    match levels.iter().position(|it| *it == access) {
        Some(at) if at > 0 => key.put(tx, &AccessDoc { access: levels[at - 1], ..AccessDoc::clone(&doc) }),
        _ => {
            key.delete(tx);
            Ok(())
        }
    }
}

/// Takes everyone's access to a thing that goes.
pub(crate) async fn forget(tx: &Tx, object: &Object) -> Result<()> {
    let prefix = object.prefix();
    for name in prefix.names(tx).await? {
        tx.txn.delete(format!("{}{name}", prefix.path()));
    }
    Ok(())
}

impl State {
    pub async fn grant(&self, object: &Object, user: &UserName, access: Access, by: &UserName) -> Result<()> {
        self.transact(async |tx| grant(&tx, object, user, access, by).await).await
    }

    pub async fn revoke(&self, object: &Object, user: &UserName, access: Access) -> Result<()> {
        self.transact(async |tx| revoke(&tx, object, user, access).await).await
    }

    /// See [`of`].
    pub fn access(&self, object: &Object, user: &UserName) -> Result<Option<Access>> {
        of(&self.image(), object, user)
    }
}
