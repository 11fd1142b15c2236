//! The `ModelConfig` facade.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;
use serde_json::Value;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "ModelConfig" 3..=3, on Both, for [User] {
        GetModelConstraints(()) -> GetConstraintsResults, Read;
        ModelGet(()) -> ModelConfigResults, Read;
        ModelSet(ModelSet) -> (), Write;
        ModelUnset(ModelUnset) -> (), Write;
        SLALevel(()) -> StringResult, Read;
        Sequences(()) -> ModelSequencesResult, Read;
        SetModelConstraints(SetConstraints) -> (), Write;
        SetSLALevel(ModelSLA) -> (), Admin;
    }
}

/// Part of [`ModelConfigResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ConfigValue {
    pub source: String,
    pub value: Value,
}

/// Result of `ModelConfig.GetModelConstraints`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct GetConstraintsResults {
    pub constraints: Constraints,
}

/// Result of `ModelConfig.ModelGet`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelConfigResults {
    pub config: BTreeMap<String, ConfigValue>,
}

/// Parameters of `ModelConfig.SetSLALevel`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelSLA {
    pub creds: String,
    pub level: String,
    pub owner: String,
}

/// Result of `ModelConfig.Sequences`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelSequencesResult {
    pub sequences: BTreeMap<String, i64>,
}

/// Parameters of `ModelConfig.ModelSet`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelSet {
    pub config: BTreeMap<String, Value>,
}

/// Parameters of `ModelConfig.ModelUnset`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelUnset {
    pub keys: Vec<String>,
}
