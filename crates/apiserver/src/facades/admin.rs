//! `Admin`, after the login: there is no second one. The first is in [`login`](crate::login).

use juju_wire::facade::admin::{LoginRequest, LoginResult, RedirectInfoResult, call};

use crate::{Ctx, Result, Router, login};

pub(super) fn register(router: &mut Router) {
    router.on::<call::Login>(log_in).on::<call::RedirectInfo>(redirect_info);
}

async fn log_in(_: Ctx, _: LoginRequest) -> Result<LoginResult> {
    Err(login::already_logged_in())
}

async fn redirect_info(_: Ctx, (): ()) -> Result<RedirectInfoResult> {
    Err(login::not_redirected())
}
