//! The `CredentialValidator` facade.

use juju_wire_derive::Wire;

#[allow(unused_imports)]
use crate::{facade, params::*};

facade! {
    "CredentialValidator" 2..=2, on Model, for [Controller, Machine, Unit] {
        InvalidateModelCredential(InvalidateCredentialArg) -> ErrorResult, Login;
        ModelCredential(()) -> ModelCredential, Login;
        WatchCredential(Entity) -> NotifyWatchResult, Login;
        WatchModelCredential(()) -> NotifyWatchResult, Login;
    }
}

/// Parameters of `CredentialValidator.InvalidateModelCredential`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct InvalidateCredentialArg {
    #[wire(omit)]
    pub reason: String,
}

/// Result of `CredentialValidator.ModelCredential`.
#[derive(Clone, Debug, Default, PartialEq, Wire)]
pub struct ModelCredential {
    pub credential_tag: String,
    #[wire(omit)]
    pub exists: bool,
    pub model_tag: String,
    #[wire(omit)]
    pub valid: bool,
}
