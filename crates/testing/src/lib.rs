//! Test support: an in-process controller and frames from the reference.
