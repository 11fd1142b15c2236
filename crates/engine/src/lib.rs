//! A dependency engine: runs a graph of workers, restarting each one whenever what it depends on changes.
