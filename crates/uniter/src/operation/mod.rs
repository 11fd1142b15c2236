//! Doing what the resolver says.

mod commit;

pub(crate) use commit::committed;
