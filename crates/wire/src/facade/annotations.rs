//! The `Annotations` facade.

use std::collections::BTreeMap;

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Annotations" 2..=2, on Model, for [User] {
        Get(Entities) -> AnnotationsGetResults, Read;
        Set(AnnotationsSet) -> ErrorResults, Write;
    }
}

/// Part of [`AnnotationsGetResults`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AnnotationsGetResult {
    pub annotations: BTreeMap<String, String>,
    pub entity: String,
    #[wire(omit)]
    pub error: Option<ErrorResult>,
}

/// Result of `Annotations.Get`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AnnotationsGetResults {
    pub results: Vec<AnnotationsGetResult>,
}

/// Parameters of `Annotations.Set`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct AnnotationsSet {
    pub annotations: Vec<EntityAnnotations>,
}

/// Part of [`AnnotationsSet`].
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct EntityAnnotations {
    pub annotations: BTreeMap<String, String>,
    pub entity: String,
}
