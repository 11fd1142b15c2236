//! Tags and names of one kind, as clients write them.

use juju_core::{ApplicationName, CharmUrl, MachineId, UnitName, tag::TagId};

use crate::{Error, Result};

/// A tag of another kind, or none at all.
pub(crate) fn bad_tag(text: &str, kind: &str) -> Error {
    Error::bad_request(format_args!("{text:?} is not a valid {kind} tag"))
}

fn of<T: TagId>(text: &str) -> Result<T> {
    T::from_tag(text).map_err(|_| bad_tag(text, T::KIND.as_str()))
}

pub(crate) fn application_tag(text: &str) -> Result<ApplicationName> {
    of(text)
}

pub(crate) fn unit_tag(text: &str) -> Result<UnitName> {
    of(text)
}

pub(crate) fn machine_tag(text: &str) -> Result<MachineId> {
    of(text)
}

/// An application by its bare name.
pub(crate) fn application_name(text: &str) -> Result<ApplicationName> {
    text.parse().map_err(|_| Error::other(format_args!("{text:?} is not a valid application name")))
}

pub(crate) fn charm_url(text: &str) -> Result<CharmUrl> {
    text.parse().map_err(Error::bad_request)
}
