//! The `AgentLifeFlag` facade.

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "AgentLifeFlag" 1..=1, on Model, for [Controller, Machine, Unit] {
        Life(Entities) -> LifeResults, Login;
        Watch(Entities) -> NotifyWatchResults, Login;
    }
}
