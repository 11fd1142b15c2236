//! The unit agent: pure resolver, operations, hook contexts and hook tools.
