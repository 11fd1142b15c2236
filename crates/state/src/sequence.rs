//! Counters from which ids are taken, none of them twice. They outlive what is named by them.

use juju_core::ModelUuid;
use serde::{Deserialize, Serialize};

use crate::{Doc, Key, Result, Tx, V, model};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sequence {
    v: V<1>,
    /// The number that is taken next.
    next: u32,
}

impl Doc for Sequence {
    const KIND: &'static str = "sequence";
}

fn key(m: &ModelUuid, name: &str) -> Key<Sequence> {
    model::key_in(m, format_args!("seq/{name}"))
}

/// Takes a number.
pub(crate) async fn next(tx: &Tx, m: &ModelUuid, name: &str) -> Result<u32> {
    next_from(tx, m, name, 0, 1).await
}

/// Takes `count` numbers, none less than `least`, and answers the first.
pub(crate) async fn next_from(tx: &Tx, m: &ModelUuid, name: &str, least: u32, count: u32) -> Result<u32> {
    let key = key(m, name);
    let first = key.get(tx).await?.map_or(0, |it| it.next).max(least);
    key.put(tx, &Sequence { v: V, next: first + count })?;
    Ok(first)
}
