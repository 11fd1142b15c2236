//! The watcher facades: a `Next` that blocks until something changed, and a `Stop`.
//!
//! Which watcher is meant stands in the request's `id`, as the call that started it answered. The first event is in
//! that answer, so the first `Next` waits for a real change (Juju 3.6 `apiserver/facades/.../watcher`).

use super::uniter::RelationUnitsChange;
use crate::facade;

/// Something changed; look again.
pub mod notify {
    use super::*;
    facade! {
        "NotifyWatcher" 1..=1, on Both, for [Controller, Machine, Unit, User] {
            Next(()) -> (), Login;
            Stop(()) -> (), Login;
        }
    }
}

/// These ids changed.
pub mod strings {
    use super::*;
    facade! {
        "StringsWatcher" 1..=1, on Model, for [Controller, Machine, Unit, User] {
            Next(()) -> StringsChanges, Login;
            Stop(()) -> (), Login;
        }
    }
}

/// The entities of these tags changed.
pub mod entities {
    use super::*;
    facade! {
        "EntityWatcher" 2..=2, on Model, for [Controller, Machine, Unit, User] {
            Next(()) -> EntitiesChanges, Login;
            Stop(()) -> (), Login;
        }
    }
}

/// Counterpart units of a relation changed or departed.
pub mod relation_units {
    use super::*;
    facade! {
        "RelationUnitsWatcher" 1..=1, on Model, for [Controller, Machine, Unit, User] {
            Next(()) -> RelationUnitsChanges, Login;
            Stop(()) -> (), Login;
        }
    }
}

/// Life or suspension of relations changed.
pub mod relation_status {
    use super::*;
    facade! {
        "RelationStatusWatcher" 1..=1, on Model, for [Controller, Machine, Unit, User] {
            Next(()) -> RelationStatusChanges, Login;
            Stop(()) -> (), Login;
        }
    }
}

/// Reply of `StringsWatcher.Next`.
#[derive(Clone, Debug, Default, PartialEq, juju_wire_derive::Wire)]
pub struct StringsChanges {
    pub changes: Vec<String>,
}

/// Reply of `EntityWatcher.Next`: tags.
#[derive(Clone, Debug, Default, PartialEq, juju_wire_derive::Wire)]
pub struct EntitiesChanges {
    pub changes: Vec<String>,
}

/// Reply of `RelationUnitsWatcher.Next`.
#[derive(Clone, Debug, Default, PartialEq, juju_wire_derive::Wire)]
pub struct RelationUnitsChanges {
    pub changes: RelationUnitsChange,
}

/// Reply of `RelationStatusWatcher.Next`.
#[derive(Clone, Debug, Default, PartialEq, juju_wire_derive::Wire)]
pub struct RelationStatusChanges {
    pub changes: Vec<RelationStatusChange>,
}

/// Part of [`RelationStatusChanges`].
#[derive(Clone, Debug, Default, PartialEq, juju_wire_derive::Wire)]
pub struct RelationStatusChange {
    pub key: String,
    pub life: String,
    pub suspended: bool,
    pub suspended_reason: String,
}
