//! The `AllWatcher` facade.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::{codec::Wire, schema::Defs};

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "AllWatcher" 3..=3, on Model, for [User] {
        Next(()) -> AllWatcherNextResults, Read;
        Stop(()) -> (), Read;
    }
}

/// Result of `AllWatcher.Next`.
#[derive(Clone, Debug, Default, PartialEq, juju_wire_derive::Wire)]
pub struct AllWatcherNextResults {
    pub deltas: Vec<Delta>,
}

/// One changed entity: `[kind, "change" or "remove", entity]` on the wire.
///
/// Juju publishes it as an object of `entity` and `removed`; its own marshaller sends the three-element array, so the
/// schema says the one and the codec does the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    /// `model`, `machine`, `application`, `unit`, `relation`, `charm`, `action`, ….
    pub kind: String,
    pub removed: bool,
    pub entity: Value,
}

impl Wire for Delta {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (kind, word, entity) = <(String, String, Value)>::deserialize(from)?;
        let removed = match word.as_str() {
            "change" => false,
            "remove" => true,
            other => return Err(de::Error::custom(format_args!("unexpected delta operation {other:?}"))),
        };
        Ok(Delta { kind, removed, entity })
    }
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (&self.kind, if self.removed { "remove" } else { "change" }, &self.entity).serialize(to)
    }
    fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }
    fn schema(defs: &mut Defs) -> Value {
        DeltaShape::schema(defs)
    }
}

#[derive(Default, juju_wire_derive::Wire)]
struct DeltaShape {
    entity: Value,
    removed: bool,
}
