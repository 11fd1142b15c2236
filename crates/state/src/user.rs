//! Users: those of the controller itself, who have passwords. Of those of an identity provider it knows only what
//! access they were given.

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use juju_core::{ModelUuid, UserName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Prefix, Result, State, Tx, V,
    access::{self, Access, Object},
    model,
    password::UserHash,
};

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct UserDoc {
    pub v: V<1>,
    /// As it was typed when the user was added; it is stored under its lower-case form.
    pub name: UserName,
    pub display_name: String,
    pub created_by: UserName,
    pub created: Timestamp,
    #[serde(default)]
    pub disabled: bool,
    /// A removed user's document stays, since others name it as their creator.
    #[serde(default)]
    pub removed: bool,
    /// A user who has not registered yet has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<UserHash>,
    /// Secret: with what a new user proves who he is, until he has a password. Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_key: Option<String>,
}

impl Doc for UserDoc {
    const KIND: &'static str = "user";
}

impl fmt::Debug for UserDoc {
    /// Leaves the secrets out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserDoc").field("name", &self.name).finish_non_exhaustive()
    }
}

/// When a user was last seen, apart from the user so that nobody who watches users hears of logins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastSeen {
    pub v: V<1>,
    pub at: Timestamp,
}

impl Doc for LastSeen {
    const KIND: &'static str = "last connection";
}

fn key(name: &UserName) -> Key<UserDoc> {
    Key::new(format!("c/user/{}", name.key()))
}

fn login_key(name: &UserName) -> Key<LastSeen> {
    Key::new(format!("c/login/{}", name.key()))
}

fn connection_key(m: &ModelUuid, name: &UserName) -> Key<LastSeen> {
    model::key_in(m, format_args!("conn/{}", name.key()))
}

fn not_found(name: &UserName) -> Error {
    Error::NotFound(format!("user {:?}", name.to_string()))
}

/// A user who is there and was not removed.
pub fn read(image: &Image, name: &UserName) -> Result<Arc<UserDoc>> {
    key(name).read(image)?.filter(|it| !it.removed).ok_or_else(|| not_found(name))
}

/// All users who were not removed, by name.
pub fn all(image: &Image) -> Result<Vec<Arc<UserDoc>>> {
    let prefix = Prefix::<UserDoc>::new("c/user/".into());
    let docs = prefix.read(image).map(|it| it.map(|(_, doc)| doc));
    docs.filter(|it| it.as_ref().is_ok_and(|it| !it.removed) || it.is_err()).collect()
}

pub fn last_login(image: &Image, name: &UserName) -> Result<Option<Timestamp>> {
    Ok(login_key(name).read(image)?.map(|it| it.at))
}

pub fn last_connection(image: &Image, m: &ModelUuid, name: &UserName) -> Result<Option<Timestamp>> {
    Ok(connection_key(m, name).read(image)?.map(|it| it.at))
}

/// Adds a local user, or one anew that was removed, who may log in.
pub(crate) async fn add(
    tx: &Tx,
    name: &UserName,
    display_name: &str,
    by: &UserName,
    password: Option<UserHash>,
    secret_key: Option<String>,
) -> Result<()> {
    if !name.is_local() {
        return Err(Error::not_valid(format!("user {:?} is not local", name.to_string())));
    }
    let key = key(name);
    if key.get(tx).await?.is_some_and(|it| !it.removed) {
        return Err(Error::AlreadyExists(format!("user {:?}", name.to_string())));
    }
    let doc = UserDoc {
        v: V,
        name: name.clone(),
        display_name: display_name.to_owned(),
        created_by: by.clone(),
        created: tx.now,
        disabled: false,
        removed: false,
        password,
        secret_key,
    };
    key.put(tx, &doc)?;
    access::grant(tx, &Object::Controller, name, Access::Login, by).await
}

async fn get(tx: &Tx, name: &UserName) -> Result<UserDoc> {
    let doc = key(name).get(tx).await?.filter(|it| !it.removed).ok_or_else(|| not_found(name))?;
    Ok(UserDoc::clone(&doc))
}

/// Access is given to users that are there, and to whom an identity provider may vouch for.
pub(crate) async fn ensure_can_be_given_access(tx: &Tx, name: &UserName) -> Result<()> {
    if name.is_local() {
        get(tx, name).await?;
    }
    Ok(())
}

impl State {
    /// Adds a user with a password. See also [`add_user_with_key`](State::add_user_with_key).
    pub async fn add_user(
        &self,
        name: &UserName,
        display_name: &str,
        password: &str,
        by: &UserName,
    ) -> Result<()> {
        let hash = Some(UserHash::of(password).await);
        self.transact(async |tx| add(&tx, name, display_name, by, hash.clone(), None).await).await
    }

    /// Adds a user who chooses a password when he registers, proving himself with the key.
    pub async fn add_user_with_key(
        &self,
        name: &UserName,
        display_name: &str,
        secret_key: &str,
        by: &UserName,
    ) -> Result<()> {
        let key = Some(secret_key.to_owned());
        self.transact(async |tx| add(&tx, name, display_name, by, None, key.clone()).await).await
    }

    /// The user, if the password is his. It takes the same time and gives the same answer whatever is wrong.
    pub async fn authenticate_user(&self, name: &UserName, password: &str) -> Result<Arc<UserDoc>> {
        let user = read(&self.image(), name).ok().filter(|it| !it.disabled);
        let right = match user.as_ref().and_then(|it| it.password.as_ref()) {
            Some(hash) => hash.matches(password).await,
            None => UserHash::matches_nobody(password).await,
        };
        user.filter(|_| right).ok_or(Error::Unauthorized)
    }

    /// Sets the password; a registration that was open is done with it.
    pub async fn set_user_password(&self, name: &UserName, password: &str) -> Result<()> {
        let hash = UserHash::of(password).await;
        let set = async |tx: Tx| {
            let user = get(&tx, name).await?;
            if user.disabled {
                return Err(Error::not_valid(format!("user {:?} is disabled", name.to_string())));
            }
            key(name).put(&tx, &UserDoc { password: Some(hash.clone()), secret_key: None, ..user })
        };
        self.transact(set).await
    }

    pub async fn set_user_disabled(&self, name: &UserName, disabled: bool) -> Result<()> {
        let set = async |tx: Tx| {
            let user = get(&tx, name).await?;
            key(name).put(&tx, &UserDoc { disabled, ..user })
        };
        self.transact(set).await
    }

    /// Removes the user; the document stays, without its secrets. What access he had goes in steps: he cannot use it
    /// any more, and should the last steps be missing they are done when a user of that name is removed again.
    pub async fn remove_user(&self, name: &UserName) -> Result<()> {
        let suffix = format!("/{}", name.key());
        let remove = async |tx: Tx| {
            let user = get(&tx, name).await?;
            login_key(name).delete(&tx);
            key(name).put(&tx, &UserDoc { removed: true, password: None, secret_key: None, ..user })
        };
        self.transact(remove).await?;
        let image = self.image();
        let keys = image.list("c/access/").map(|it| it.key()).filter(|it| it.ends_with(&suffix));
        let keys: Vec<String> = keys.map(str::to_owned).collect();
        for step in keys.chunks(50).map(<[String]>::to_vec) {
            let forget = async |tx: Tx| {
                step.iter().for_each(|it| tx.txn.delete(it.as_str()));
                Ok(())
            };
            self.transact(forget).await?;
        }
        Ok(())
    }

    /// Takes note that the user connected, to a model or to the controller alone. Nothing waits for it.
    pub async fn record_connection(&self, name: &UserName, m: Option<&ModelUuid>) -> Result<()> {
        let record = async |tx: Tx| {
            let seen = LastSeen { v: V, at: tx.now };
            login_key(name).put(&tx, &seen)?;
            if let Some(m) = m {
                // A model that is gone must not come back as a document.
                model::get(&tx, m).await?;
                connection_key(m, name).put(&tx, &seen)?;
            }
            Ok(())
        };
        self.transact(record).await
    }
}
