//! Configuration of the application and of the model, and the leader's settings.

use juju_core::Tag;
use juju_state::cloud;
use juju_wire::{
    facade::uniter::{
        ConfigSettingsResult, ConfigSettingsResults, GetLeadershipSettingsBulkResults,
        GetLeadershipSettingsResult, MergeLeadershipSettingsBulkParams, MergeLeadershipSettingsParam,
        ModelResult,
    },
    params::*,
};
use serde_json::Value;
use std::collections::BTreeMap;

use super::caller;
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, FromResults as _, each, outcome, tags},
};

impl FromOutcome<BTreeMap<String, Value>> for ConfigSettingsResult {
    fn value(settings: BTreeMap<String, Value>) -> Self {
        ConfigSettingsResult { settings, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ConfigSettingsResult { error: Some(error), ..Default::default() }
    }
}

/// As the unit's charm sees them, defaults among them.
pub(super) async fn settings(ctx: Ctx, args: Entities) -> Result<ConfigSettingsResults> {
    let one = async |tag: String| {
        let unit = caller::own_unit(&ctx, &tag)?;
        Ok(ctx.model().unit_config(&unit)?.into_iter().collect())
    };
    Ok(ConfigSettingsResults { results: each(tags(args), one).await })
}

pub(super) async fn current_model(ctx: Ctx, (): ()) -> Result<ModelResult> {
    let doc = ctx.model().doc()?;
    Ok(ModelResult {
        name: doc.name.to_string(),
        uuid: doc.uuid.to_string(),
        type_: "iaas".to_owned(),
        ..ModelResult::default()
    })
}

pub(super) async fn provider_type(ctx: Ctx, (): ()) -> Result<StringResult> {
    let cloud = cloud::read(&ctx.state().image(), &ctx.model().doc()?.cloud)?;
    Ok(outcome(Ok(cloud.kind.clone())))
}

/// Clouds of machines have no such version.
pub(super) async fn cloud_api_version(_: Ctx, (): ()) -> Result<StringResult> {
    Ok(outcome(Ok(String::new())))
}

pub(super) async fn sla_level(_: Ctx, (): ()) -> Result<StringResult> {
    Ok(outcome(Ok("unsupported".to_owned())))
}

impl FromOutcome<BTreeMap<String, String>> for GetLeadershipSettingsResult {
    fn value(settings: BTreeMap<String, String>) -> Self {
        GetLeadershipSettingsResult { settings, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        GetLeadershipSettingsResult { error: Some(error), ..Default::default() }
    }
}

pub(super) async fn read_leader_settings(
    ctx: Ctx,
    args: Entities,
) -> Result<GetLeadershipSettingsBulkResults> {
    let one = async |tag: String| {
        let application = caller::own_application(&ctx, &tag)?;
        Ok(ctx.model().leader_settings(&application)?.settings.clone())
    };
    Ok(GetLeadershipSettingsBulkResults { results: each(tags(args), one).await })
}

pub(super) async fn merge_leader_settings(
    ctx: Ctx,
    args: MergeLeadershipSettingsBulkParams,
) -> Result<ErrorResults> {
    let one = async |it: MergeLeadershipSettingsParam| {
        caller::own_application(&ctx, &it.application_tag)?;
        let unit = caller::unit(&ctx)?.clone();
        // Older agents leave the unit out; it is the caller.
        if !it.unit_tag.is_empty() && it.unit_tag != Tag::from(unit.clone()).to_string() {
            return Err(Error::unauthorized());
        }
        Ok(ctx.model().merge_leader_settings(&unit, &it.settings).await?)
    };
    Ok(ErrorResults::from_results(each(args.params, one).await))
}
