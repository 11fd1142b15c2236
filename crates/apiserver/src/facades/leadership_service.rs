//! `LeadershipService`: units claim to lead their applications (Juju 3.6 `apiserver/facades/agent/leadership`).

use std::time::Duration;

use juju_core::{ApplicationName, Tag};
use juju_state::lease::LeaseId;
use juju_wire::{
    facade::leadership_service::{
        ApplicationTag, ClaimLeadershipBulkParams, ClaimLeadershipBulkResults, ClaimLeadershipParams, call,
    },
    params::*,
};

use crate::{
    Ctx, Entity, Error, Result, Router,
    bulk::{each, outcome},
};

pub(super) fn register(router: &mut Router) {
    router.on::<call::ClaimLeadership>(claim).on::<call::BlockUntilLeadershipReleased>(block);
}

async fn claim(ctx: Ctx, args: ClaimLeadershipBulkParams) -> Result<ClaimLeadershipBulkResults> {
    let one = async |it: ClaimLeadershipParams| {
        let application = own_application(&ctx, &it.application_tag)?;
        let Ok(Tag::Unit(unit)) = it.unit_tag.parse() else { return Err(Error::unauthorized()) };
        if ctx.entity().tag() != Tag::Unit(unit.clone()) {
            return Err(Error::unauthorized());
        }
        let seconds = it.duration;
        if !seconds.is_finite() || seconds < 0.0 || seconds > f64::from(u32::MAX) {
            return Err(Error::not_valid(format!("duration of {seconds} seconds")));
        }
        let lease = LeaseId::leadership(ctx.model_uuid(), &application);
        let leases = ctx.leases();
        let now = leases.now();
        Ok(leases.manager().claim(&lease, &unit.to_string(), Duration::from_secs_f64(seconds), now).await?)
    };
    Ok(ClaimLeadershipBulkResults { results: each(args.params, one).await })
}

/// Answers once nobody leads the application.
async fn block(ctx: Ctx, args: ApplicationTag) -> Result<ErrorResult> {
    let wait = async {
        let application = own_application(&ctx, &args.name)?;
        let lease = LeaseId::leadership(ctx.model_uuid(), &application);
        Ok(ctx.leases().manager().released(&lease).await?)
    };
    Ok(outcome(wait.await))
}

/// A unit may ask about its own application only.
fn own_application(ctx: &Ctx, tag: &str) -> Result<ApplicationName> {
    match (ctx.entity(), tag.parse()) {
        (Entity::Unit(unit), Ok(Tag::Application(name))) if *unit.app() == name => Ok(name),
        _ => Err(Error::unauthorized()),
    }
}
