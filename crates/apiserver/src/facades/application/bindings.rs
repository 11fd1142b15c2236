//! `MergeBindings`.

use juju_wire::{
    facade::application::{ApplicationMergeBindings, ApplicationMergeBindingsArgs},
    params::ErrorResults,
};

use super::may_change;
use crate::{
    Ctx, Error, Result,
    bulk::{FromResults as _, each},
    convert,
};

pub(super) async fn merge(ctx: Ctx, args: ApplicationMergeBindingsArgs) -> Result<ErrorResults> {
    may_change(&ctx)?;
    let one = async |it: ApplicationMergeBindings| {
        let name = convert::application_tag(&it.application_tag)?;
        if it.bindings.is_empty() {
            return Err(Error::other("no bindings specified"));
        }
        Ok(ctx.model().merge_bindings(&name, &it.bindings).await?)
    };
    Ok(ErrorResults::from_results(each(args.args, one).await))
}
