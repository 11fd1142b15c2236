//! Relations, as clients make and end them.

use std::sync::Arc;

use juju_core::{Life, RelationId};
use juju_state::{
    Error as StateError,
    relation::{self, RelationDoc},
};
use juju_wire::{
    code,
    facade::application::{
        AddRelation, AddRelationResults, DestroyRelation, RelationSuspendedArg, RelationSuspendedArgs,
    },
    params::ErrorResults,
};

use super::{may_change, may_remove};
use crate::{
    Ctx, Error, Result,
    bulk::{FromResults as _, each},
    convert,
    facades::how::how,
};

pub(super) async fn add(ctx: Ctx, args: AddRelation) -> Result<AddRelationResults> {
    may_change(&ctx)?;
    let [one, other] = args.endpoints.as_slice() else {
        return Err(Error::other(format_args!("cannot relate {} endpoints", args.endpoints.len())));
    };
    if !args.via_cidrs.is_empty() {
        return Err(Error::not_supported(
            "relations across models, which alone take --via, are not implemented",
        ));
    }
    let model = ctx.model();
    let (requirer, provider) = relation::infer(&model.image(), model.uuid(), one, other)?;
    let added = match model.add_relation_between(&requirer.reference(), &provider.reference()).await {
        Ok(added) => added,
        Err(StateError::AlreadyExists(what)) => {
            return Err(exists(&ctx, what, &format!("{requirer} {provider}")));
        }
        Err(other) => return Err(other.into()),
    };
    let endpoints =
        added.endpoints.iter().map(|it| (it.application.to_string(), convert::endpoint_to_wire(it)));
    Ok(AddRelationResults { endpoints: endpoints.collect() })
}

/// That it exists is in the code alone; clients match the text.
fn exists(ctx: &Ctx, what: String, key: &str) -> Error {
    let known = key.parse().ok().and_then(|key| ctx.model().relation_by_key(&key).ok());
    match known {
        Some(it) if it.life != Life::Alive => {
            Error::new(code::ALREADY_EXISTS, format_args!("{what} is dying, but not yet removed"))
        }
        _ => Error::new(code::ALREADY_EXISTS, what),
    }
}

/// By its endpoints, or by its id.
pub(super) async fn destroy(ctx: Ctx, args: DestroyRelation) -> Result<()> {
    may_remove(&ctx)?;
    let id = match args.endpoints.as_slice() {
        [] => {
            let missing = || Error::not_found(format_args!("relation {}", args.relation_id));
            let id = RelationId(u32::try_from(args.relation_id).map_err(|_| missing())?);
            ctx.model().relation(id)?.id
        }
        endpoints => find(&ctx, endpoints)?.id,
    };
    Ok(ctx.model().destroy_relation(id, how(args.force, args.max_wait, false)).await?)
}

/// The one relation that endpoints name, each an application or one with its endpoint.
fn find(ctx: &Ctx, endpoints: &[String]) -> Result<Arc<RelationDoc>> {
    let names = endpoints.join(" ");
    let mut applications = vec![];
    for text in endpoints {
        let (name, endpoint) = text.split_once(':').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
        let name = convert::application_name(name)?;
        ctx.model().application(&name)?;
        applications.push((name, endpoint));
    }
    let Some((first, _)) = applications.first() else { return Err(not_found(&names)) };
    let named = |it: &RelationDoc| {
        let has = |(name, endpoint): &(juju_core::ApplicationName, Option<&str>)| {
            let mut own = it.endpoints.iter().filter(|it| it.application == *name);
            own.any(|it| endpoint.is_none_or(|wanted| it.name == wanted))
        };
        it.endpoints.len() == applications.len() && applications.iter().all(has)
    };
    let mut found = ctx.model().application_relations(first)?;
    found.retain(|it| named(it));
    match found.as_slice() {
        [] => Err(not_found(&names)),
        [only] => Ok(only.clone()),
        several => {
            let keys: Vec<String> = several.iter().map(|it| format!("{:?}", it.key.to_string())).collect();
            Err(Error::other(format_args!(
                "ambiguous relation: {names:?} could refer to {}",
                keys.join("; ")
            )))
        }
    }
}

fn not_found(names: &str) -> Error {
    Error::not_found(format_args!("relation matching {names:?}"))
}

/// Only relations to applications of other models are suspended, and there are none yet.
pub(super) async fn set_suspended(ctx: Ctx, args: RelationSuspendedArgs) -> Result<ErrorResults> {
    may_change(&ctx)?;
    let one = async |it: RelationSuspendedArg| {
        let missing = || Error::not_found(format_args!("relation {}", it.relation_id));
        let id = RelationId(u32::try_from(it.relation_id).map_err(|_| missing())?);
        let relation = ctx.model().relation(id)?;
        if relation.suspended == it.suspended {
            return Ok(());
        }
        Err(Error::other(format_args!(
            "cannot set suspend status for {:?} which is not associated with an offer",
            relation.key.to_string()
        )))
    };
    Ok(ErrorResults::from_results(each(args.args, one).await))
}
