//! Domain types and pure rules of a Juju model: ids and tags, life, status, constraints, bases, ports, versions.
