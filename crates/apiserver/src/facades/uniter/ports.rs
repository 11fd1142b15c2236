//! Ports that are open on the unit's machine.

use std::collections::BTreeMap;

use juju_core::{Tag, UnitPorts};
use juju_wire::{
    facade::uniter::{
        OpenPortRangesByEndpointResult, OpenPortRangesByEndpointResults, OpenUnitPortRangesByEndpoint,
        PortRange,
    },
    params::*,
};

use super::caller;
use crate::{
    Ctx, Result,
    bulk::{FromOutcome, each, outcome, tags},
};

type ByUnit = BTreeMap<String, Vec<OpenUnitPortRangesByEndpoint>>;

impl FromOutcome<ByUnit> for OpenPortRangesByEndpointResult {
    fn value(unit_port_ranges: ByUnit) -> Self {
        OpenPortRangesByEndpointResult { unit_port_ranges, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        OpenPortRangesByEndpointResult { error: Some(error), ..Default::default() }
    }
}

/// What all units of the machine have open, since two cannot have the same.
pub(super) async fn of_machine(ctx: Ctx, args: Entities) -> Result<OpenPortRangesByEndpointResults> {
    let one = async |tag: String| {
        let machine = caller::own_machine(&ctx, &tag)?;
        let ports = ctx.model().ports(&machine)?;
        Ok(ports.iter().map(|(unit, doc)| (Tag::from(unit.clone()).to_string(), shown(&doc.ports))).collect())
    };
    Ok(OpenPortRangesByEndpointResults { results: each(tags(args), one).await })
}

pub(super) async fn of_unit(ctx: Ctx, (): ()) -> Result<OpenPortRangesByEndpointResults> {
    let read = || {
        let unit = caller::unit(&ctx)?;
        let machine = ctx.model().unit_machine(unit)?;
        let ports = ctx.model().ports(&machine)?;
        let own = ports.iter().filter(|(name, _)| name == unit);
        Ok(own
            .map(|(unit, doc)| (Tag::from(unit.clone()).to_string(), shown(&doc.ports)))
            .collect::<ByUnit>())
    };
    Ok(OpenPortRangesByEndpointResults { results: vec![outcome(read())] })
}

fn shown(ports: &UnitPorts) -> Vec<OpenUnitPortRangesByEndpoint> {
    let one = |range: &juju_core::PortRange| PortRange {
        from_port: range.from_port(),
        to_port: range.to_port(),
        protocol: range.protocol().as_str().to_owned(),
    };
    let by_endpoint = ports.by_endpoint().map(|(endpoint, ranges)| OpenUnitPortRangesByEndpoint {
        endpoint: endpoint.to_owned(),
        port_ranges: ranges.iter().map(one).collect(),
    });
    by_endpoint.collect()
}
