//! One declaration a facade: its address on the wire, who may call it, and the types that travel.
//!
//! The server's routes, the client's typed calls, a login's facade list, the access table and the published
//! schema all come from it.

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::{
    codec::{De, Ser, Wire},
    schema::Defs,
};

/// One remote method.
pub trait Method: Send + Sync + 'static {
    const FACADE: &'static str;
    const NAME: &'static str;
    /// The facade versions that have this method with these types.
    const VERSIONS: RangeInclusive<u32>;
    /// What a user must be allowed; agents are held to the facade's [`Info::who`] alone.
    const NEED: Need;
    type Params: Wire;
    type Reply: Wire;
}

/// Who may call a facade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// The agent of a controller machine.
    Controller,
    Machine,
    Unit,
    /// A user; what else they need is [`Need`].
    User,
}

/// On which connections a facade is (`client-api` of Juju 3.6: `apiserver/restrict_*.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Connections to `/api` only.
    Controller,
    /// Connections to `/model/<uuid>/api` only.
    Model,
    Both,
}

/// The least a user must be allowed, on the connection's model or on the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Being logged in; the handler checks the rest, entity by entity.
    Login,
    Read,
    Write,
    Admin,
    Superuser,
}

/// A facade as data.
pub struct Info {
    pub name: &'static str,
    pub versions: RangeInclusive<u32>,
    pub place: Place,
    pub who: &'static [Who],
    pub methods: &'static [MethodInfo],
}

/// A method as data.
pub struct MethodInfo {
    pub name: &'static str,
    pub versions: RangeInclusive<u32>,
    pub need: Need,
    /// The schemas of parameters and reply; null where nothing travels.
    pub schema: fn(&mut Defs) -> (Value, Value),
    /// Decodes JSON as the parameters, or as the reply, and encodes it again: what the type makes of it.
    pub recode: fn(Part, &str) -> serde_json::Result<Value>,
}

/// One of the two values that a method sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Params,
    Reply,
}

/// Decodes JSON as a `T` and encodes it again.
pub fn recode<T: Wire>(json: &str) -> serde_json::Result<Value> {
    let De(value) = serde_json::from_str::<De<T>>(json)?;
    serde_json::to_value(Ser(&value))
}

/// Declares a facade and its methods.
///
/// ```ignore
/// facade! {
///     /// A machine agent's view of itself.
///     "Machiner" 5..=5, on Model, for [Controller, Machine] {
///         Life(Entities) -> LifeResults, Read;
///         since 6: Frob(()) -> (), Write;
///     }
/// }
/// ```
#[macro_export]
macro_rules! facade {
    ($(#[$meta:meta])* $facade:literal $lo:literal ..= $hi:literal, on $place:ident, for [$($who:ident),*] {
        $( $(#[$mmeta:meta])* $(versions $mlo:literal ..= $mhi:literal :)? $method:ident($params:ty) -> $reply:ty, $need:ident; )*
    }) => {
        pub const NAME: &str = $facade;
        /// The methods, a type each; parameter types of the same name stand beside this module.
        pub mod call {
            $( $(#[$mmeta])* pub enum $method {} )*
        }
        $(
            impl $crate::method::Method for call::$method {
                const FACADE: &'static str = NAME;
                const NAME: &'static str = stringify!($method);
                #[allow(unused_mut, unused_assignments)]
                const VERSIONS: std::ops::RangeInclusive<u32> = { let mut it = $lo..=$hi; $( it = $mlo..=$mhi; )? it };
                const NEED: $crate::method::Need = $crate::method::Need::$need;
                type Params = $params;
                type Reply = $reply;
            }
        )*
        $(#[$meta])*
        pub const INFO: $crate::method::Info = $crate::method::Info {
            name: NAME,
            versions: $lo..=$hi,
            place: $crate::method::Place::$place,
            who: &[$($crate::method::Who::$who),*],
            methods: &[$( $crate::method::MethodInfo {
                name: stringify!($method),
                versions: <call::$method as $crate::method::Method>::VERSIONS,
                need: $crate::method::Need::$need,
                schema: |defs| (
                    <$params as $crate::codec::Wire>::schema(defs),
                    <$reply as $crate::codec::Wire>::schema(defs),
                ),
                recode: |part, json| match part {
                    $crate::method::Part::Params => $crate::method::recode::<$params>(json),
                    $crate::method::Part::Reply => $crate::method::recode::<$reply>(json),
                },
            } ),*],
        };
    };
}
