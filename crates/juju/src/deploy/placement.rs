//! `--to`: where units and machines go.

use juju_core::{ModelUuid, Placement};
use juju_wire::params;

use crate::error::{Error, Result};

/// Reads a list separated by commas, for a model.
pub fn parse(text: &str, model: &str) -> Result<Vec<params::Placement>> {
    if text.is_empty() {
        return Ok(vec![]);
    }
    text.split(',').map(|it| one(it.trim(), model).map(|it| to_wire(&it))).collect()
}

/// Reads one place.
pub fn one(text: &str, model: &str) -> Result<Placement> {
    let invalid =
        |why: &dyn std::fmt::Display| Error::usage(format!("invalid --to parameter {text:?}: {why}"));
    let model: ModelUuid = model.parse().map_err(|e| invalid(&e))?;
    // A bare number is a machine.
    if let Ok(machine) = text.parse() {
        return Ok(Placement::Machine(machine));
    }
    Placement::parse_for(text, &model).map_err(|e| invalid(&e))
}

pub fn to_wire(placement: &Placement) -> params::Placement {
    params::Placement { scope: placement.scope().to_owned(), directive: placement.directive().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        let model = "5d9f6e5a-6f0f-4a56-8a53-1a2b3c4d5e6f";
        let parse = |text| {
            parse(text, model).map(|it| it.into_iter().map(|it| (it.scope, it.directive)).collect::<Vec<_>>())
        };
        let own = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(parse("").unwrap(), []);
        assert_eq!(
            parse("0,lxd:3,lxd,zone=a").unwrap(),
            own(&[("#", "0"), ("lxd", "3"), ("lxd", ""), (model, "zone=a")])
        );
        assert_eq!(parse("0/lxd/1").unwrap(), own(&[("#", "0/lxd/1")]));
        for bad in ["lxd:x", ",", "#:x"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
