//! Statuses of the unit and of its application.

use std::collections::BTreeMap;

use juju_core::{UnitName, status};
use juju_state::{lease, status::StatusOf};
use juju_wire::{
    Time,
    facade::uniter::{
        ApplicationStatusResult, ApplicationStatusResults, GoalState, GoalStateResult, GoalStateResults,
        GoalStateStatus,
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Result,
    bulk::{FromOutcome, FromResults as _, each, tags},
    convert,
};

pub(super) async fn set_agent(ctx: Ctx, args: SetStatus) -> Result<ErrorResults> {
    let one = async |it: EntityStatusArgs| {
        let unit = caller::own_unit(&ctx, &it.tag)?;
        Ok(ctx.model().set_agent_status(&unit, &convert::new_status(&it)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}

pub(super) async fn set_unit(ctx: Ctx, args: SetStatus) -> Result<ErrorResults> {
    let one = async |it: EntityStatusArgs| {
        let unit = caller::own_unit(&ctx, &it.tag)?;
        Ok(ctx.model().set_workload_status(&unit, &convert::new_status(&it)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}

/// For the leader alone. It is the unit's tag that travels.
pub(super) async fn set_application(ctx: Ctx, args: SetStatus) -> Result<ErrorResults> {
    let one = async |it: EntityStatusArgs| {
        let unit = caller::own_unit(&ctx, &it.tag)?;
        Ok(ctx.model().set_application_status(unit.app(), Some(&unit), &convert::new_status(&it)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.entities, one).await))
}

impl FromOutcome<StatusResult> for StatusResult {
    fn value(it: StatusResult) -> Self {
        it
    }
    fn error(error: juju_wire::Error) -> Self {
        StatusResult { error: Some(error), ..Default::default() }
    }
}

/// What the charm said of its workload.
pub(super) async fn unit(ctx: Ctx, args: Entities) -> Result<StatusResults> {
    let one = async |tag: String| workload(&ctx, &caller::own_unit(&ctx, &tag)?);
    Ok(StatusResults { results: each(tags(args), one).await })
}

fn workload(ctx: &Ctx, unit: &UnitName) -> Result<StatusResult> {
    let life = ctx.model().unit(unit)?.life;
    let status = ctx.model().status(&StatusOf::Workload(unit.clone()))?;
    Ok(convert::status_result(unit.to_string(), life, &status.info))
}

impl FromOutcome<ApplicationStatusResult> for ApplicationStatusResult {
    fn value(it: ApplicationStatusResult) -> Self {
        it
    }
    fn error(error: juju_wire::Error) -> Self {
        ApplicationStatusResult { error: Some(error), ..Default::default() }
    }
}

/// The application's status with those of its units, for the leader.
pub(super) async fn application(ctx: Ctx, args: Entities) -> Result<ApplicationStatusResults> {
    let one = async |tag: String| {
        let unit = caller::own_unit(&ctx, &tag)?;
        let (model, name) = (ctx.model(), unit.app());
        if lease::leader(&model.image(), model.uuid(), name)?.as_ref() != Some(&unit) {
            return Err(juju_state::Error::NotLeader {
                unit: unit.to_string(),
                application: name.to_string(),
            }
            .into());
        }
        let application = model.application(name)?;
        let mut units = BTreeMap::new();
        let mut infos = vec![];
        for it in model.application_units(name)? {
            infos.push(model.status(&StatusOf::Workload(it.name.clone()))?.info.clone());
            units.insert(it.name.to_string(), workload(&ctx, &it.name)?);
        }
        let stored = model.status(&StatusOf::Application(name.clone()))?;
        let shown = status::shown_application(&stored.info, &infos);
        let application = convert::status_result(name.to_string(), application.life, &shown);
        Ok(ApplicationStatusResult { application, units, error: None })
    };
    Ok(ApplicationStatusResults { results: each(tags(args), one).await })
}

impl FromOutcome<GoalState> for GoalStateResult {
    fn value(result: GoalState) -> Self {
        GoalStateResult { result, ..Default::default() }
    }
    fn error(error: juju_wire::Error) -> Self {
        GoalStateResult { error, ..Default::default() }
    }
}

/// The units that there will be once everything is up: of the application, and of each it is related to.
pub(super) async fn goal_states(ctx: Ctx, args: Entities) -> Result<GoalStateResults> {
    let one = async |tag: String| {
        let unit = caller::own_unit(&ctx, &tag)?;
        let model = ctx.model();
        let mut goal = GoalState { units: goal_units(&ctx, unit.app())?, ..GoalState::default() };
        for relation in model.application_relations(unit.app())? {
            if relation.is_peer() {
                continue;
            }
            let (own, other) = (relation.endpoint(unit.app())?, relation.other_side(unit.app())?);
            let status = model.status(&StatusOf::Relation(relation.id))?;
            let entries = goal.relations.entry(own.name.to_string()).or_default();
            let entry = |info: &juju_core::StatusInfo| GoalStateStatus {
                status: info.status.as_str().to_owned(),
                since: Time(info.since),
            };
            entries.insert(other.application.to_string(), entry(&status.info));
            entries.extend(goal_units(&ctx, &other.application)?);
        }
        Ok(goal)
    };
    Ok(GoalStateResults { results: each(tags(args), one).await })
}

fn goal_units(ctx: &Ctx, name: &juju_core::ApplicationName) -> Result<BTreeMap<String, GoalStateStatus>> {
    let mut units = BTreeMap::new();
    for it in ctx.model().application_units(name)? {
        let info = &ctx.model().status(&StatusOf::Workload(it.name.clone()))?.info;
        // One that goes is told as dying, whatever its workload says.
        let status = if it.life.is_alive() { info.status.as_str() } else { it.life.as_str() };
        units.insert(
            it.name.to_string(),
            GoalStateStatus { status: status.to_owned(), since: Time(info.since) },
        );
    }
    Ok(units)
}
