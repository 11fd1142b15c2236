//! The `Pinger` facade.

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Pinger" 1..=1, on Both, for [Controller, Machine, Unit, User] {
        Ping(()) -> (), Login;
        Stop(()) -> (), Login;
    }
}
