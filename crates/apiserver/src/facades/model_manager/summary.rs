//! `ListModelSummaries`.

use juju_core::{Tag, UserName};
use juju_state::{
    access::{self, Object},
    cloud,
    destroy::Counts,
    machine,
    model::{self, ModelDoc},
    model_config,
    status::{self, StatusOf},
    user,
};
use juju_store::Image;
use juju_wire::{
    Time,
    facade::model_manager::{
        ModelEntityCount, ModelSummariesRequest, ModelSummary, ModelSummaryResult, ModelSummaryResults,
    },
};

use super::{info::unsupported, user_of};
use crate::{
    Ctx, Error, Result,
    bulk::{FromOutcome, outcome},
    convert,
};

impl FromOutcome<ModelSummary> for ModelSummaryResult {
    fn value(result: ModelSummary) -> Self {
        ModelSummaryResult { result: Some(result), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ModelSummaryResult { result: None, error: Some(error) }
    }
}

/// Of one's own models, or of anybody's for a superuser. He sees all only when asking for all.
pub(super) async fn summaries(ctx: Ctx, args: ModelSummariesRequest) -> Result<ModelSummaryResults> {
    let user = user_of(&args.user_tag)?;
    let caller = ctx.user()?;
    if user != caller.name && !caller.is_superuser() {
        return Err(Error::unauthorized());
    }
    let all = args.all && caller.is_superuser();
    let image = ctx.state().image();
    let mut results = vec![];
    for (doc, _) in model::for_user(&image, &user)? {
        let given = access::given(&image, &Object::Model(doc.uuid.clone()), &user)?;
        if all || given.is_some() || doc.owner == user {
            results.push(outcome(summary(&ctx, &image, &doc, &user)));
        }
    }
    Ok(ModelSummaryResults { results })
}

fn summary(ctx: &Ctx, image: &Image, doc: &ModelDoc, user: &UserName) -> Result<ModelSummary> {
    let m = &doc.uuid;
    let access = access::of(image, &Object::Model(m.clone()), user)?;
    let config = model_config::read(image, m)?;
    Ok(ModelSummary {
        name: doc.name.to_string(),
        uuid: doc.uuid.to_string(),
        type_: "iaas".to_owned(),
        controller_uuid: ctx.state().controller()?.uuid.to_string(),
        is_controller: doc.is_controller,
        provider_type: cloud::read(image, &doc.cloud)?.kind.clone(),
        cloud_tag: Tag::from(&doc.cloud).to_string(),
        cloud_region: doc.region.clone(),
        cloud_credential_tag: doc.credential.as_ref().map(|it| Tag::from(it).to_string()).unwrap_or_default(),
        owner_tag: Tag::from(&doc.owner).to_string(),
        life: doc.life.to_string(),
        status: Some(convert::entity_status(&status::read(image, m, &StatusOf::Model)?.info)),
        user_access: access.map(|it| it.as_str().to_owned()).unwrap_or_default(),
        last_connection: Time(user::last_connection(image, m, user)?),
        counts: counts(image, doc)?,
        agent_version: config.agent_version().map(|it| it.to_string()).unwrap_or_default(),
        sla: unsupported(),
        ..ModelSummary::default()
    })
}

/// How much there is in a model; what there is none of is left out.
fn counts(image: &Image, doc: &ModelDoc) -> Result<Vec<ModelEntityCount>> {
    let m = &doc.uuid;
    let mut cores = 0;
    for machine in machine::all(image, m)? {
        cores += machine::read_instance(image, m, &machine.id)?
            .and_then(|it| it.hardware.cores)
            .unwrap_or_default();
    }
    let there = Counts::read(image, m);
    let count = |entity: &str, count: usize| ModelEntityCount {
        entity: entity.to_owned(),
        count: i64::try_from(count).unwrap_or(i64::MAX),
    };
    let mut counts = vec![
        count("machines", there.machines),
        count("cores", usize::try_from(cores).unwrap_or(usize::MAX)),
        count("units", there.units),
    ];
    counts.retain(|it| it.count > 0);
    Ok(counts)
}
