//! Where a bundle puts a unit: `(<container>:)?(new|<machine>|<app>|<app>/<n>)`.

use std::{fmt, str::FromStr};

use juju_core::{ApplicationName, ContainerType};

/// Where a unit goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitPlacement {
    /// In a new container of this type there.
    pub container: Option<ContainerType>,
    pub target: Target,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A new machine.
    New,
    /// One of the bundle's machines, or of the model's where the bundle has none.
    Machine(u32),
    /// The machine of an application's unit; without a number, of the next one that was not used yet.
    Unit { app: ApplicationName, number: Option<u32> },
}

/// A text that places nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid placement syntax {0:?}")]
pub struct PlacementSyntaxError(pub String);

impl FromStr for UnitPlacement {
    type Err = PlacementSyntaxError;
    fn from_str(text: &str) -> Result<Self, PlacementSyntaxError> {
        parse(text).ok_or_else(|| PlacementSyntaxError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<UnitPlacement> {
    let (container, target) = match text.split_once(':') {
        Some((container, target)) => (Some(container.parse().ok()?), target),
        None => (None, text),
    };
    let target = match target.split_once('/') {
        Some((app, number)) => Target::Unit { app: app.parse().ok()?, number: Some(number_of(number)?) },
        None if target == "new" => Target::New,
        None => match number_of(target) {
            Some(machine) => Target::Machine(machine),
            None => Target::Unit { app: target.parse().ok()?, number: None },
        },
    };
    // `new` is no application, whatever its unit.
    let new = matches!(&target, Target::Unit { app, .. } if app.as_str() == "new");
    (!new).then_some(UnitPlacement { container, target })
}

fn number_of(text: &str) -> Option<u32> {
    let plain = text == "0" || !text.starts_with('0');
    if plain && text.bytes().all(|it| it.is_ascii_digit()) { text.parse().ok() } else { None }
}

impl fmt::Display for UnitPlacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(container) = self.container {
            write!(f, "{container}:")?;
        }
        match &self.target {
            Target::New => f.write_str("new"),
            Target::Machine(number) => write!(f, "{number}"),
            Target::Unit { app, number: None } => write!(f, "{app}"),
            Target::Unit { app, number: Some(number) } => write!(f, "{app}/{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax() {
        for text in ["new", "0", "12", "lxd:new", "lxd:3", "kvm:db", "db", "db/0", "lxd:web-x/12"] {
            assert_eq!(text.parse::<UnitPlacement>().map(|it| it.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            ":",
            "lxd:",
            "docker:0",
            "db/",
            "db/x",
            "db-0",
            "new/0",
            "00",
            "a b",
            "0/lxd/1",
            "99999999999",
        ] {
            assert_eq!(
                text.parse::<UnitPlacement>().unwrap_err().to_string(),
                format!("invalid placement syntax {text:?}")
            );
        }
    }
}
