//! `FullStatus`: all of a model, as of one moment.
//!
//! What is shown is read from one image ([`Snapshot`]), so that no two parts of it contradict each other; which of it is
//! shown is decided by [`filter`], on facts alone; the rest is writing it down.

mod applications;
mod filter;
mod machines;
mod relations;
mod snapshot;
mod units;

use juju_core::{StatusInfo, Tag, status::model_display};
use juju_state::{credential, status::StatusOf};
use juju_wire::{
    Time,
    facade::client::{DetailedStatus, FullStatus, ModelStatusInfo, StatusParams},
};

use self::snapshot::Snapshot;
use crate::{Ctx, Result};

pub(super) async fn full(ctx: Ctx, args: StatusParams) -> Result<FullStatus> {
    let all = Snapshot::take(&ctx)?;
    let kept = if args.patterns.is_empty() {
        filter::Kept::everything(&all)
    } else {
        filter::select(&all.facts()?, &args.patterns)
    };
    Ok(FullStatus {
        model: model(&all)?,
        machines: machines::shown(&all, &kept)?,
        applications: applications::shown(&all, &kept)?,
        relations: relations::shown(&all)?,
        controller_timestamp: Time(Some(ctx.state().now())),
        ..FullStatus::default()
    })
}

fn model(all: &Snapshot) -> Result<ModelStatusInfo> {
    let doc = &all.model;
    let stored = all.status(&StatusOf::Model)?;
    let credential = doc.credential.as_ref().and_then(|it| credential::read(&all.image, it).ok());
    let invalid = credential.as_ref().and_then(|it| it.invalid.as_deref());
    Ok(ModelStatusInfo {
        name: doc.name.to_string(),
        type_: "iaas".to_owned(),
        cloud_tag: Tag::from(&doc.cloud).to_string(),
        region: doc.region.clone(),
        version: all.config.agent_version().map(|it| it.to_string()).unwrap_or_default(),
        model_status: with_all_data(&model_display(&stored, invalid)),
        sla: "unsupported".to_owned(),
        ..ModelStatusInfo::default()
    })
}

/// A status with all that was said with it, as applications and models show theirs.
fn with_all_data(info: &StatusInfo) -> DetailedStatus {
    DetailedStatus {
        status: info.status.as_str().to_owned(),
        info: info.message.clone(),
        data: info.data.clone().into_iter().collect(),
        since: Time(info.since),
        ..DetailedStatus::default()
    }
}

/// A status as the others show it: of the data only what says which relation it is about.
fn detailed(info: &StatusInfo) -> DetailedStatus {
    let mut shown = with_all_data(info);
    shown.data.retain(|key, _| key == "relation-id");
    shown
}

/// A life as statuses show it: that of the living goes without saying.
fn shown_life(life: juju_core::Life) -> String {
    if life.is_alive() { String::new() } else { life.to_string() }
}
