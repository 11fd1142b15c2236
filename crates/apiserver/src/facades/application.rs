//! `Application`: the applications of a model, their units and relations (Juju 3.6
//! `apiserver/facades/client/application`).
//!
//! A file a concern below this one. What would change the model asks first whether its blocks allow that.

mod bindings;
mod charm;
mod config;
mod constraints;
mod deploy;
mod destroy;
mod expose;
mod info;
mod relations;
mod units;

pub(super) use expose::to_wire as exposed_to_wire;
use juju_state::block::BlockKind;
use juju_wire::facade::application::call;

use crate::{Ctx, Result, Router};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::Deploy>(deploy::deploy)
        .on::<call::SetCharm>(charm::set_charm)
        .on::<call::GetCharmURLOrigin>(charm::url_and_origin)
        .on::<call::UpdateApplicationBase>(charm::update_base)
        .on::<call::CharmRelations>(charm::relations)
        .on::<call::Get>(config::get)
        .on::<call::GetConfig>(config::get_config)
        .on::<call::CharmConfig>(config::charm_config)
        .on::<call::SetConfigs>(config::set)
        .on::<call::UnsetApplicationsConfig>(config::unset)
        .on::<call::GetConstraints>(constraints::get)
        .on::<call::SetConstraints>(constraints::set)
        .on::<call::MergeBindings>(bindings::merge)
        .on::<call::AddUnits>(units::add)
        .on::<call::UnitsInfo>(units::info)
        .on::<call::ResolveUnitErrors>(units::resolve)
        .on::<call::Leader>(units::leader)
        .on::<call::DestroyUnit>(destroy::units)
        .on::<call::DestroyApplication>(destroy::applications)
        .on::<call::AddRelation>(relations::add)
        .on::<call::DestroyRelation>(relations::destroy)
        .on::<call::SetRelationsSuspended>(relations::set_suspended)
        .on::<call::Expose>(expose::expose)
        .on::<call::Unexpose>(expose::unexpose)
        .on::<call::ApplicationsInfo>(info::applications);
}

/// Fails where a block keeps users from changing the model.
fn may_change(ctx: &Ctx) -> Result<()> {
    Ok(ctx.model().check_allowed(BlockKind::Change)?)
}

/// Fails where a block keeps users from removing anything.
fn may_remove(ctx: &Ctx) -> Result<()> {
    Ok(ctx.model().check_allowed(BlockKind::Remove)?)
}
