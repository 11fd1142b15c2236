//! Annotations: what clients note about things.

use std::collections::BTreeMap;

use juju_core::{ModelUuid, Tag};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Error, Key, Model, Prefix, Result, Tx, V, application, machine, model, relation, unit};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnnotationDoc {
    pub v: V<1>,
    pub notes: BTreeMap<String, String>,
}

impl Doc for AnnotationDoc {
    const KIND: &'static str = "annotations";
}

pub(crate) fn prefix(m: &ModelUuid) -> Prefix<AnnotationDoc> {
    model::prefix_in(m, "annot/")
}

fn key(m: &ModelUuid, tag: &Tag) -> Key<AnnotationDoc> {
    model::key_in(m, format_args!("annot/{tag}"))
}

pub fn read(image: &Image, m: &ModelUuid, tag: &Tag) -> Result<BTreeMap<String, String>> {
    Ok(key(m, tag).read(image)?.map(|it| it.notes.clone()).unwrap_or_default())
}

async fn ensure_there(tx: &Tx, m: &ModelUuid, tag: &Tag) -> Result<()> {
    match tag {
        Tag::Model(uuid) if uuid == m => Ok(()),
        Tag::Machine(id) => machine::get(tx, m, id).await.map(drop),
        Tag::Application(name) => application::get(tx, m, name).await.map(drop),
        Tag::Unit(name) => unit::get(tx, m, name).await.map(drop),
        Tag::Relation(by) => relation::find_by_key(tx, m, by).await.map(drop),
        Tag::Charm(url) => crate::charm::get(tx, m, url).await.map(drop),
        other => Err(Error::NotSupported(format!("annotations on {}", other.kind()))),
    }
}

impl Model {
    pub fn annotations(&self, tag: &Tag) -> Result<BTreeMap<String, String>> {
        read(&self.image(), self.uuid(), tag)
    }

    /// Notes about a thing; an empty text takes a note away.
    pub async fn annotate(&self, tag: &Tag, notes: &BTreeMap<String, String>) -> Result<()> {
        if let Some(bad) = notes.keys().find(|it| it.is_empty() || it.contains('.')) {
            return Err(Error::not_valid(format!("invalid key {bad:?}")));
        }
        let annotate = async |tx: Tx| {
            let m = self.uuid();
            ensure_there(&tx, m, tag).await?;
            let key = key(m, tag);
            let mut all = key.get(&tx).await?.map(|it| it.notes.clone()).unwrap_or_default();
            all.extend(notes.clone());
            all.retain(|_, it| !it.is_empty());
            match all.is_empty() {
                true => {
                    key.delete(&tx);
                    Ok(())
                }
                false => key.put(&tx, &AnnotationDoc { v: V, notes: all }),
            }
        };
        self.transact(annotate).await
    }
}
