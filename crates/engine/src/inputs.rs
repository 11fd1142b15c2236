//! What a manifold depends on: declared once, checked when the engine is built, handed over typed.
//!
//! Inputs are a tuple of up to sixteen keys, one key alone, `()`, or a struct of one's own:
//!
//! ```
//! use juju_engine::{Input, Inputs, Key, Need, Outputs};
//!
//! struct Needs { agent: Key<String>, api: Key<u32> }
//! struct Given { agent: String, api: u32 }
//!
//! impl Inputs for Needs {
//!     type Values = Given;
//!     fn needs(&self) -> Vec<Need> {
//!         vec![self.agent.need(), self.api.need()]
//!     }
//!     fn values(&self, outputs: &Outputs) -> Option<Given> {
//!         Some(Given { agent: self.agent.resolve(outputs)?, api: self.api.resolve(outputs)? })
//!     }
//! }
//! ```

use std::{
    any::{Any, TypeId, type_name},
    collections::BTreeMap,
    sync::Arc,
};

use crate::key::{Key, Name, Optional};

/// A set of inputs: what a manifold declares is exactly what its start function receives.
pub trait Inputs: Send + Sync + 'static {
    type Values: Send + 'static;
    fn needs(&self) -> Vec<Need>;
    /// The values, or `None` as long as one that is required is not there.
    fn values(&self, outputs: &Outputs) -> Option<Self::Values>;
}

/// One input.
pub trait Input: Send + Sync + 'static {
    type Value: Send + 'static;
    fn need(&self) -> Need;
    fn resolve(&self, outputs: &Outputs) -> Option<Self::Value>;
}

/// The declaration of one input, made by [`Input::need`].
#[derive(Clone, Debug)]
pub struct Need {
    pub(crate) name: Name,
    pub(crate) kind: Kind,
    pub(crate) type_id: TypeId,
    pub(crate) type_name: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Required,
    Optional,
    Flag,
    Fortress,
}

/// What running workers have published.
#[derive(Default)]
pub struct Outputs(BTreeMap<Name, Output>);

pub(crate) type Value = Arc<dyn Any + Send + Sync>;

struct Output {
    value: Value,
    /// Tells apart values published one after the other under one name.
    version: u64,
}

impl Outputs {
    /// What is published under `key`, if anything is.
    pub fn get<T: Clone + Send + Sync + 'static>(&self, key: Key<T>) -> Option<T> {
        self.0.get(key.name())?.value.downcast_ref::<T>().cloned()
    }

    pub(crate) fn contains(&self, name: Name) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn version(&self, name: Name) -> Option<u64> {
        self.0.get(name).map(|it| it.version)
    }

    pub(crate) fn insert(&mut self, name: Name, value: Value, version: u64) {
        self.0.insert(name, Output { value, version });
    }

    /// Whether there was anything to remove.
    pub(crate) fn remove(&mut self, name: Name) -> bool {
        self.0.remove(name).is_some()
    }
}

impl Need {
    pub(crate) fn of<T: 'static>(key: Key<T>, kind: Kind) -> Self {
        Need { name: key.name(), kind, type_id: TypeId::of::<T>(), type_name: type_name::<T>() }
    }

    pub(crate) fn missing(&self, outputs: &Outputs) -> bool {
        self.kind != Kind::Optional && !outputs.contains(self.name)
    }

    /// Juju's words for why this input keeps a worker from starting.
    pub(crate) fn why_missing(&self) -> String {
        let what = if self.kind == Kind::Flag { "set" } else { "running" };
        format!("{:?} not {what}: dependency not available", self.name)
    }
}

impl<T: Clone + Send + Sync + 'static> Input for Key<T> {
    type Value = T;
    fn need(&self) -> Need {
        Need::of(*self, Kind::Required)
    }
    fn resolve(&self, outputs: &Outputs) -> Option<T> {
        outputs.get(*self)
    }
}

impl<T: Clone + Send + Sync + 'static> Input for Optional<T> {
    type Value = Option<T>;
    fn need(&self) -> Need {
        Need::of(self.0, Kind::Optional)
    }
    fn resolve(&self, outputs: &Outputs) -> Option<Option<T>> {
        Some(outputs.get(self.0))
    }
}

impl<T: Clone + Send + Sync + 'static> Inputs for Key<T> {
    type Values = T;
    fn needs(&self) -> Vec<Need> {
        vec![self.need()]
    }
    fn values(&self, outputs: &Outputs) -> Option<T> {
        self.resolve(outputs)
    }
}

macro_rules! tuple {
    ($($input:ident)*) => {
        #[allow(non_snake_case, unused_variables, clippy::unused_unit)]
        impl<$($input: Input),*> Inputs for ($($input,)*) {
            type Values = ($($input::Value,)*);
            fn needs(&self) -> Vec<Need> {
                let ($($input,)*) = self;
                vec![$($input.need()),*]
            }
            fn values(&self, outputs: &Outputs) -> Option<Self::Values> {
                let ($($input,)*) = self;
                Some(($($input.resolve(outputs)?,)*))
            }
        }
    };
}
tuple!();
tuple!(A);
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
tuple!(A B C D E);
tuple!(A B C D E G);
tuple!(A B C D E G H);
tuple!(A B C D E G H I);
tuple!(A B C D E G H I J);
tuple!(A B C D E G H I J K);
tuple!(A B C D E G H I J K L);
tuple!(A B C D E G H I J K L M);
tuple!(A B C D E G H I J K L M N);
tuple!(A B C D E G H I J K L M N O);
tuple!(A B C D E G H I J K L M N O P);
tuple!(A B C D E G H I J K L M N O P Q);

#[cfg(test)]
mod tests {
    use super::*;

    const A: Key<u32> = Key::new("a");
    const B: Key<String> = Key::new("b");

    fn outputs(a: bool, b: bool) -> Outputs {
        let mut outputs = Outputs::default();
        if a {
            outputs.insert("a", Arc::new(1u32), 1);
        }
        if b {
            outputs.insert("b", Arc::new("two".to_owned()), 2);
        }
        outputs
    }

    #[test]
    fn a_tuple_resolves_once_all_that_is_required_is_there() {
        let inputs = (A, B.optional());
        assert_eq!(inputs.values(&outputs(false, true)), None);
        assert_eq!(inputs.values(&outputs(true, false)), Some((1, None)));
        assert_eq!(inputs.values(&outputs(true, true)), Some((1, Some("two".to_owned()))));
        assert_eq!(().values(&outputs(false, false)), Some(()));
        assert_eq!(B.values(&outputs(false, true)), Some("two".to_owned()));
    }

    #[test]
    fn sixteen_inputs_are_declared_in_their_order() {
        let inputs = (A, B, A, B, A, B, A, B, A, B, A, B, A, B, A, B.optional());
        let needs = inputs.needs();
        assert_eq!(needs.len(), 16);
        assert_eq!(needs[1].name, "b");
        assert_eq!(needs[15].kind, Kind::Optional);
        assert!(inputs.values(&outputs(true, true)).is_some());
        assert!(inputs.values(&outputs(true, false)).is_none());
    }

    #[test]
    fn missing_inputs_are_named_in_jujus_words() {
        let none = Outputs::default();
        assert!(A.need().missing(&none) && !A.optional().need().missing(&none));
        assert_eq!(A.need().why_missing(), "\"a\" not running: dependency not available");
        let flag = Need::of(Key::<crate::Flag>::new("is-controller-flag"), Kind::Flag);
        assert_eq!(flag.why_missing(), "\"is-controller-flag\" not set: dependency not available");
    }
}
