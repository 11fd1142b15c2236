//! What models there are, kept in the store.

use std::collections::BTreeMap;

use juju_wire::{
    facade::model_manager,
    params::{self, Entity},
};

use super::{Session, call};
use crate::{
    error::{Context as _, Result},
    store::{Model, Models, Store},
};

/// Asks for the user's models and writes them to the store in place of what it knew.
pub async fn refresh_models(store: &Store, session: &Session) -> Result {
    let user = Entity { tag: format!("user-{}", session.user) };
    let list = session.connection.call::<model_manager::call::ListModels>(user).await;
    let list = call(list, "cannot list models")?;
    store_models(store, &session.controller, &list.user_models)
}

fn store_models(store: &Store, controller: &str, list: &[params::UserModel]) -> Result {
    let models: BTreeMap<_, _> = list
        .iter()
        .map(|it| {
            let owner = it.model.owner_tag.strip_prefix("user-").unwrap_or(&it.model.owner_tag);
            (format!("{owner}/{}", it.model.name), Model::new(&it.model.uuid, &it.model.type_))
        })
        .collect();
    store
        .update(|file: &mut Models| {
            file.controllers.entry(controller.to_owned()).or_default().replace(models)
        })
        .context("cannot update the models in the client store")
}
