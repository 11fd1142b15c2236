//! The units of a machine agent: an engine each, in one runner (Juju 3.6 `worker/deployer`, nested context).
//!
//! Which units were deployed here stands in the machine's agent.conf, so that a restarted agent runs them again before it
//! has reached its controller.

use std::{collections::BTreeSet, fs, io, sync::Arc};

use anyhow::Context as _;
use juju_agent::{
    Secret,
    conf::{AgentConf, ConfFile, NewAgent, values},
    tools,
};
use juju_core::UnitName;
use juju_engine::Control;
use juju_workers::deployer::Units;

use crate::machine::{Agent, binary_version};

/// Shared by the deployer and the runner of units.
#[derive(Clone)]
pub(crate) struct UnitContext {
    agent: Agent,
    runner: Arc<Control<String>>,
}

impl UnitContext {
    /// Starts all units that were deployed before and that nobody stopped.
    pub(crate) fn new(agent: Agent, runner: Control<String>) -> Self {
        let context = UnitContext { agent, runner: Arc::new(runner) };
        let conf = context.agent.conf().current();
        let stopped = names(conf.value(values::STOPPED_UNITS));
        context.runner.want(names(conf.value(values::DEPLOYED_UNITS)).difference(&stopped).cloned());
        context
    }

    /// For reports.
    pub(crate) fn runner(&self) -> Control<String> {
        Control::clone(&self.runner)
    }
}

impl Units for UnitContext {
    fn deployed(&self) -> BTreeSet<String> {
        names(self.agent.conf().current().value(values::DEPLOYED_UNITS))
    }

    async fn deploy(&self, unit: &str, password: Secret) -> anyhow::Result<()> {
        let name: UnitName = unit.parse()?;
        let tag = juju_core::Tag::from(name).to_string();
        install(&self.agent, &tag, password).with_context(|| format!("cannot install unit {unit:?}"))?;
        remember(&self.agent, |deployed, stopped| {
            deployed.insert(unit.to_owned());
            stopped.remove(unit);
        })
        .await?;
        self.runner.start(unit.to_owned());
        Ok(())
    }

    async fn recall(&self, unit: &str) -> anyhow::Result<()> {
        let name: UnitName = unit.parse()?;
        let tag = juju_core::Tag::from(name).to_string();
        self.runner.stop(unit.to_owned()).await;
        remember(&self.agent, |deployed, stopped| {
            deployed.remove(unit);
            stopped.remove(unit);
        })
        .await?;
        let paths = self.agent.paths();
        remove_dir(&paths.agent_dir(&tag))?;
        for link in [paths.agent_tools(&tag), paths.reboot_monitor_dir().join(&tag)] {
            match fs::remove_file(&link) {
                Err(err) if err.kind() != io::ErrorKind::NotFound => {
                    return Err(err).with_context(|| format!("cannot remove {}", link.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Writes the unit's agent.conf and links its tools. A unit that was installed halfway is installed again.
fn install(agent: &Agent, tag: &str, password: Secret) -> anyhow::Result<()> {
    let machine = agent.conf().current();
    let paths = agent.paths();
    let new = NewAgent {
        tag: tag.to_owned(),
        nonce: "unused".to_owned(),
        jobs: vec![],
        controller: machine.controller.clone(),
        model: machine.model.clone(),
        ca_cert: machine.ca_cert.clone(),
        api_addresses: addresses(&machine),
        password,
        version: machine.upgraded_to_version.clone(),
    };
    let mut conf = AgentConf::new(new, paths);
    conf.log_file_max_size = machine.log_file_max_size;
    conf.log_file_max_backups = machine.log_file_max_backups;
    for key in [values::PROVIDER_TYPE, values::ROOT_DIR, values::RUNTIME_DIR, values::CONTAINER_TYPE] {
        if !machine.value(key).is_empty() {
            conf.set_value(key, machine.value(key));
        }
    }
    tools::switch(paths, tag, &binary_version().to_string())?;
    let dir = paths.agent_dir(tag);
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    ConfFile::create(paths.agent_conf(tag), conf)?;
    Ok(())
}

/// A controller reaches its own server on its own port.
fn addresses(machine: &AgentConf) -> Vec<String> {
    machine.api_info().map(|it| it.addresses).unwrap_or_default()
}

async fn remember(
    agent: &Agent,
    change: impl FnOnce(&mut BTreeSet<String>, &mut BTreeSet<String>),
) -> anyhow::Result<()> {
    agent
        .conf()
        .update(|conf| {
            let (mut deployed, mut stopped) =
                (names(conf.value(values::DEPLOYED_UNITS)), names(conf.value(values::STOPPED_UNITS)));
            change(&mut deployed, &mut stopped);
            conf.set_value(values::DEPLOYED_UNITS, joined(&deployed));
            conf.set_value(values::STOPPED_UNITS, joined(&stopped));
        })
        .await?;
    Ok(())
}

fn names(list: &str) -> BTreeSet<String> {
    list.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().cloned().collect::<Vec<_>>().join(",")
}

fn remove_dir(dir: &std::path::Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => {
            Err(err).with_context(|| format!("cannot remove {}", dir.display()))
        }
        _ => Ok(()),
    }
}
