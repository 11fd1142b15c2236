//! Who is let in.

use std::collections::BTreeMap;

use juju_core::SpaceName;
use juju_state::application::ExposedEndpoint;
use juju_wire::{
    facade::application::{ApplicationExpose, ApplicationUnexpose},
    params,
};

use super::may_change;
use crate::{Ctx, Error, Result, convert};

/// Everybody, in both of the internet's families.
const EVERYBODY: [&str; 2] = ["0.0.0.0/0", "::/0"];

pub(super) async fn expose(ctx: Ctx, args: ApplicationExpose) -> Result<()> {
    may_change(&ctx)?;
    let name = convert::application_name(&args.application)?;
    let endpoints = args.exposed_endpoints.into_iter().map(|(endpoint, to)| Ok((endpoint, from_wire(to)?)));
    let endpoints = endpoints.collect::<Result<BTreeMap<_, _>>>()?;
    Ok(ctx.model().expose(&name, &endpoints).await?)
}

/// An endpoint for which nobody is named is for everybody.
fn from_wire(it: params::ExposedEndpoint) -> Result<ExposedEndpoint> {
    if let Some(unknown) = it.expose_to_spaces.iter().find(|it| *it != SpaceName::ALPHA) {
        return Err(Error::not_found(format_args!("space {unknown:?}")));
    }
    let mut cidrs = it.expose_to_cidrs;
    if cidrs.is_empty() && it.expose_to_spaces.is_empty() {
        cidrs = EVERYBODY.map(str::to_owned).into();
    }
    Ok(ExposedEndpoint { spaces: it.expose_to_spaces, cidrs })
}

pub(in super::super) fn to_wire(
    endpoints: &BTreeMap<String, ExposedEndpoint>,
) -> BTreeMap<String, params::ExposedEndpoint> {
    let one = |it: &ExposedEndpoint| params::ExposedEndpoint {
        expose_to_spaces: it.spaces.clone(),
        expose_to_cidrs: it.cidrs.clone(),
    };
    endpoints.iter().map(|(endpoint, to)| (endpoint.clone(), one(to))).collect()
}

pub(super) async fn unexpose(ctx: Ctx, args: ApplicationUnexpose) -> Result<()> {
    may_change(&ctx)?;
    let name = convert::application_name(&args.application)?;
    Ok(ctx.model().unexpose(&name, &args.exposed_endpoints).await?)
}
