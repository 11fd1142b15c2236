//! Who is on the other end of a connection.

use std::fmt;

use juju_core::{MachineId, Tag, UnitName, UserName};
use juju_state::access::Access;
use juju_wire::{Need, Who};

/// Somebody who has proved who they are.
#[derive(Clone, Debug, PartialEq)]
pub enum Entity {
    User(User),
    /// A machine's agent. One of a controller's machines is let into every model.
    Machine {
        id: MachineId,
        controller: bool,
    },
    Unit(UnitName),
}

/// A user, with what they may do where they are connected to.
#[derive(Clone, Debug, PartialEq)]
pub struct User {
    pub name: UserName,
    pub display_name: String,
    /// `login` or `superuser`, if any.
    pub controller: Option<Access>,
    /// To the model of the connection; on a connection to the controller alone, to the controller's own model.
    pub model: Option<Access>,
}

impl User {
    pub fn is_superuser(&self) -> bool {
        self.controller == Some(Access::Superuser)
    }

    /// Whether they may read, write or administer the connection's model. A superuser may everywhere.
    pub fn may(&self, access: Access) -> bool {
        let rank = |it| match it {
            Access::Read => 1,
            Access::Write => 2,
            Access::Admin => 3,
            _ => 0,
        };
        self.is_superuser() || self.model.is_some_and(|has| rank(access) > 0 && rank(has) >= rank(access))
    }
}

impl Entity {
    pub fn tag(&self) -> Tag {
        match self {
            Entity::User(user) => Tag::User(user.name.clone()),
            Entity::Machine { id, .. } => Tag::Machine(id.clone()),
            Entity::Unit(name) => Tag::Unit(name.clone()),
        }
    }

    pub fn is_user(&self) -> bool {
        matches!(self, Entity::User(_))
    }

    /// The agent of a controller's machine.
    pub fn is_controller(&self) -> bool {
        matches!(self, Entity::Machine { controller: true, .. })
    }

    /// Whether a facade that is for these is for this entity.
    pub fn is_one_of(&self, who: &[Who]) -> bool {
        match self {
            Entity::User(_) => who.contains(&Who::User),
            Entity::Machine { controller, .. } => {
                who.contains(&Who::Machine) || (*controller && who.contains(&Who::Controller))
            }
            Entity::Unit(_) => who.contains(&Who::Unit),
        }
    }

    /// Whether the entity may call a method that asks this of users. Agents are held to the facade's list alone.
    pub fn meets(&self, need: Need) -> bool {
        let Entity::User(user) = self else { return true };
        match need {
            Need::Login => true,
            Need::Read => user.may(Access::Read),
            Need::Write => user.may(Access::Write),
            Need::Admin => user.may(Access::Admin),
            Need::Superuser => user.is_superuser(),
        }
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tag().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(controller: Option<Access>, model: Option<Access>) -> Entity {
        let name = "bob".parse().unwrap();
        Entity::User(User { name, display_name: String::new(), controller, model })
    }

    #[test]
    fn a_level_holds_those_below_it_and_a_superuser_all() {
        use Need::*;
        let table: &[(Option<Access>, Option<Access>, &[Need])] = &[
            (None, None, &[Login]),
            (Some(Access::Login), None, &[Login]),
            (Some(Access::Login), Some(Access::Read), &[Login, Read]),
            (None, Some(Access::Write), &[Login, Read, Write]),
            (Some(Access::Login), Some(Access::Admin), &[Login, Read, Write, Admin]),
            (Some(Access::Superuser), None, &[Login, Read, Write, Admin, Superuser]),
        ];
        for (controller, model, needs) in table {
            for need in [Login, Read, Write, Admin, Superuser] {
                let expected = needs.contains(&need);
                assert_eq!(
                    user(*controller, *model).meets(need),
                    expected,
                    "{controller:?} {model:?} {need:?}"
                );
            }
        }
    }

    #[test]
    fn facades_say_for_whom_they_are() {
        let machine = |controller| Entity::Machine { id: "0".parse().unwrap(), controller };
        let unit = Entity::Unit("web/0".parse().unwrap());
        assert!(machine(true).is_one_of(&[Who::Controller]));
        assert!(!machine(false).is_one_of(&[Who::Controller, Who::Unit]));
        assert!(machine(true).is_one_of(&[Who::Machine]));
        assert!(unit.is_one_of(&[Who::Unit]) && !unit.is_one_of(&[Who::Machine, Who::User]));
        assert!(!user(Some(Access::Superuser), None).is_one_of(&[Who::Controller]));
        assert_eq!(unit.to_string(), "unit-web-0");
    }
}
