//! A small multi-version key-value store, etcd-shaped: read at a revision, commit if nothing moved,
//! follow from there.
//!
//! Read [`Store`] first: six methods that memory, SQLite and etcd serve alike, held to that by one suite of
//! tests. On top of it stand the two things the rest of the project uses: [`transact`], which runs a function
//! whose reads become the guards of its commit, and [`View`], an image in memory of the whole store that one
//! stream keeps current and that serves every read and every watcher without touching the store.
//!
//! What this crate does not do: it knows nothing of Juju, names no keys, and gives its values no meaning beyond
//! the JSON that [`Txn`] and [`Doc`] read and write.

mod types;
pub use types::{Changes, Entry, Guard, Page, Revision, Snapshot, TxnId, Write};
mod error;
pub use error::{Error, Result};
mod store;
pub use store::Store;
pub mod limits;

mod txn;
pub use txn::Txn;
mod transact;
pub use transact::{Source, transact};
mod view;
pub use view::{Changed, Doc, Image, Interest, View, Watch};

mod layer;
mod memory;
pub use memory::Memory;
mod sqlite;
pub use sqlite::Sqlite;
mod etcd;
pub use etcd::{Etcd, EtcdOptions, EtcdTls};
