//! Blocks: what users are kept from doing to a model by mistake.

use std::sync::Arc;

use juju_core::ModelUuid;
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Error, Key, Model, Prefix, Result, Tx, V, model, sequence};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockDoc {
    pub v: V<1>,
    pub id: u32,
    pub kind: BlockKind,
    pub message: String,
}

impl Doc for BlockDoc {
    const KIND: &'static str = "block";
}

/// What is kept from being done; each holds those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BlockKind {
    #[serde(rename = "BlockDestroy")]
    Destroy,
    #[serde(rename = "BlockRemove")]
    Remove,
    #[serde(rename = "BlockChange")]
    Change,
}

impl BlockKind {
    pub const ALL: [BlockKind; 3] = [BlockKind::Destroy, BlockKind::Remove, BlockKind::Change];

    pub fn as_str(self) -> &'static str {
        match self {
            BlockKind::Destroy => "BlockDestroy",
            BlockKind::Remove => "BlockRemove",
            BlockKind::Change => "BlockChange",
        }
    }
}

pub(crate) fn prefix(m: &ModelUuid) -> Prefix<BlockDoc> {
    model::prefix_in(m, "block/")
}

fn key(m: &ModelUuid, kind: BlockKind) -> Key<BlockDoc> {
    model::key_in(m, format_args!("block/{}", kind.as_str()))
}

pub fn all(image: &Image, m: &ModelUuid) -> Result<Vec<Arc<BlockDoc>>> {
    let prefix = prefix(m);
    prefix.read(image).map(|it| it.map(|(_, doc)| doc)).collect()
}

impl Model {
    pub fn blocks(&self) -> Result<Vec<Arc<BlockDoc>>> {
        all(&self.image(), self.uuid())
    }

    /// Fails if what is about to be done, of this kind, is blocked.
    pub fn check_allowed(&self, kind: BlockKind) -> Result<()> {
        let blocks = self.blocks()?;
        match blocks.iter().find(|it| it.kind >= kind) {
            None => Ok(()),
            Some(it) if it.message.is_empty() => Err(Error::Blocked("the operation has been blocked".into())),
            Some(it) => Err(Error::Blocked(it.message.clone())),
        }
    }

    pub async fn set_block(&self, kind: BlockKind, message: &str) -> Result<()> {
        let set = async |tx: Tx| {
            let (m, key) = (self.uuid(), key(self.uuid(), kind));
            if key.exists(&tx).await? {
                return Err(Error::AlreadySo(format!("block {} is already ON", kind.as_str())));
            }
            let id = sequence::next(&tx, m, "block").await?;
            key.put(&tx, &BlockDoc { v: V, id, kind, message: message.to_owned() })
        };
        self.transact(set).await
    }

    pub async fn remove_block(&self, kind: BlockKind) -> Result<()> {
        let remove = async |tx: Tx| {
            let key = key(self.uuid(), kind);
            if !key.exists(&tx).await? {
                return Err(Error::NoSuch(format!("block {} is already OFF", kind.as_str())));
            }
            key.delete(&tx);
            Ok(())
        };
        self.transact(remove).await
    }
}
