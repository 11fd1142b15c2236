//! What an application's machines are to be like.

use juju_state::constraints;
use juju_wire::{
    facade::application::{ApplicationConstraint, ApplicationGetConstraintsResults},
    params::{Constraints, Entities, SetConstraints},
};

use super::may_change;
use crate::{
    Ctx, Result,
    bulk::{FromOutcome, each, tags},
    convert,
};

impl FromOutcome<Constraints> for ApplicationConstraint {
    fn value(constraints: Constraints) -> Self {
        ApplicationConstraint { constraints, error: None }
    }
    fn error(error: juju_wire::Error) -> Self {
        ApplicationConstraint { error: Some(error), ..ApplicationConstraint::default() }
    }
}

pub(super) async fn get(ctx: Ctx, args: Entities) -> Result<ApplicationGetConstraintsResults> {
    let one = async |tag: String| {
        let name = convert::application_tag(&tag)?;
        ctx.model().application(&name)?;
        let constraints = ctx.model().constraints(constraints::Of::Application(&name))?;
        Ok(convert::constraints_to_wire(&constraints))
    };
    Ok(ApplicationGetConstraintsResults { results: each(tags(args), one).await })
}

pub(super) async fn set(ctx: Ctx, args: SetConstraints) -> Result<()> {
    may_change(&ctx)?;
    let name = convert::application_name(&args.application)?;
    let constraints = convert::constraints_from_wire(&args.constraints)?;
    Ok(ctx.model().set_application_constraints(&name, &constraints).await?)
}
