//! The `KeyManager` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "KeyManager" 1..=1, on Model, for [User] {
        AddKeys(ModifyUserSSHKeys) -> ErrorResults, Admin;
        DeleteKeys(ModifyUserSSHKeys) -> ErrorResults, Admin;
        ImportKeys(ModifyUserSSHKeys) -> ErrorResults, Admin;
        ListKeys(ListSSHKeys) -> StringsResults, Read;
    }
}

/// Parameters of `KeyManager.ListKeys`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ListSSHKeys {
    pub entities: Entities,
    pub mode: bool,
}

/// Parameters of `KeyManager.AddKeys`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModifyUserSSHKeys {
    pub ssh_keys: Vec<String>,
    pub user: String,
}
