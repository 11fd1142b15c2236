//! Who is connected. Presence is never stored: an agent is present while it has a connection to this process.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

/// The live connections of agents. Clones share it.
#[derive(Clone, Default)]
pub struct Presence(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// How many connections each agent has, by model and tag.
    connections: Mutex<HashMap<(String, String), usize>>,
    /// Counts the times when an agent came or went.
    changes: watch::Sender<u64>,
}

/// One connection of an agent, for as long as it is kept.
pub struct Connected {
    presence: Presence,
    agent: (String, String),
}

impl Presence {
    /// Counts a connection of the agent with this tag in the model.
    pub fn connect(&self, model: impl fmt::Display, tag: impl fmt::Display) -> Connected {
        let agent = (model.to_string(), tag.to_string());
        let mut connections = self.connections();
        let count = connections.entry(agent.clone()).or_default();
        *count += 1;
        let first = *count == 1;
        drop(connections);
        if first {
            self.0.changes.send_modify(|it| *it += 1);
        }
        Connected { presence: self.clone(), agent }
    }

    pub fn is_present(&self, model: impl fmt::Display, tag: impl fmt::Display) -> bool {
        self.connections().contains_key(&(model.to_string(), tag.to_string()))
    }

    /// All present agents, as pairs of model and tag, with the number of their connections.
    pub fn all(&self) -> Vec<((String, String), usize)> {
        let mut all: Vec<_> =
            self.connections().iter().map(|(agent, count)| (agent.clone(), *count)).collect();
        all.sort_unstable();
        all
    }

    /// Changes whenever an agent comes or goes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    fn connections(&self) -> MutexGuard<'_, HashMap<(String, String), usize>> {
        self.0.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut connections = self.presence.connections();
        let Some(count) = connections.get_mut(&self.agent) else { return };
        *count -= 1;
        if *count == 0 {
            connections.remove(&self.agent);
            drop(connections);
            self.presence.0.changes.send_modify(|it| *it += 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_present_while_it_has_a_connection() {
        let presence = Presence::default();
        let changes = presence.changes();
        let first = presence.connect("m", "machine-0");
        assert!(presence.is_present("m", "machine-0"));
        assert!(!presence.is_present("n", "machine-0"));
        assert_eq!(*changes.borrow(), 1);
        let second = presence.connect("m", "machine-0");
        drop(first);
        assert!(presence.is_present("m", "machine-0"));
        assert_eq!(*changes.borrow(), 1, "a second connection changes nothing");
        assert_eq!(presence.all(), [(("m".to_owned(), "machine-0".to_owned()), 1)]);
        drop(second);
        assert!(!presence.is_present("m", "machine-0"));
        assert_eq!(*changes.borrow(), 2);
    }
}
