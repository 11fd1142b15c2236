//! What every agent and installer shares: agent.conf, paths under a root, the machine lock, certificates, service units.
