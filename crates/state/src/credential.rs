//! What users have to be let into clouds.

use std::{collections::BTreeMap, fmt, sync::Arc};

use juju_core::{CloudName, CredentialId, UserName};
use juju_store::{Image, Interest};
use serde::{Deserialize, Serialize};

use crate::{
    Doc, Error, Key, Prefix, Result, State, Tx, V, cloud, model,
    watch::{self, Watcher},
};

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct CredentialDoc {
    pub v: V<1>,
    pub id: CredentialId,
    pub auth_type: String,
    /// Secret.
    pub attributes: BTreeMap<String, String>,
    #[serde(default)]
    pub revoked: bool,
    /// Why the cloud did not accept it, when it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
}

impl Doc for CredentialDoc {
    const KIND: &'static str = "cloud credential";
}

impl fmt::Debug for CredentialDoc {
    /// Leaves the attributes out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialDoc")
            .field("id", &self.id)
            .field("auth_type", &self.auth_type)
            .finish_non_exhaustive()
    }
}

pub(crate) fn key(id: &CredentialId) -> Key<CredentialDoc> {
    Key::new(format!("c/cred/{}/{}/{}", id.cloud(), id.owner().key(), id.name()))
}

fn not_found(id: &CredentialId) -> Error {
    Error::NotFound(format!("cloud credential {:?}", id.to_string()))
}

pub fn read(image: &Image, id: &CredentialId) -> Result<Arc<CredentialDoc>> {
    key(id).read(image)?.ok_or_else(|| not_found(id))
}

/// The credentials of a user for a cloud.
pub fn all(image: &Image, cloud: &CloudName, owner: &UserName) -> Result<Vec<Arc<CredentialDoc>>> {
    let prefix = Prefix::<CredentialDoc>::new(format!("c/cred/{cloud}/{}/", owner.key()));
    prefix.read(image).map(|it| it.map(|(_, doc)| doc)).collect()
}

/// A credential that a model may use.
pub(crate) async fn get_usable(tx: &Tx, id: &CredentialId) -> Result<Arc<CredentialDoc>> {
    let doc = key(id).get(tx).await?.ok_or_else(|| not_found(id))?;
    if doc.revoked {
        return Err(Error::not_valid(format!("credential {:?} is revoked", id.to_string())));
    }
    Ok(doc)
}

/// Adds the credential, or replaces what it holds. It counts as valid again.
pub(crate) async fn put(tx: &Tx, doc: &CredentialDoc) -> Result<()> {
    let cloud = cloud::get(tx, doc.id.cloud()).await?;
    if !cloud.auth_types.contains(&doc.auth_type) {
        let (kind, supported) = (&doc.auth_type, &cloud.auth_types);
        return Err(Error::not_valid(format!(
            "credential {:?} with auth-type {kind:?} is not supported (expected one of {supported:?})",
            doc.id.to_string()
        )));
    }
    key(&doc.id).put(tx, doc)
}

impl State {
    /// Tells when the credential changes, or is found invalid.
    pub fn watch_credential(&self, id: &CredentialId) -> Result<Watcher<()>> {
        watch::notify(self.view(), Interest::key(key(id).path()))
    }

    pub async fn put_credential(&self, doc: &CredentialDoc) -> Result<()> {
        self.transact(async |tx| put(&tx, doc).await).await
    }

    /// Takes note that the cloud does not accept the credential.
    pub async fn invalidate_credential(&self, id: &CredentialId, reason: &str) -> Result<()> {
        let invalidate = async |tx: Tx| {
            let doc = key(id).get(&tx).await?.ok_or_else(|| not_found(id))?;
            key(id)
                .put(&tx, &CredentialDoc { invalid: Some(reason.to_owned()), ..CredentialDoc::clone(&doc) })
        };
        self.transact(invalidate).await
    }

    /// Removes the credential; with `force` even if models use it.
    pub async fn remove_credential(&self, id: &CredentialId, force: bool) -> Result<()> {
        let remove = async |tx: Tx| {
            key(id).get(&tx).await?.ok_or_else(|| not_found(id))?;
            let models = model::list(&tx).await?;
            let used: Vec<_> = models.iter().filter(|it| it.credential.as_ref() == Some(id)).collect();
            if !used.is_empty() && !force {
                let names: Vec<String> = used.iter().map(|it| format!("{}/{}", it.owner, it.name)).collect();
                let names = names.join(", ");
                return Err(Error::not_valid(format!("cannot revoke credential: it is used by {names}")));
            }
            key(id).delete(&tx);
            Ok(())
        };
        self.transact(remove).await
    }
}
