//! What every agent has: a password, and a version of the program that it runs. Both stand apart from the entity, so
//! that its watchers do not hear of them.

use std::sync::Arc;

use juju_core::{Binary, MachineId, ModelUuid, UnitName};
use juju_store::Image;
use serde::{Deserialize, Serialize};

use crate::{Doc, Error, Key, Model, Result, Tx, V, machine, model, password::AgentHash, unit};

/// Whose agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Agent {
    Machine(MachineId),
    Unit(UnitName),
}

/// Secret: what an agent logs in with.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PasswordDoc {
    v: V<1>,
    hash: AgentHash,
}

impl Doc for PasswordDoc {
    const KIND: &'static str = "agent password";
}

/// What an agent runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VersionDoc {
    pub v: V<1>,
    pub binary: Binary,
}

impl Doc for VersionDoc {
    const KIND: &'static str = "agent version";
}

impl Agent {
    fn name(&self) -> String {
        match self {
            Agent::Machine(id) => format!("machine/{id}"),
            Agent::Unit(name) => format!("unit/{name}"),
        }
    }

    fn password_key(&self, m: &ModelUuid) -> Key<PasswordDoc> {
        model::key_in(m, format_args!("auth/{}", self.name()))
    }

    fn version_key(&self, m: &ModelUuid) -> Key<VersionDoc> {
        model::key_in(m, format_args!("agent/{}", self.name()))
    }

    /// Fails unless the entity is there, and not dead.
    async fn ensure_there(&self, tx: &Tx, m: &ModelUuid) -> Result<()> {
        let (life, what) = match self {
            Agent::Machine(id) => (machine::get(tx, m, id).await?.life, format!("machine {id}")),
            Agent::Unit(name) => (unit::get(tx, m, name).await?.life, format!("unit \"{name}\"")),
        };
        if life.is_dead() { Err(Error::Dead(what)) } else { Ok(()) }
    }
}

/// The program that the agent said it runs, once it has.
pub fn version(image: &Image, m: &ModelUuid, agent: &Agent) -> Result<Option<Binary>> {
    Ok(agent.version_key(m).read(image)?.map(|it| it.binary.clone()))
}

/// Whether the agent's password is this one. An agent that is not there, or has none yet, has no password.
pub fn password_matches(image: &Image, m: &ModelUuid, agent: &Agent, password: &str) -> Result<bool> {
    let doc: Option<Arc<PasswordDoc>> = agent.password_key(m).read(image)?;
    Ok(doc.is_some_and(|it| it.hash.matches(password)))
}

pub(crate) fn set_password(tx: &Tx, m: &ModelUuid, agent: &Agent, hash: &AgentHash) -> Result<()> {
    agent.password_key(m).put(tx, &PasswordDoc { v: V, hash: hash.clone() })
}

pub(crate) fn forget(tx: &Tx, m: &ModelUuid, agent: &Agent) {
    agent.password_key(m).delete(tx);
    agent.version_key(m).delete(tx);
}

impl Model {
    /// Sets the agent's password. Setting the one that it has changes nothing.
    pub async fn set_agent_password(&self, agent: &Agent, password: &str) -> Result<()> {
        let hash = AgentHash::of(password)?;
        let set = async |tx: Tx| {
            let m = self.uuid();
            agent.ensure_there(&tx, m).await?;
            set_password(&tx, m, agent, &hash)
        };
        self.transact(set).await
    }

    /// See [`password_matches`].
    pub fn agent_password_matches(&self, agent: &Agent, password: &str) -> Result<bool> {
        password_matches(&self.image(), self.uuid(), agent, password)
    }

    /// Takes note of the program that the agent runs.
    pub async fn set_agent_binary(&self, agent: &Agent, binary: &Binary) -> Result<()> {
        let set = async |tx: Tx| {
            let m = self.uuid();
            agent.ensure_there(&tx, m).await?;
            agent.version_key(m).put(&tx, &VersionDoc { v: V, binary: binary.clone() })
        };
        self.transact(set).await
    }

    pub fn agent_binary(&self, agent: &Agent) -> Result<Option<Binary>> {
        version(&self.image(), self.uuid(), agent)
    }
}
