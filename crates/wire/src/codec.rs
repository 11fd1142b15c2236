//! How values travel: the rules that Juju's own decoder follows, written once.
//!
//! Keys match whatever their case; null or a missing key means the default; unknown keys are ignored; bytes are
//! base64; the zero time is `0001-01-01T00:00:00Z`; a field marked `omit` is left out when it is empty.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};
use serde_json::Value;

use crate::schema::{self, Defs};

/// A value that travels. Implemented here for the plain types and derived for structs.
pub trait Wire: Sized + Default + Send + 'static {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
    /// Whether an `omit` field leaves this value out.
    fn is_empty(&self) -> bool;
    /// The JSON schema of the type; structs add themselves to `defs` and answer a reference.
    fn schema(defs: &mut Defs) -> Value;
}

/// What the derive generates: a struct as a table of fields.
pub trait Object: Wire {
    const NAME: &'static str;
    /// Sets the field of a lower-cased key; false if there is none.
    fn set<'de, A: de::MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error>;
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
    fn is_empty(&self) -> bool;
    fn fields(defs: &mut Defs) -> Vec<schema::Field>;
}

/// Decodes by [`Wire`] where serde asks for [`Deserialize`].
pub struct De<T>(pub T);
/// Encodes by [`Wire`] where serde asks for [`Serialize`].
pub struct Ser<'a, T>(pub &'a T);

impl<'de, T: Wire> Deserialize<'de> for De<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::decode(from).map(De)
    }
}
impl<T: Wire> Serialize for Ser<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.encode(to)
    }
}

pub fn encode_object<T: Object, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    value.write(&mut map)?;
    map.end()
}

pub fn decode_object<'de, T: Object, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    struct Visitor<T>(PhantomData<T>);
    impl<'de, T: Object> de::Visitor<'de> for Visitor<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "an object ({})", T::NAME)
        }
        fn visit_unit<E: de::Error>(self) -> Result<T, E> {
            Ok(T::default())
        }
        fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
            let mut value = T::default();
            while let Some(key) = map.next_key::<Key>()? {
                if !value.set(&key.0, &mut map)? {
                    map.next_value::<de::IgnoredAny>()?;
                }
            }
            Ok(value)
        }
    }
    from.deserialize_any(Visitor(PhantomData))
}

/// An object's key, lower-cased.
struct Key(String);
impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_str<E: de::Error>(self, key: &str) -> Result<Key, E> {
                Ok(Key(key.to_lowercase()))
            }
        }
        from.deserialize_str(Visitor)
    }
}

macro_rules! plain {
    ($ty:ty, $schema:expr, $empty:expr) => {
        impl Wire for $ty {
            fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                Ok(Option::<$ty>::deserialize(from)?.unwrap_or_default())
            }
            fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                self.serialize(to)
            }
            fn is_empty(&self) -> bool {
                let empty: fn(&$ty) -> bool = $empty;
                empty(self)
            }
            fn schema(_: &mut Defs) -> Value {
                $schema
            }
        }
    };
}
plain!(String, schema::plain("string"), |it| it.is_empty());
plain!(bool, schema::plain("boolean"), |it| !*it);
plain!(i64, schema::plain("integer"), |it| *it == 0);
plain!(u64, schema::plain("integer"), |it| *it == 0);
plain!(f64, schema::plain("number"), |it| *it == 0.0);
plain!(Value, schema::any(), |it| it.is_null());

impl Wire for () {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        de::IgnoredAny::deserialize(from).map(|_| ())
    }
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_map(Some(0))?.end()
    }
    fn is_empty(&self) -> bool {
        true
    }
    fn schema(_: &mut Defs) -> Value {
        Value::Null
    }
}

impl<T: Wire> Wire for Option<T> {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::<De<T>>::deserialize(from)?.map(|it| it.0))
    }
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(it) => it.encode(to),
            None => to.serialize_unit(),
        }
    }
    fn is_empty(&self) -> bool {
        self.is_none()
    }
    fn schema(defs: &mut Defs) -> Value {
        T::schema(defs)
    }
}

impl<T: Wire> Wire for Box<T> {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::decode(from).map(Box::new)
    }
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (**self).encode(to)
    }
    fn is_empty(&self) -> bool {
        T::is_empty(self)
    }
    fn schema(defs: &mut Defs) -> Value {
        T::schema(defs)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let list = Option::<Vec<De<T>>>::deserialize(from)?.unwrap_or_default();
        Ok(list.into_iter().map(|it| it.0).collect())
    }
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Ser))
    }
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
    fn schema(defs: &mut Defs) -> Value {
        serde_json::json!({ "type": "array", "items": T::schema(defs) })
    }
}

impl<T: Wire> Wire for BTreeMap<String, T> {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let map = Option::<BTreeMap<String, De<T>>>::deserialize(from)?.unwrap_or_default();
        Ok(map.into_iter().map(|(key, it)| (key, it.0)).collect())
    }
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.iter().map(|(key, it)| (key, Ser(it))))
    }
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
    fn schema(defs: &mut Defs) -> Value {
        serde_json::json!({ "type": "object", "patternProperties": { ".*": T::schema(defs) } })
    }
}

/// Bytes, in base64 on the wire.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    /// Bytes on this wire are keys and cipher texts, so only their number is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.0.len())
    }
}

impl Wire for Bytes {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        use base64::Engine as _;
        let text = Option::<String>::deserialize(from)?.unwrap_or_default();
        base64::engine::general_purpose::STANDARD.decode(text).map(Bytes).map_err(de::Error::custom)
    }
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use base64::Engine as _;
        to.serialize_str(&base64::engine::general_purpose::STANDARD.encode(&self.0))
    }
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    fn schema(_: &mut Defs) -> Value {
        schema::plain("string")
    }
}

/// A point in time; the default is Go's zero time, which Juju sends for "never".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub Option<jiff::Timestamp>);

/// Go's zero time as it travels.
const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

impl From<jiff::Timestamp> for Time {
    fn from(at: jiff::Timestamp) -> Self {
        Time(Some(at))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => write!(f, "{at}"),
            None => f.write_str(ZERO_TIME),
        }
    }
}

impl Wire for Time {
    fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Option::<String>::deserialize(from)?.as_deref() {
            None | Some("" | ZERO_TIME) => Ok(Time(None)),
            Some(text) => text.parse().map(|at| Time(Some(at))).map_err(de::Error::custom),
        }
    }
    fn encode<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
    fn is_empty(&self) -> bool {
        self.0.is_none()
    }
    fn schema(_: &mut Defs) -> Value {
        serde_json::json!({ "type": "string", "format": "date-time" })
    }
}
