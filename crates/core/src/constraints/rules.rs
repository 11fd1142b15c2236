//! What a cloud makes of constraints: keys it does not know, keys that exclude each other, values it has.

use std::collections::BTreeMap;

use super::{ConstraintError, Constraints};

/// The rules of one cloud.
#[derive(Clone, Debug, Default)]
pub struct ConstraintRules {
    /// Keys that mean nothing there; using one is worth a warning.
    pub unsupported: &'static [&'static str],
    /// Pairs of groups: a key of one excludes every key of the other.
    pub conflicts: &'static [(&'static [&'static str], &'static [&'static str])],
    /// The only values that a key may have there. An empty value is always allowed.
    pub vocabulary: BTreeMap<&'static str, Vec<String>>,
}

impl ConstraintRules {
    /// Checks constraints and returns the keys that have no meaning there.
    pub fn validate(&self, constraints: &Constraints) -> Result<Vec<&'static str>, ConstraintError> {
        let keys = constraints.keys();
        for key in &keys {
            let mut excluded = self.excluded_by(key);
            excluded.sort_unstable();
            if let Some(other) = excluded.iter().find(|it| keys.contains(it)) {
                let (first, second) = if key < other { (*key, *other) } else { (*other, *key) };
                return Err(ConstraintError::Conflict(first, second));
            }
        }
        for (key, allowed) in &self.vocabulary {
            for value in values(constraints, key) {
                if !value.is_empty() && !allowed.contains(&value) {
                    return Err(ConstraintError::Vocabulary { key, value, allowed: allowed.clone() });
                }
            }
        }
        Ok(keys.into_iter().filter(|it| self.unsupported.contains(it)).collect())
    }

    /// The more specific constraints with what they leave open from the fallback; a key that excludes some of the
    /// fallback's drops those. Both must be valid by themselves.
    pub fn merge(
        &self,
        fallback: &Constraints,
        specific: &Constraints,
    ) -> Result<Constraints, ConstraintError> {
        self.validate(fallback)?;
        self.validate(specific)?;
        let excluded: Vec<_> = specific.keys().iter().flat_map(|it| self.excluded_by(it)).collect();
        Ok(specific.clone().or(&fallback.clone().without(&excluded)))
    }

    fn excluded_by(&self, key: &str) -> Vec<&'static str> {
        let mut excluded = vec![];
        for (one, other) in self.conflicts {
            if one.contains(&key) {
                excluded.extend_from_slice(other);
            }
            if other.contains(&key) {
                excluded.extend_from_slice(one);
            }
        }
        excluded
    }
}

/// The values of a key, as texts.
fn values(constraints: &Constraints, key: &str) -> Vec<String> {
    let others: Vec<_> = constraints.keys().into_iter().filter(|it| *it != key).collect();
    let only = constraints.clone().without(&others);
    match key {
        "tags" => only.tags.unwrap_or_default(),
        "spaces" => only.spaces.unwrap_or_default(),
        "zones" => only.zones.unwrap_or_default(),
        _ => {
            let text = only.to_string().replace("\\ ", " ");
            text.split_once('=').map(|(_, value)| value.to_owned()).into_iter().collect()
        }
    }
}
