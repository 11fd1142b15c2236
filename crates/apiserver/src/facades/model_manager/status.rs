//! `ModelStatus`: how far a model has come to its end, for those who wait for it.

use juju_core::Tag;
use juju_state::{access::Access, application, destroy::Counts, machine, model};
use juju_wire::params::{Entities, ModelApplicationInfo, ModelStatus, ModelStatusResults};

use super::{info::machines, model_of, require};
use crate::{
    Ctx, Result,
    bulk::{FromOutcome, each, tags},
};

impl FromOutcome<ModelStatus> for ModelStatus {
    fn value(value: ModelStatus) -> Self {
        value
    }
    fn error(error: juju_wire::Error) -> Self {
        ModelStatus { error: Some(error), ..ModelStatus::default() }
    }
}

pub(in super::super) async fn status(ctx: Ctx, args: Entities) -> Result<ModelStatusResults> {
    let one = async |tag: String| {
        let model = model_of(&ctx, &tag)?;
        require(&ctx, model.uuid(), Access::Admin)?;
        let (image, m) = (ctx.state().image(), model.uuid());
        let doc = model::read(&image, m)?;
        let applications = application::all(&image, m)?;
        let counts = Counts::read(&image, m);
        // The controller's own machines are not hosted by it.
        let hosted = machine::all(&image, m)?.iter().filter(|it| !it.is_controller()).count();
        let number = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        let names = applications.iter().map(|it| ModelApplicationInfo { name: it.name.to_string() });
        Ok(ModelStatus {
            model_tag: tag,
            life: doc.life.to_string(),
            type_: "iaas".to_owned(),
            hosted_machine_count: number(hosted),
            application_count: number(counts.applications),
            unit_count: number(counts.units),
            owner_tag: Tag::from(&doc.owner).to_string(),
            applications: Some(names.collect()),
            machines: Some(machines(&image, m)?),
            ..ModelStatus::default()
        })
    };
    Ok(ModelStatusResults { models: each(tags(args), one).await })
}
