//! Life: alive, then dying, then dead, and never back.

use std::{fmt, str::FromStr};

/// How far a machine, unit, application, relation or model is in its life. What is gone has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Life {
    /// In use; only what is alive accepts new dependants.
    #[default]
    Alive,
    /// To go: what depends on it leaves, nothing new comes.
    Dying,
    /// Nothing depends on it; whoever is responsible removes it.
    Dead,
}

impl Life {
    pub const fn as_str(self) -> &'static str {
        match self {
            Life::Alive => "alive",
            Life::Dying => "dying",
            Life::Dead => "dead",
        }
    }

    pub fn is_alive(self) -> bool {
        self == Life::Alive
    }

    pub fn is_dead(self) -> bool {
        self == Life::Dead
    }

    /// Dying or dead.
    pub fn is_ending(self) -> bool {
        self != Life::Alive
    }

    /// The life after it was asked to be `to`: the later of both.
    #[must_use]
    pub fn advanced(self, to: Life) -> Life {
        self.max(to)
    }

    /// Moves on to `to` and says whether that changed anything. It never moves back.
    pub fn advance(&mut self, to: Life) -> bool {
        let changed = to > *self;
        *self = self.advanced(to);
        changed
    }
}

/// A text that is no life.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("life value {0:?} not valid")]
pub struct LifeError(pub String);

impl FromStr for Life {
    type Err = LifeError;
    fn from_str(text: &str) -> Result<Self, LifeError> {
        [Life::Alive, Life::Dying, Life::Dead]
            .into_iter()
            .find(|it| it.as_str() == text)
            .ok_or_else(|| LifeError(text.to_owned()))
    }
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

crate::ids::text_serde!(Life);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_back() {
        use Life::*;
        for (from, to, then, changed) in [
            (Alive, Alive, Alive, false),
            (Alive, Dying, Dying, true),
            (Alive, Dead, Dead, true),
            (Dying, Alive, Dying, false),
            (Dying, Dead, Dead, true),
            (Dead, Alive, Dead, false),
            (Dead, Dying, Dead, false),
        ] {
            let mut life = from;
            assert_eq!((life.advance(to), life), (changed, then), "{from} to {to}");
        }
    }

    #[test]
    fn text() {
        for life in [Life::Alive, Life::Dying, Life::Dead] {
            assert_eq!(life.to_string().parse(), Ok(life));
        }
        assert_eq!("undead".parse::<Life>().unwrap_err().to_string(), r#"life value "undead" not valid"#);
    }
}
