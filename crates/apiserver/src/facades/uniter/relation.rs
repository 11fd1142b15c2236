//! The relations of the unit's application.

use juju_core::{RelationId, Tag};
use juju_state::relation::RelationDoc;
use juju_wire::{
    facade::uniter::{
        Endpoint, RelatedApplicationDetails, RelationIds, RelationResultV2, RelationResultsV2,
        RelationStatusArg, RelationStatusArgs, RelationUnit, RelationUnitStatus, RelationUnitStatusResult,
        RelationUnitStatusResults, RelationUnits,
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, FromResults as _, each, tags},
    convert,
};

impl FromOutcome<RelationResultV2> for RelationResultV2 {
    fn value(it: RelationResultV2) -> Self {
        it
    }
    fn error(error: juju_wire::Error) -> Self {
        RelationResultV2 { error: Some(error), ..Default::default() }
    }
}

pub(super) async fn relation(ctx: Ctx, args: RelationUnits) -> Result<RelationResultsV2> {
    let one = async |it: RelationUnit| {
        caller::own_unit(&ctx, &it.unit)?;
        details(&ctx, &*caller::own_relation(&ctx, &it.relation)?)
    };
    Ok(RelationResultsV2 { results: each(args.relation_units, one).await })
}

pub(super) async fn relation_by_id(ctx: Ctx, args: RelationIds) -> Result<RelationResultsV2> {
    let one = async |id: i64| {
        let own = caller::unit(&ctx)?;
        let relation = ctx.model().relation(relation_id(id)?).map_err(|_| Error::unauthorized())?;
        relation.endpoint(own.app()).map_err(|_| Error::unauthorized())?;
        details(&ctx, &relation)
    };
    Ok(RelationResultsV2 { results: each(args.relation_ids, one).await })
}

fn relation_id(id: i64) -> Result<RelationId> {
    u32::try_from(id).map(RelationId).map_err(|_| Error::not_valid(format!("relation id {id}")))
}

fn details(ctx: &Ctx, relation: &RelationDoc) -> Result<RelationResultV2> {
    let own = caller::unit(ctx)?.app();
    let (endpoint, other) = (relation.endpoint(own)?, relation.other_side(own)?);
    let details = RelatedApplicationDetails {
        application: other.application.to_string(),
        model_uuid: ctx.model_uuid().to_string(),
    };
    Ok(RelationResultV2 {
        id: i64::from(relation.id.0),
        key: relation.key.to_string(),
        life: relation.life.to_string(),
        bool: relation.suspended,
        endpoint: Endpoint {
            application_name: own.to_string(),
            relation: CharmRelation {
                name: endpoint.name.to_string(),
                role: endpoint.role.as_str().to_owned(),
                interface: endpoint.interface.clone(),
                optional: endpoint.optional,
                limit: endpoint.limit.into(),
                // What the relation has come to: either side may have made it a container's.
                scope: relation.scope().as_str().to_owned(),
            },
        },
        other_application: Some(details),
        error: None,
    })
}

impl FromOutcome<Vec<RelationUnitStatus>> for RelationUnitStatusResult {
    fn value(results: Vec<RelationUnitStatus>) -> Self {
        RelationUnitStatusResult { results, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        RelationUnitStatusResult { error: Some(error), ..Default::default() }
    }
}

pub(super) async fn relations_status(ctx: Ctx, args: Entities) -> Result<RelationUnitStatusResults> {
    let one = async |tag: String| {
        let unit = caller::own_unit(&ctx, &tag)?;
        let relations = ctx.model().unit_relations(&unit)?;
        let shown = relations.iter().map(|(relation, in_scope)| RelationUnitStatus {
            relation_tag: Tag::from(relation.key.clone()).to_string(),
            in_scope: *in_scope,
            suspended: relation.suspended,
        });
        Ok(shown.collect::<Vec<_>>())
    };
    Ok(RelationUnitStatusResults { results: each(tags(args), one).await })
}

pub(super) async fn enter_scope(ctx: Ctx, args: RelationUnits) -> Result<ErrorResults> {
    let one = async |it: RelationUnit| {
        let unit = caller::own_unit(&ctx, &it.unit)?;
        let relation = caller::own_relation(&ctx, &it.relation)?;
        Ok(ctx.model().enter_scope(relation.id, &unit).await?)
    };
    Ok(ErrorResults::from_results(each(args.relation_units, one).await))
}

pub(super) async fn leave_scope(ctx: Ctx, args: RelationUnits) -> Result<ErrorResults> {
    let one = async |it: RelationUnit| {
        let unit = caller::own_unit(&ctx, &it.unit)?;
        let relation = caller::own_relation(&ctx, &it.relation)?;
        Ok(ctx.model().leave_scope(relation.id, &unit).await?)
    };
    Ok(ErrorResults::from_results(each(args.relation_units, one).await))
}

/// For the leader alone.
pub(super) async fn set_status(ctx: Ctx, args: RelationStatusArgs) -> Result<ErrorResults> {
    let one = async |it: RelationStatusArg| {
        let unit = caller::own_unit(&ctx, &it.unit_tag)?;
        let relation =
            ctx.model().relation(relation_id(it.relation_id)?).map_err(|_| Error::unauthorized())?;
        relation.endpoint(unit.app()).map_err(|_| Error::unauthorized())?;
        let args = EntityStatusArgs { status: it.status, info: it.message, ..EntityStatusArgs::default() };
        Ok(ctx.model().set_relation_status(relation.id, Some(&unit), &convert::new_status(&args)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.args, one).await))
}
