//! Units: adding them, what is known of them, and going on from their failures.

use std::collections::BTreeMap;

use juju_core::{ApplicationName, Status, Tag, UnitName};
use juju_state::{
    address, application, lease, ports,
    relation::{
        self, RelationDoc,
        settings::{self, Bag},
    },
    status::{self, StatusOf},
    unit::{self, UnitDoc},
};
use juju_store::Image;
use juju_wire::{
    facade::application::{
        AddApplicationUnits, AddApplicationUnitsResults, EndpointRelationData, RelationData, UnitInfoResult,
        UnitInfoResults, UnitResult, UnitsResolved,
    },
    params::{Entities, Entity, ErrorResult, ErrorResults, StringResult},
};
use serde_json::Value;

use super::may_change;
use crate::{
    Ctx, Error, Result,
    bulk::{FromResults as _, each, outcome, tags},
    convert,
};

pub(super) async fn add(ctx: Ctx, args: AddApplicationUnits) -> Result<AddApplicationUnitsResults> {
    may_change(&ctx)?;
    let count = args.num_units;
    if count < 1 {
        return Err(Error::other("must add at least one unit"));
    }
    if !args.attach_storage.is_empty() {
        if count > 1 {
            return Err(Error::other(format_args!("AttachStorage is non-empty, but NumUnits is {count}")));
        }
        return Err(Error::not_supported("adding units with storage is not implemented"));
    }
    let name = convert::application_name(&args.application)?;
    ctx.model().application(&name)?;
    let count = u32::try_from(count)
        .map_err(|_| Error::not_valid(format_args!("number of units {count} not valid")))?;
    let placements = args.placement.iter().map(|it| convert::placement_from_wire(it, ctx.model_uuid()));
    let added = ctx.model().add_units(&name, count, &placements.collect::<Result<Vec<_>>>()?).await?;
    Ok(AddApplicationUnitsResults { units: added.iter().map(UnitName::to_string).collect() })
}

pub(super) async fn leader(ctx: Ctx, args: Entity) -> Result<StringResult> {
    let find = || {
        let name = convert::application_tag(&args.tag)?;
        let image = ctx.model().image();
        application::read(&image, ctx.model_uuid(), &name)?;
        let leader = lease::leader(&image, ctx.model_uuid(), &name)?;
        Ok(leader.ok_or_else(|| Error::not_found(format_args!("leader for {}", args.tag)))?.to_string())
    };
    Ok(outcome(find()))
}

/// All that have failed, or those that are named. One that has not failed is an error only where it is named.
pub(super) async fn resolve(ctx: Ctx, args: UnitsResolved) -> Result<ErrorResults> {
    may_change(&ctx)?;
    let model = ctx.model();
    if args.all {
        let image = model.image();
        for unit in unit::all(&image, model.uuid())? {
            let agent = status::read(&image, model.uuid(), &StatusOf::Agent(unit.name.clone()))?;
            if agent.info.status == Status::Error {
                match model.resolve_unit(&unit.name, args.retry).await {
                    // It went, or somebody else resolved it.
                    Err(err) if err.is_not_found() || is_resolved(&err) => {}
                    other => other?,
                }
            }
        }
        return Ok(ErrorResults::default());
    }
    let one = async |tag: String| Ok(model.resolve_unit(&convert::unit_tag(&tag)?, args.retry).await?);
    let results: Vec<ErrorResult> = each(tags(args.tags.unwrap_or_default()), one).await;
    Ok(ErrorResults::from_results(results))
}

fn is_resolved(err: &juju_state::Error) -> bool {
    matches!(err, juju_state::Error::AlreadySo(_))
}

/// Of the units that are named, and of all those of applications that are.
pub(super) async fn info(ctx: Ctx, args: Entities) -> Result<UnitInfoResults> {
    let looking = Looking { image: ctx.model().image(), ctx: &ctx };
    let mut results = vec![];
    for tag in tags(args) {
        match looking.units(&tag) {
            Ok(units) => results.extend(units.iter().map(|it| turn(looking.one(it)))),
            Err(err) => results.push(turn(Err(err))),
        }
    }
    Ok(UnitInfoResults { results })
}

fn turn(result: Result<UnitResult>) -> UnitInfoResult {
    match result {
        Ok(it) => UnitInfoResult { result: Some(it), error: None },
        Err(err) => UnitInfoResult { result: None, error: Some(err.into()) },
    }
}

struct Looking<'a> {
    ctx: &'a Ctx,
    image: Image,
}

impl Looking<'_> {
    fn units(&self, tag: &str) -> Result<Vec<std::sync::Arc<UnitDoc>>> {
        let (image, m) = (&self.image, self.ctx.model_uuid());
        match tag.parse() {
            Ok(Tag::Unit(name)) => Ok(vec![unit::read(image, m, &name)?]),
            Ok(Tag::Application(name)) => {
                application::read(image, m, &name)?;
                Ok(unit::read_of(image, m, &name)?)
            }
            _ => Err(convert::bad_tag(tag, "unit")),
        }
    }

    fn one(&self, unit: &UnitDoc) -> Result<UnitResult> {
        let (image, m) = (&self.image, self.ctx.model_uuid());
        let name = &unit.name;
        let application = application::read(image, m, name.app())?;
        let machine = unit::read_machine_of(image, m, unit)?;
        let (mut opened_ports, mut public_address) = (vec![], String::new());
        if let Some(machine) = &machine {
            opened_ports =
                ports::of_unit(image, m, machine, name)?.ranges().iter().map(ToString::to_string).collect();
            let addresses = address::read(image, m, machine)?;
            public_address = addresses.public.as_ref().map(|it| it.address.value.clone()).unwrap_or_default();
        }
        let charm = unit.charm_url.as_ref().unwrap_or(&application.charm_url);
        Ok(UnitResult {
            tag: Tag::from(name).to_string(),
            workload_version: self.ctx.model().workload_version(name).unwrap_or_default(),
            machine: machine.map(|it| it.to_string()).unwrap_or_default(),
            opened_ports,
            public_address,
            charm: charm.to_string(),
            leader: lease::leader(image, m, name.app())?.as_ref() == Some(name),
            life: unit.life.to_string(),
            relation_data: self.relation_data(unit)?,
            ..UnitResult::default()
        })
    }

    /// What was said in each relation of the unit's application: by the other application, by this unit, and by the
    /// units of the other side.
    fn relation_data(&self, unit: &UnitDoc) -> Result<Vec<EndpointRelationData>> {
        let (image, m) = (&self.image, self.ctx.model_uuid());
        let relations = relation::read_of(image, m, unit.name.app())?;
        relations.iter().map(|it| self.relation(it, unit)).collect()
    }

    fn relation(&self, relation: &RelationDoc, unit: &UnitDoc) -> Result<EndpointRelationData> {
        let own = relation.endpoint(unit.name.app())?;
        let related = relation.other_side(unit.name.app())?;
        let mut units = BTreeMap::from([(unit.name.to_string(), self.bag(relation, unit)?)]);
        for other in unit::read_of(&self.image, self.ctx.model_uuid(), &related.application)? {
            units.insert(other.name.to_string(), self.bag(relation, &other)?);
        }
        Ok(EndpointRelationData {
            relation_id: relation.id.0.into(),
            endpoint: own.name.to_string(),
            related_endpoint: related.name.to_string(),
            cross_model: false,
            application_data: self.application_bag(relation, &related.application)?,
            unit_relation_data: units,
        })
    }

    fn bag(&self, relation: &RelationDoc, unit: &UnitDoc) -> Result<RelationData> {
        let (image, m) = (&self.image, self.ctx.model_uuid());
        let in_scope = relation::scope::read(image, m, relation, unit)?.is_some();
        let bag = settings::read(image, m, relation.id, Bag::Unit(&unit.name))?;
        // What a unit that has left had said is nobody's any more.
        let unit_data = if in_scope { values(&bag.settings) } else { BTreeMap::new() };
        Ok(RelationData { in_scope, unit_data })
    }

    fn application_bag(
        &self,
        relation: &RelationDoc,
        name: &ApplicationName,
    ) -> Result<BTreeMap<String, Value>> {
        let bag = settings::read(&self.image, self.ctx.model_uuid(), relation.id, Bag::Application(name))?;
        Ok(values(&bag.settings))
    }
}

fn values(settings: &settings::Settings) -> BTreeMap<String, Value> {
    settings.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect()
}
