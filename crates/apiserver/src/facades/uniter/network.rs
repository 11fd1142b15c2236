//! Addresses of the unit, for hooks.

use std::collections::BTreeMap;

use juju_core::{Address, Tag, network::Scope};
use juju_wire::{
    facade::uniter::{
        InterfaceAddress, NetworkInfo, NetworkInfoParams, NetworkInfoResult, NetworkInfoResults,
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Error, Result,
    bulk::{FromResults as _, each, tags},
};

pub(super) async fn private_address(ctx: Ctx, args: Entities) -> Result<StringResults> {
    let one = async |tag: String| {
        let addresses = addresses(&ctx, &tag)?;
        let found = addresses.private.as_ref().map(|it| it.address.value.clone());
        Ok(found.ok_or(juju_state::Error::NoAddressSet("private"))?)
    };
    Ok(StringResults::from_results(each(tags(args), one).await))
}

pub(super) async fn public_address(ctx: Ctx, args: Entities) -> Result<StringResults> {
    let one = async |tag: String| {
        let addresses = addresses(&ctx, &tag)?;
        let found = addresses.public.as_ref().map(|it| it.address.value.clone());
        Ok(found.ok_or(juju_state::Error::NoAddressSet("public"))?)
    };
    Ok(StringResults::from_results(each(tags(args), one).await))
}

/// Of the machine that the unit is on; a unit may ask after those of its own machine alone.
fn addresses(ctx: &Ctx, tag: &str) -> Result<std::sync::Arc<juju_state::address::AddressesDoc>> {
    let unit = caller::own_unit(ctx, tag)?;
    Ok(ctx.model().addresses(&ctx.model().unit_machine(&unit)?)?)
}

/// The addresses behind each binding. All endpoints are in the one space that there is, so all answer the same.
pub(super) async fn info(ctx: Ctx, args: NetworkInfoParams) -> Result<NetworkInfoResults> {
    if !matches!(args.unit.parse(), Ok(Tag::Unit(ref name)) if name == caller::unit(&ctx)?) {
        return Err(Error::unauthorized());
    }
    let unit = caller::own_unit(&ctx, &args.unit)?;
    let model = ctx.model();
    let bindings = model.bindings(unit.app())?;
    let machine = model.addresses(&model.unit_machine(&unit)?)?;
    let mut results = BTreeMap::new();
    for binding in args.bindings {
        let known = binding.is_empty() || binding == "juju-info" || bindings.contains_key(&binding);
        let result = match known {
            true => one(&machine.all(), machine.private.as_ref().map(|it| &it.address)),
            false => NetworkInfoResult {
                error: Some(juju_wire::Error::not_found(format!(
                    "binding name {binding:?} not defined by the unit's charm"
                ))),
                ..NetworkInfoResult::default()
            },
        };
        results.insert(binding, result);
    }
    Ok(NetworkInfoResults { results })
}

fn one(all: &[&Address], preferred: Option<&Address>) -> NetworkInfoResult {
    // The preferred one first: what others are told.
    let mut usable: Vec<&Address> = all
        .iter()
        .copied()
        .filter(|it| !matches!(it.scope, Scope::LocalMachine | Scope::LinkLocal))
        .collect();
    usable.sort_by_key(|it| preferred.is_none_or(|first| first.value != it.value));
    let shown = |it: &&Address| InterfaceAddress {
        value: it.value.clone(),
        cidr: it.cidr.clone().unwrap_or_default(),
        hostname: String::new(),
    };
    let ingress: Vec<String> = usable.iter().map(|it| it.value.clone()).collect();
    let egress = ingress.first().map(|it| format!("{it}/{}", if it.contains(':') { 128 } else { 32 }));
    NetworkInfoResult {
        bind_addresses: vec![NetworkInfo {
            addresses: usable.iter().map(shown).collect(),
            ..NetworkInfo::default()
        }],
        ingress_addresses: ingress,
        egress_subnets: egress.into_iter().collect(),
        error: None,
    }
}
