//! What a watcher wants to hear of.

use crate::{
    Result,
    limits::{check_key, check_prefix},
};

/// A set of keys and prefixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interest {
    pub(super) keys: Vec<String>,
    pub(super) prefixes: Vec<String>,
}

impl Interest {
    pub fn none() -> Interest {
        Interest::default()
    }

    pub fn key(key: impl Into<String>) -> Interest {
        Interest::none().and_key(key)
    }

    /// All under a prefix; it ends in `/`, or is empty for everything.
    pub fn prefix(prefix: impl Into<String>) -> Interest {
        Interest::none().and_prefix(prefix)
    }

    pub fn and_key(mut self, key: impl Into<String>) -> Interest {
        self.keys.push(key.into());
        self
    }

    pub fn and_prefix(mut self, prefix: impl Into<String>) -> Interest {
        self.prefixes.push(prefix.into());
        self
    }

    pub fn and(mut self, other: Interest) -> Interest {
        self.keys.extend(other.keys);
        self.prefixes.extend(other.prefixes);
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        self.keys.iter().try_for_each(|it| check_key(it))?;
        self.prefixes.iter().try_for_each(|it| check_prefix(it))
    }

    /// Each key and prefix once, in order.
    pub(super) fn normalize(&mut self) {
        for names in [&mut self.keys, &mut self.prefixes] {
            names.sort_unstable();
            names.dedup();
        }
    }

    /// Takes out what `other` has; answers what was taken out.
    pub(super) fn take(&mut self, other: &Interest) -> Interest {
        let mut taken = Interest::none();
        (taken.keys, self.keys) = self.keys.drain(..).partition(|it| other.keys.contains(it));
        (taken.prefixes, self.prefixes) = self.prefixes.drain(..).partition(|it| other.prefixes.contains(it));
        taken
    }
}
