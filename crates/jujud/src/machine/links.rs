//! The links to this program in `/usr/bin` (Juju 3.6 `cmd/jujud/agent`, `createJujudSymlinks`).

use std::{fs, io};

use anyhow::Context as _;
use juju_agent::{
    paths::{JUJUD_LINKS, Paths},
    tools,
};

/// Makes them point to the agent's own binary. A wrong link is replaced; what is no link is somebody's and is left.
pub(super) fn make(paths: &Paths, tag: &str) -> anyhow::Result<()> {
    let target = paths.agent_jujud(tag);
    for name in JUJUD_LINKS {
        let link = paths.link(name);
        let context = || format!("failed to create {} symlink", link.display());
        match fs::symlink_metadata(&link) {
            Ok(found) if !found.is_symlink() => {
                tracing::debug!("{} is not a symlink and stays as it is", link.display());
                continue;
            }
            Ok(_) if fs::read_link(&link).with_context(context)? == target => continue,
            Ok(_) => {}
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            Err(err) => return Err(err).with_context(context),
        }
        if let Some(dir) = link.parent() {
            fs::create_dir_all(dir).with_context(context)?;
        }
        tools::link_atomic(&target, &link).with_context(context)?;
    }
    Ok(())
}
