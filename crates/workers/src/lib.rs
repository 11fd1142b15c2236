//! Workers that see only the API: those of a machine agent, and those Juju runs for a model as well.
