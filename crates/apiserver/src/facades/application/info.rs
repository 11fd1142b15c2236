//! `ApplicationsInfo`.

use juju_core::Tag;
use juju_state::{application, bindings, charm, constraints};
use juju_wire::{
    facade::application::{ApplicationInfoResult, ApplicationInfoResults, ApplicationResult},
    params::Entities,
};

use super::expose;
use crate::{
    Ctx, Result,
    bulk::{FromOutcome, each, tags},
    convert,
};

impl FromOutcome<ApplicationResult> for ApplicationInfoResult {
    fn value(result: ApplicationResult) -> Self {
        ApplicationInfoResult { result: Some(result), error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ApplicationInfoResult { result: None, error: Some(error) }
    }
}

pub(super) async fn applications(ctx: Ctx, args: Entities) -> Result<ApplicationInfoResults> {
    let image = ctx.model().image();
    let m = ctx.model_uuid();
    let one = async |tag: String| {
        let name = convert::application_tag(&tag)?;
        let doc = application::read(&image, m, &name)?;
        let charm = charm::describe(&image, m, &doc.charm_url)?;
        let constraints = constraints::read(&image, m, constraints::Of::Application(&name))?;
        let bindings = bindings::read(&image, m, &name)?;
        Ok(ApplicationResult {
            tag: Tag::from(&name).to_string(),
            charm: charm.name().to_owned(),
            base: Some(convert::base_to_wire(&doc.base)),
            channel: convert::channel_text(&doc.charm_origin),
            constraints: Some(convert::constraints_to_wire(&constraints)),
            principal: !doc.subordinate,
            exposed: doc.exposed,
            exposed_endpoints: expose::to_wire(&doc.exposed_endpoints),
            remote: false,
            life: doc.life.to_string(),
            endpoint_bindings: bindings
                .into_iter()
                .map(|(endpoint, it)| (endpoint, it.to_string()))
                .collect(),
        })
    };
    Ok(ApplicationInfoResults { results: each(tags(args), one).await })
}
