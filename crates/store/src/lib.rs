//! A small multi-version key-value store with transactions: memory, SQLite and etcd behind one trait.
