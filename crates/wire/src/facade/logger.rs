//! The `Logger` facade.

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "Logger" 1..=1, on Model, for [Controller, Machine, Unit] {
        LoggingConfig(Entities) -> StringResults, Login;
        WatchLoggingConfig(Entities) -> NotifyWatchResults, Login;
    }
}
