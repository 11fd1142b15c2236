//! Statuses.

use juju_core::{Life, StatusInfo};
use juju_state::status::NewStatus;
use juju_wire::{Time, params};

use crate::{Error, Result};

/// A status that somebody sets. Whether the entity may have it is the state's to say.
pub(crate) fn new_status(args: &params::EntityStatusArgs) -> Result<NewStatus> {
    let status = args
        .status
        .parse()
        .map_err(|_| Error::not_valid(format_args!("cannot set invalid status {:?}", args.status)))?;
    let data = args.data.clone().into_iter().collect();
    Ok(NewStatus { status, message: args.info.clone(), data })
}

pub(crate) fn status_result(id: String, life: Life, info: &StatusInfo) -> params::StatusResult {
    params::StatusResult {
        id,
        life: life.as_str().to_owned(),
        status: info.status.as_str().to_owned(),
        info: info.message.clone(),
        data: info.data.clone().into_iter().collect(),
        since: Time(info.since),
        error: None,
    }
}

pub(crate) fn entity_status(info: &StatusInfo) -> params::EntityStatus {
    params::EntityStatus {
        status: info.status.as_str().to_owned(),
        info: info.message.clone(),
        data: info.data.clone().into_iter().collect(),
        since: Time(info.since),
    }
}
