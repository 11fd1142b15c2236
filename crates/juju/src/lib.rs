//! juju: the command line client.
