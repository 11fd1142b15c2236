//! Charm and bundle formats: metadata, config, actions, manifest, archives.
