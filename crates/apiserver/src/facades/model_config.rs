//! `ModelConfig`: a model's settings and constraints (Juju 3.6 `apiserver/facades/client/modelconfig`).

use std::collections::BTreeMap;

use juju_core::Base;
use juju_state::{block::BlockKind, constraints::Of};
use juju_wire::{
    facade::model_config::{
        ConfigValue, GetConstraintsResults, ModelConfigResults, ModelSet, ModelUnset, call,
    },
    params::*,
};

use crate::{Ctx, Error, Result, Router, bulk::outcome, convert};

pub(super) fn register(router: &mut Router) {
    router
        .on::<call::ModelGet>(get)
        .on::<call::ModelSet>(set)
        .on::<call::ModelUnset>(unset)
        .on::<call::GetModelConstraints>(constraints)
        .on::<call::SetModelConstraints>(set_constraints)
        .on::<call::SLALevel>(sla_level);
}

/// Each value with where it comes from.
async fn get(ctx: Ctx, (): ()) -> Result<ModelConfigResults> {
    let config = ctx.model().config()?;
    let shown = config.iter().map(|(name, value, origin)| {
        let source = origin.as_str().to_owned();
        (name.to_owned(), ConfigValue { source, value: value.clone() })
    });
    let mut shown: BTreeMap<String, ConfigValue> = shown.collect();
    // Clients of the time before bases ask for this one: python-libjuju names no series where it is empty, and a wrong
    // one where it is missing.
    if let Some(base) = shown.get("default-base") {
        let series = base.value.as_str().and_then(|it| it.parse::<Base>().ok()).and_then(|it| it.series());
        let value = series.unwrap_or_default().into();
        shown.insert("default-series".to_owned(), ConfigValue { source: base.source.clone(), value });
    }
    Ok(ModelConfigResults { config: shown })
}

/// Which version agents run is the upgrader's to say.
async fn set(ctx: Ctx, args: ModelSet) -> Result<()> {
    ctx.model().check_allowed(BlockKind::Change)?;
    if let Some(version) = args.config.get("agent-version") {
        let config = ctx.model().config()?;
        if config.get("agent-version") != Some(version) {
            return Err(Error::not_valid("agent-version cannot be changed"));
        }
    }
    Ok(ctx.model().update_config(&args.config.into_iter().collect(), &[]).await?)
}

async fn unset(ctx: Ctx, args: ModelUnset) -> Result<()> {
    ctx.model().check_allowed(BlockKind::Change)?;
    Ok(ctx.model().update_config(&Default::default(), &args.keys).await?)
}

async fn constraints(ctx: Ctx, (): ()) -> Result<GetConstraintsResults> {
    Ok(GetConstraintsResults {
        constraints: convert::constraints_to_wire(&ctx.model().constraints(Of::Model)?),
    })
}

async fn set_constraints(ctx: Ctx, args: SetConstraints) -> Result<()> {
    ctx.model().check_allowed(BlockKind::Change)?;
    let constraints = convert::constraints_from_wire(&args.constraints)?;
    Ok(ctx.model().set_model_constraints(&constraints).await?)
}

/// Support is not a matter of levels any more.
async fn sla_level(_: Ctx, (): ()) -> Result<StringResult> {
    Ok(outcome(Ok("unsupported".to_owned())))
}
