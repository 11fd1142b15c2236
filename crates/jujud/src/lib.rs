//! jujud: the machine agent, the controller and the unit agents in one binary.
