//! What the unit's agent has its controller remember, and what a hook has changed.

use std::collections::BTreeMap;

use juju_core::PortRange;
use juju_state::{
    commit::{HookChanges, RelationChanges},
    ports::EndpointPorts,
    unit::memory::NewMemory,
};
use juju_wire::{
    facade::uniter::{
        CommitHookChangesArg, CommitHookChangesArgs, EntityPortRange, SetUnitStateArg, SetUnitStateArgs,
        UnitStateResult, UnitStateResults,
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, FromResults as _, each, tags},
};

impl FromOutcome<UnitStateResult> for UnitStateResult {
    fn value(it: UnitStateResult) -> Self {
        it
    }
    fn error(error: juju_wire::Error) -> Self {
        UnitStateResult { error: Some(error), ..Default::default() }
    }
}

pub(super) async fn state(ctx: Ctx, args: Entities) -> Result<UnitStateResults> {
    let one = async |tag: String| {
        let memory = ctx.model().unit_memory(&caller::own_unit(&ctx, &tag)?)?;
        let text = |it: &String| Some(it.clone()).filter(|it| !it.is_empty());
        let relations: BTreeMap<String, String> =
            memory.relations.iter().map(|(id, it)| (id.to_string(), it.clone())).collect();
        Ok(UnitStateResult {
            charm_state: Some(memory.charm.clone()).filter(|it| !it.is_empty()),
            uniter_state: text(&memory.uniter),
            relation_state: Some(relations).filter(|it| !it.is_empty()),
            storage_state: text(&memory.storage),
            secret_state: text(&memory.secrets),
            ..UnitStateResult::default()
        })
    };
    Ok(UnitStateResults { results: each(tags(args), one).await })
}

pub(super) async fn set_state(ctx: Ctx, args: SetUnitStateArgs) -> Result<ErrorResults> {
    let one = async |it: SetUnitStateArg| {
        let unit = caller::own_unit(&ctx, &it.tag)?;
        Ok(ctx.model().set_unit_memory(&unit, &memory(it)?).await?)
    };
    Ok(ErrorResults::from_results(each(args.args, one).await))
}

/// What is absent stays as it is.
fn memory(it: SetUnitStateArg) -> Result<NewMemory> {
    let number = |(id, text): (String, String)| match id.parse() {
        Ok(id) => Ok((id, text)),
        Err(_) => Err(Error::not_valid(format!("relation id {id:?}"))),
    };
    let relations =
        it.relation_state.map(|it| it.into_iter().map(number).collect::<Result<_>>()).transpose()?;
    Ok(NewMemory {
        charm: it.charm_state,
        uniter: it.uniter_state,
        relations,
        storage: it.storage_state,
        secrets: it.secret_state,
    })
}

pub(super) async fn commit(ctx: Ctx, args: CommitHookChangesArgs) -> Result<ErrorResults> {
    Ok(ErrorResults::from_results(each(args.args, |it| commit_one(ctx.clone(), it)).await))
}

async fn commit_one(ctx: Ctx, it: CommitHookChangesArg) -> Result<()> {
    let unit = caller::own_unit(&ctx, &it.tag)?;
    let changes = changes(&ctx, it)?;
    Ok(ctx.model().commit_hook(&unit, &changes).await?)
}

fn changes(ctx: &Ctx, it: CommitHookChangesArg) -> Result<HookChanges> {
    refuse_unbuilt(&it)?;
    let relations = it.relation_unit_settings.unwrap_or_default().into_iter().map(|it| {
        caller::own_unit(ctx, &it.unit)?;
        let relation = caller::own_relation(ctx, &it.relation)?;
        Ok(RelationChanges { relation: relation.id, unit: it.settings, application: it.application_settings })
    });
    let unit_state = it.unit_state.map(|state| {
        if !state.tag.is_empty() {
            caller::own_unit(ctx, &state.tag)?;
        }
        memory(state)
    });
    Ok(HookChanges {
        update_addresses: it.update_network_info,
        relations: relations.collect::<Result<_>>()?,
        open_ports: ports(ctx, it.open_ports)?,
        close_ports: ports(ctx, it.close_ports)?,
        memory: unit_state.transpose()?.unwrap_or_default(),
    })
}

/// A part that cannot be carried out fails the whole: a hook's changes are made all or not at all.
fn refuse_unbuilt(it: &CommitHookChangesArg) -> Result<()> {
    fn any<T>(list: &Option<Vec<T>>) -> bool {
        list.as_ref().is_some_and(|it| !it.is_empty())
    }
    let secrets = any(&it.secret_creates)
        || any(&it.secret_updates)
        || any(&it.secret_deletes)
        || any(&it.secret_grants)
        || any(&it.secret_revokes)
        || any(&it.secret_track_latest);
    for (present, what) in [
        (secrets, "secrets"),
        (any(&it.add_storage), "storage"),
        (it.pod_spec.is_some() || it.set_raw_k8s_spec.is_some(), "Kubernetes specifications"),
    ] {
        if present {
            return Err(Error::new(
                juju_wire::code::NOT_IMPLEMENTED,
                format!("{what} of a hook are not implemented"),
            ));
        }
    }
    Ok(())
}

fn ports(ctx: &Ctx, ranges: Option<Vec<EntityPortRange>>) -> Result<Vec<EndpointPorts>> {
    let one = |it: EntityPortRange| {
        caller::own_unit(ctx, &it.tag)?;
        let protocol = it.protocol.parse().map_err(|err| Error::not_valid(format!("{err}")))?;
        let range = PortRange::new(it.from_port, it.to_port, protocol)
            .map_err(|err| Error::not_valid(err.to_string()))?;
        Ok(EndpointPorts { endpoint: it.endpoint, range })
    };
    ranges.unwrap_or_default().into_iter().map(one).collect()
}
